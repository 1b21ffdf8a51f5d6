// What the process takes of the machine is told in the units that are said.
import { ok } from "node:assert/strict";
import { own_process } from "../../../src/engine/core/process.ts";

Deno.test("a process says how much memory and time it takes", () => {
  const before = { cpu_ms: own_process.cpu_ms(), memory_mb: own_process.memory_mb() };
  const part = new Uint8Array(64 * 1024 ** 2).fill(1);
  const took_mb = own_process.memory_mb() - before.memory_mb;
  ok(took_mb > 32 && took_mb < 128, `${took_mb} MiB`);
  own_process.collectGarbage();
  own_process.trim();
  const took_ms = own_process.cpu_ms() - before.cpu_ms;
  ok(took_ms > 0 && took_ms < 10_000, `${took_ms} ms`);
  ok(part.length > 0);
});
