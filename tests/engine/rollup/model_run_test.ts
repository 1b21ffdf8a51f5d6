// Expected values computed again on demand: which days and sites, and on after a stop.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { type ModelRunState, runModels } from "../../../src/engine/rollup/model_run.ts";
import { Rollup } from "../../../src/engine/rollup/rollup.ts";
import type { TestPlant } from "../../help/plant.ts";
import { expectedOf, inverter, params, power, weather } from "../expected/model_help.ts";
import { assertVerified, at, noon, roll, withPlant } from "./setpoint_help.ts";
import { runQuery } from "../../help/query.ts";

const first_day = Math.floor(noon / 1440);
const plant_of_days = {
  ...{ at: "2026-06-07T00:00:00Z", devices: [inverter("d1")] },
  tags: [power(1), weather(10, "poa_front"), weather(11, "ambient_temp")],
};

/** Five days with a minute of weather each, then other parameters that nobody marked. */
async function changedHistory(plant: TestPlant): Promise<number> {
  const minutes = [0, 1440, 2880, 4320, 5760];
  await roll(plant, minutes.flatMap((minute) => [at(10, minute, 500), at(11, minute, 20)]));
  const [before] = await expectedOf(plant, 1, [0, 1]);
  await plant.database.write(({ connection }) =>
    runQuery(connection, "UPDATE device SET pv = $pv", {
      pv: JSON.stringify({ ...params, losses: 0.5 }),
    })
  );
  return before!;
}

/** Days, counted from the first, of which another value is expected than before. */
async function changedDays(plant: TestPlant, before: number): Promise<number[]> {
  const values = await expectedOf(plant, 1, [0, 6 * 1440]);
  const changed = values.flatMap((value, i) =>
    value === null || value === before ? [] : [Math.floor(i / 1440)]
  );
  return [...new Set(changed)];
}

const run = { from_day: first_day + 1, to_day: first_day + 1, site_no: 1 };

Deno.test("model run: its days get expected values by today's parameters, others keep theirs", () =>
  withPlant(plant_of_days, async (plant) => {
    const before = await changedHistory(plant);
    const states: ModelRunState[] = [];
    const done = await runModels({ ...plant, onState: (state) => states.push(state) }, run);
    // A local day of any zone lies within the UTC days beside it.
    deepEqual(await changedDays(plant, before), [0, 1, 2]);
    ok(states.length > 0 && states.every((it, i) => i === 0 || it.share >= states[i - 1].share));
    deepEqual([done.share, done.resumed, done.changed > 0], [1, false, true]);
    const again = await runModels({ ...plant, onState() {} }, run);
    deepEqual([again.resumed, again.changed], [false, 0]);
  }));

Deno.test("model run: a site that it is not about keeps its values", () =>
  withPlant(plant_of_days, async (plant) => {
    const before = await changedHistory(plant);
    await runModels({ ...plant, onState() {} }, { ...run, site_no: 2 });
    deepEqual(await changedDays(plant, before), []);
    await runModels({ ...plant, onState() {} }, { ...run, to_day: run.to_day + 9, site_no: null });
    deepEqual(await changedDays(plant, before), [0, 1, 2, 3, 4]);
    await assertVerified(plant);
  }));

Deno.test("model run: one that was stopped goes on where it was", () =>
  withPlant(plant_of_days, async (plant) => {
    const before = await changedHistory(plant);
    const all = { ...run, to_day: run.to_day + 9 };
    await plant.roll.close();
    const { database, catalog, effects } = plant;
    plant.roll = await Rollup.open({ database, catalog, effects, bounds: { units: 1 } });
    const stop = () => {
      throw new Error("stopped");
    };
    await rejects(runModels({ ...plant, onState: stop }, all), /stopped/);
    await plant.restart();
    const done = await runModels({ ...plant, onState() {} }, all);
    equal(done.resumed, true);
    deepEqual(await changedDays(plant, before), [0, 1, 2, 3, 4]);
    await assertVerified(plant);
  }));
