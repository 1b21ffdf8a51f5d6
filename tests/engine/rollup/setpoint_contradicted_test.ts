// A setpoint that the meter contradicts for five minutes is ignored in them and while that lasts.
import { deepEqual } from "node:assert/strict";
import fc from "../../help/costly.ts";
import type { PlantSample, PlantTag } from "../../help/plant.ts";
import {
  assertVerified,
  at,
  curbed,
  each,
  modelled,
  roll,
  rolledUp,
  setpoint,
  withPlant,
} from "./setpoint_help.ts";

/** An inverter of 1000 W with its power (1), expected to make 900 W (501), and its setpoint (2). */
const own: readonly PlantTag[] = [...modelled(1, { capacity: 1000 }), setpoint(2)];
const expected = each(501, [-60, 60], 900);

/** What is expected under the setpoint in each of the minutes. */
async function found(
  samples: readonly PlantSample[],
  minutes: readonly [number, number],
): Promise<(number | null)[]> {
  let values: (number | null)[] = [];
  await withPlant({ tags: own }, async (plant) => {
    await roll(plant, [...expected, ...samples]);
    values = await curbed(plant, 1, minutes);
  });
  return values;
}

const times = (count: number, value: number) => Array<number>(count).fill(value);

Deno.test("setpoint: it is ignored from the first of five minutes of more power on", async () => {
  const measured = each(1, [-20, 60], (minute) => minute >= 20 && minute < 30 ? 500 : 800);
  deepEqual(await found([at(2, 0, 500), ...measured], [-2, 40]), [
    ...times(22, 900),
    ...times(10, 500),
    ...times(10, 900),
  ]);
});

Deno.test("setpoint: the five minutes may lie on both sides of a quarter-hour", async () => {
  for (const start of [11, 13, 15]) {
    const values = await found([at(2, start, 500), ...each(1, [0, 30], 800)], [10, 22]);
    deepEqual(values, times(12, 900));
    const four = [at(2, start, 500), ...each(1, [start, start + 4], 800)];
    const before = start - 10;
    deepEqual(await found(four, [10, 22]), [...times(before, 900), ...times(12 - before, 500)]);
  }
});

Deno.test("setpoint: power that follows late does not contradict", async () => {
  const late = each(1, [-20, 60], (minute) => minute < 4 ? 880 : 500);
  deepEqual(await found([at(2, 0.5, 500), ...late], [0, 30]), times(30, 500));
});

Deno.test("setpoint: power on a ramp down obeys, one that the sun lowers does not", async () => {
  const down = (per_minute: number) =>
    each(1, [-20, 60], (minute) => Math.max(0, 880 - per_minute * Math.max(0, minute)));
  deepEqual(await found([at(2, 0, 0), ...down(60)], [0, 30]), times(30, 0));
  deepEqual(await found([at(2, 0, 0), ...down(5)], [0, 30]), times(30, 900));
});

Deno.test("setpoint: power that lags a setpoint's ramp does not contradict", async () => {
  const ramp = (minute: number) => Math.max(200, 900 - 20 * minute);
  const power = each(1, [0, 60], (minute) => ramp(minute - 2));
  const values = await found([...each(2, [0, 60], ramp), ...power], [1, 60]);
  deepEqual(values, Array.from({ length: 59 }, (_, i) => ramp(i + 1)));
});

Deno.test("setpoint: power within tolerance does not contradict", async () => {
  // 5 % of the setpoint, or 1 % of rated power where that is more.
  for (const [limit, power] of [[500, 525], [100, 110]]) {
    const obeyed = [at(2, 0, limit), ...each(1, [0, 30], power)];
    deepEqual(await found(obeyed, [0, 30]), times(30, limit));
    const contradicted = [at(2, 0, limit), ...each(1, [0, 30], power + 1)];
    deepEqual(await found(contradicted, [0, 30]), times(30, 900));
  }
});

Deno.test("setpoint: nothing contradicts in a minute without measured power", async () => {
  const measured = each(1, [0, 30], 800).filter((_, minute) => minute !== 10);
  deepEqual(await found([at(2, 0, 500), ...measured], [0, 20]), [
    ...times(10, 900),
    500,
    ...times(9, 900),
  ]);
});

