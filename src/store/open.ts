// Opens the database of a data directory: made beside its place when new, mended when torn.
import { namingDamage } from "./damage.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { Fault } from "../base/fault.ts";
import { type Folder, moveFile, replaceFile, restoredPath, sizeOf } from "./folder.ts";
import { cutZeros } from "./log_tail.ts";
import {
  first_mark,
  Guard,
  type LossPolicy,
  lost,
  readMark,
  refuseUnmarked,
  requireWhole,
} from "./loss_check.ts";
import { keepSealed, type KeyOptions, sealSecrets, unlock, wipe } from "./seal.ts";

/** The open database, the guard of its tail, and what a power cut left at the end of its log. */
export type Opened = {
  readonly database: Database;
  readonly guard: Guard;
  readonly cut_bytes: number;
};

type OpenOptions = Omit<DatabaseOptions, "path"> & KeyOptions & { readonly on_loss: LossPolicy };

/** Opens `folder`'s database; a missing one is made, unless the folder once held one. */
export function openDatabase(folder: Folder, options: OpenOptions): Promise<Opened> {
  return namingDamage(folder, () => open(folder, options));
}

async function open(folder: Folder, options: OpenOptions): Promise<Opened> {
  const path = folder.database_path;
  const mark = await readMark(folder.stamp_path, options.on_loss);
  const known = options.on_loss === "refuse" ? mark : undefined;
  if (await sizeOf(path) === 0) {
    if (known && known.stamp_us > 0) throw lost(`the database ${path} is gone, with`, known);
    await requireNoRestore(folder);
    await make(folder, options);
  } else if (options.on_loss === "refuse" && !known) refuseUnmarked(folder);
  if (known) await requireWhole(known, folder);
  const cut_bytes = await cutZeros(folder.log_path);
  const stamped_us = mark?.log && mark.stamp_us;
  const openWhole = async () => {
    const database = await Database.open({ ...options, path, stamped_us });
    return await orAbandon(database, async () => {
      if (known && database.committed_us < known.stamp_us) {
        throw lost(`the database ${path} ends before`, known);
      }
      await unlock(database, options);
      return database;
    });
  };
  const database = await sealed(await openWhole(), { path, open: openWhole });
  return await orAbandon(
    database,
    async () => ({ database, guard: await Guard.open(database, folder, known), cut_bytes }),
  );
}

/** The database with all its secrets sealed. What was stored in clear before is gone for good. */
async function sealed(
  database: Database,
  { path, open }: { readonly path: string; readonly open: () => Promise<Database> },
): Promise<Database> {
  const clear = await orAbandon(database, () => sealSecrets(database));
  if (clear.length === 0) return database;
  await database.close();
  await wipe(path, clear);
  const again = await open();
  await orAbandon(again, () => keepSealed(again));
  return again;
}

/** Does `work` on a database; one for which that fails is closed, and its file is left as it is. */
export async function orAbandon<T>(database: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await database.abandon();
    throw error;
  }
}

/** Throws a `Fault` (conflict) where a restore was cut short: an empty database is not meant. */
async function requireNoRestore({ path, database_path }: Folder): Promise<void> {
  const left = restoredPath(database_path);
  if (await sizeOf(left) === 0) return;
  const what = `a restore into ${path} did not end`;
  throw new Fault("conflict", `${what}: restore the backup again, or remove ${left}`);
}

/**
 * A start that is cut short leaves `.new` files, which the next one removes; never half a database,
 * and none without a mark.
 */
async function make(
  { database_path: path, stamp_path }: Folder,
  options: Omit<DatabaseOptions, "path">,
): Promise<void> {
  const beside = `${path}.new`;
  for (const left of [beside, `${beside}.wal`]) {
    if (await sizeOf(left) > 0) await Deno.remove(left);
  }
  const database = await Database.open({ ...options, path: beside });
  await database.close();
  await replaceFile(stamp_path, first_mark);
  await moveFile(beside, path);
}
