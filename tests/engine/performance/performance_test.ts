// Performance answers against a slow reference, over all intervals, groups and clock changes.
import assert from "node:assert/strict";
import fc from "../../help/costly.ts";
import { performanceAnswer } from "../../../src/engine/performance/performance.ts";
import type { PerformanceRequest } from "../../../src/engine/performance/group.ts";
import { type Interval, intervals, minutesOf } from "../../../src/model/time/bucket.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import type { MeasureName } from "../../../src/model/plant/measure.ts";
import {
  type Dimension,
  dimensions,
  performance_columns,
} from "../../../src/model/performance/performance.ts";
import {
  bucketsOf,
  expectedRows,
  type ReferenceRequest,
} from "../../help/performance_reference.ts";
import { openWorld, type World } from "../../help/performance_world.ts";
import { rowsOf, type TestRow } from "../../help/reading.ts";

const every_group_by = [1, 2, 3, 4, 5, 6, 7]
  .map((bits) => dimensions.filter((_, i) => bits >> i & 1)) as readonly Dimension[][];

type Ask = {
  readonly measure: MeasureName;
  readonly interval: Interval;
  readonly group_by: readonly Dimension[];
  readonly use_solar_bounds: boolean;
  readonly days: readonly [string, string];
};

function requestOf(world: World, ask: Ask): PerformanceRequest {
  const { component } = world.sensors.find((sensor) => sensor.measure === ask.measure)!;
  return {
    ...ask,
    component,
    projects: world.projects,
    range: { from_day: dayNumber(ask.days[0]), to_day: dayNumber(ask.days[1]) + 1 },
    sentinel_tag: "default",
    hierarchy_ids: [],
    block_ids: [],
    columns: performance_columns,
  };
}

/** Asks the engine and the reference, and compares rows, values and order. */
async function check(world: World, ask: Ask): Promise<void> {
  const request = requestOf(world, ask);
  const answer = await performanceAnswer(world, request);
  const found = await rowsOf(answer);
  const sensors = world.sensors.filter((sensor) => sensor.measure === ask.measure);
  const wanted: ReferenceRequest = { ...request, ...request.range, sensors };
  const expected = expectedRows(world, wanted);
  const note = `${ask.measure} ${ask.interval} by ${ask.group_by} ${ask.use_solar_bounds}`;
  const keys = keysOf(found, [...expected.keys()]);
  assert.deepEqual(keys.toSorted(), [...expected.keys()].sort(), note);
  found.forEach((row, i) => compare(row, expected.get(keys[i])!, `${note}: ${keys[i]}`));
  checkOrder(world, wanted, keys);
}

/**
 * `<group> <label> <pass>` of each row, in order. Rows don't tell their pass: the first of a label
 * takes the first of the expected passes, which is not 0 where that one has no data.
 */
function keysOf(rows: readonly TestRow[], expected: readonly string[]): readonly string[] {
  const left = Map.groupBy(expected.toSorted(), (key) => key.slice(0, -2));
  return rows.map((row) => {
    const key = `${row.project_id}|${row.svc_block_id}|${row.hierarchy_id} ${row.ts}`;
    return left.get(key)?.shift() ?? `${key} unexpected`;
  });
}

const numbers = [
  "sensor_value",
  "model_value",
  "sensor_value_setpoint",
  "model_value_setpoint",
  "performance_index",
  "performance_index_setpoint",
] as const;

function compare(found: TestRow, expected: TestRow, note: string): void {
  for (const name of numbers) {
    const [a, b] = [found[name], expected[name]];
    if (a === null || b === null) assert.equal(a, b, `${note} ${name}`);
    else {
      const off = Math.abs(Number(a) - Number(b));
      assert.ok(off <= 1e-9 * Math.max(1, Math.abs(Number(b))), `${note} ${name}: ${a}, not ${b}`);
    }
  }
}

/** Rows follow the instants of each zone's buckets; rows of one bucket stand together. */
function checkOrder(world: World, wanted: ReferenceRequest, keys: readonly string[]): void {
  const order = [...new Set(keys.map((key) => key.slice(key.indexOf(" ") + 1)))];
  const places = new Map(order.map((bucket, i) => [bucket, i]));
  const sequence = keys.map((key) => places.get(key.slice(key.indexOf(" ") + 1))!);
  assert.deepEqual(sequence, sequence.toSorted((a, b) => a - b));
  for (const { timezone } of world.projects) {
    let before = -1;
    for (const { label, pass } of bucketsOf(timezone, wanted).values()) {
      const place = places.get(`${label} ${pass}`) ?? before;
      assert.ok(place >= before || wanted.interval === "OneDay", `${label} ${pass} is too late`);
      before = place;
    }
  }
}

