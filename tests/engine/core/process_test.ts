// The process gives memory back and goes on; what it takes is told in the units that are said.
import { ok } from "node:assert/strict";
import { own_process } from "../../../src/engine/core/process.ts";

Deno.test("free memory is given back, and the code that is dropped runs again", async () => {
  let parts: Uint8Array[] = Array.from({ length: 4 }, () => new Uint8Array(16 * 1024 ** 2).fill(1));
  const full_mb = own_process.memory_mb();
  ok(full_mb > 64, `${full_mb} MiB`);
  parts = parts.slice(0, 0);
  const before_ms = own_process.cpu_ms();
  own_process.collectGarbage();
  await own_process.trim();
  ok(own_process.memory_mb() < full_mb, `${own_process.memory_mb()} of ${full_mb} MiB`);
  ok(own_process.cpu_ms() >= before_ms && before_ms > 0);
  ok(parts.length === 0);
});
