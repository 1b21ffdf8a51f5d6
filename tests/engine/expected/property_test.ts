// What holds for expected power whatever the weather: sums, shifts in time, any order of samples.
import { deepEqual, ok } from "node:assert/strict";
import fc from "../../help/costly.ts";
import { performanceAnswer } from "../../../src/engine/performance/performance.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import type { ComponentName, MeasureName } from "../../../src/model/plant/measure.ts";
import {
  type Dimension,
  dimensions,
  performance_columns,
} from "../../../src/model/performance/performance.ts";
import { type Interval, intervals } from "../../../src/model/time/bucket.ts";
import type { PlantOptions, PlantSample, PlantTag, TestPlant } from "../../help/plant.ts";
import { rowsOf, type TestRow } from "../../help/reading.ts";
import { inverter, weather } from "./model_help.ts";
import { assertVerified, roll, rolledUp, setpoint, withPlant } from "../rollup/setpoint_help.ts";

/**
 * Three inverters in two blocks, two of them on a feeder that loses some and passes on no more than
 * 1500 W, a meter above all; powers and energies of everything, setpoints of the meter and of one
 * inverter, three irradiances (one in the second block), air and wind.
 */
const devices: PlantOptions["devices"] = [
  { id: "meter", type: "meter" },
  {
    ...{ id: "feeder", type: "feeder", parent_device_id: "meter" },
    grid: JSON.stringify({ losses: 0.02, limit_w: 1500 }),
  },
  inverter("a", { parent_device_id: "feeder", block_id: "one" }),
  inverter("b", { parent_device_id: "feeder", block_id: "one" }),
  inverter("c", { parent_device_id: "meter", block_id: "two" }),
];

const places: readonly (readonly [string | null, string | null, ComponentName])[] = [
  ["a", "one", "inverter"],
  ["b", "one", "inverter"],
  ["c", "two", "inverter"],
  ["feeder", null, "feeder"],
  ["meter", null, "meter"],
  [null, "one", "block"],
  [null, "two", "block"],
  [null, null, "system"],
];

const tags: readonly PlantTag[] = [
  ...places.flatMap(([device_id, block_id, component], i): PlantTag[] => {
    const place = { device_id, block_id, component };
    const counter = { measure: "energy", accumulation: "counter" } as const;
    return [
      { tag_no: 1 + i, sensors: [{ ...place, capacity: component === "inverter" ? 1000 : null }] },
      { tag_no: 11 + i, sensors: [{ ...place, ...counter, direct: false }] },
    ];
  }),
  setpoint(21, { component: "meter", device_id: "meter" }),
  setpoint(22, { measure: "active_power_setpoint_ac_pct", device_id: "c", block_id: "two" }),
  weather(31, "poa_front"),
  weather(32, "poa_front"),
  weather(33, "poa_front", { block_id: "two", device_id: "met2" }),
  weather(34, "ambient_temp"),
  weather(35, "windspeed"),
];

/** Greatest values by tag. */
function mostOf(tag: number): number {
  if (tag === 21) return 3000;
  if (tag === 22) return 130;
  if (tag < 11) return tag <= 3 ? 1000 : 2500;
  return tag < 31 ? 100_000 : tag < 34 ? 1200 : 40;
}

const known = tags.map((tag) => tag.tag_no);

/** Two hours around a sunset in the desert: half of them are dark. */
const dusk = Date.parse("2026-06-02T01:15:00Z") / 60_000;
const desert = { at: "2026-06-02T05:00:00Z", timezone: "America/Denver", tags, devices };
/** The sun does not set here in June: each day's light is the same. */
const arctic = { ...desert, latitude: 80, longitude: 10, timezone: "UTC" };

type Run = { readonly tag: number; readonly from: number; readonly values: readonly number[] };

/** Runs of samples of a tag, a minute after the other, with shares of its greatest value. */
const run: fc.Arbitrary<Run> = fc.record({
  tag: fc.constantFrom(...known, ...known.filter((tag) => tag > 20), 31, 32, 33, 34),
  from: fc.integer({ min: 0, max: 100 }),
  values: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 60 }),
});
const runs = fc.array(run, { minLength: 6, maxLength: 24 });

