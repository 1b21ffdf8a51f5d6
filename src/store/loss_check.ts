// Notices a database that lost its tail: a small file says how far it was acknowledged.
import { Fault } from "../base/fault.ts";
import type { Database } from "./database.ts";
import { type Folder, replaceFile } from "./folder.ts";
import { reachesTo } from "./log_tail.ts";

/** How a database with less than was once acknowledged is taken. */
export type LossPolicy = "refuse" | "accept";

/** Where a database stood when its last write was acknowledged. */
export type Mark = {
  readonly stamp_us: number;
  /** The log then, and how often the file had been checkpointed; older versions did not say. */
  readonly log?: { readonly bytes: number; readonly checkpoints: number };
};

/** Keeps the mark of every commit before that is acknowledged. */
export class Guard {
  /** Told after each commit how long the log is, in bytes. */
  onLog: ((bytes: number) => void) | undefined;
  readonly #folder: Folder;
  #checkpoints: number;
  #mark: Mark;
  /** Kept open, which halves the time of a mark. */
  #file: Deno.FsFile | undefined;
  #kept_us: number;

  private constructor(folder: Folder, mark: Mark) {
    this.#folder = folder;
    this.#checkpoints = checkpointsOf(folder.database_path);
    this.#mark = mark;
    this.#kept_us = mark.stamp_us;
    this.#open();
  }

  /** Begins for a database that holds its whole last `mark`; without one, for what it holds. */
  static async open(database: Database, folder: Folder, mark: Mark | undefined): Promise<Guard> {
    const checkpoints = checkpointsOf(folder.database_path);
    const fresh = { stamp_us: database.committed_us, log: { bytes: 0, checkpoints } };
    if (!mark?.log) await replace(folder.stamp_path, textOf(fresh));
    const guard = new Guard(folder, mark?.log ? mark : fresh);
    database.watch(guard);
    return guard;
  }

