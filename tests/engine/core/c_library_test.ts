// What the C library tells that the runtime does not.
import { equal, ok } from "node:assert/strict";
import { sinceStartMs, startShell } from "../../../src/engine/core/c_library.ts";

const uptimeMs = async () => 1000 * Number((await Deno.readTextFile("/proc/uptime")).split(" ")[0]);

Deno.test("the time since the machine started is the kernel's", async () => {
  const before = await uptimeMs();
  const told = sinceStartMs()!;
  const after = await uptimeMs();
  // The kernel's text has two decimals.
  ok(before - 10 <= told && told <= after + 10, `${before} ${told} ${after}`);
});

Deno.test("a shell's code is its command's, or says which signal ended it", async () => {
  equal(await startShell("exit 7").ended, 7);
  equal(await startShell("kill -9 $$").ended, 137);
  equal(await startShell("true").ended, 0);
  const long = startShell("sleep 600");
  equal(long.kill(), true);
  equal(await long.ended, 137);
});