/** Weather for the whole time, so that something is expected at least of block one. */
function steady(from: number): PlantSample[] {
  return Array.from({ length: 120 }, (_, i) => [
    { tag: 31, at: (from + i) * 60e6, value: 700 + i },
    { tag: 34, at: (from + i) * 60e6, value: 20 },
  ]).flat();
}

/** The samples of runs, each once: a later run's instead of an earlier one's. */
function samplesOf(list: readonly Run[], from: number): PlantSample[] {
  const samples = list.flatMap(({ tag, from: start, values }) =>
    values.map((share, i) => ({
      tag,
      at: (from + start + i) * 60_000_000,
      value: Math.round(mostOf(tag) * share / 10) / 100,
    }))
  );
  return [...new Map(samples.map((it) => [`${it.tag} ${it.at}`, it])).values()];
}

type Ask = {
  readonly component: ComponentName;
  readonly measure: MeasureName;
  readonly interval: Interval;
  readonly group_by: readonly Dimension[];
  readonly days: readonly [string, string];
  readonly use_solar_bounds: boolean;
};

async function ask(plant: TestPlant, { days: [first, last], ...request }: Ask): Promise<TestRow[]> {
  const range = { from_day: dayNumber(first), to_day: dayNumber(last) + 1 };
  return await rowsOf(
    await performanceAnswer(plant, {
      ...{ ...request, range, projects: plant.catalog.projects, sentinel_tag: "default" },
      ...{ hierarchy_ids: [], block_ids: [], columns: performance_columns },
    }),
  );
}

const columns = [
  "sensor_value",
  "model_value",
  "sensor_value_setpoint",
  "model_value_setpoint",
] as const;
const every_group_by = [1, 2, 3, 4, 5, 6, 7]
  .map((bits) => dimensions.filter((_, i) => bits >> i & 1)) as readonly Dimension[][];

Deno.test("model: any grouping and any interval of energy sums to the finest", async () => {
  const days = ["2026-05-31", "2026-06-02"] as const;
  const property = fc.asyncProperty(runs, fc.boolean(), async (list, use_solar_bounds) => {
    await withPlant(desert, async (plant) => {
      await roll(plant, [...steady(dusk), ...samplesOf(list, dusk)]);
      for (const component of ["inverter", "block", "meter"] as const) {
        const total = async (interval: Interval, group_by: readonly Dimension[]) => {
          const rows = await ask(plant, {
            ...{ component, measure: "energy", interval, group_by, days, use_solar_bounds },
          });
          return columns.map((name) => rows.reduce((sum, row) => sum + Number(row[name]), 0));
        };
        const finest = await total("OneMinute", dimensions);
        ok(component !== "block" || finest[1] > 0);
        for (const interval of intervals) {
          for (const group_by of every_group_by) {
            near(await total(interval, group_by), finest, `${component} ${interval} ${group_by}`);
          }
        }
      }
    });
  });
  await fc.assert(property, { numRuns: 2 });
});

Deno.test("model: power of groups sums to that of the finest, in each bucket", async () => {
  const days = ["2026-06-01", "2026-06-02"] as const;
  const property = fc.asyncProperty(runs, fc.constantFrom(...intervals), async (list, interval) => {
    await withPlant(desert, async (plant) => {
      await roll(plant, [...steady(dusk), ...samplesOf(list, dusk)]);
      const sums = async (group_by: readonly Dimension[]) => {
        const rows = await ask(plant, {
          ...{ component: "inverter", measure: "active_power", interval, group_by, days },
          use_solar_bounds: true,
        });
        const groups = Map.groupBy(rows, (row) => String(row.ts));
        return [...groups].map(([ts, list]) => ({
          ts,
          sums: columns.map((name) => list.reduce((sum, row) => sum + Number(row[name]), 0)),
        }));
      };
      const finest = await sums(dimensions);
      for (const group_by of every_group_by) {
        const found = await sums(group_by);
        deepEqual(found.map((it) => it.ts), finest.map((it) => it.ts));
        found.forEach((it, i) => near(it.sums, finest[i].sums, `${interval} ${group_by} ${it.ts}`));
      }
    });
  });
  await fc.assert(property, { numRuns: 2 });
});

/**
 * A plant, its zone and its clock as they are, under the same samples a day later. Exact where each
 * day has the same light and irradiance is measured in the plane: only the sun knows the date.
 */
