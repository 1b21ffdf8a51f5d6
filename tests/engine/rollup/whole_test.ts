// Whole quarter-hours, of which nothing is stored, roll up as those that come in parts.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { verify } from "../../../src/engine/rollup/pass.ts";
import type { Plain } from "../../../src/store/connection.ts";
import {
  openPlant,
  type PlantOptions,
  type PlantSample,
  type PlantTag,
  type TestPlant,
} from "../../help/plant.ts";
import { all_minutes, all_readings } from "../../help/whole.ts";

const tags: readonly PlantTag[] = [
  {
    tag_no: 1,
    sensors: [
      { measure: "dc_voltage", scale: 0.1, offset: -3 },
      { sensor_no: 11, measure: "dc_current", device_id: "d2", scale: -2.5 },
    ],
  },
  { tag_no: 2, encoding: "integer", sensors: [{ measure: "operating_status" }] },
  { tag_no: 3, encoding: "string" },
  { tag_no: 4, carry_s: 7200, sensors: [{ measure: "cabinet_temp", device_id: "d4" }] },
  { tag_no: 5, sensors: [{ measure: "ghi", component: "met", device_id: "w" }] },
  { tag_no: 6, sensors: [{ measure: "dc_voltage", device_id: "d6", scale: 0.1, offset: -3 }] },
  { tag_no: 7, encoding: "integer", sensors: [{ measure: "cabinet_temp", device_id: "d7" }] },
  { tag_no: 8, encoding: "integer" },
];

const begin_ms = Date.parse("2026-06-01T03:50:00Z");
const minutes = 150;

/** A sample of each tag in each minute; of the fourth some are left out, and a few are doubled. */
function makeSamples(of = tags): PlantSample[] {
  const samples: PlantSample[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    for (const { tag_no, encoding } of of) {
      if (tag_no === 4 && minute > 69 && minute < 125) continue;
      const number = Math.round(1000 * Math.sin(minute * tag_no)) / 7;
      const quality = [0, 0, 1, null, 2][(minute * tag_no) % 23 % 5];
      const value = encoding === "string"
        ? `state ${minute % 4}`
        : encoding === "integer"
        ? BigInt(Math.round(number))
        : number;
      const at = (begin_ms + minute * 60_000 + 1000 * tag_no) * 1000;
      const row = { tag: tag_no, at, quality, value: quality === 2 && minute % 2 ? null : value };
      samples.push({ ...row, code: quality === 2 ? 0x80000000 : null });
      if (minute === 40) samples.push({ ...row, at: at + 20_000_000, quality: 0, value });
    }
  }
  return samples;
}

const about = {
  ...{ at: "2026-06-02T06:12:30Z", timezone: "Europe/Madrid", tags },
  ...{ latitude: 39.3, longitude: -3.1 },
};

/** What the tables hold when all is rolled up, after each batch. */
async function rolledUp(
  batches: readonly PlantSample[][],
  more: Partial<PlantOptions> = {},
): Promise<Tables> {
  const plant = await openPlant({ ...about, ...more });
  try {
    for (const batch of batches) {
      await plant.store(batch);
      await plant.roll.settle();
    }
    for await (const { differences, day } of verify(plant)) {
      ok(Object.values(differences).every((count) => count === 0), `verify finds some on ${day}`);
    }
    return { ...await tablesOf(plant), ...more.bounds && await beside(plant) };
  } finally {
    await plant.close();
  }
}

type Tables = Record<string, Record<string, Plain>[]>;

function readOf(plant: TestPlant) {
  return (table: string, key: string, but = "") =>
    plant.rows(`SELECT columns(* ${but})::VARCHAR FROM ${table} ORDER BY ${key}`);
}

async function tablesOf(plant: TestPlant): Promise<Tables> {
  const read = readOf(plant);
  return {
    minute: await read(all_minutes, "tag_no, minute", "EXCLUDE (received_at)"),
    reading: await read(all_readings, "sensor_no, minute"),
    quarter: await read("quarter", "sensor_no, quarter, light"),
    daily: await read("daily", "sensor_no, day, light"),
  };
}

/** What depends on how samples came. */
async function beside(plant: TestPlant): Promise<Tables> {
  const read = readOf(plant);
  return {
    whole: await read("whole_quarter", "tag_no, quarter", "EXCLUDE (received_at, upto)"),
    stale: await read("(SELECT DISTINCT site_no, day FROM inverter_stale)", "site_no, day"),
  };
}

