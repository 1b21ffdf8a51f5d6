// Repairs a write-ahead log whose end a power cut filled with zeros; the database refuses those.
import { sizeOf } from "./folder.ts";

const header_bytes = 8;
const frame_bytes = 16;

/**
 * Cuts the log at `path` after its last entry that no zeros reach into, and keeps the whole log
 * as `<path>.damaged`. An entry ends in 0xFFFF, so only a damaged log ends in a zero. Gives the
 * bytes cut; a log that ends otherwise is left to the database, which knows a torn last entry.
 */
export async function cutZeros(path: string): Promise<number> {
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
