// A cut, zeroed or flipped log serves all that was acknowledged, or is refused by its name.
import { deepEqual, ok, rejects } from "node:assert/strict";
import { around, makeLog, openRows, putLog, wrongCuts } from "../help/torn_log.ts";

const torn = await makeLog(40_000);
const { folder, log, acknowledged } = torn;

Deno.test("a log cut anywhere is told from one that holds what was acknowledged", async () => {
  deepEqual(await wrongCuts(torn, { bytes: 8_000, every: 7 }), []);
});

Deno.test("a damaged log is served with all that was acknowledged, or named", async () => {
  const last = acknowledged.at(-1)!;
  const flipped = (at: number) => log.map((byte, i) => i === at ? byte ^ 1 : byte);
  const zeroed = (bytes: number) => log.map((byte, i) => i >= log.length - bytes ? 0 : byte);
  for (const cut of [0, 1, 10, 200, 3000]) {
    const [before, after] = cut === 0 ? [last, last] : around(torn, log.length - cut);
    await putLog(folder, log.subarray(0, log.length - cut), before);
    deepEqual(await openRows(folder), before.rows, `${cut} bytes cut`);
    if (cut === 0) continue;
    await putLog(folder, log.subarray(0, log.length - cut), after);
    await rejects(openRows(folder), isNamed);
  }
  for (const damaged of [zeroed(3), zeroed(300), ...[0, 3, 5, 9, 30, 5000, 30_000].map(flipped)]) {
    await putLog(folder, damaged, last);
    await rejects(openRows(folder), isNamed);
  }
});

function isNamed({ name, message }: Error): boolean {
  ok(name === "Fault" && message.includes(folder.log_path), message);
  return true;
}
