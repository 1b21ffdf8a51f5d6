// Setpoints and what stands above inverters: blocks, feeders, transformers, meters and the system.
import { deepEqual } from "node:assert/strict";
import type { PlantSample, PlantTag } from "../../help/plant.ts";
import { acOf, inverter, power, weather } from "../expected/model_help.ts";
import {
  assertVerified,
  at,
  curbed,
  each,
  modelled,
  near,
  roll,
  setpoint,
  withPlant,
} from "./setpoint_help.ts";

/**
 * Four inverters in two blocks: a and b (block 1) on feeder f, c and d (block 2) on feeder g, both
 * feeders on transformer t, that on meter m. Feeder f loses 10 %, the meter 20 % more.
 */
const devices = [
  { id: "m", type: "meter", grid: JSON.stringify({ losses: 0.2 }) },
  { id: "t", type: "transformer", parent_device_id: "m" },
  { id: "f", type: "feeder", parent_device_id: "t", grid: JSON.stringify({ losses: 0.1 }) },
  { id: "g", type: "feeder", parent_device_id: "t" },
  ...[["a", "f", "1"], ["b", "f", "1"], ["c", "g", "2"], ["d", "g", "2"]].map(
    ([id, parent_device_id, block_id]) => ({ id, parent_device_id, block_id }),
  ),
];

const above = {
  f: { sensor_no: 11, component: "feeder", device_id: "f" },
  g: { sensor_no: 12, component: "feeder", device_id: "g" },
  t: { sensor_no: 13, component: "transformer", device_id: "t" },
  m: { sensor_no: 14, component: "meter", device_id: "m" },
  system: { sensor_no: 15, component: "system", device_id: null },
  one: { sensor_no: 16, component: "block", device_id: null, block_id: "1" },
  two: { sensor_no: 17, component: "block", device_id: null, block_id: "2" },
} as const;
type Above = keyof typeof above;

const sums = Object.values(above).map((sensor): PlantTag => ({
  tag_no: sensor.sensor_no,
  sensors: [{ ...sensor, measure: "active_power" }],
}));

const inverters = [["a", "1"], ["b", "1"], ["c", "2"], ["d", "2"]].flatMap(
  ([device_id, block_id], i) => modelled(1 + i, { device_id, block_id, capacity: 1000 }),
);
const models = [900, 300, 600, 600].map((value, i) => at(501 + i, 0, value));

/** What is expected in the first minute after noon under the setpoints, of everything above. */
async function foundAbove(
  limits: readonly PlantTag[],
  samples: readonly PlantSample[],
): Promise<Record<Above, number | null>> {
  const found = {} as Record<Above, number | null>;
  await withPlant({ tags: [...inverters, ...sums, ...limits], devices }, async (plant) => {
    await roll(plant, [...models, ...samples]);
    for (const name of Object.keys(above) as Above[]) {
      [found[name]] = await curbed(plant, above[name].sensor_no, [0, 1]);
    }
    await assertVerified(plant);
  });
  return found;
}

const plain = { f: 1080, g: 1200, t: 2280, m: 1824, system: 1824, one: 1200, two: 1200 };

Deno.test("setpoint: without one, what is above inverters has their sum", async () => {
  deepEqual(await foundAbove([], []), plain);
});

Deno.test("setpoint: an inverter's own lowers everything above it", async () => {
  const limits = [setpoint(21, { device_id: "a" }), setpoint(22, { device_id: "c" })];
  deepEqual(await foundAbove(limits, [at(21, 0, 400)]), {
    ...plain,
    ...{ f: 630, t: 1830, m: 1464, system: 1464, one: 700 },
  });
  deepEqual(await foundAbove(limits, [at(21, 0, 400), at(22, 0, 500), at(22, 1, 100)]), {
    ...{ f: 630, g: 1100, t: 1730, m: 1384, system: 1384, one: 700, two: 1100 },
  });
});

Deno.test("setpoint: the plant's comes to what its inverters' shares do above them", async () => {
  const limit = setpoint(21, { component: "system", device_id: null });
  // By models: 1200 of 2400 in each block.
  deepEqual(await foundAbove([limit], [at(21, 0, 1000)]), {
    ...{ f: 450, g: 500, t: 950, m: 760, system: 760, one: 500, two: 500 },
  });
});

Deno.test("setpoint: a plant's a little below what is expected takes from all", async () => {
  const limit = setpoint(21, { component: "meter", device_id: "m" });
  deepEqual(await foundAbove([limit], [at(21, 0, 2200)]), {
    ...{ f: 990, g: 1100, t: 2090, m: 1672, system: 1672, one: 1100, two: 1100 },
  });
});

Deno.test("setpoint: one of a feeder, transformer or block limits that alone", async () => {
  const limits = [
    setpoint(21, { component: "feeder", device_id: "f" }),
    setpoint(22, { component: "block", device_id: null, block_id: "2" }),
    setpoint(23, { component: "transformer", device_id: "t" }),
  ];
  const samples = [at(21, 0, 700), at(22, 0, 800), at(23, 0, 2000)];
  deepEqual(await foundAbove(limits, samples), { ...plain, f: 700, two: 800, t: 2000 });
});

Deno.test("setpoint: the least of own and parts' counts above inverters too", async () => {
  const limits = [
    setpoint(21, { component: "meter", device_id: "m" }),
    setpoint(22, { device_id: "a" }),
    setpoint(23, { component: "feeder", device_id: "g" }),
  ];
  deepEqual(await foundAbove(limits, [at(21, 0, 1500), at(22, 0, 100), at(23, 0, 650)]), {
    ...{ f: 342, g: 650, t: 1462, m: 1169.6, system: 1169.6, one: 380, two: 1120 },
  });
});

