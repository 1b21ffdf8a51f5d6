// Bytes packed with Snappy are unpacked as they were, whatever they are, and repeats take little.
import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { unmetered } from "../../../src/base/budget.ts";
import { concat } from "../../../src/base/bytes.ts";
import { inflate } from "../../../src/wire/bytes/inflate.ts";
import { packSnappy } from "../../../src/wire/samples/remote_write.ts";

async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  const body = (async function* () {
    yield await Promise.resolve(bytes);
  })();
  const pieces = inflate(body, { encoding: "snappy", meter: unmetered });
  return concat(await Array.fromAsync(pieces));
}

Deno.test("whatever is packed is unpacked as it was", async () => {
  const words = fc.array(fc.constantFrom("power", "watts", "inverter", "\u0000\u0001"), {
    maxLength: 4_000,
  }).map((all) => new TextEncoder().encode(all.join("")));
  const any = fc.oneof(fc.uint8Array({ maxLength: 2_000 }), words);
  await fc.assert(
    fc.asyncProperty(any, async (bytes) => {
      deepEqual(await unpacked(packSnappy(bytes)), new Uint8Array(bytes));
    }),
    { seed: 1, numRuns: 200 },
  );
});

Deno.test("more than a block is packed, and repeats take little", async () => {
  const bytes = new TextEncoder().encode('power_watts{inverter="7"} 12.5\n'.repeat(10_000));
  const packed = packSnappy(bytes);
  ok(packed.length < bytes.length / 15, `${packed.length}`);
  deepEqual(await unpacked(packed), bytes);
});
