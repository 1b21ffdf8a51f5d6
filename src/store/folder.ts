// The data directory: its one holder, and what lies in it.
import { Fault } from "../base/fault.ts";
import { isShardName, shardName, type ShardOf } from "../model/fleet/shard.ts";
import type { Settings } from "../model/setting.ts";

/**
 * The data directory, held by this process until `close`. The lock is the operating system's: a
 * process that dies gives it back, whatever killed it.
 */
export class Folder {
  readonly path: string;
  /** What others than the owner may reach, as this process may not forbid it. */
  readonly loose: readonly LooseMode[];
  readonly #lock: Deno.FsFile;

  private constructor(path: string, { lock, loose }: Pick<Folder, "loose"> & Held) {
    this.path = path;
    this.loose = loose;
    this.#lock = lock;
  }

  /** Makes the directory where it is missing and takes it; a `Fault` names whoever holds it. */
  static async open(path: string): Promise<Folder> {
    const lock = await refuseUnwritable(path, async () => {
      await Deno.mkdir(path, { recursive: true, mode: 0o700 });
      await sizeOf(lockPath(path));
      return await Deno.open(lockPath(path), { read: true, write: true, create: true });
    });
    if (!await lock.tryLock(true)) {
      const holder = await holderOf(path);
      lock.close();
      const held = `the data directory ${path} is in use by ${holder}`;
      throw new Fault("conflict", `${held}: stop it first`);
    }
    await lock.truncate();
    await lock.write(new TextEncoder().encode(`process ${Deno.pid} on ${Deno.hostname()}\n`));
    return new Folder(path, { lock, loose: await tighten(path) });
  }

  get database_path(): string {
    return databasePath(this.path);
  }

  /** The database's write-ahead log. */
  get log_path(): string {
    return `${this.database_path}.wal`;
  }

  /** Holds the last stamp that is known to be committed. */
  get stamp_path(): string {
    return stampPath(this.path);
  }

  /** Keeps how commands on this machine reach this process, for its owner's eyes. */
  async keepDoor(door: DoorPlate): Promise<void> {
    await replaceFile(doorPath(this.path), `${JSON.stringify(door)}\n`);
  }

  async removeDoor(): Promise<void> {
    await Deno.remove(doorPath(this.path)).catch(() => {});
  }

  /** Whether a process held the directory at `path` before. */
  static async hasLock(path: string): Promise<boolean> {
    return await Deno.lstat(lockPath(path)).then(() => true, () => false);
  }

  /** Leaves a directory that this process takes back to how it was before: never held. */
  async removeLock(): Promise<void> {
    await Deno.remove(lockPath(this.path));
  }

  /** Gives the directory back. */
  close(): void {
    this.#lock.close();
  }
}

function databasePath(path: string): string {
  return `${path}/wattkeeper.duckdb`;
}

/** Whether the directory at `path` holds a database, or held one. */
export async function hasDatabase(path: string): Promise<boolean> {
  const found = [databasePath(path), stampPath(path)].map((it) =>
    Deno.stat(it).then(() => true, () => false)
  );
  return (await Promise.all(found)).includes(true);
}

/** Whether the directory at `path` has those of shards in it, as that of a fleet's node has. */
export async function hasShards(path: string): Promise<boolean> {
  const entries = await Array.fromAsync(Deno.readDir(path)).catch(() => []);
  return entries.some(({ name }) => isShardName(name));
}

type Held = { readonly lock: Deno.FsFile };

/** A file or directory that others than its owner may reach. */
export type LooseMode = { readonly path: string; readonly mode: number };

/** What is ours in a data directory; it may hold other files, too. */
const own_names = new RegExp(
  "^(wattkeeper\\.(duckdb|stamp|lock|door|backup|key|shard)|" +
    "(photos|backups|tiers|library|queries|imports|secrets|certificates)$)",
);

/**
 * The data directory at `path`, what is ours in it, and further files, as far as others than their
 * owner may reach them. Folders keep others from what is in them.
 */
export async function looseModes(
  path: string,
  further: readonly string[] = [],
): Promise<readonly LooseMode[]> {
  const entries = await Array.fromAsync(Deno.readDir(path)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  });
  const names = entries.filter(({ isSymlink }) => !isSymlink)
    .map(({ name }) => name).filter((name) => own_names.test(name));
  const paths = [path, ...names.map((name) => `${path}/${name}`), ...further];
  const modes = await Promise.all(paths.map(async (path) => {
    const found = await Deno.stat(path).catch(() => undefined);
    return { path, mode: (found?.mode ?? 0) & 0o777 };
  }));
  return modes.filter(({ mode }) => (mode & others) !== 0);
}

