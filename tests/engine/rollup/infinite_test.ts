// Sums of samples too large to add: stored as they are, changed once they are corrected.
import { deepEqual } from "node:assert/strict";
import { assertVerified, at, roll, withPlant } from "./setpoint_help.ts";

const infinite = "SELECT count(*)::INTEGER AS n FROM quarter WHERE isinf(value)";

Deno.test("roll: an infinite sum is the same each time, and another once corrected", async () => {
  await withPlant({ tags: [{ tag_no: 1, sensors: [{}] }] }, async (plant) => {
    await roll(plant, [at(1, 0, 1.7e308), at(1, 1, 1.7e308)]);
    deepEqual(await plant.rows(infinite), [{ n: 1 }]);
    await assertVerified(plant);
    await roll(plant, [at(1, 0, 500), at(1, 1, 500)]);
    deepEqual(await plant.rows(infinite), [{ n: 0 }]);
    await assertVerified(plant);
    await roll(plant, [at(1, 0, 1.7e308), at(1, 1, 1.7e308)]);
    deepEqual(await plant.rows(infinite), [{ n: 1 }]);
    await assertVerified(plant);
  });
});
