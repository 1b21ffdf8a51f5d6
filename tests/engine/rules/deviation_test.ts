// What deviation rules compare: minutes beside their model, and beside the median of their peers.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "../../help/costly.ts";
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

/** Model, model as far as a setpoint allows it, storage. */
type Beside = readonly (number | null)[];
type Reading = readonly [sensor_no: number, minute: number, value: number | null, ...Beside];

async function store(connection: Connection, readings: readonly Reading[]): Promise<void> {
  for (const [sensor_no, minute, value, ...beside] of readings) {
    const [model = null, model_setpoint = null, storage = null] = beside;
    await runQuery(
      connection,
      "INSERT INTO reading (day, sensor_no, minute, light, value, model, model_setpoint, " +
        "storage) VALUES (0, $sensor_no, $minute, true, $value, $model, $model_setpoint, $storage)",
      { sensor_no, minute, value, model, model_setpoint, storage },
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
    const comparison = comparisonOf([], {
      from: "model",
      span_minutes: 1,
      watched: new Set([1, 2]),
    });
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
    const comparison = comparisonOf(sensors, {
      from: "peers",
      span_minutes: 1,
      watched: new Set([1, 5, 8]),
    });
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
      const comparison = comparisonOf(sensors, { from: "peers", span_minutes: 1, watched });
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
  await fc.assert(property, { numRuns: 25 });
});

Deno.test("over a span storage is left out, and what can't be matched", async () => {
  await onDatabase(async (connection) => {
    await store(connection, [
      [1, 10, 5, 8, 7],
      [1, 11, 6, 9, 9, -2],
      [1, 12, 90, 10],
      [1, 13, null, 10],
      [1, 14, 7],
      [1, 15, 3, 5],
    ]);
    await runQuery(connection, "UPDATE reading SET broken = true WHERE minute = 12", {});
    const comparison = comparisonOf([], { from: "model", span_minutes: 4, watched: new Set([1]) });
    const range = { from_minute: 0, to_minute: 20 };
    // Minutes 13 to 15 hold one that can be matched: less than half of any span of four.
    deepEqual(await compare(connection, comparison, range), [
      { sensor_no: 1, minute: 11, value: (5 + 8) / 2, expected: (7 + 11) / 2 },
    ]);
    const single = comparisonOf([], { ...comparison, span_minutes: 1 });
    deepEqual((await compare(connection, single, range)).map(({ minute }) => minute), [
      ...[10, 11, 12, 15],
    ]);
  });
});

/** A value every so many minutes beside its model; some are missing. */
const spaced_readings = fc.constantFrom(1, 5, 15).chain((spacing) => {
  const value = fc.option(fc.integer({ min: 1, max: 999 }).map((it) => it / 10), { nil: null });
  return fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 30 }).map((rows) =>
    rows.map(([value, model, storage], i): Reading =>
      [
        ...[1, 1000 + i * spacing, value, model, null, storage],
      ] as unknown as Reading
    )
  );
});

Deno.test("means over a span are those of its minutes, in whatever pieces", async () => {
  const spans = fc.integer({ min: 2, max: 90 });
  const cuts = fc.integer({ min: 1000, max: 1450 });
  const property = fc.asyncProperty(spaced_readings, spans, cuts, async (rows, span, cut) => {
    await onDatabase(async (connection) => {
      await store(connection, rows);
      const watched = new Set([1]);
      const comparison = comparisonOf([], { from: "model", span_minutes: span, watched });
      const [from_minute, to_minute] = [1000, 1500];
      const whole = await compare(connection, comparison, { from_minute, to_minute });
      const wanted = spannedOf(rows, span);
      deepEqual(whole.map(({ minute }) => minute), wanted.map(({ minute }) => minute));
      whole.forEach(({ value, expected }, i) => {
        ok(Math.abs(value - wanted[i].value) < 1e-9);
        ok(Math.abs(expected - wanted[i].expected) < 1e-9);
      });
      const before = await compare(connection, comparison, { from_minute, to_minute: cut });
      const after = await compare(connection, comparison, { from_minute: cut, to_minute });
      deepEqual([...before, ...after], whole);
      const judged = new Map([[1, cut]]);
      deepEqual(
        await compare(connection, comparison, { from_minute, to_minute, after: judged }),
        whole.filter(({ minute }) => minute > cut),
      );
    });
  });
  await fc.assert(property, { numRuns: 25 });
});

Deno.test("peers are compared over a span as well, long ranges in pieces", async () => {
  await onDatabase(async (connection) => {
    const sensors = [1, 2, 3, 4].map((no) => sensor(no));
    const readings = sensors.flatMap(({ sensor_no }) =>
      Array.from({ length: 40 }, (_, i): Reading => [sensor_no, i, sensor_no === 1 ? i % 4 : 3])
    );
    await store(connection, readings);
    const watched = new Set([1]);
    const comparison = comparisonOf(sensors, { from: "peers", span_minutes: 8, watched });
    const points = await compare(connection, comparison, { from_minute: 0, to_minute: 600_000 });
    equal(points.length, 40 - 3);
    deepEqual(points[0], { sensor_no: 1, minute: 3, value: 1.5, expected: 3 });
    deepEqual(points.at(-1), { sensor_no: 1, minute: 39, value: 1.5, expected: 3 });
  });
});

/** The same, worked out minute by minute. */
function spannedOf(rows: readonly Reading[], span_minutes: number) {
  const pairs = rows.flatMap(([, minute, value, model, , storage]) =>
    value === null || model === null
      ? []
      : [{ minute, value: value - (storage ?? 0), expected: model! - (storage ?? 0) }]
  );
  const aparts = pairs.map(({ minute }, i) => minute - (pairs[i - 1]?.minute ?? -Infinity));
  return pairs.flatMap(({ minute }) => {
    const lately = (reach: number) => pairs.filter((it) => within(it.minute, minute, reach));
    const near = lately(span_minutes);
    const usual = aparts
      .filter((it, i) => it <= 15 && within(pairs[i].minute, minute, span_minutes + 60))
      .sort((a, b) => a - b);
    const spacing = usual[(usual.length - 1) >> 1] ?? 1;
    if (near.length * spacing * 2 < span_minutes) return [];
    const meanOf = (key: "value" | "expected") =>
      near.reduce((sum, it) => sum + it[key], 0) / near.length;
    return [{ minute, value: meanOf("value"), expected: meanOf("expected") }];
  });
}

function within(minute: number, last: number, reach: number): boolean {
  return minute <= last && minute > last - reach;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
