// Opens the database of a data directory: made beside its place when new, mended when torn.
import { Fault } from "../base/fault.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { type Folder, moveFile, sizeOf } from "./folder.ts";
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

const header_bytes = 8;
const frame_bytes = 16;

/**
 * Cuts the log at `path` after its last entry that no zeros reach into, and keeps the whole log
 * as `<path>.damaged`. An entry ends in 0xFFFF, so only a damaged log ends in a zero. Gives the
 * bytes cut; a log that ends otherwise is left to the database, which knows a torn last entry.
 */
async function cutZeros(path: string): Promise<number> {
  const size = await sizeOf(path);
  if (size === 0 || !await endsInZero(path, size)) return 0;
  const log = await Deno.readFile(path);
  const keep = lastWholeEntry(log, log.findLastIndex((byte) => byte !== 0) + 1);
  await Deno.writeFile(`${path}.damaged`, log, { mode: 0o600 });
  await Deno.truncate(path, keep);
  return size - keep;
}

/** Where the last entry ends that lies wholly before `zeros_from`. */
function lastWholeEntry(log: Uint8Array, zeros_from: number): number {
  const view = new DataView(log.buffer, log.byteOffset);
  let at = header_bytes;
  while (at + frame_bytes <= zeros_from) {
    const end = at + frame_bytes + Number(view.getBigUint64(at, true));
    if (end > zeros_from || end === at + frame_bytes) break;
    at = end;
  }
  return Math.min(at, zeros_from);
}

async function endsInZero(path: string, size: number): Promise<boolean> {
  using file = await Deno.open(path);
  await file.seek(size - 1, Deno.SeekMode.Start);
  const last = new Uint8Array(1);
  await file.read(last);
  return last[0] === 0;
}
