// Performance answers under setpoints: four columns and two indices, at any interval and grouping.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "../../help/costly.ts";
import { performanceAnswer } from "../../../src/engine/performance/performance.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import {
  type Dimension,
  dimensions,
  performance_columns,
} from "../../../src/model/performance/performance.ts";
import { type Interval, intervals } from "../../../src/model/time/bucket.ts";
import type { PlantSample, PlantTag, TestPlant } from "../../help/plant.ts";
import { rowsOf, type TestRow, whole_readings } from "../../help/reading.ts";
import {
  assertVerified,
  at,
  modelled,
  roll,
  rolledUp,
  setpoint,
  withPlant,
} from "./setpoint_help.ts";
import vector from "../../vectors/setpoint.json" with { type: "json" };

const hour = vector.setpoint_hour;

/** Three inverters, the first two in one block, with an energy each (21 to 23) and setpoints. */
const places = [["a", "one"], ["b", "one"], ["c", "two"]];
const tags: readonly PlantTag[] = places.flatMap(([device_id, block_id], i) => [
  ...modelled(1 + i, { device_id, block_id, capacity: 1000 * (1 + i) }),
  setpoint(11 + i, { device_id, block_id }),
  {
    tag_no: 21 + i,
    sensors: [{ device_id, block_id, measure: "energy", accumulation: "interval", interval_s: 60 }],
  },
]);
const devices = places.map(([id, block_id]) => ({ id, block_id }));

/** Two hours: a's first is the vector's; in both of them c has no setpoint. */
type Minute = { readonly value: number; readonly model: number; readonly limit: number };
const minutes: readonly (readonly Minute[])[] = places.map((_, i) =>
  Array.from({ length: 120 }, (_, minute) => {
    const quarter = Math.floor(minute / 15);
    if (i === 0 && quarter < 4) {
      const limit = hour.setpoint[quarter] ?? Infinity;
      return { value: hour.sensor[quarter], model: hour.model[quarter], limit };
    }
    const model = 1000 * i + 700 + (minute * (7 + i)) % 200;
    const limit = i === 2 ? Infinity : quarter % 2 === 0 ? 500 : 650;
    return { value: Math.min(model - 20 - i * (minute % 3), limit - 7), model, limit };
  })
);

const samples: readonly PlantSample[] = minutes.flatMap((list, i) => [
  ...list.flatMap(({ value, model, limit }, minute) => [
    at(1 + i, minute, value),
    at(501 + i, minute, model),
    at(11 + i, minute, limit === Infinity ? 10_000 : limit),
    at(21 + i, minute, value / 60),
  ]),
  { ...at(501 + i, 120, 0), quality: 2 },
]);

const columns = [
  "sensor_value",
  "model_value",
  "sensor_value_setpoint",
  "model_value_setpoint",
] as const;

/** The four columns of some minutes of one sensor: means of a power, sums of an energy. */
function reference(list: readonly Minute[], measure: "active_power" | "energy"): number[] {
  const sums = [0, 0, 0, 0];
  for (const { value, model, limit } of list) {
    const curbed = Math.min(model, limit);
    [value, model, value + model - curbed, curbed].forEach((it, i) => sums[i] += it);
  }
  const weight = measure === "energy" ? 60 : list.length;
  return sums.map((sum) => sum / weight);
}

async function ask(
  plant: TestPlant,
  { interval, group_by, measure }: {
    interval: Interval;
    group_by: readonly Dimension[];
    measure: "active_power" | "energy";
  },
): Promise<TestRow[]> {
  const day = dayNumber("2026-06-01");
  return await rowsOf(
    await performanceAnswer(plant, {
      ...{ interval, group_by, measure, component: "inverter", projects: plant.catalog.projects },
      ...{ range: { from_day: day, to_day: day + 1 }, sentinel_tag: "default" },
      ...{ hierarchy_ids: [], block_ids: [], use_solar_bounds: false },
      columns: performance_columns,
    }),
  );
}

const every_group_by = [1, 2, 3, 4, 5, 6, 7]
  .map((bits) => dimensions.filter((_, i) => bits >> i & 1)) as readonly Dimension[][];

const lengths = {
  ...{ OneMinute: 1, FiveMinutes: 5, TenMinutes: 10, FifteenMinutes: 15, ThirtyMinutes: 30 },
  ...{ OneHour: 60, OneDay: 120, OneWeek: 120, OneMonth: 120, OneYear: 120, Full: 120 },
} as const satisfies Record<Interval, number>;

Deno.test("setpoint: all columns and indices are right at any interval and grouping", async () => {
  await withPlant({ tags, devices }, async (plant) => {
    await roll(plant, samples);
    for (const measure of ["active_power", "energy"] as const) {
      for (const interval of intervals) {
        for (const group_by of every_group_by) {
          check(await ask(plant, { interval, group_by, measure }), { interval, group_by, measure });
        }
      }
    }
    await assertVerified(plant);
  });
});

