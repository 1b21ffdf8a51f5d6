// Packs a cut of the database, and the files beside it, into a backup, piece by piece.
import { Fault } from "../../base/fault.ts";
import type { Cut } from "../instance.ts";
import { FarDays, isInLake } from "../far.ts";
import { type KeptFolder, moveFile, refusedAt } from "../folder.ts";
import { readFact } from "../meta.ts";
import { ContainerWriter, type MemberSource } from "./container.ts";
import { digestTables, duckdbVersion } from "./digest.ts";
import { backup_limits } from "./limits.ts";

/** The database's file and its log, as they are called in a backup and in a data directory. */
export const database_name = "wattkeeper.duckdb";
export const database_names: readonly string[] = [database_name, `${database_name}.wal`];

/** How far a backup is: bytes that are copied, and the share (0 to 1) of tables that are read. */
export type PackState = {
  readonly done_bytes: number;
  readonly total_bytes: number;
  readonly tables_share: number;
};

/** What is packed beside the cut, and who is told. */
export type PackOptions = {
  readonly folders: readonly KeptFolder[];
  /** The program's version, and when this is. */
  readonly program: string;
  readonly made_at: string;
  readonly onState?: (state: PackState) => void;
  /** Aborts to give up. */
  readonly signal?: AbortSignal;
};

/**
 * The bytes of a backup, which prove themselves when they are read. The cut's files are released
 * as soon as they are copied; its tables are digested meanwhile. The caller disposes of the cut.
 */
export async function* packBackup(
  cut: Cut,
  { folders, program, made_at, onState = () => {}, signal }: PackOptions,
): AsyncGenerator<Uint8Array, void> {
  const sources = await sourcesOf(cut, folders);
  const total_bytes = sources.reduce((sum, { bytes }) => sum + bytes, 0);
  let state: PackState = { done_bytes: 0, total_bytes, tables_share: 0 };
  const show = (change: Partial<PackState>) => onState(state = { ...state, ...change });
  show({});
  const stop = () => cut.connection.interrupt();
  signal?.addEventListener("abort", stop);
  const duckdb = await duckdbVersion(cut.connection);
  const key = await readFact(cut.connection, "key") ?? null;
  const digesting = digestTables(cut.connection, {
    onTable: (tables_share) => {
      signal?.throwIfAborted();
      show({ tables_share });
    },
  });
  digesting.catch(() => {});
  try {
    const writer = new ContainerWriter();
    for (const source of sources) {
      for await (const piece of writer.member(source)) {
        signal?.throwIfAborted();
        yield piece;
        show({ done_bytes: Math.min(total_bytes, state.done_bytes + piece.length) });
      }
    }
    cut.release();
    const tables = await digesting;
    yield* writer.end({ program, schema: cut.version, duckdb, key, made_at, tables });
    signal?.throwIfAborted();
  } finally {
    stop();
    await digesting.catch(() => {});
    signal?.removeEventListener("abort", stop);
  }
}

/** How many bytes a backup of a cut copies. */
export async function packedBytes(
  cut: Cut,
  folders: readonly KeptFolder[],
): Promise<number> {
  return (await sourcesOf(cut, folders)).reduce((sum, { bytes }) => sum + bytes, 0);
}

async function sourcesOf(cut: Cut, folders: readonly KeptFolder[]): Promise<MemberSource[]> {
  const [file, log] = database_names;
  return [
    { name: file, path: cut.path, bytes: cut.file_bytes },
    { name: log, path: `${cut.path}.wal`, bytes: cut.log_bytes },
    ...(await Promise.all(folders.map((it) => it.is_named ? namedIn(it, cut) : filesIn(it))))
      .flat(),
  ];
}

/** The files of a folder that the cut's rows name. */
async function namedIn({ name, path }: KeptFolder, { far }: Cut): Promise<MemberSource[]> {
  const folder = new FarDays(path);
  // What lies in a lake stays there.
  const filed = far.filter(({ file }) => !isInLake(file));
  await folder.require(filed, { by: "size" });
  return filed.map(({ file, bytes, sha256 }) => (
    { name: `${name}/${file}`, path: folder.pathOf(file), bytes, sha256 }
  ));
}

/** The files of a folder and of those in it; one that is still being written has no row yet. */
async function filesIn({ name, path }: KeptFolder): Promise<MemberSource[]> {
  const found: MemberSource[] = [];
  for (const entry of await ifThere(Array.fromAsync(Deno.readDir(path))) ?? []) {
    const inner = { name: `${name}/${entry.name}`, path: `${path}/${entry.name}` };
    if (entry.isDirectory) found.push(...await filesIn(inner));
    else if (!entry.name.endsWith(".new")) {
      // One that goes meanwhile has no row in the cut.
      const file = await ifThere(Deno.stat(inner.path));
      if (file) found.push({ ...inner, bytes: file.size });
    }
  }
  return found.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** What is read; undefined where there is nothing. */
function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
}

/**
 * Writes a backup's bytes into a file under another name, which becomes `path` once all of it is on
 * disk. Throws a `Fault` (conflict) where there is something already.
 */
export async function writeBackup(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  await refuseTaken(path);
  const unfinished = `${path}.new`;
  try {
    const options = { write: true, create: true, truncate: true, mode: 0o600 };
    using file = await Deno.open(unfinished, options);
    let unsynced = 0;
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length;) at += await file.write(piece.subarray(at));
      unsynced += piece.length;
      // A commit waits for no more than what is not on disk yet.
      if (unsynced < backup_limits.sync_bytes) continue;
      await file.syncData();
      unsynced = 0;
    }
    await file.sync();
    await moveFile(unfinished, path);
  } catch (error) {
    await Deno.remove(unfinished).catch(() => {});
    throw refusedAt(path, error);
  }
}

/** Throws a `Fault` (conflict) where there is something at `path`. */
export async function refuseTaken(path: string): Promise<void> {
  const is_there = await Deno.lstat(path).then(() => true, () => false);
  const remedy = "give another name, or remove it";
  if (is_there) throw new Fault("conflict", `${path} exists already: ${remedy}`);
}