  /**
   * Writes the mark of a commit, which the end of this process can't take back. It costs no wait
   * for the disk: only a crash of the machine loses the marks since the last `keep`, and with them
   * no more than the notice of a log that the same crash cut.
   */
  committed(stamp_us: number): void {
    const bytes = sizeNow(this.#folder.log_path);
    this.#mark = { stamp_us, log: { bytes, checkpoints: this.#checkpoints } };
    try {
      this.#write();
    } catch {
      // What is committed stays acknowledged; `keep` tries again and says why it can't.
    }
    this.onLog?.(bytes);
  }

  /** Learns that the log was written into the file. */
  checkpointed(): void {
    this.#checkpoints = checkpointsOf(this.#folder.database_path);
  }

  /** Brings the mark to the disk, if anything was committed since; says whether that was so. */
  async keep(): Promise<boolean> {
    const { stamp_us } = this.#mark;
    if (stamp_us === this.#kept_us) return false;
    this.#open();
    this.#write();
    // Another handle: that of the marks would be busy for the next one.
    using file = await Deno.open(this.#folder.stamp_path, { write: true });
    await file.syncData();
    this.#kept_us = stamp_us;
    return true;
  }

  /** Gives the file back; the mark of a later commit is written by nobody. */
  closed(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  /** Opens the file anew: someone may have taken it away. */
  #open(): void {
    this.closed();
    const options = { write: true, create: true, mode: 0o600 };
    this.#file = Deno.openSync(this.#folder.stamp_path, options);
  }

  /** In place, where nothing can be half written: the text is as long as before and short. */
  #write(): void {
    this.#file?.seekSync(0, Deno.SeekMode.Start);
    const text = new TextEncoder().encode(textOf(this.#mark));
    for (let at = 0; this.#file && at < text.length;) at += this.#file.writeSync(text.subarray(at));
  }
}

/** Throws a `Fault` (conflict) where the files of `folder` end before `mark`. */
export async function requireWhole(mark: Mark, folder: Folder): Promise<void> {
  const { database_path, log_path } = folder;
  if (mark.log === undefined) return;
  const { bytes, checkpoints } = mark.log;
  const found = checkpointsOf(database_path);
  if (found < checkpoints) throw lost(`the database ${database_path} is older than`, mark);
  const is_whole = found > checkpoints || await reachesTo(log_path, bytes);
  if (!is_whole) throw lost(`the log ${log_path} is damaged, or ends before`, mark);
}

/** What a person is told where `what` the last acknowledged write. */
export function lost(what: string, { stamp_us }: Mark): Fault {
  const time = new Date(stamp_us / 1000).toISOString();
  return new Fault(
    "conflict",
    `data was lost: ${what} the last acknowledged write, of ${time}. Put the file back as it ` +
      "was, restore a backup, or serve what is left with --accept-data-loss",
  );
}

/**
 * The last mark in the file at `path`, undefined where there is none. A file that says nothing is
 * refused with a `Fault` (conflict), or, where a loss is accepted, taken for none.
 */
export async function readMark(path: string, on_loss: LossPolicy): Promise<Mark | undefined> {
  const read = await readText(path);
  if (read === undefined) return undefined;
  const mark = "text" in read ? markIn(read.text) : undefined;
  if (mark || on_loss === "accept") return mark;
  throw unsaid(
    path,
    "flaw" in read ? read.flaw : read.text === "" ? "it is empty" : "it is damaged",
  );
}

/** Throws a `Fault` (conflict) for a database without a mark: what it lost nobody could say. */
export function refuseUnmarked({ database_path, stamp_path }: Folder): void {
  if (checkpointsOf(database_path) < Infinity) throw unsaid(stamp_path, "it is gone");
}

function unsaid(path: string, reason: string): Fault {
  return new Fault(
    "conflict",
    `the file ${path} does not say what was committed last: ${reason}. Put it back, restore a ` +
      "backup, or serve what the database holds with --accept-data-loss",
  );
}

/** The same line twice: a damaged one shows. */
function textOf({ stamp_us, log }: Mark): string {
  const figures = [stamp_us, log!.checkpoints, log!.bytes];
  const line = `${figures.map((figure) => `${figure}`.padStart(16, "0")).join(" ")}\n`;
  return line + line;
}

/** What the file says where all up to a stamp is in the database's file, whichever that is. */
export function markWithoutLog(stamp_us: number): string {
  return textOf({ stamp_us, log: { bytes: 0, checkpoints: 0 } });
}

/** What the file says of a database of which nothing is acknowledged yet. */
export const first_mark = markWithoutLog(0);

/** The mark that a text of the file says; undefined for a damaged one. */
export function markIn(text: string): Mark | undefined {
  const [, ...figures] = /^(?:(\d{16}) (\d{16}) (\d{16})\n)(?:\1 \2 \3\n)$/.exec(text) ?? [];
  if (figures.length > 0) {
    const [stamp_us, checkpoints, bytes] = figures.map(Number);
    return { stamp_us, log: { bytes, checkpoints } };
  }
  return /^\d{1,16}\n$/.test(text) ? { stamp_us: Number(text) } : undefined;
}

/** Writes the file again; one that can't be is for a person to take away. */
async function replace(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault("conflict", `the file ${path} can't be written: ${reason}. Take it away`);
  }
}

async function readText(path: string): Promise<{ text: string } | { flaw: string } | undefined> {
  try {
    return { text: await Deno.readTextFile(path) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    return { flaw: error instanceof Error ? error.message : String(error) };
  }
}

/** "DUCK", and where it and the two headers stand, each with its number after its checksum. */
const magic = { at: 8, word: 0x4455434b };
const headers_at = [4096, 8192];
const headers_end = 8192 + 16;

/** How often a database file was checkpointed; Infinity for a file that can't be opened anyway. */
function checkpointsOf(path: string): number {
  using file = Deno.openSync(path);
  const head = new DataView(new ArrayBuffer(headers_end));
  const read = file.readSync(new Uint8Array(head.buffer)) ?? 0;
  if (read < headers_end || head.getUint32(magic.at) !== magic.word) return Infinity;
  return Math.max(...headers_at.map((at) => Number(head.getBigUint64(at + 8, true))));
}

/** The size of a file, 0 when there is none, without giving way to anything else. */
function sizeNow(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}
