// Copies the whole database into a file of its own and proves the copy equal.
import { Fault } from "../base/fault.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";

/** Counts a table's rows and digests them all, whatever their order. */
const digest = statement({
  sql: `
    SELECT count(*)::BIGINT AS rows, coalesce(bit_xor(hash(row)), 0)::VARCHAR AS digest
    FROM query_table($table::VARCHAR) AS row
    ORDER BY rows`,
  parameters: { table: "text" },
  row: { rows: "int64", digest: "text" },
  is_dynamic: true,
});

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
    await connection.script(`ATTACH ${quoted(path)} AS backup`);
    await connection.script("BEGIN TRANSACTION");
    await connection.script(`COPY FROM DATABASE ${await nameOf(connection)} TO backup`);
    const here = await digestsOf(connection, await nameOf(connection));
    const there = await digestsOf(connection, `"backup"`);
    await connection.script("COMMIT");
    await connection.script("DETACH backup");
    for (const [i, { table_name, rows, digest }] of here.entries()) {
      if (there[i]?.rows === rows && there[i].digest === digest) continue;
      throw new Fault("conflict", `the copy of table ${table_name} in ${path} differs`);
    }
    return there;
  } finally {
    connection.close();
  }
}

/** The stored tables. */
const table_names_list = statement({
  sql: `
    SELECT table_name
    FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT temporary
    ORDER BY table_name`,
  row: { table_name: "text" },
});

async function digestsOf(connection: Connection, catalog: string): Promise<TableDigest[]> {
  const tables = await connection.rows(table_names_list);
  const digests: TableDigest[] = [];
  for (const { table_name } of tables) {
    const table = `${catalog}.main.${table_name}`;
    const [row] = await connection.rows(digest, { table });
    digests.push({ table_name, ...row });
  }
  return digests;
}

/** The name of the database file as SQL knows it. */
const name_find = statement({
  sql: "SELECT current_database() AS name",
  row: { name: "text" },
});

async function nameOf(connection: Connection): Promise<string> {
  const [{ name }] = await connection.rows(name_find);
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as SQL writes it: ATTACH takes no parameter. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
