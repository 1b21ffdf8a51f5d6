// Copies the whole database into a file of its own and proves the copy equal.
import digest_sql from "./table_digest.sql" with { type: "text" };
import { Fault } from "../base/fault.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";

/** One table's rows and a digest of them all that does not depend on their order. */
export type TableDigest = {
  readonly table_name: string;
  readonly rows: number;
  readonly digest: string;
};

/**
 * Writes a copy to `path`, which must not exist, from one snapshot, and reads every row of it
 * again. Gives what it holds. Throws a `Fault` when a row of the copy differs.
 */
export async function backUp(database: Database, path: string): Promise<readonly TableDigest[]> {
  const connection = await database.session();
  try {
    await connection.run(`ATTACH ${quoted(path)} AS backup`);
    await connection.run("BEGIN TRANSACTION");
    await connection.run(`COPY FROM DATABASE ${await nameOf(connection)} TO backup`);
    const here = await digestsOf(connection, await nameOf(connection));
    const there = await digestsOf(connection, `"backup"`);
    await connection.run("COMMIT");
    await connection.run("DETACH backup");
    for (const [i, { table_name, rows, digest }] of here.entries()) {
      if (there[i]?.rows === rows && there[i].digest === digest) continue;
      throw new Fault("conflict", `the copy of table ${table_name} in ${path} differs`);
    }
    return there;
  } finally {
    connection.close();
  }
}

async function digestsOf(connection: Connection, catalog: string): Promise<TableDigest[]> {
  const tables = await connection.rows<{ table_name: string }>(
    "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() " +
      "AND NOT temporary ORDER BY table_name",
  );
  const digests: TableDigest[] = [];
  for (const { table_name } of tables) {
    const table = `${catalog}.main.${table_name}`;
    const [row] = await connection.rows<{ rows: number; digest: string }>(digest_sql, { table });
    digests.push({ table_name, ...row });
  }
  return digests;
}

async function nameOf(connection: Connection): Promise<string> {
  const [{ name }] = await connection.rows<{ name: string }>(
    "SELECT current_database() AS name",
  );
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as SQL writes it: ATTACH takes no parameter. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