Deno.test("power agrees with the reference for all intervals, groups and grids", async () => {
  const world = await openWorld(["America/Chicago", "Australia/Lord_Howe"], "2022-11-06");
  for (const [i, interval] of intervals.entries()) {
    const fine = (minutesOf(interval) ?? 1440) < 15;
    const days = fine
      ? ["2022-11-06", "2022-11-06"] as const
      : ["2022-11-05", "2022-11-07"] as const;
    const groups = fine ? every_group_by.slice(5) : every_group_by;
    for (const [j, group_by] of groups.entries()) {
      // By daylight and without it in turn: each interval has both, and each grouping.
      const use_solar_bounds = (i + j) % 2 === 0;
      await check(world, { measure: "active_power", interval, group_by, use_solar_bounds, days });
    }
  }
  await world.database.close();
});

Deno.test("each way to aggregate agrees with the reference", async () => {
  const world = await openWorld(["America/Chicago", "Australia/Lord_Howe"], "2022-11-06");
  const measures = new Set(world.sensors.map((sensor) => sensor.measure));
  const days = ["2022-11-06", "2022-11-06"] as const;
  const ways = (["TenMinutes", "OneHour", "OneDay", "Full"] as const).flatMap((interval) =>
    ([["project_id"], ["hierarchy_id"]] as const).map((group_by) => ({ interval, group_by }))
  );
  for (const [i, measure] of [...measures].entries()) {
    for (const [j, way] of ways.entries()) {
      // By daylight and without it in turn: a measure's intervals, groups and neighbours have both.
      const use_solar_bounds = (i + j + (j >> 1)) % 2 === 0;
      await check(world, { measure, ...way, use_solar_bounds, days });
    }
  }
  await world.database.close();
});

const changes = [
  ["America/Chicago", "Asia/Tokyo", "2022-03-13"],
  ["America/Chicago", "Australia/Lord_Howe", "2024-04-07"],
  ["Europe/Madrid", "Australia/Lord_Howe", "2024-10-06"],
  ["Australia/Sydney", "Australia/Lord_Howe", "2024-04-07"],
  ["America/St_Johns", "Asia/Kathmandu", "2010-11-07"],
] as const;

for (const [first, second, day] of changes) {
  Deno.test(`clocks of ${first} and ${second} around ${day} agree with the reference`, async () => {
    const world = await openWorld([first, second], day);
    const group_by = ["project_id"] as const;
    for (const interval of ["OneMinute", "FifteenMinutes", "OneHour", "OneDay"] as const) {
      for (const use_solar_bounds of [true, false]) {
        const ask = { measure: "energy", interval, group_by, use_solar_bounds } as const;
        await check(world, { ...ask, days: [day, day] });
      }
    }
    await world.database.close();
  });
}

Deno.test("any interval and grouping of energy adds up to the same total", async () => {
  const world = await openWorld(["America/Chicago", "Australia/Lord_Howe"], "2022-11-06");
  const total = async (ask: Omit<Ask, "measure" | "days">) => {
    const days = ["2022-11-05", "2022-11-07"] as const;
    const request = requestOf(world, { ...ask, measure: "energy", days });
    const rows = await rowsOf(await performanceAnswer(world, request));
    return ["sensor_value", "model_value", "sensor_value_setpoint", "model_value_setpoint"]
      .map((name) => rows.reduce((sum, row) => sum + Number(row[name]), 0));
  };
  const finest = new Map<boolean, Promise<number[]>>([true, false].map((use_solar_bounds) => [
    use_solar_bounds,
    total({ interval: "OneMinute", group_by: dimensions, use_solar_bounds }),
  ]));
  const asks = fc.asyncProperty(
    fc.constantFrom(...intervals),
    fc.constantFrom(...every_group_by),
    fc.boolean(),
    async (interval, group_by, use_solar_bounds) => {
      assert.deepEqual(
        await total({ interval, group_by, use_solar_bounds }),
        await finest.get(use_solar_bounds),
      );
    },
  );
  await fc.assert(asks, { numRuns: 40, seed: 5 });
  await world.database.close();
});
