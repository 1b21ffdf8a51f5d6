// Writes a database's file anew: in the form in which this program makes one, with nothing free.
import { Fault } from "../../base/fault.ts";
import type { Manifest } from "./container.ts";
import { digestTables, duckdbVersion, firstDifference } from "./digest.ts";
import type { Connection } from "../connection.ts";
import type { Database, DatabaseOptions } from "../database.ts";
import { withFile } from "../instance.ts";
import { database_limits } from "../limits.ts";
import { markWithoutLog } from "../loss_check.ts";
import { type Folder, moveFile, replaceFile, sizeOf } from "../folder.ts";
import { statement } from "../statement.ts";

const form_read = statement({
  sql: "SELECT max(block_size)::INTEGER AS block_bytes FROM pragma_database_size()",
  row: { block_bytes: "int32" },
});

/** Whether the file is of a form that takes more room than the one in which a new one is made. */
export async function hasOlderForm(connection: Connection): Promise<boolean> {
  await connection.standAlone();
  const [{ block_bytes }] = await connection.rows(form_read);
  return block_bytes > database_limits.block_bytes;
}

/** A copy that lies beside the database: what its tables must hold. */
export type FreshCopy = Pick<Manifest, "tables" | "duckdb"> & { readonly stamp_us: number };

/** How the copy is opened, and who is told how far reading is (0 to 1). */
export type CompactOptions = Omit<DatabaseOptions, "path" | "onMigrate"> & {
  readonly onState?: (share: number) => void;
};

/** Where the copy lies until it is proved. What a killed one left there the next one removes. */
function copyPath({ database_path }: Folder): string {
  return `${database_path}.compact`;
}

/** Copies every table, its rows in their order, into a new file; nobody may write meanwhile. */
export async function copyAnew(
  database: Database,
  folder: Folder,
  { onState: onTable }: Pick<CompactOptions, "onState"> = {},
): Promise<FreshCopy> {
  await removeCopy(folder);
  const copy = database.aside(async (connection) => {
    const tables = await digestTables(connection, { onTable });
    const path = copyPath(folder).replaceAll("'", "''");
    await connection.script(`
      SET preserve_insertion_order = true;
      ATTACH '${path}' AS compact;
      COPY FROM DATABASE wattkeeper TO compact;
      CHECKPOINT compact;
      DETACH compact`);
    return { tables, duckdb: await duckdbVersion(connection), stamp_us: database.committed_us };
  });
  return await copy.catch(async (error) => {
    await removeCopy(folder);
    throw error;
  });
}

/**
 * Puts a copy in the database's place, once every table of it was compared; the database is closed.
 * A process that is killed leaves the one or the other: the mark before is true of both.
 */
export async function replaceByCopy(
  folder: Folder,
  { stamp_us, ...copied }: FreshCopy,
  { onState: onTable, ...options }: CompactOptions,
): Promise<void> {
  const path = copyPath(folder);
  const different = await withFile(
    { ...options, path },
    (connection) => firstDifference(connection, copied, { onTable }),
  );
  if (different !== undefined) throw notDone(`the copy's table ${different} is another one`);
  const logs = [folder.log_path, `${path}.wal`];
  for (const log of logs) if (await sizeOf(log) > 0) throw notDone(`${log} is not empty`);
  using copy = await Deno.open(path);
  await copy.sync();
  await replaceFile(folder.stamp_path, markWithoutLog(stamp_us));
  await moveFile(path, folder.database_path);
}

/** Removes a copy that was not put into place. */
export async function removeCopy(folder: Folder): Promise<void> {
  const path = copyPath(folder);
  for (const left of [path, `${path}.wal`]) {
    if (await sizeOf(left) > 0) await Deno.remove(left);
  }
}

function notDone(reason: string): Fault {
  return new Fault("conflict", `the database stays as it was: ${reason}. Try again`);
}
