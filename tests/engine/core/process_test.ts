// What the process takes of the machine is told in the units that are said.
import { equal, ok } from "node:assert/strict";

/** In a process of its own: in that of the tests, others take and give memory meanwhile. */
const measure = `
import { own_process } from ${
  JSON.stringify(import.meta.resolve("../../../src/engine/core/process.ts"))
};
const before = { cpu_ms: own_process.cpu_ms(), memory_mb: own_process.memory_mb() };
const part = new Uint8Array(64 * 1024 ** 2).fill(1);
const took_mb = own_process.memory_mb() - before.memory_mb;
own_process.collectGarbage({ and_shrinks: true });
own_process.trim();
const took_ms = own_process.cpu_ms() - before.cpu_ms;
console.log(JSON.stringify({ took_mb, took_ms, length: part.length }));
`;

Deno.test("a process says how much memory and time it takes", async () => {
  const child = new Deno.Command(Deno.execPath(), { args: ["eval", measure] });
  const { code, stdout, stderr } = await child.output();
  equal(code, 0, new TextDecoder().decode(stderr));
  const { took_mb, took_ms } = JSON.parse(new TextDecoder().decode(stdout));
  ok(took_mb > 32 && took_mb < 128, `${took_mb} MiB`);
  ok(took_ms > 0 && took_ms < 10_000, `${took_ms} ms`);
});
