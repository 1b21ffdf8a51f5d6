// Opens the database of a data directory: made beside its place when new, checked when old.
import { Fault } from "../base/fault.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { type Folder, moveFile, sizeOf } from "./folder.ts";
import { cutZeros } from "./log_repair.ts";
import { Guard, type LossPolicy, lost, readStamp } from "./loss_check.ts";

/** The open database, the guard of its tail, and what a power cut left at the end of its log. */
export type Opened = {
  readonly database: Database;
  readonly guard: Guard;
  readonly cut_bytes: number;
};

/** Opens `folder`'s database; a missing one is made, unless the folder once held one. */
export async function openDatabase(
  folder: Folder,
  options: Omit<DatabaseOptions, "path"> & { readonly on_loss: LossPolicy },
): Promise<Opened> {
  const path = folder.database_path;
  if (await sizeOf(path) === 0) {
    const committed_us = await readStamp(folder.stamp_path, options.on_loss);
    if (committed_us > 0 && options.on_loss === "refuse") throw lost(committed_us, 0);
    await make(path, options);
  }
  const cut_bytes = await cutZeros(folder.log_path);
  const database = await Database.open({ ...options, path }).catch((error) => {
    if (error instanceof Fault) throw error;
    const [reason] = String(error.message).split("\n");
    throw new Fault("conflict", `the database ${path} can't be opened: ${reason}`);
  });
  try {
    const guard = await Guard.open(database, folder.stamp_path, options.on_loss);
    return { database, guard, cut_bytes };
  } catch (error) {
    await database.abandon();
    throw error;
  }
}

/**
 * A start that is cut short leaves `.new` files, which the next one removes; never half a database.
 */
async function make(path: string, options: Omit<DatabaseOptions, "path">): Promise<void> {
  const beside = `${path}.new`;
  for (const left of [beside, `${beside}.wal`]) {
    if (await sizeOf(left) > 0) await Deno.remove(left);
  }
  const database = await Database.open({ ...options, path: beside });
  await database.close();
  await moveFile(beside, path);
}
