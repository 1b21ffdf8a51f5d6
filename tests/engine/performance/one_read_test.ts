// A small answer takes one statement, in no transaction, and still is of one state of the database.
import { deepEqual, equal, ok } from "node:assert/strict";
import { performanceAnswer } from "../../../src/engine/performance/performance.ts";
import type { MeasureName } from "../../../src/model/plant/measure.ts";
import { performance_columns } from "../../../src/model/performance/performance.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import type { Connection } from "../../../src/store/connection.ts";
import type { Database } from "../../../src/store/database.ts";
import { openPlant, type PlantSample, type TestPlant } from "../../help/plant.ts";
import { openWorld, type World } from "../../help/performance_world.ts";
import { rowsOf } from "../../help/reading.ts";

const day = "2026-06-01";

/** A sample in each minute of an hour but one, so that a quarter-hour is not whole; or in all. */
function samplesOf(hour: number, left_out?: number): PlantSample[] {
  const begin_us = Date.parse(`${day}T00:00:00Z`) * 1000 + hour * 3_600_000_000;
  return Array.from({ length: 60 }, (_, i) => i).filter((i) => i % 15 !== left_out)
    .map((i) => ({ tag: 1, at: begin_us + i * 60_000_000, value: 100 + i }));
}

/** What a connection is asked for, in order. */
type Asked = "transaction" | "rows" | "pieces";

/** Asks for minutes with the columns of setpoints; `meanwhile` comes before the first read. */
async function ask(
  plant: TestPlant,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<{ readonly asked: readonly Asked[]; readonly rows: number }> {
  const asked: Asked[] = [];
  let has_come = false;
  const watched = (connection: Connection) => {
    for (const name of ["transaction", "rows", "pieces"] as const) {
      const run = connection[name] as (...given: unknown[]) => Promise<unknown>;
      const watch = async (...given: unknown[]) => {
        asked.push(name);
        if (name === "pieces" && !has_come) {
          has_come = true;
          await meanwhile();
        }
        return await run.apply(connection, given);
      };
      Object.assign(connection, { [name]: watch });
    }
    return connection;
  };
  const database = {
    read: <T>(work: (connection: Connection) => Promise<T>) =>
      plant.database.aside((connection) => work(watched(connection))),
  } as unknown as Database;
  const answer = await performanceAnswer({ ...plant, database }, {
    ...{ projects: plant.catalog.projects, sentinel_tag: "default", component: "inverter" },
    ...{ measure: "active_power", interval: "OneMinute", use_solar_bounds: false },
    range: { from_day: dayNumber(day), to_day: dayNumber(day) + 1 },
    ...{ hierarchy_ids: [], block_ids: [], group_by: ["hierarchy_id"] },
    columns: performance_columns,
  });
  return { rows: (await rowsOf(answer)).length, asked };
}

async function withPlant(work: (plant: TestPlant) => Promise<void>): Promise<void> {
  const tags = [{ tag_no: 1, sensors: [{}] }];
  const plant = await openPlant({ at: "2026-06-02T10:30:30Z", tags });
  try {
    await plant.store(samplesOf(8, 7));
    await plant.roll.settle();
    await work(plant);
  } finally {
    await plant.close();
  }
}

Deno.test("one read: nothing is looked for where few minutes are read", () =>
  withPlant(async (plant) => {
    deepEqual(await ask(plant), { asked: ["pieces"], rows: 56 });
    await plant.store(samplesOf(9));
    await plant.roll.settle();
    deepEqual(await ask(plant), { asked: ["pieces"], rows: 116 });
  }));

Deno.test("one read: whole quarter-hours that are stored meanwhile are not missed", () =>
  withPlant(async (plant) => {
    const { rows, asked } = await ask(plant, async () => {
      await plant.store(samplesOf(9));
      await plant.roll.settle();
    });
    deepEqual(asked, ["pieces", "transaction", "rows", "pieces"]);
    equal(rows, 116);
  }));

/** The minutes of five sensors, some with setpoints or none, in so many days. */
async function minutesOf(world: World, measure: MeasureName, days: number) {
  const from_day = dayNumber(day) - 2;
  return await rowsOf(
    await performanceAnswer(world, {
      ...{ projects: world.projects, sentinel_tag: "default", component: "inverter", measure },
      ...{ interval: "OneMinute", use_solar_bounds: false, hierarchy_ids: [], block_ids: [] },
      ...{ group_by: ["hierarchy_id"], columns: performance_columns },
      range: { from_day, to_day: from_day + days },
    }),
  );
}

Deno.test("one read: many minutes, looked at first, are the same", async () => {
  const world = await openWorld(["UTC", "UTC"], day);
  for (const measure of ["active_power", "internal_temp"] as const) {
    const few = await minutesOf(world, measure, 5);
    const is_set = few.some((row) => row.sensor_value_setpoint !== row.sensor_value);
    equal(is_set, measure === "active_power");
    const many = await minutesOf(world, measure, 40);
    ok(JSON.stringify(many) === JSON.stringify(few));
  }
  await world.database.abandon();
});
