// Whatever way samples come in, what is rolled up of them is the same.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "../../help/costly.ts";
import { verify } from "../../../src/engine/rollup/pass.ts";
import type { Plain } from "../../../src/store/connection.ts";
import { openPlant, type PlantSample, type PlantTag, type TestPlant } from "../../help/plant.ts";
import { all_minutes, all_readings } from "../../help/whole.ts";

const power = { component: "inverter", measure: "active_power", capacity: 1000 } as const;
const tags: readonly PlantTag[] = [
  {
    tag_no: 1,
    sensor_tag: "power",
    sensors: [power, { sensor_no: 11, measure: "energy", direct: false }],
  },
  {
    tag_no: 2,
    sensors: [{ measure: "energy", accumulation: "counter", scale: 10, capacity: 1000 }],
  },
  {
    tag_no: 3,
    sensors: [{ measure: "active_power_setpoint", component: "meter", device_id: "m" }],
  },
  { tag_no: 4, sensors: [{ measure: "ppa_revenue", accumulation: "interval", interval_s: 600 }] },
  { tag_no: 5, encoding: "integer", sensors: [{ measure: "operating_status" }] },
  { tag_no: 6, lane: "model", sensor_tag: "power" },
  { tag_no: 7, carry_s: 7200 },
];

/** An hour before the clock goes back in Denver; the plant's clock stands three hours later. */
const start_us = Date.parse("2024-11-03T06:20:00Z") * 1000;
const at = "2024-11-03T09:35:20Z";

const sample: fc.Arbitrary<PlantSample> = fc.record({
  tag: fc.integer({ min: 1, max: 7 }),
  second: fc.integer({ min: 0, max: 3 * 60 }).map((minute) => minute * 65),
  value: fc.integer({ min: 0, max: 30 }),
  quality: fc.constantFrom(0, 0, 0, 0, 1, 2, null),
}).map(({ tag, second, value, quality }) => ({
  tag,
  at: start_us + second * 1_000_000,
  value: tag === 5 ? BigInt(value) : value,
  quality,
}));

const samples = fc.uniqueArray(sample, {
  minLength: 1,
  maxLength: 90,
  selector: (it) => `${it.tag}/${it.at}`,
});

Deno.test("roll: any split into batches in any order gives the same rows", async () => {
  const property = fc.asyncProperty(
    samples,
    fc.array(fc.nat({ max: 1000 }), { minLength: 90, maxLength: 90 }),
    fc.integer({ min: 1, max: 4 }),
    async (all, shuffle, parts) => {
      const whole = await rolledUp([all]);
      const batches = Array.from({ length: parts }, (): PlantSample[] => []);
      const order = all.map((it, i) => ({ it, key: shuffle[i] })).sort((a, b) => a.key - b.key);
      for (const { it, key } of order) batches[key % parts].push(it);
      // A repeat: the last batch sends everything of the first again.
      batches[parts - 1].push(...batches[0].filter((it) => !batches[parts - 1].includes(it)));
      same(await rolledUp(batches), whole);
    },
  );
  await fc.assert(property, { numRuns: 3 });
});

Deno.test("verify: finds nothing in what was rolled up, and each row tampered with", async () => {
  await withPlant(async (plant) => {
    const [all] = fc.sample(samples, { numRuns: 1, seed: 5 });
    await plant.store(all);
    await plant.roll.settle();
    equal(await differences(plant), 0);
    await plant.database.write(({ connection }) =>
      connection.script("UPDATE reading SET value = coalesce(value, 0) + 1 WHERE minute % 2 = 0")
    );
    const [{ n }] = await plant.rows(
      `SELECT count(*)::INTEGER AS n FROM ${all_readings} AS reading WHERE minute % 2 = 0`,
    );
    ok(Number(n) > 0);
    equal(await differences(plant), n);
  });
});

async function rolledUp(batches: readonly PlantSample[][]): Promise<Tables> {
  let tables: Tables = {};
  await withPlant(async (plant) => {
    for (const batch of batches) {
      await plant.store(batch);
      await plant.roll.settle();
    }
    equal(await differences(plant), 0);
    tables = await tablesOf(plant);
  });
  return tables;
}

async function withPlant(work: (plant: TestPlant) => Promise<void>): Promise<void> {
  const plant = await openPlant({ at, timezone: "America/Denver", tags });
  try {
    await work(plant);
  } finally {
    await plant.close();
  }
}

async function differences(plant: TestPlant): Promise<number> {
  let count = 0;
  for await (const day of verify(plant)) {
    count += Object.values(day.differences).reduce((sum, n) => sum + n, 0);
  }
  return count;
}

type Tables = Record<string, Record<string, Plain>[]>;

async function tablesOf(plant: TestPlant): Promise<Tables> {
  return {
    minute: await plant.rows(`
      SELECT * EXCLUDE (received_at) REPLACE (quality::INTEGER AS quality)
      FROM ${all_minutes} ORDER BY tag_no, minute`),
    reading: await plant.rows(`FROM ${all_readings} ORDER BY sensor_no, minute`),
    quarter: await plant.rows("SELECT * FROM quarter ORDER BY sensor_no, quarter, light"),
    daily: await plant.rows("SELECT * FROM daily ORDER BY sensor_no, day, light"),
  };
}

/** Equal but for rounding. */
function same(actual: Tables, expected: Tables): void {
  for (const [name, rows] of Object.entries(expected)) {
    equal(actual[name].length, rows.length, `rows of ${name}`);
    rows.forEach((row, i) => {
      deepEqual(rounded(actual[name][i]), rounded(row), `${name} row ${i}`);
    });
  }
}

function rounded(row: Record<string, Plain>): Record<string, Plain> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "number" ? Number(value.toPrecision(9)) + 0 : value,
    ]),
  );
}