/** Compares rows with sums over the sensors of each group; an index is a ratio of such sums. */
function check(
  rows: readonly TestRow[],
  { interval, group_by, measure }: {
    interval: Interval;
    group_by: readonly Dimension[];
    measure: "active_power" | "energy";
  },
): void {
  const length = lengths[interval];
  const keyOf = ([, block]: string[], i: number) =>
    group_by.includes("hierarchy_id")
      ? `h${(measure === "energy" ? 21 : 1) + i}`
      : group_by.includes("block_id")
      ? block
      : "all";
  const groups = Map.groupBy(places.keys(), (i) => keyOf(places[i], i));
  equal(rows.length, groups.size * 120 / length, `${interval} by ${group_by}`);
  const seen = new Map<string, number>();
  for (const row of rows) {
    const key = String(row.hierarchy_id ?? row.svc_block_id ?? "all");
    const bucket = seen.get(key) ?? 0;
    seen.set(key, bucket + 1);
    const parts = groups.get(key)!.map((i) =>
      reference(minutes[i].slice(bucket * length, (bucket + 1) * length), measure)
    );
    const sums = columns.map((_, c) => parts.reduce((sum, part) => sum + part[c], 0));
    const expected = [...sums, sums[0] / sums[1], sums[0] / sums[3]];
    const names = [...columns, "performance_index", "performance_index_setpoint"];
    names.forEach((name, c) =>
      close(row[name], expected[c], `${interval} ${row.ts} ${key} ${name}`)
    );
  }
}

function close(found: unknown, expected: number, note: string): void {
  const off = Math.abs(Number(found) - expected);
  ok(
    found !== null && off <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${note}: ${found}, not ${expected}`,
  );
}

Deno.test("setpoint: the published hour has the published columns and indices", async () => {
  await withPlant({ tags, devices }, async (plant) => {
    await roll(plant, samples);
    const group_by = ["hierarchy_id"] as const;
    for (const measure of ["active_power", "energy"] as const) {
      const [row] = await ask(plant, { interval: "OneHour", group_by, measure });
      for (const name of columns) close(row[name], hour[name], name);
      ok(Math.abs(Number(row.performance_index) - hour.performance_index) < 1e-6);
      const index = Number(row.performance_index_setpoint);
      ok(Math.abs(index - hour.performance_index_setpoint) < 1e-6);
    }
  });
});

Deno.test("setpoint: the setpoints' own rows are what was held, without a model", async () => {
  await withPlant({ tags, devices }, async (plant) => {
    await roll(plant, samples);
    const rows = await plant.rows(
      "SELECT count(model)::INTEGER AS models, sum(value) AS value, " +
        `sum(value_setpoint) AS value_setpoint FROM ${whole_readings} ` +
        "WHERE sensor_no = 12 AND minute < " +
        String(Math.round(Number(samples[0].at) / 60e6) + 120),
    );
    deepEqual(rows, [{ models: 0, value: 60 * 1150, value_setpoint: 60 * 1150 }]);
  });
});

Deno.test("setpoint: without one, setpoint columns are the plain ones everywhere", async () => {
  const number = fc.integer({ min: 0, max: 1000 });
  const minute = fc.record({ value: number, model: number, limit: number });
  const property = fc.asyncProperty(
    fc.array(minute, { minLength: 40, maxLength: 40 }),
    fc.constantFrom("none", "stale", "rated"),
    async (list, kind) => {
      await withPlant({ tags, devices }, async (plant) => {
        await roll(plant, [
          ...list.map(({ value }, i) => at(1 + i % 3, 90 + i, value)),
          ...list.map(({ model }, i) => at(501 + i % 3, 90 + i, model)),
          ...(kind === "rated" ? list : []).map(({ limit }, i) => at(11, 90 + i, 1000 + limit)),
          ...(kind === "stale" ? list : []).map(({ limit }, i) => at(12, i - 11, limit)),
        ]);
        for (const interval of intervals) {
          for (const group_by of every_group_by) {
            const rows = await ask(plant, { interval, group_by, measure: "active_power" });
            ok(rows.length > 0);
            for (const row of rows) {
              equal(row.sensor_value_setpoint, row.sensor_value);
              equal(row.model_value_setpoint, row.model_value);
              equal(row.performance_index_setpoint, row.performance_index);
            }
          }
        }
      });
    },
  );
  await fc.assert(property, { numRuns: 3 });
});

Deno.test("setpoint: rolling up again changes nothing", async () => {
  await withPlant({ tags, devices }, async (plant) => {
    await roll(plant, samples);
    const stamps = () => plant.rows("SELECT tag_no, minute, received_at FROM minute ORDER BY ALL");
    const [before, stamps_before] = [await rolledUp(plant), await stamps()];
    await plant.database.write((write) =>
      plant.roll.markStale(write, plant.catalog.tags.map((tag) => tag.tag_no))
    );
    await plant.roll.settle();
    await plant.restart();
    await roll(plant, []);
    deepEqual(await rolledUp(plant), before);
    deepEqual(await stamps(), stamps_before);
  });
});