Deno.test("setpoint: percent of DC above inverters is of their known ratings", async () => {
  const pv = JSON.stringify({ rated_dc_w: 1250, rated_ac_w: 1000 });
  const limit = setpoint(21, {
    measure: "active_power_setpoint_dc_pct",
    component: "feeder",
    device_id: "f",
  });
  const samples = [...models, at(21, 0, 20)];
  for (const rated of [["a", "b", "c", "d"], ["a"]]) {
    const tags = [...inverters, ...sums, limit];
    const parted = devices.map((it) => rated.includes(it.id) ? { ...it, pv } : it);
    await withPlant({ tags, devices: parted }, async (plant) => {
      await roll(plant, samples);
      deepEqual(await curbed(plant, 11, [0, 1]), [rated.length === 4 ? 500 : 1080]);
    });
  }
});

Deno.test("setpoint: energies follow the power beside them", async () => {
  const energy = (sensor_no: number, sensor: object): PlantTag => ({
    tag_no: sensor_no,
    sensors: [{ ...sensor, sensor_no, measure: "energy", accumulation: "counter" }],
  });
  const { m, one } = above;
  const tags = [
    ...[...inverters, ...sums, setpoint(21, { device_id: "a" })],
    ...[energy(31, { device_id: "a" }), energy(32, m), energy(33, one)],
  ];
  await withPlant({ tags, devices }, async (plant) => {
    await roll(plant, [...models, at(21, 0, 400)]);
    near(await curbed(plant, 31, [0, 1]), [400 / 60]);
    near(await curbed(plant, 32, [0, 1]), [1464 / 60]);
    near(await curbed(plant, 33, [0, 1]), [700 / 60]);
  });
});

Deno.test("setpoint: of an energy under a setpoint of nothing nothing is expected", async () => {
  const energy = { device_id: "a", measure: "energy", accumulation: "counter" } as const;
  const tags = [
    ...[power(1, { device_id: "a" }), { tag_no: 2, sensors: [energy] }],
    ...[weather(100, "poa_front"), weather(101, "ambient_temp")],
    setpoint(21, { device_id: "a" }),
  ];
  await withPlant({ tags, devices: [inverter("a")] }, async (plant) => {
    const sky = each(100, [0, 20], (minute) => 600 + 7 * minute);
    await roll(plant, [...sky, ...each(101, [0, 20], 10), at(21, 0, 0)]);
    deepEqual(await curbed(plant, 1, [0, 20]), Array(20).fill(0));
    deepEqual(await curbed(plant, 2, [0, 20]), Array(20).fill(0));
  });
});

Deno.test("setpoint: an inverter without a power adds to a sum of limited ones", async () => {
  const tags = [
    ...[power(1, { device_id: "a" }), power(3, { component: "meter", device_id: "m" })],
    ...[weather(100, "poa_front"), weather(101, "ambient_temp")],
    setpoint(21, { device_id: "a" }),
  ];
  const plan = { tags, devices: [{ id: "m", type: "meter" }, inverter("a"), inverter("b")] };
  await withPlant(plan, async (plant) => {
    await roll(plant, [at(100, 0, 640), at(101, 0, 10), at(21, 0, 100)]);
    near(await curbed(plant, 3, [0, 1]), [100 + acOf(640, 30).model]);
  });
});

Deno.test("setpoint: inverters share by unequal models, minute by minute", async () => {
  const tags = [...inverters, setpoint(21, { component: "meter", device_id: "m" })];
  await withPlant({ tags, devices }, async (plant) => {
    await roll(plant, [...models, at(21, 0, 1200)]);
    const first = async () =>
      (await Promise.all([1, 2, 3, 4].map((no) => curbed(plant, no, [0, 2])))).map(([it]) => it);
    deepEqual(await first(), [450, 150, 300, 300]);
    // A late model of one changes everybody's share.
    await roll(plant, [at(502, 0, 900)]);
    deepEqual(await first(), [360, 360, 240, 240]);
    await assertVerified(plant);
    // None expected of one: the others share.
    await roll(plant, [{ ...at(501, 0, 0), quality: 2 }]);
    near(await first(), [null, 1200 * 9 / 21, 1200 * 6 / 21, 1200 * 6 / 21]);
  });
});

Deno.test("setpoint: where no power is measured, energies stand for it", async () => {
  const counter = { measure: "energy", accumulation: "counter" } as const;
  const tags = [
    ...[{ tag_no: 1, sensors: [{ ...counter, device_id: "a" }] }, power(2, { device_id: "b" })],
    { tag_no: 3, sensors: [{ ...counter, component: "meter", device_id: "m" }] } as const,
    ...[weather(100, "poa_front"), weather(101, "ambient_temp")],
    setpoint(21, { component: "meter", device_id: "m" }),
    setpoint(22, { device_id: "a", measure: "active_power_setpoint_dc_pct" }),
  ];
  const plan = { tags, devices: [{ id: "m", type: "meter" }, inverter("a"), inverter("b")] };
  const { model } = acOf(640, 30);
  await withPlant(plan, async (plant) => {
    await roll(plant, [at(100, 0, 640), at(101, 0, 10), at(21, 0, 900)]);
    near(await curbed(plant, 1, [0, 1]), [450 / 60]);
    near(await curbed(plant, 2, [0, 1]), [450]);
    near(await curbed(plant, 3, [0, 1]), [900 / 60]);
    // A quarter of 1200 W DC reaches one, and so the meter.
    await roll(plant, [at(21, 0, 5000), at(22, 0, 25)]);
    near(await curbed(plant, 1, [0, 1]), [300 / 60]);
    near(await curbed(plant, 2, [0, 1]), [model]);
    near(await curbed(plant, 3, [0, 1]), [(300 + model) / 60]);
    await assertVerified(plant);
  });
});
