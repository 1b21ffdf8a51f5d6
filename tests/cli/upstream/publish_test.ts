// A real centre publishes to a real gateway over real Modbus, which is killed while it tries.
import { killPublishing } from "../../faults/publish.ts";

Deno.test("kill -9 while versions are tried leaves one whole, and the bad one goes", async () => {
  await killPublishing({ kills: 2, seed: 2 });
});