const ways: readonly {
  readonly name: string;
  readonly split: (samples: PlantSample[]) => PlantSample[][];
}[] = [
  {
    name: "ten minutes at a time",
    split: (all) => [...Map.groupBy(all, (it) => Math.floor(minuteOf(it) / 10)).values()],
  },
  {
    name: "in parts that end within quarter-hours",
    split: (all) => [...Map.groupBy(all, (it) => Math.floor(minuteOf(it) / 37)).values()],
  },
  {
    name: "the last hour first",
    split: (all) => [
      all.filter((it) => minuteOf(it) >= minutes - 60),
      all.filter((it) => minuteOf(it) < minutes - 60),
    ],
  },
  {
    name: "a minute of each quarter-hour late",
    split: (all) => [
      all.filter((it) => minuteOf(it) % 15 !== 7),
      all.filter((it) => minuteOf(it) % 15 === 7),
    ],
  },
];

function minuteOf({ at }: PlantSample): number {
  return Math.floor((Number(at) / 1000 - begin_ms) / 60_000);
}

Deno.test("roll: whole quarter-hours are the same as parts", async (t) => {
  const samples = makeSamples();
  const whole = await rolledUp([samples]);
  equal(whole.minute.filter(({ carried }) => carried === "true").length, 250);
  for (const { name, split } of ways) {
    await t.step(name, async () => {
      deepEqual(rounded(await rolledUp(split(samples))), rounded(whole));
    });
  }
});

const plain_tags: readonly PlantTag[] = [
  ...tags.filter(({ tag_no }) => tag_no !== 2 && tag_no !== 5),
  { tag_no: 9, sensors: [{ measure: "active_power", device_id: "d9", offset: -1000 }] },
];

for (
  const { name, split } of [{ name: "at once", split: (all: PlantSample[]) => [all] }, ...ways]
) {
  Deno.test(`roll: new whole quarter-hours, stored first, are the same ${name}`, async () => {
    // From a quarter-hour's start on: of none a part is rolled up by day.
    const batches = split(makeSamples(plain_tags).filter((it) => minuteOf(it) >= 55));
    // The sun sets meanwhile: of an inverter without power, light quarter-hours alone are marked.
    const plant = { tags: plain_tags, devices: [{ id: "d9" }], longitude: -145 };
    const [first, later] = await Promise.all(
      [1, Infinity].map((new_wholes) => rolledUp(batches, { ...plant, bounds: { new_wholes } })),
    );
    deepEqual(rounded(first), rounded(later));
    ok(first.stale.length > 0);
  });
}

Deno.test("roll: very many new whole quarter-hours are looked at in parts", async () => {
  const samples = makeSamples(plain_tags);
  const found: Tables[] = [];
  for (const [most_new_wholes, writes] of [[1000, 1], [10, 3]]) {
    const bounds = { new_wholes: 1, most_new_wholes };
    const plant = await openPlant({ ...about, tags: plain_tags, bounds });
    try {
      await plant.store(samples);
      let stored = 0;
      const { database } = plant;
      const writeBeside = database.writeBeside.bind(database);
      database.writeBeside = (connection, work) => (stored++, writeBeside(connection, work));
      await plant.roll.settle();
      equal(stored, writes);
      found.push(await tablesOf(plant));
    } finally {
      await plant.close();
    }
  }
  deepEqual(rounded(found[1]), rounded(found[0]));
});

Deno.test("roll: after a crash behind new whole quarter-hours their days are summed", async () => {
  const samples = makeSamples(plain_tags);
  const bounds = { new_wholes: 1 };
  const options = { ...about, tags: plain_tags, bounds };
  const expected = await rolledUp([samples], options);
  const plant = await openPlant(options);
  try {
    await plant.store(samples);
    const { database } = plant;
    const writeOn = database.writeOn.bind(database);
    database.writeOn = () => Promise.reject(new Error("crash"));
    await rejects(plant.roll.settle(), /crash/);
    ok(
      (await plant.rows("FROM quarter")).length > 0 &&
        (await plant.rows("FROM daily")).length === 0,
    );
    database.writeOn = writeOn;
    await plant.restart();
    await plant.roll.settle();
    deepEqual(rounded({ ...await tablesOf(plant), ...await beside(plant) }), rounded(expected));
  } finally {
    await plant.close();
  }
});

/** Sums may be added in another order. */
function rounded(tables: Tables): Tables {
  const cell = (value: Plain) =>
    /^-?\d+\.\d+(e-?\d+)?$/.test(`${value}`) ? Number(value).toPrecision(13) : value;
  const round = (row: Record<string, Plain>) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)]));
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.map(round)]));
}