Deno.test("setpoint: late power or setpoints change what was contradicted", async () => {
  const all = [
    ...expected,
    ...each(1, [-20, 60], (minute) => minute >= 32 && minute < 41 ? 450 : 800),
    ...[at(2, -3, 500), at(2, 13, 700), at(2, 26, 780), at(2, 44, 300)],
  ];
  let whole: unknown;
  await withPlant({ tags: own }, async (plant) => {
    await roll(plant, all);
    whole = await rolledUp(plant);
  });
  const anyOrder = fc.asyncProperty(
    fc.array(fc.nat({ max: 2 }), { minLength: all.length, maxLength: all.length }),
    async (batch) => {
      await withPlant({ tags: own }, async (plant) => {
        for (const number of [0, 1, 2]) {
          await roll(plant, all.filter((_, i) => batch[i] === number));
        }
        deepEqual(await rolledUp(plant), whole);
        await assertVerified(plant);
      });
    },
  );
  await fc.assert(anyOrder, { numRuns: 2 });
  // Each kind by itself, in each order.
  const [models, power, limits] = [501, 1, 2].map((tag) => all.filter((it) => it.tag === tag));
  for (const order of [[models, power, limits], [limits, models, power], [power, limits, models]]) {
    await withPlant({ tags: own }, async (plant) => {
      for (const part of order) await roll(plant, part);
      deepEqual(await rolledUp(plant), whole);
    });
  }
});

Deno.test("setpoint: a power that is taken back ends the contradiction", async () => {
  await withPlant({ tags: own }, async (plant) => {
    await roll(plant, [...expected, at(2, 12, 500), ...each(1, [0, 30], 800)]);
    deepEqual(await curbed(plant, 1, [10, 20]), times(10, 900));
    await roll(plant, [at(1, 13, 490)]);
    deepEqual(await curbed(plant, 1, [10, 20]), [900, 900, 500, 500, ...times(6, 900)]);
    await assertVerified(plant);
  });
});

/** Two inverters with 800 W expected of each, and a plant's setpoint (9). */
const inverters = [
  ...modelled(1, { device_id: "a", capacity: 1000 }),
  ...modelled(2, { device_id: "b", capacity: 1000 }),
];
const models = [...each(501, [0, 30], 800), ...each(502, [0, 30], 800)];
const meter = (tag_no: number, device_id: string): PlantTag => ({
  tag_no,
  sensors: [{ component: "meter", device_id }],
});

async function foundPlant(
  tags: readonly PlantTag[],
  samples: readonly PlantSample[],
  devices = ["a", "b", "m", "n"].map((id) => ({ id })) as readonly { readonly id: string }[],
): Promise<(number | null)[]> {
  let values: (number | null)[] = [];
  await withPlant({ tags: [...inverters, ...tags], devices }, async (plant) => {
    await roll(plant, [...models, ...samples]);
    values = await curbed(plant, 1, [0, 6]);
  });
  return values;
}

const followed = times(6, 400);
const ignored = times(6, 800);

Deno.test("setpoint: the plant's is contradicted by its meter", async () => {
  const limit = setpoint(9, { component: "system", device_id: null });
  const tags = [meter(3, "m"), limit];
  deepEqual(await foundPlant(tags, [at(9, 0, 800), ...each(3, [0, 30], 1200)]), ignored);
  deepEqual(await foundPlant(tags, [at(9, 0, 800), ...each(3, [0, 30], 810)]), followed);
  // The inverters' own powers don't matter.
  const powers = [...each(1, [0, 30], 700), ...each(2, [0, 30], 700)];
  deepEqual(await foundPlant(tags, [at(9, 0, 800), ...powers]), followed);
});

Deno.test("setpoint: the plant's meters are summed, each inverter counted once", async () => {
  const tags = [meter(3, "m"), meter(4, "n"), setpoint(9, { component: "system", device_id: "s" })];
  const halves = [...each(3, [0, 30], 600), ...each(4, [0, 30], 600)];
  const parted = [
    ...["m", "n"].map((id) => ({ id, type: "meter" })),
    ...[["a", "m"], ["b", "n"]].map(([id, parent_device_id]) => ({ id, parent_device_id })),
  ];
  deepEqual(await foundPlant(tags, [at(9, 0, 800), ...halves], parted), ignored);
  // One of them does not tell.
  deepEqual(await foundPlant(tags, [at(9, 0, 800), ...halves.slice(0, 30)], parted), followed);
  // A check meter beside the main one, and a meter below another, count nothing twice.
  const doubled = [...each(3, [0, 30], 800), ...each(4, [0, 30], 800)];
  deepEqual(await foundPlant(tags, [at(9, 0, 800), ...doubled]), followed);
  const below = [
    ...[{ id: "m", type: "meter" }, { id: "n", type: "meter", parent_device_id: "m" }],
    ...["a", "b"].map((id) => ({ id, parent_device_id: "n" })),
  ];
  deepEqual(await foundPlant(tags, [at(9, 0, 800), ...doubled], below), followed);
});

Deno.test("setpoint: without a meter, the power beside the plant's contradicts it", async () => {
  const tags: PlantTag[] = [
    { tag_no: 3, sensors: [{ component: "bess_ppc", device_id: "ppc" }] },
    setpoint(9, { component: "bess_ppc", device_id: "ppc" }),
  ];
  deepEqual(await foundPlant(tags, [at(9, 0, 800), ...each(3, [0, 30], 1200)]), ignored);
  deepEqual(await foundPlant(tags, [at(9, 0, 800)]), followed);
});