const others = 0o077;

/**
 * Keeps others from a data directory, whoever made it, and from all that this process makes from
 * now on, its libraries too. Gives what it may not change.
 */
async function tighten(path: string): Promise<readonly LooseMode[]> {
  if (Deno.build.os !== "windows") Deno.umask(others);
  for (const { path: loose, mode } of await looseModes(path)) {
    await Deno.chmod(loose, mode & ~others).catch(() => {});
  }
  return await looseModes(path);
}

/** What tells of the last commit in the data directory at `path`. */
export function stampPath(path: string): string {
  return `${path}/wattkeeper.stamp`;
}

/** Where what is restored to a path lies until all of it is proved. */
export function restoredPath(path: string): string {
  const beside = ".restored";
  // The log is found beside the file by its ending.
  return path.endsWith(".wal") ? path.replace(/\.wal$/, `${beside}.wal`) : path + beside;
}

/** Where a service answers, and a token that lets a command of this machine in. */
export type DoorPlate = { readonly url: string; readonly token: string };

const lockPath = (path: string) => `${path}/wattkeeper.lock`;
const doorPath = (path: string) => `${path}/wattkeeper.door`;

/** How to reach the service that holds the directory at `path`; undefined where none says so. */
export async function findDoor(path: string): Promise<DoorPlate | undefined> {
  if (!await isHeld(path)) return undefined;
  try {
    return JSON.parse(await Deno.readTextFile(doorPath(path))) as DoorPlate;
  } catch {
    return undefined;
  }
}

/**
 * Kills the process of this machine that holds the directory at `path`, and waits until it holds it
 * no more. Throws a `Fault` (unavailable) where it is not on this machine, or does not end.
 */
export async function endHolder(
  path: string,
  { sleep, kill }: {
    readonly sleep: (wait_ms: number) => Promise<void>;
    readonly kill: (pid: number) => void;
  },
): Promise<void> {
  for (let tries = 0; await isHeld(path); tries++) {
    const holder = await holderOf(path);
    const [, pid, host] = /^process (\d+) on (.+)$/.exec(holder) ?? [];
    if (tries > 0 && host !== Deno.hostname() || tries === holder_tries) {
      throw new Fault("unavailable", `the data directory ${path} is in use by ${holder}`);
    }
    // Who holds the lock is alive, so that the number is its own; at the first look it may not
    // have written it yet.
    if (tries === 1) kill(Number(pid));
    await sleep(holder_wait_ms);
  }
}

const holder_tries = 100;
const holder_wait_ms = 50;

async function isHeld(path: string): Promise<boolean> {
  try {
    using lock = await Deno.open(lockPath(path), { read: true, write: true });
    // Shared: who only looks, too, does not hold it.
    return !await lock.tryLock(false);
  } catch {
    return false;
  }
}

/**
 * A folder beside the database whose files its rows name. They never change; who removes one waits
 * for `Database.copied`.
 */
export type KeptFolder = {
  readonly name: string;
  readonly path: string;
  /** Only the files that the rows name belong to it: those of old days. */
  readonly is_named?: true;
};

/** The folder of photos. */
export function photosPath({ data_dir }: Pick<Settings, "data_dir">): string {
  return `${data_dir}/photos`;
}

/** The folder of files that wait for their import; each with a note beside it. */
export function importsPath({ data_dir }: Pick<Settings, "data_dir">): string {
  return `${data_dir}/imports`;
}

/** The folder of files with secrets that sources need: those of an organization by its key. */
export function secretsPath({ data_dir }: Pick<Settings, "data_dir">): string {
  return `${data_dir}/secrets`;
}

/** The folder of the service's own certificate for servers that it reads, and of trusted ones. */
export function certificatesPath({ data_dir }: Pick<Settings, "data_dir">): string {
  return `${data_dir}/certificates`;
}

/** The folders that sources use. */
export function sourceFolders(settings: Pick<Settings, "data_dir">) {
  return { secrets: secretsPath(settings), certificates: certificatesPath(settings) };
}

/** The name of the folder for files of old days, in a data directory and in a backup. */
export const tiers_name = "tiers";

/** The folder for files of old days, of a database at `path` for which none is set. */
export function farPath(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1) + tiers_name;
}

