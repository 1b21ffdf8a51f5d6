// Files of a round: directories copied, backups made and proved, bytes damaged.
import { systemEffects } from "../../src/base/effects.ts";
import { readContainer } from "../../src/store/backup/container.ts";
import type { Connection } from "../../src/store/connection.ts";
import { withFile } from "../../src/store/instance.ts";
import { ordered_tables } from "../../src/store/samples/order.ts";
import { readKey, Vault } from "../../src/store/vault.ts";
import type { Server } from "../help/process.ts";
import { queryRows, runQuery } from "../help/query.ts";
import type { Client } from "./client.ts";

/** Copies a directory with everything in it. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    const paths = [`${from}/${name}`, `${to}/${name}`] as const;
    await (isDirectory ? copyFolder(...paths) : Deno.copyFile(...paths));
  }
}

/** A backup that the service sends, in a file. */
export async function backUp({ address }: Server, { ledger: { token } }: Client): Promise<string> {
  const file = await Deno.makeTempFile({ suffix: ".tar" });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${address}/admin/v1/backups/stream`, { method: "POST", headers });
  await Deno.writeFile(file, answer.body!);
  await readContainer(file);
  return file;
}

/** Changes a file's bytes in place. */
export async function damage(
  path: string,
  change: (bytes: Uint8Array) => Uint8Array | void,
): Promise<void> {
  const bytes = await Deno.readFile(path);
  await Deno.writeFile(path, change(bytes) ?? bytes);
}

/**
 * What the rows of samples, and of what is rolled up from them, come to: how many there are, and a
 * sum over all that they hold. Of a copy, so that the log stays as a kill left it.
 */
export async function digestRows(data_dir: string): Promise<string> {
  const copy = await Deno.makeTempDir();
  const path = `${copy}/wattkeeper.duckdb`;
  for (const end of ["", ".wal"]) {
    await Deno.copyFile(`${data_dir}/wattkeeper.duckdb${end}`, `${path}${end}`).catch(ignoreAbsent);
  }
  const digests = await withFile({ path }, async (connection) => {
    const found: string[] = [];
    for (const { name } of ordered_tables) {
      const sql = `SELECT count(*) || ' rows, ' || sum(hash(kept)) AS text FROM ${name} AS kept`;
      const [{ text }] = await queryRows<{ text: string }>(connection, sql);
      found.push(`${name} ${text}`);
    }
    return found.join("; ");
  });
  await Deno.remove(copy, { recursive: true });
  return digests;
}

function ignoreAbsent(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Makes the directory's database one of an older version, with the same rows. */
export async function makeOlder(data_dir: string, version: number): Promise<void> {
  const path = `${data_dir}/wattkeeper.duckdb`;
  await withFile({ path: `${path}.older` }, async (connection) => {
    const names = Array.from(Deno.readDirSync(migrations), ({ name }) => name).sort();
    for (const name of names.slice(0, version)) {
      await connection.script(await Deno.readTextFile(new URL(name, migrations)));
    }
    await connection.script(`ATTACH '${path}' AS newer`);
    type Named = { readonly name: string; readonly columns: string };
    for (const { name, columns } of await queryRows<Named>(connection, shared_columns)) {
      await connection.script(
        `INSERT INTO "${name}" (${columns}) SELECT ${columns} FROM newer."${name}"`,
      );
    }
    await connection.script(
      `UPDATE meta SET value = ${version} WHERE name = 'version'; DETACH newer;` +
        "DELETE FROM meta WHERE name IN ('key', 'sealing')",
    );
    await unsealAll(connection, data_dir);
  });
  await Deno.rename(`${path}.older`, path);
  await Deno.remove(`${path}.wal`).catch(() => {});
  // What was kept of a commit then: its stamp alone.
  await Deno.writeTextFile(`${data_dir}/wattkeeper.stamp`, "0\n");
}

/** Secrets were in clear then. */
async function unsealAll(connection: Connection, data_dir: string): Promise<void> {
  const vault = new Vault(systemEffects(), await readKey(`${data_dir}/wattkeeper.key`));
  type Sealed = { readonly place: string; readonly text: string };
  for (const [table, column, place] of sealed_columns) {
    const sealed = await queryRows<Sealed>(
      connection,
      `SELECT ${place} AS place, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    for (const { place: where, text } of sealed) {
      const set = `UPDATE ${table} SET ${column} = $clear WHERE ${place} = $where`;
      await runQuery(connection, set, { clear: vault.unseal(text, where), where });
    }
  }
}

/** What is sealed, and how `secret_places` names its rows. */
const sealed_columns = [
  ["signing_key", "seed", "'signing_key ' || kid"],
  [
    "subscription_secret",
    "secret",
    "'subscription_secret ' || subscription_no || ' ' || created_at",
  ],
  ["subscription", "headers", "'subscription ' || subscription_no"],
] as const;

const migrations = new URL("../../src/store/migrations/", import.meta.url);

/** The tables of the file, and their columns that the newer one has, too. */
const shared_columns = `
  SELECT table_name AS name, string_agg('"' || column_name || '"', ', ') AS columns
  FROM duckdb_columns() AS own
  WHERE database_name <> 'newer' AND NOT internal AND EXISTS (
    FROM duckdb_columns() AS it
    WHERE it.database_name = 'newer' AND it.table_name = own.table_name
      AND it.column_name = own.column_name
  )
  GROUP BY table_name`;
