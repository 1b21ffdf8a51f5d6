// Unpacks a backup into a data directory, and proves that all of it is there.
import { Fault } from "../../base/fault.ts";
import { isInLake } from "../far.ts";
import { type Cut, farOf } from "../instance.ts";
import { Database, type DatabaseOptions } from "../database.ts";
import { withFile } from "../instance.ts";
import {
  type KeptFolder,
  moveFile,
  refusedAt,
  restoredPath,
  stampPath,
  tiers_name,
} from "../folder.ts";
import { reachesTo } from "../log_tail.ts";
import { first_mark } from "../loss_check.ts";
import { type Manifest, naming, readContainer } from "./container.ts";
import { firstDifference } from "./digest.ts";
import { database_name, database_names } from "./pack.ts";

/** Where a backup goes. */
export type RestoreTarget = {
  /** The data directory. */
  readonly path: string;
  readonly folders: readonly KeptFolder[];
};

/** How the restored database is opened, and who is told how far its proof is (0 to 1). */
export type RestoreOptions = Omit<DatabaseOptions, "path" | "onMigrate"> & {
  readonly onState?: (share: number) => void;
};

/**
 * Puts a backup into place. Every member's digest is proved while it is unpacked beside its place,
 * every table's from the database that was unpacked, and this program opens it; only then all of it
 * is moved, the database last. Throws a `Fault`, and leaves everything as it was, when anything
 * differs or is in the way.
 */
export async function restoreBackup(
  file: string,
  target: RestoreTarget,
  options: RestoreOptions,
): Promise<Manifest> {
  const places = placesOf(target);
  const stamp = placeOf("wattkeeper.stamp", stampPath(target.path));
  await refuseFilled([stamp, ...places]);
  try {
    await removeUnpacked([...places, stamp]);
    const manifest = await unpack(file, places);
    const copy = restoredPath(`${target.path}/${database_name}`);
    await naming(file, () => requireLog(`${copy}.wal`, manifest));
    await naming(file, () => prove(copy, manifest, options));
    await Deno.writeTextFile(stamp.unpacked, first_mark, { mode: 0o600 });
    await moveAll([stamp, ...places]);
    return manifest;
  } catch (error) {
    throw refusedAt(target.path, error);
  } finally {
    await removeUnpacked([...places, stamp]);
  }
}

/** What of a data directory a backup fills: `unpacked` lies beside `path` until the end. */
type Place = { readonly name: string; readonly path: string; readonly unpacked: string };

/** The database is last: what is there without it is no data directory yet. */
function placesOf({ path, folders }: RestoreTarget): readonly Place[] {
  const files = database_names.toReversed().map((name) => ({ name, path: `${path}/${name}` }));
  return [...folders, ...files].map(({ name, path }) => placeOf(name, path));
}

function placeOf(name: string, path: string): Place {
  return { name, path, unpacked: restoredPath(path) };
}

async function refuseFilled(places: readonly Place[]): Promise<void> {
  for (const { path } of places.toReversed()) {
    const entries = await Array.fromAsync(Deno.readDir(path)).catch(() => undefined);
    const is_there = await Deno.lstat(path).then(() => true, () => false);
    if (!is_there || entries?.length === 0) continue;
    // A restore that was cut short left it, or a service in which nothing is stored.
    if (await Deno.readTextFile(path).catch(() => "") === first_mark) continue;
    throw new Fault("conflict", `${path} is there already: move it away first`);
  }
}

async function removeUnpacked(places: readonly Place[]): Promise<void> {
  for (const { unpacked } of places) {
    await Deno.remove(unpacked, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

async function unpack(file: string, places: readonly Place[]): Promise<Manifest> {
  return await readContainer(file, async (name) => {
    const path = pathOf(name, places);
    const folder = path.slice(0, path.lastIndexOf("/"));
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    const options = { write: true, createNew: true, mode: 0o600 };
    const out = await Deno.open(path, options);
    return {
      async write(piece) {
        for (let at = 0; at < piece.length;) at += await out.write(piece.subarray(at));
      },
      async close() {
        await out.sync();
        out.close();
      },
    };
  });
}

/** Where a member is unpacked. */
function pathOf(name: string, places: readonly Place[]): string {
  const [first, ...below] = name.split("/");
  const place = places.find((place) => place.name === first);
  // The database's files are files, and all others lie in folders.
  const depth = database_names.includes(first) ? 0 : 1;
  if (place === undefined || below.length !== depth || below.includes("")) {
    throw new Fault("conflict", `the backup holds ${name}, which this program does not know`);
  }
  return place.unpacked + name.slice(first.length);
}

/** Throws a `Fault` (conflict) unless the log has entries to its end: else none would be read. */
async function requireLog(path: string, { members }: Manifest): Promise<void> {
  const log = members.find(({ name }) => name === `${database_name}.wal`);
  if (log === undefined || await reachesTo(path, log.bytes)) return;
  throw new Fault("conflict", `the backup's ${log.name} is no log of a database`);
}

/** Compares every table of the database as it was packed; then opens it as a start would. */
async function prove(path: string, manifest: Manifest, options: RestoreOptions): Promise<void> {
  const { onState: onTable, ...how } = options;
  try {
    await withFile({ ...how, path }, async (connection) => {
      const different = await firstDifference(connection, manifest, { onTable });
      if (different !== undefined) {
        throw new Fault("conflict", `the table ${different} is not what was backed up`);
      }
      requireFiles(await farOf(connection), manifest);
    });
    const database = await Database.open({ ...how, path });
    await database.close();
  } catch (error) {
    if (error instanceof Fault) throw error;
    const [reason] = String((error as Error).message).replaceAll(path, database_name).split("\n");
    throw new Fault("conflict", `the backup's database can't be opened: ${reason}`);
  }
}

/** Throws a `Fault` (conflict) where a file in which old days lie is not in the backup. */
function requireFiles({ far }: Pick<Cut, "far">, { members }: Manifest): void {
  const there = new Set(members.map(({ name, sha256 }) => `${name} ${sha256}`));
  const missing = far.find(({ file, sha256 }) =>
    !isInLake(file) && !there.has(`${tiers_name}/${file} ${sha256}`)
  );
  if (missing === undefined) return;
  throw new Fault("conflict", `the backup has no ${missing.file}, in which samples lie`);
}

/** Moves all into place; what was moved goes back when one can't be. */
async function moveAll(places: readonly Place[]): Promise<void> {
  const moved: Place[] = [];
  try {
    for (const place of places) {
      const is_there = await Deno.lstat(place.unpacked).then(() => true, () => false);
      if (!is_there) continue;
      using entries = await Deno.open(place.unpacked);
      await entries.sync();
      await moveFile(place.unpacked, place.path);
      moved.push(place);
    }
  } catch (error) {
    for (const { path } of moved) await Deno.remove(path, { recursive: true });
    throw error;
  }
}
