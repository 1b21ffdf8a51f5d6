// What deviation rules compare: minutes beside their model, and beside the median of their peers.
import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { comparedMinutes, comparisonOf } from "../../../src/engine/rules/deviation.ts";
import type { Sensor } from "../../../src/model/plant/plant.ts";
import type { Connection } from "../../../src/store/connection.ts";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";
import { runQuery } from "../../help/query.ts";

const { effects } = fakeEffects();

/** A minute as it was compared. */
type Point = { sensor_no: number; minute: number; value: number; expected: number };

/** What of a sensor matters here. */
function sensor(sensor_no: number, more: Partial<Sensor> = {}): Sensor {
  const plain = { site_no: 1, component: "inverter", measure: "active_power", capacity: null };
  return { sensor_no, sentinel_tag: "default", ...plain, ...more } as Sensor;
}

type Reading = readonly [sensor_no: number, minute: number, value: number | null, ...number[]];

async function store(connection: Connection, readings: readonly Reading[]): Promise<void> {
  for (const [sensor_no, minute, value, model, model_setpoint] of readings) {
    await runQuery(
      connection,
      "INSERT INTO reading (day, sensor_no, minute, light, value, model, model_setpoint) " +
        "VALUES (0, $sensor_no, $minute, true, $value, $model, $model_setpoint)",
      { sensor_no, minute, value, model: model ?? null, model_setpoint: model_setpoint ?? null },
    );
  }
}

async function compare(
  connection: Connection,
  ...asked: Parameters<typeof comparedMinutes> extends [unknown, ...infer Rest] ? Rest : never
): Promise<Point[]> {
  const points: Point[] = [];
  for await (const piece of comparedMinutes(connection, ...asked)) {
    for (let i = 0; i < piece.rows; i++) {
      const [sensor_no, minute] = [piece.sensor_no[i], piece.minute[i]];
      points.push({ sensor_no, minute, value: piece.value[i], expected: piece.expected[i] });
    }
  }
  return points;
}

async function onDatabase(work: (connection: Connection) => Promise<void>): Promise<void> {
  const database = await Database.open({ path: ":memory:", effects, threads: 1 });
  const session = await database.session();
  try {
    await work(session);
  } finally {
    session.close();
    await database.close();
  }
}

Deno.test("a minute is compared with its model as far as a setpoint allows it", async () => {
  await onDatabase(async (connection) => {
    await store(connection, [
      [1, 10, 5, 8, 6],
      [1, 11, 5, 8],
      [1, 12, 5],
      [1, 13, null, 8],
      [2, 11, 4, 4],
      [3, 11, 4, 4],
      [1, 20, 1, 1],
    ]);
    const comparison = comparisonOf([], { from: "model", watched: new Set([1, 2]) });
    const range = { from_minute: 0, to_minute: 20 };
    deepEqual(await compare(connection, comparison, range), [
      { sensor_no: 1, minute: 10, value: 5, expected: 6 },
      { sensor_no: 1, minute: 11, value: 5, expected: 8 },
      { sensor_no: 2, minute: 11, value: 4, expected: 4 },
    ]);
    deepEqual(await compare(connection, comparison, { ...range, after: new Map([[1, 10]]) }), [
      { sensor_no: 1, minute: 11, value: 5, expected: 8 },
      { sensor_no: 2, minute: 11, value: 4, expected: 4 },
    ]);
  });
});

Deno.test("peers are of one site, component, measure and sentinel tag", async () => {
  await onDatabase(async (connection) => {
    const sensors = [
      ...[1, 2, 3, 4].map((no) => sensor(no)),
      sensor(5, { site_no: 2 }),
      sensor(6, { component: "meter" }),
      sensor(7, { measure: "energy" }),
      sensor(8, { sentinel_tag: "other" }),
    ];
    await store(connection, sensors.map(({ sensor_no }) => [sensor_no, 0, sensor_no]));
    const comparison = comparisonOf(sensors, { from: "peers", watched: new Set([1, 5, 8]) });
    deepEqual(await compare(connection, comparison, { from_minute: 0, to_minute: 1 }), [
      { sensor_no: 1, minute: 0, value: 1, expected: 3 },
    ]);
  });
});

Deno.test("what peers make of a minute is the median of the others, by capacity", async () => {
  const power = fc.option(fc.integer({ min: 0, max: 9 }), { nil: null });
  const plants = fc.array(fc.tuple(fc.constantFrom(1, 2, 5), power), { minLength: 1 });
  const property = fc.asyncProperty(plants, fc.boolean(), async (plant, rated) => {
    await onDatabase(async (connection) => {
      const sensors = plant.map(([capacity], i) => {
        return sensor(i, { capacity: rated || i > 0 ? capacity : null });
      });
      await store(connection, plant.map(([, value], i) => [i, 0, value]));
      const watched = new Set(sensors.map(({ sensor_no }) => sensor_no));
      const comparison = comparisonOf(sensors, { from: "peers", watched });
      const points = await compare(connection, comparison, { from_minute: 0, to_minute: 1 });
      const weights = plant.map(([capacity]) => rated ? capacity : 1);
      const shares = plant.map(([, value], i) => value === null ? null : value / weights[i]);
      const wanted = plant.flatMap(([, value], i) => {
        const others = shares.filter((it, n) => it !== null && n !== i) as number[];
        if (value === null || others.length < 3) return [];
        return [{ sensor_no: i, expected: median(others) * weights[i] }];
      });
      deepEqual(points.map(({ sensor_no }) => sensor_no), wanted.map((it) => it.sensor_no));
      points.forEach(({ expected }, i) => ok(Math.abs(expected - wanted[i].expected) < 1e-9));
    });
  });
  await fc.assert(property, { numRuns: 40 });
});

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
