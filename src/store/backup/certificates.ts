// Keeps a copy of the service's certificates and keys in the database, sealed, for backups.
import { Fault } from "../../base/fault.ts";
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../database.ts";
import { moveFile, refusedAt, restoredPath } from "../folder.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import { secret_places } from "../vault.ts";
import { backup_limits } from "./limits.ts";

const file_table = table("certificate_file", {
  /** Its path in the folder. */
  name: "text",
  /** Base64, sealed. */
  content: "text",
});

type FileRow = PlainRow<typeof file_table.columns>;

const files_list = statement({
  sql: "SELECT {row} FROM certificate_file ORDER BY name",
  row: file_table.columns,
});

const files_delete = statement({ sql: "DELETE FROM certificate_file" });

/** Base64 by path. */
type Files = ReadonlyMap<string, string>;

/**
 * Makes the database's copy what the folder at `path` holds; where there is no such folder, as
 * after a restore, it is made from the copy. What servers sent and nobody trusts is left out.
 */
export async function keepCertificates(database: Database, path: string): Promise<void> {
  // Without its key, what is there can't be read: a person puts it back first.
  if (database.vault.is_locked) return;
  const copy = await database.read(readCopy);
  const is_there = await Deno.stat(path).then(() => true, () => false);
  if (!is_there) return await putBack(copy, path);
  const files = await filesIn(path);
  if (JSON.stringify([...files]) === JSON.stringify([...copy])) return;
  await database.write(async ({ connection }) => {
    await connection.run(files_delete);
    const rows = Array.from(files, ([name, content]): FileRow => (
      { name, content: connection.vault.seal(content, secret_places.certificate(name)) }
    ));
    await appendRows(connection, file_table, rows);
  });
}

/** The copy; what was sealed with a key that is no longer the database's is none. */
async function readCopy(connection: Connection): Promise<Files> {
  const rows = await connection.rows(files_list);
  try {
    return new Map(rows.map(({ name, content }) => [
      name,
      connection.vault.unseal(content, secret_places.certificate(name)),
    ]));
  } catch (error) {
    if (error instanceof Fault) return new Map();
    throw error;
  }
}

/** Writes all files beside the folder's place, which they take at once. */
async function putBack(files: Files, path: string): Promise<void> {
  if (files.size === 0) return;
  const unfinished = restoredPath(path);
  await Deno.remove(unfinished, { recursive: true }).catch(() => {});
  try {
    for (const [name, content] of files) {
      const file_path = `${unfinished}/${name}`;
      const folder = file_path.slice(0, file_path.lastIndexOf("/"));
      await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
      using file = await Deno.open(file_path, { write: true, createNew: true, mode: 0o600 });
      const bytes = Uint8Array.fromBase64(content);
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
      await file.sync();
    }
    await moveFile(unfinished, path);
  } catch (error) {
    throw refusedAt(path, error);
  }
}

/** What is left out: every server that connects fills it. */
const rejected = "rejected";

async function filesIn(path: string): Promise<Files> {
  const found: [string, string][] = [];
  const look = async (below: string) => {
    for await (const { name, isDirectory, isFile } of Deno.readDir(path + below)) {
      const inner = `${below}/${name}`;
      if (isDirectory && inner !== `/${rejected}`) await look(inner);
      if (!isFile || found.length >= backup_limits.certificates) continue;
      const { size } = await Deno.stat(path + inner);
      if (size > backup_limits.certificate_bytes) continue;
      found.push([inner.slice(1), (await Deno.readFile(path + inner)).toBase64()]);
    }
  };
  await look("");
  return new Map(found.sort(([a], [b]) => a < b ? -1 : 1));
}
