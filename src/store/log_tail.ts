// The database's log as bytes: whether it reaches as far as it once did, and zeros at its end.
import { sizeOf } from "./folder.ts";

/**
 * The head of a log says the form of its entries; that of a newer file also says its id, of 16
 * numbers, and how often it was checkpointed. It has no checksum: with another one the log reads as
 * empty. Its bytes are matched as letters; a number goes on while its bytes have the highest bit.
 */
const number = "[\\x80-\\xff]{0,9}[\\0-\\x7f]";
const head_form = new RegExp(
  `^d\\0be\\0\\x02(?:f\\0\\x10(?:${number}){16}g\\0${number})?\\xff\\xff`,
);
const most_head_bytes = 64;
/** Before each entry: its length and its checksum. */
const frame_bytes = 16;
const piece_bytes = 64 * 1024;

/**
 * Whether the log at `path` holds whole entries up to `bytes`, where a commit ended. What is wrong
 * within an entry its checksum tells, which the database compares.
 */
export async function reachesTo(path: string, bytes: number): Promise<boolean> {
  if (bytes === 0) return true;
  if (await sizeOf(path) < bytes) return false;
  using log = await Deno.open(path);
  const from = await headEnd(log);
  if (from === undefined) return false;
  const end = lastEntryEnd(lengthsOf(log), { from, limit: bytes });
  return await withoutZeros(log) >= bytes && end === bytes;
}

/**
 * Cuts the log at `path` after its last entry that no zeros reach into, and keeps the whole log
 * as `<path>.damaged`. An entry ends in 0xFFFF, so only a damaged log ends in a zero. Gives the
 * bytes cut; a log that ends otherwise is left to the database, which knows a torn last entry.
 */
export async function cutZeros(path: string): Promise<number> {
  const size = await sizeOf(path);
  if (size === 0) return 0;
  using log = await Deno.open(path);
  const zeros_from = await withoutZeros(log);
  if (zeros_from === size) return 0;
  await Deno.copyFile(path, `${path}.damaged`);
  await Deno.chmod(`${path}.damaged`, 0o600);
  const from = await headEnd(log) ?? zeros_from;
  const keep = lastEntryEnd(lengthsOf(log), { from, limit: zeros_from });
  await Deno.truncate(path, keep);
  return size - keep;
}

/** Where the first entry begins; undefined for what has no head of a log. */
async function headEnd(log: Deno.FsFile): Promise<number | undefined> {
  const piece = new Uint8Array(most_head_bytes);
  await log.seek(0, Deno.SeekMode.Start);
  const letters = String.fromCharCode(...piece.subarray(0, await log.read(piece) ?? 0));
  return head_form.exec(letters)?.[0].length;
}

/**
 * Follows the entries of a log and gives the last end of one at or before `limit`; `lengthAt` gives
 * the length of the entry at a place, 0 for none.
 */
function lastEntryEnd(
  lengthAt: (at: number) => number,
  { from, limit }: { readonly from: number; readonly limit: number },
): number {
  let at = from;
  while (at + frame_bytes <= limit) {
    const length = lengthAt(at);
    const end = at + frame_bytes + length;
    if (length === 0 || end > limit) break;
    at = end;
  }
  return Math.min(at, limit);
}

/** Reads lengths of entries, piece after piece of a log that may be larger than memory. */
function lengthsOf(log: Deno.FsFile): (at: number) => number {
  const piece = new DataView(new ArrayBuffer(piece_bytes));
  let [from, to] = [0, 0];
  return (at) => {
    if (at < from || at + frame_bytes > to) {
      from = log.seekSync(at, Deno.SeekMode.Start);
      to = from + (log.readSync(new Uint8Array(piece.buffer)) ?? 0);
    }
    return at + frame_bytes > to ? 0 : Number(piece.getBigUint64(at - from, true));
  };
}

/** The size of a file without the zeros at its end. */
async function withoutZeros(file: Deno.FsFile): Promise<number> {
  let { size: end } = await file.stat();
  while (end > 0) {
    const from = Math.max(0, end - piece_bytes);
    const piece = new Uint8Array(end - from);
    await file.seek(from, Deno.SeekMode.Start);
    await file.read(piece);
    const last = piece.findLastIndex((byte) => byte !== 0);
    if (last >= 0) return from + last + 1;
    end = from;
  }
  return 0;
}
