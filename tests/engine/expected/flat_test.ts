// Irradiance that stands still or is missing: when it is believed, and what lies between samples.
import { deepEqual, equal } from "node:assert/strict";
import type { PlantSample, TestPlant } from "../../help/plant.ts";
import { acOf, expectedOf, inverter, power, same, weather } from "./model_help.ts";
import {
  assertVerified,
  at,
  each,
  noon,
  roll,
  rolledUp,
  withPlant,
} from "../rollup/setpoint_help.ts";

const plain = {
  devices: [inverter("d1")],
  tags: [power(1), weather(10, "poa_front"), weather(20, "ambient_temp")],
};
const of = (poa: number) => acOf(poa, 10 + poa / 32).model;
const sky = (minute: number) => 700 + minute;
const hours = (count: number, value: (minute: number) => number | null) =>
  Array.from({ length: 60 * count }, (_, i) => value(i));

/** Samples of every so many minutes of [from, to) after noon. */
function spaced(
  spacing: number,
  [from, to]: readonly [number, number],
  value: (minute: number) => number,
): PlantSample[] {
  return each(10, [from, to], value).filter((_, i) => i % spacing === 0);
}

const air = each(20, [-480, 480], 10);

for (const spacing of [1, 5, 15]) {
  Deno.test(`model: each ${spacing} minutes, a stuck sensor's whole run is void`, () =>
    withPlant(plain, async (plant) => {
      const stuck = (minute: number) => minute >= 60 && minute <= 180;
      const told = (minute: number) => stuck(minute) ? 640 : sky(minute);
      await roll(plant, [...air, ...spaced(spacing, [0, 241], told)]);
      // Next to the run, no line leads to or from it.
      const beside = (minute: number) => minute > 60 - spacing && minute < 180 + spacing;
      const wanted = (minute: number) => beside(minute) ? null : of(sky(minute));
      same(await expectedOf(plant, 1, [0, 225]), hours(4, wanted).slice(0, 225));
      await assertVerified(plant);
    }));

  Deno.test(`model: each ${spacing} minutes, light between two samples is on a line`, () =>
    withPlant(plain, async (plant) => {
      await roll(plant, [...air, ...spaced(spacing, [0, 61], sky)]);
      same(await expectedOf(plant, 1, [0, 61]), hours(2, (i) => of(sky(i))).slice(0, 61));
      deepEqual(await expectedOf(plant, 1, [61, 80]), Array(19).fill(null));
      await assertVerified(plant);
    }));
}

Deno.test("model: no line leads over more than what is carried, nor over a bad sample", () =>
  withPlant(plain, async (plant) => {
    const bad = { tag: 10, at: at(10, 40, 0).at, value: null, quality: 2 };
    const told = [0, 15, 31, 46].map((minute) => at(10, minute, sky(minute)));
    await roll(plant, [...air, ...told, bad]);
    const known = (minute: number) => minute <= 15 || minute === 31 || minute === 46;
    same(await expectedOf(plant, 1, [0, 60]), hours(1, (i) => known(i) ? of(sky(i)) : null));
    await assertVerified(plant);
  }));

Deno.test("model: near 0 a sensor is believed below a low sun, below a high one it is dead", () =>
  withPlant({ ...plain, at: "2026-06-02T06:00:00Z" }, async (plant) => {
    const [{ first }] = await sunrise(plant);
    const dawn: readonly [number, number] = [first, first + 240];
    await roll(plant, [...air, ...each(10, dawn, 0)]);
    const found = await expectedOf(plant, 1, dawn);
    const dead = found.indexOf(null);
    // In June at 35 degrees north the sun climbs 15 degrees in 80 minutes.
    deepEqual([dead > 60, dead < 105, dead % 15], [true, true, (15 - first % 15) % 15], `${dead}`);
    deepEqual(found, Array.from({ length: 240 }, (_, i) => i < dead ? 0 : null));
    await assertVerified(plant);
  }));

/** The first minute of light of the day, after noon. */
async function sunrise(plant: TestPlant): Promise<{ first: number }[]> {
  await roll(plant, [...each(1, [-480, -240], 1)]);
  const rows = await plant.rows(
    `SELECT min(minute) - ${noon} AS first FROM reading WHERE sensor_no = 1 AND light`,
  );
  return rows as { first: number }[];
}

Deno.test("model: a dim light of a low sun may stand still, a bright one may not", () =>
  withPlant(plain, async (plant) => {
    const [{ first }] = await sunrise(plant);
    const dawn: readonly [number, number] = [first, first + 45];
    await roll(plant, [...air, ...each(10, dawn, 100)]);
    same(await expectedOf(plant, 1, dawn), Array(45).fill(of(100)));
    await roll(plant, each(10, dawn, 101));
    same(await expectedOf(plant, 1, dawn), Array(45).fill(null));
    await assertVerified(plant);
  }));

/** Rolls samples of an hour and a half up as time passes, in steps of minutes, and all at once. */
async function inTurn(samples: readonly PlantSample[], step: number): Promise<void> {
  const day = [...each(20, [0, 90], 10), ...samples];
  let whole: unknown;
  const at_end = "2026-06-01T19:30:00Z";
  await withPlant({ ...plain, at: at_end }, async (plant) => {
    await roll(plant, day);
    whole = await rolledUp(plant);
  });
  await withPlant({ ...plain, at: "2026-06-01T18:00:00Z" }, async (plant) => {
    for (let minute = 0; minute < 90; minute += step) {
      plant.clock.advance(step * 60_000);
      const since = (noon + minute) * 60_000_000;
      await plant.store(day.filter((it) => {
        return Number(it.at) >= since && Number(it.at) < since + step * 60_000_000;
      }));
      await plant.roll.settle();
    }
    deepEqual(await rolledUp(plant), whole);
    await assertVerified(plant);
  });
}

for (const [spacing, step] of [[1, 10], [5, 10], [15, 15]]) {
  Deno.test(`model: each ${spacing} minutes, in turn a stuck run is void from its start`, () =>
    inTurn(spaced(spacing, [0, 90], (i) => i < 20 || i > 65 ? sky(i) : 640), step));
}

Deno.test("model: minute by minute nothing of an earlier quarter-hour is computed again", () =>
  withPlant({ ...plain, at: "2026-06-01T18:00:00Z" }, async (plant) => {
    for (let minute = 0; minute < 20; minute++) {
      await plant.store([at(1, minute, 500), at(10, minute, sky(minute)), at(20, minute, 10)]);
      plant.clock.advance(60_000);
      await plant.roll.settle();
      if (minute % 15 === 14) {
        await plant.database.write(({ connection }) =>
          connection.script("UPDATE reading SET model = -1")
        );
      }
    }
    const rows = await plant.rows(
      "SELECT model FROM reading WHERE sensor_no = 1 AND model <> -1",
    );
    equal(rows.length, 20 % 15);
  }));

Deno.test("model: a run that a late sample breaks is believed again", () =>
  withPlant(plain, async (plant) => {
    await roll(plant, [...air, ...each(10, [40, 66], 640)]);
    equal((await expectedOf(plant, 1, [40, 66])).every((value) => value === null), true);
    await roll(plant, [at(10, 65, 650)]);
    same(await expectedOf(plant, 1, [40, 66]), [...Array(25).fill(of(640)), of(650)]);
    await assertVerified(plant);
  }));
