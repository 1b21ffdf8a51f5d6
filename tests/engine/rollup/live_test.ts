// Whenever samples of a modelled plant come and however time passes, what is rolled up is the same.
import { deepEqual } from "node:assert/strict";
import fc from "../../help/costly.ts";
import type { PlantTag } from "../../help/plant.ts";
import { inverter, power, weather } from "../expected/model_help.ts";
import { type Come, passTime, timeOf } from "./live_help.ts";
import { assertVerified, at, each, roll, rolledUp, setpoint, withPlant } from "./setpoint_help.ts";

/**
 * Two inverters, one of which is also sent a model, with an energy of its tag's; registers, a
 * meter, setpoints, weather.
 */
const counter = { measure: "energy", accumulation: "counter", capacity: 1000 } as const;
const tags: readonly PlantTag[] = [
  power(1, { capacity: 1000 }),
  {
    tag_no: 2,
    sensor_tag: "p2",
    sensors: [
      { device_id: "d2", capacity: 1000 },
      { sensor_no: 12, device_id: "d2", measure: "energy", direct: false },
    ],
  },
  { tag_no: 3, sensors: [counter] },
  { tag_no: 4, sensors: [{ component: "meter", device_id: "m" }] },
  { tag_no: 5, sensor_tag: "p2", lane: "model" },
  setpoint(6, { component: "meter", device_id: "m" }),
  setpoint(7),
  weather(8, "poa_front"),
  weather(9, "poa_front", { device_id: "met2" }),
  weather(10, "ambient_temp"),
];
const devices = [inverter("d1"), inverter("d2")];
const most = [0, 1000, 1000, 5000, 2000, 1000, 1500, 800, 1100, 1100, 40];

/** Half an hour before a sunset in the desert. */
const start = Date.parse("2026-06-02T01:45:00Z") / 60_000;
const length = 70;
const end = start + length + 100;

/** Runs of a tag's samples, each run as late as may be. */
const come: fc.Arbitrary<readonly Come[]> = fc.record({
  tag: fc.integer({ min: 1, max: 10 }),
  from: fc.integer({ min: 0, max: length - 1 }),
  late: fc.constantFrom(0, 0, 0, 1, 7, 40, 90),
  shares: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 40 }),
}).map(({ tag, from, late, shares }) =>
  shares.slice(0, length - from).map((share, i) => ({
    sample: { tag, at: (start + from + i) * 60_000_000, value: most[tag] * share / 100 },
    minute: start + from + i + late,
  }))
);

/** Each sample once, at the time it first came. */
const all = fc.array(come, { minLength: 8, maxLength: 24 }).map((runs) => {
  const steady = Array.from({ length }, (_, i) =>
    [8, 10].map((tag) => ({
      sample: { tag, at: (start + i) * 60_000_000, value: tag === 8 ? 500 - 5 * i : 25 },
      minute: start + i,
    }))).flat();
  const known = new Map<string, Come>();
  for (const it of [...runs.flat(), ...steady]) {
    const name = `${it.sample.tag}/${it.sample.at}`;
    if (!known.has(name)) known.set(name, it);
  }
  return [...known.values()];
});

Deno.test("roll: samples that come as time passes, or late, roll up as all at once", async () => {
  const steps = fc.array(fc.constantFrom(1, 1, 2, 5, 13, 31), { minLength: 12, maxLength: 12 });
  const property = fc.asyncProperty(
    all,
    steps,
    fc.nat({ max: 11 }),
    async (list, waits, restart) => {
      let whole: unknown;
      await withPlant({ tags, devices, at: timeOf(end) }, async (plant) => {
        await roll(plant, list.map((it) => it.sample));
        whole = await rolledUp(plant);
      });
      await withPlant({ tags, devices, at: timeOf(start) }, async (plant) => {
        await passTime(plant, list, {
          ...{ from: start, to: end, waits },
          behind: async (step) => void (step === restart && await plant.restart()),
        });
        await assertVerified(plant);
        deepEqual(await rolledUp(plant), whole);
      });
    },
  );
  await fc.assert(property, { numRuns: 1 });
});

Deno.test("roll: a power's fall from the minute before a quarter-hour's look back is seen", () =>
  withPlant({ tags, devices }, async (plant) => {
    const measured = [900, 800, 700, 600, 650, 100];
    await roll(plant, [
      ...each(8, [0, 30], 800),
      ...each(10, [0, 30], 20),
      at(7, 20, 10),
      ...measured.slice(0, 5).map((value, i) => at(1, 25 + i, value)),
    ]);
    await roll(plant, [at(8, 30, 810), at(10, 30, 20), at(1, 30, measured[5])]);
    await assertVerified(plant);
  }));