Deno.test("model: everything a day later makes every row and answer a day later", async () => {
  const day_minutes = 24 * 60;
  const property = fc.asyncProperty(
    runs,
    fc.constantFrom("UTC", "America/Denver", "Asia/Kathmandu", "Pacific/Kiritimati"),
    async (list, timezone) => {
      const stored: unknown[] = [];
      const answers: TestRow[][] = [];
      for (const shift of [0, 1]) {
        const from = dusk + shift * day_minutes;
        const at = shift === 0 ? "2026-06-02T05:00:00Z" : "2026-06-03T05:00:00Z";
        await withPlant({ ...arctic, timezone, at }, async (plant) => {
          await roll(plant, [...steady(from), ...samplesOf(list, from)]);
          const days = shift === 0
            ? ["2026-05-31", "2026-06-03"] as const
            : ["2026-06-01", "2026-06-04"] as const;
          const found: TestRow[] = [];
          for (const interval of ["OneMinute", "OneHour", "OneDay", "Full"] as const) {
            const request = {
              interval,
              days,
              measure: "active_power",
              group_by: dimensions,
            } as const;
            for (const component of ["inverter", "meter"] as const) {
              const rows = await ask(plant, { ...request, component, use_solar_bounds: false });
              found.push(...rows.map((row) => earlier(row, shift)));
            }
          }
          stored.push(shifted(await rolledUp(plant), shift));
          answers.push(found);
        });
      }
      deepEqual(stored[1], stored[0]);
      sameButLastDigits(answers[1], answers[0]);
    },
  );
  await fc.assert(property, { numRuns: 2 });
});

Deno.test("model: any order of weather, power and setpoints makes the same rows", async () => {
  const property = fc.asyncProperty(
    runs,
    fc.array(fc.nat({ max: 3 }), { minLength: 97, maxLength: 97 }),
    async (list, batch) => {
      const all = [...steady(dusk), ...samplesOf(list, dusk)];
      const once = [...new Map(all.map((it) => [`${it.tag} ${it.at}`, it])).values()];
      let whole: unknown;
      await withPlant(desert, async (plant) => {
        await roll(plant, once);
        whole = await rolledUp(plant);
      });
      await withPlant(desert, async (plant) => {
        for (const number of [0, 1, 2, 3]) {
          const part = once.filter((_, i) => batch[i % batch.length] === number);
          // What comes last is first told wrong.
          const wrong = once.filter((_, i) => batch[i % batch.length] === 3);
          await roll(plant, number === 0 ? [...part, ...wrong.map(halved)] : part);
        }
        deepEqual(await rolledUp(plant), whole);
        await assertVerified(plant);
      });
    },
  );
  await fc.assert(property, { numRuns: 2 });
});

function halved(sample: PlantSample): PlantSample {
  return { ...sample, value: Number(sample.value) / 2 };
}

/** A row of an answer with its label so many days earlier. */
function earlier(row: TestRow, days: number): TestRow {
  const label = new Date(Date.parse(`${String(row.ts).replace(" ", "T")}Z`) - days * 86_400_000);
  return { ...row, ts: label.toISOString().slice(0, 19).replace("T", " ") };
}

/** Rolled-up rows with their times so many days earlier. */
function shifted(tables: Record<string, unknown>, days: number): unknown {
  const units: Readonly<Record<string, number>> = {
    ...{ day: 1, minute: 24 * 60, quarter: 96, last_minute: 24 * 60 },
  };
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [
      table,
      (rows as Record<string, unknown>[]).map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            units[name] && value !== null ? Number(value) - days * units[name] : value,
          ]),
        )
      ),
    ]),
  );
}

/** An answer adds up its rows as they come: in another order a sum may end in other digits. */
function sameButLastDigits(found: readonly TestRow[], expected: readonly TestRow[]): void {
  const places = (row: TestRow) => Object.values(row).filter((it) => typeof it !== "number");
  const figures = (row: TestRow) => Object.values(row).filter((it) => typeof it === "number");
  deepEqual(found.map(places), expected.map(places));
  found.forEach((row, i) => near(figures(row), figures(expected[i]), String(row.ts)));
}

function near(found: readonly number[], expected: readonly number[], note: string): void {
  found.forEach((value, i) => {
    const off = Math.abs(value - expected[i]);
    ok(off <= 1e-9 * Math.max(1, Math.abs(expected[i])), `${note}: ${value}, not ${expected[i]}`);
  });
}
