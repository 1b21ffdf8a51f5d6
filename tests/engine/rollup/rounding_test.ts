// Sums of terms of both signs: rounding that is small beside the terms is no difference.
import { deepEqual } from "node:assert/strict";
import { verify } from "../../../src/engine/rollup/pass.ts";
import type { TestPlant } from "../../help/plant.ts";
import { at, roll, withPlant } from "./setpoint_help.ts";

Deno.test("verify: a sum near zero is measured by the sizes of what was added", async () => {
  await withPlant({ tags: [{ tag_no: 1, sensors: [{}] }] }, async (plant) => {
    await roll(plant, [at(1, 0, -55.1), at(1, 1, 55.1), at(1, 2, 1e-9)]);
    await change(plant, 1e-13);
    deepEqual(await differing(plant), []);
    await change(plant, 1e-6);
    deepEqual(await differing(plant), ["daily", "quarter"]);
  });
});

Deno.test("verify: a sum of one sign is measured by itself", async () => {
  await withPlant({ tags: [{ tag_no: 1, sensors: [{}] }] }, async (plant) => {
    await roll(plant, [at(1, 0, 55.1), at(1, 1, 55.1)]);
    await change(plant, 1e-14);
    deepEqual(await differing(plant), []);
    await change(plant, 1e-9);
    deepEqual(await differing(plant), ["daily", "quarter"]);
  });
});

/** Adds to the stored sums, beneath the roll-up. */
async function change(plant: TestPlant, by: number): Promise<void> {
  await plant.database.write(async ({ connection }) => {
    for (const table of ["quarter", "daily"]) {
      await connection.script(`UPDATE ${table} SET value = value + ${by}`);
    }
  });
}

/** The tables whose rows differ from what is computed anew. */
async function differing(plant: TestPlant): Promise<string[]> {
  const names = new Set<string>();
  for await (const { differences } of verify(plant)) {
    for (const [name, n] of Object.entries(differences)) if (n > 0) names.add(name);
  }
  return [...names].sort();
}
