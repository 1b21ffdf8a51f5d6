// The plan of expected power: what is alike is computed once, and what is too much is left out.
import { deepEqual } from "node:assert/strict";
import { expected_limits } from "../../../src/model/expected/limits.ts";
import { planModels } from "../../../src/engine/expected/plan.ts";
import { openPlant, type PlantDevice, type PlantTag } from "../../help/plant.ts";
import { inverter, params, power, weather } from "./model_help.ts";

/** What is planned for a plant. */
async function planOf(devices: readonly PlantDevice[], tags: readonly PlantTag[]) {
  const plant = await openPlant({ devices, tags });
  try {
    return planModels(plant.catalog);
  } finally {
    await plant.close();
  }
}

Deno.test("model plan: inverters that are alike share a node, by their weather", async () => {
  const devices = [
    ...[inverter("a"), inverter("b"), inverter("c", { block_id: "B" })],
    ...[inverter("d", { block_id: "C" })],
    inverter("e", { pv: JSON.stringify({ ...params, losses: 0.2 }) }),
  ];
  const plan = await planOf(devices, [
    ...devices.map(({ id }, i) => power(i + 1, { device_id: id })),
    weather(10, "poa_front", { block_id: "B" }),
    weather(11, "windspeed"),
  ]);
  const nodes = plan.points.map(({ node_no }) =>
    plan.kinds.findIndex((it) => it.node_no === node_no)
  );
  // A block without weather of its own has the site's; other losses are no other weather.
  deepEqual(nodes, [0, 0, 1, 0, 2]);
  deepEqual(plan.kinds.map((kind) => kind.cell_no), [1, 2, 1]);
});

Deno.test("model plan: under too many parents nothing is summed", async () => {
  for (
    const [depth, sums] of [[expected_limits.grid_depth, 1], [expected_limits.grid_depth + 1, 0]]
  ) {
    const chain = Array.from({ length: depth }, (_, i): PlantDevice => ({
      id: `t${i}`,
      type: "transformer",
      parent_device_id: i === 0 ? null : `t${i - 1}`,
      grid: JSON.stringify({ losses: 0.01 }),
    }));
    const plan = await planOf(
      [...chain, inverter("a", { parent_device_id: `t${depth - 1}` })],
      [power(1, { device_id: "a" }), power(2, { device_id: "t0", component: "transformer" })],
    );
    deepEqual([plan.kinds.length, plan.grid.length, plan.below.length], [1, sums, sums]);
    const [below] = plan.below;
    if (below) deepEqual(below.factor.toFixed(12), (0.99 ** depth).toFixed(12));
  }
});

Deno.test("model plan: a plant without parameters or sent values has none", async () => {
  const plan = await planOf(
    [{ id: "a" }, { id: "m", type: "meter" }],
    [power(1, { device_id: "a" }), power(2, { device_id: "m", component: "meter" })],
  );
  deepEqual([plan.kinds, plan.points, plan.grid], [[], [], []]);
});
