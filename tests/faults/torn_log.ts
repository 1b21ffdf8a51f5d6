// `deno run -A tests/faults/torn_log.ts [starts]`: a real log cut, zeroed and flipped everywhere.
import { systemEffects } from "../../src/base/effects.ts";
import { Fault } from "../../src/base/fault.ts";
import {
  type Acknowledged,
  around,
  makeLog,
  openRows,
  putLog,
  wrongCuts,
} from "../help/torn_log.ts";

const { out } = systemEffects();
const megabyte = 1024 * 1024;
const starts = Number(Deno.args[0] ?? 200);

const torn = await makeLog(megabyte + 100_000);
const { folder, log, acknowledged } = torn;
out(`${acknowledged.length} requests were acknowledged, the log has ${log.length} bytes\n`);
const wrong = await wrongCuts(torn, { bytes: megabyte, every: 7 });
out(`decided on each 7th cut of the last megabyte: ${wrong.length} wrong ${wrong.slice(0, 9)}\n`);

const last = acknowledged.at(-1)!;
const tries: Readonly<Record<string, (size: number) => readonly [Uint8Array, Acknowledged]>> = {
  "cut, what it still holds acknowledged": (size) => [log.subarray(0, size), around(torn, size)[0]],
  "cut, one more acknowledged": (size) => [log.subarray(0, size), around(torn, size)[1]],
  "zeroed to the end": (size) => [log.map((byte, i) => i >= size ? 0 : byte), last],
  "300 bytes zeroed": (
    size,
  ) => [log.map((byte, i) => i >= size && i < size + 300 ? 0 : byte), last],
  "one bit flipped": (
    size,
  ) => [log.map((byte, i) => i === size ? byte ^ 1 << size % 8 : byte), last],
};
let silent = 0;
for (const [what, damage] of Object.entries(tries)) {
  const ends = { served: 0, refused: 0, silent: 0 };
  for (let start = 0; start < starts; start++) {
    // Places everywhere in the last megabyte, the same in each run; every byte of the last 50.
    const back = start < 50 ? start + 1 : 1 + Math.imul(start, 2_654_435_761) % megabyte;
    ends[await startOn(...damage(log.length - Math.abs(back)))]++;
  }
  silent += ends.silent;
  out(`${what}: ${JSON.stringify(ends)}\n`);
}
await Deno.remove(folder.path, { recursive: true });
Deno.exit(wrong.length + silent > 0 ? 1 : 0);

/** How a start on a damaged log ends; `silent` is a loss, or a refusal without the log's name. */
async function startOn(
  damaged: Uint8Array,
  known: Acknowledged,
): Promise<"served" | "refused" | "silent"> {
  await putLog(folder, damaged, known);
  try {
    const rows = await openRows(folder);
    return rows.every((count, i) => count >= known.rows[i]) ? "served" : "silent";
  } catch (error) {
    const is_named = error instanceof Fault && error.message.includes(folder.log_path);
    if (!is_named) out(`  ${error}\n`);
    return is_named ? "refused" : "silent";
  }
}