/** The folder for files of old days. */
export function tiersPath(
  { data_dir, tier_dir = "none" }: Pick<Settings, "data_dir"> & Partial<Pick<Settings, "tier_dir">>,
): string {
  return tier_dir === "none" ? `${data_dir}/${tiers_name}` : tier_dir;
}

/** The folder for what is read for questions in SQL while they run. */
export function queriesPath({ data_dir }: Pick<Settings, "data_dir">): string {
  return `${data_dir}/queries`;
}

/** Everything beside the database that belongs to a backup. */
export function keptFolders(
  settings: Parameters<typeof tiersPath>[0],
): readonly KeptFolder[] {
  return [
    { name: "photos", path: photosPath(settings) },
    { name: tiers_name, path: tiersPath(settings), is_named: true },
  ];
}

/** Keeps when a backup of the directory at `path` was made, in milliseconds since 1970 UTC. */
export async function keepBackupTime(path: string, made_ms: number): Promise<void> {
  await replaceFile(backupMark(path), `${new Date(made_ms).toISOString()}\n`);
}

/** When the last backup of the directory at `path` was made; undefined if that is not known. */
export async function backupTime(path: string): Promise<number | undefined> {
  const text = await Deno.readTextFile(backupMark(path)).catch(() => "");
  const made_ms = Date.parse(text.trim());
  return Number.isNaN(made_ms) ? undefined : made_ms;
}

const backupMark = (path: string) => `${path}/wattkeeper.backup`;

/** The size of a file in bytes, 0 when there is none. A `Fault` names what is no file. */
export async function sizeOf(path: string): Promise<number> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) throw new Fault("conflict", `${path} is not a file: move it away`);
    return size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/**
 * Writes a file so that a reader finds the old text or the new one, never a part, and after a power
 * cut too; when this resolves the new one is on disk.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const options = { write: true, create: true, truncate: true, mode: 0o600 };
  using file = await Deno.open(`${path}.new`, options);
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  await file.sync();
  await moveFile(`${path}.new`, path);
}

/** Gives a file another name in its directory; when this resolves that is on disk. */
export async function moveFile(from: string, to: string): Promise<void> {
  await Deno.rename(from, to);
  using directory = await Deno.open(to.slice(0, to.lastIndexOf("/") + 1) || ".");
  await directory.sync();
}

/** What the operating system refused at `path`, as a `Fault`; another error as it is. */
export function refusedAt(path: string, error: unknown): unknown {
  const is_system = error instanceof Error && "code" in error && /^E[A-Z]+$/.test(`${error.code}`);
  if (!is_system) return error;
  const reason = error instanceof Deno.errors.NotFound
    ? "there is no such directory"
    : error.message;
  return new Fault("invalid", `${path} can't be written: ${reason}`);
}

async function holderOf(path: string): Promise<string> {
  const text = await Deno.readTextFile(lockPath(path));
  return text.trim() || "another process";
}

async function refuseUnwritable<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault("invalid", `the data directory ${path} can't be written: ${reason}`);
  }
}

/** Throws a `Fault` (conflict) where the directory at `path` says that it is another shard's. */
export async function requireShardOf(path: string, shard: ShardOf): Promise<void> {
  const kept = await keptShard(path);
  const [own, name] = [markOf(shard), shardName(shard.no)];
  // A mark without a fleet is an older version's.
  if (kept === undefined || kept === own || kept === name) return;
  const help = kept.startsWith(`${name} `)
    ? `give each fleet a data_dir of its own; where that one is no more, remove ${markPath(path)}`
    : `mount the volume of ${name} there, or put back the data that were there`;
  throw new Fault("conflict", `${path} has the data of ${kept}, not of ${own}: ${help}`);
}

/** Keeps in the directory at `path` which shard it is of. */
export async function keepShardOf(path: string, shard: ShardOf): Promise<void> {
  const own = markOf(shard);
  if (await keptShard(path) !== own) await replaceFile(markPath(path), `${own}\n`);
}

function markOf({ no, fleet }: ShardOf): string {
  return `${shardName(no)} of fleet ${fleet}`;
}

/** What the directory says; undefined where it was of no shard before, or of an older version's. */
async function keptShard(path: string): Promise<string | undefined> {
  try {
    return (await Deno.readTextFile(markPath(path))).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function markPath(path: string): string {
  return `${path}/wattkeeper.shard`;
}
