// Whole quarter-hours are stored by their samples alone, until these change or others look at them.
import { deepEqual, equal, ok } from "node:assert/strict";
import { verify } from "../../../src/engine/rollup/pass.ts";
import { DayOrder } from "../../../src/engine/samples/order.ts";
import { unfoldDay } from "../../../src/engine/rollup/whole.ts";
import { listStrays } from "../../../src/store/rollup/verify.ts";
import { unfold } from "../../../src/store/rollup/whole.ts";
import { openPlant, type PlantSample, type PlantTag, type TestPlant } from "../../help/plant.ts";
import { all_minutes, all_readings } from "../../help/whole.ts";

const begin_us = Date.parse("2026-06-01T08:00:00Z") * 1000;
const quarters = 8;

const tags: readonly PlantTag[] = [
  { tag_no: 1, sensors: [{ measure: "dc_voltage", scale: 0.5, offset: 1 }] },
  { tag_no: 2, encoding: "integer" },
];

/** A sample in each minute of a tag. */
function samplesOf(tag: number): PlantSample[] {
  return Array.from({ length: quarters * 15 }, (_, i) => ({
    ...{ tag, at: begin_us + i * 60_000_000 + 7_000_000 },
    value: tag === 1 ? i / 7 : BigInt(i),
    quality: i % 5 === 0 ? 1 : 0,
  }));
}

async function withPlant(work: (plant: TestPlant) => Promise<void>): Promise<void> {
  const plant = await openPlant({ at: "2026-06-02T10:30:30Z", timezone: "Asia/Kolkata", tags });
  try {
    await plant.store([...samplesOf(1), ...samplesOf(2)]);
    await plant.roll.settle();
    await work(plant);
  } finally {
    await plant.close();
  }
}

async function countOf(plant: TestPlant, table: string): Promise<number> {
  return Number((await plant.rows(`SELECT count(*)::INTEGER AS n FROM ${table}`))[0].n);
}

function minutesOf(plant: TestPlant) {
  return plant.rows(
    `SELECT columns(*)::VARCHAR FROM ${all_minutes} WHERE NOT carried ORDER BY tag_no, minute`,
  );
}

function readingsOf(plant: TestPlant) {
  return plant.rows(`SELECT columns(*)::VARCHAR FROM ${all_readings} ORDER BY sensor_no, minute`);
}

async function verified(plant: TestPlant): Promise<void> {
  for await (const { differences, examples } of verify(plant)) {
    ok(Object.values(differences).every((count) => count === 0), examples.join("; "));
  }
}

Deno.test("whole: of a quarter-hour a row alone is stored, which a second pass leaves", () =>
  withPlant(async (plant) => {
    equal(await countOf(plant, "whole_quarter"), 2 * quarters);
    equal(await countOf(plant, "minute WHERE NOT carried"), 0);
    equal(await countOf(plant, "reading"), 0);
    equal((await minutesOf(plant)).length, 2 * quarters * 15);
    equal((await readingsOf(plant)).length, quarters * 15);
    const before = await plant.rows("FROM whole_quarter ORDER BY ALL");
    await plant.database.write((write) => plant.roll.markStale(write, [1, 2]));
    await plant.roll.settle();
    deepEqual(await plant.rows("FROM whole_quarter ORDER BY ALL"), before);
    await verified(plant);
  }));

Deno.test("whole: rows of a tag or a sensor that is no more are told", () =>
  withPlant(async (plant) => {
    const strays = () => plant.database.read(listStrays);
    deepEqual(await strays(), []);
    await plant.rows("UPDATE whole_quarter SET tag_no = 99 WHERE tag_no = 2 RETURNING tag_no");
    await plant.rows("UPDATE quarter SET sensor_no = 98 RETURNING sensor_no");
    deepEqual(await strays(), [
      { name: "quarter", rows: quarters },
      { name: "whole_quarter", rows: quarters },
    ]);
  }));

Deno.test("whole: without any sensor no row is told to have lost its own", async () => {
  const plant = await openPlant({ at: "2026-06-02T10:30:30Z", tags: [{ tag_no: 1 }] });
  try {
    await plant.store(samplesOf(1));
    await plant.roll.settle();
    equal(await countOf(plant, "whole_quarter WHERE sensor_no IS NULL"), quarters);
    deepEqual(await plant.database.read(listStrays), []);
  } finally {
    await plant.close();
  }
});

Deno.test("whole: who reads other times, or once all are unfolded, need not look for any", () =>
  withPlant(async (plant) => {
    const session = plant.database.session();
    const [from_minute, day_minutes] = [begin_us / 60_000_000, 1440];
    const there = { from_minute: from_minute + 100, to_minute: from_minute + 101 };
    const next_day = { from_minute: from_minute + day_minutes, to_minute: Infinity };
    const meets = () => [there, next_day].map((span) => session.wholes.meets(span));
    deepEqual(meets(), [true, false]);
    // A transaction may see a state that was before.
    deepEqual(await session.transaction(() => Promise.resolve(meets())), [true, true]);
    await new DayOrder({ ...plant, waiting: () => 0 }).settle();
    deepEqual(meets(), [true, false]);
    await plant.store([{ ...samplesOf(1)[20], value: 99 }]);
    await plant.roll.settle();
    deepEqual(meets(), [false, false]);
    session.close();
  }));

Deno.test("whole: an unfolded day has the same minutes and readings, with their stamps", () =>
  withPlant(async (plant) => {
    const before = [await minutesOf(plant), await readingsOf(plant)];
    const session = plant.database.session();
    using _held = await plant.roll.holdSettled();
    await unfoldDay({ ...plant, session }, { day: Math.floor(begin_us / 86_400_000_000) });
    session.close();
    equal(await countOf(plant, "whole_quarter"), 0);
    equal(await countOf(plant, "reading"), quarters * 15);
    deepEqual([await minutesOf(plant), await readingsOf(plant)], before);
  }));

Deno.test("whole: a day that is put in order is stored, as it was read before", () =>
  withPlant(async (plant) => {
    const before = [await minutesOf(plant), await readingsOf(plant)];
    const order = new DayOrder({ ...plant, waiting: () => 0 });
    await order.settle();
    equal(await countOf(plant, "whole_quarter"), 0);
    equal(await countOf(plant, "reading"), quarters * 15);
    deepEqual([await minutesOf(plant), await readingsOf(plant)], before);
    const ordered = await plant.rows(
      "SELECT name, rows::INTEGER AS rows FROM day_order WHERE name = 'reading'",
    );
    deepEqual(ordered, [{ name: "reading", rows: quarters * 15 }]);
    await verified(plant);
  }));

Deno.test("whole: what changes while its day is put in order is stored as it is then", () =>
  withPlant(async (plant) => {
    const before = [await minutesOf(plant), await readingsOf(plant)];
    const changed = { ...samplesOf(1)[50], value: -4 };
    let parts = 0;
    await new DayOrder({
      ...{ ...plant, waiting: () => 0, lot_rows: 1, order_quarters: 5 },
      // What the first part comes to has been computed, and is about to be stored.
      holdRoll: async () => {
        if (parts++ === 0) await correct(plant, changed);
        return plant.roll.hold();
      },
    }).settle();
    equal(parts, 4, "5 of 16 a part; the first is taken again, without the one that changed");
    equal(await countOf(plant, "whole_quarter"), 0);
    equal(await countOf(plant, "reading"), quarters * 15);
    await plant.roll.settle();
    const after = [await minutesOf(plant), await readingsOf(plant)];
    const others = (rows: readonly (readonly unknown[])[]) => rows.map((it) => it.toSpliced(50, 1));
    deepEqual(others(after), others(before));
    await verified(plant);
  }));

Deno.test("whole: a late and a corrected sample change no minutes but theirs", () =>
  withPlant(async (plant) => {
    const before = await minutesOf(plant);
    const [late, corrected] = [samplesOf(1)[20], samplesOf(1)[50]];
    await plant.store([
      { ...late, at: Number(late.at) + 1_000_000, value: 99 },
      { ...corrected, value: -4 },
    ]);
    await plant.roll.settle();
    equal(await countOf(plant, "whole_quarter"), 2 * quarters - 2);
    const after = await minutesOf(plant);
    equal(after.length, before.length);
    const changed = after.flatMap((row, i) => {
      const is_same = JSON.stringify(row) === JSON.stringify(before[i]);
      ok(is_same === (row.received_at === before[i].received_at), `row ${i}`);
      return is_same ? [] : [i];
    });
    deepEqual(changed, [20, 50]);
    deepEqual([after[20].uncertain_count, after[50].value], ["2", "-4.0"]);
    await verified(plant);
  }));

Deno.test("whole: what comes while a pass is about to store it is not missed", () =>
  withPlant(async (plant) => {
    const later = begin_us + quarters * 900_000_000;
    const rows = samplesOf(1).slice(0, 15)
      .map((it) => ({ ...it, at: Number(it.at) + later - begin_us }));
    let stored: Promise<void> | undefined;
    plant.roll.onWorked = () => {
      stored ??= plant.store([{ ...rows[3], at: Number(rows[3].at) + 5_000_000, value: 1000 }]);
    };
    await plant.store(rows);
    await plant.roll.settle();
    await stored;
    await plant.roll.settle();
    const minute = Math.floor(Number(rows[3].at) / 60_000_000);
    const [found] = await plant.rows(
      `SELECT maximum FROM ${all_minutes} WHERE tag_no = 1 AND minute = ${minute}`,
    );
    equal(found.maximum, 1000);
    await verified(plant);
  }));

Deno.test("whole: of a tag with another scale the readings change, the minutes do not", () =>
  withPlant(async (plant) => {
    const before = await minutesOf(plant);
    await plant.map([{ tag_no: 1, sensors: [{ measure: "dc_voltage", scale: 2, offset: 0 }] }]);
    await plant.database.write((write) => plant.roll.markStale(write, [1]));
    await plant.roll.settle();
    deepEqual(await minutesOf(plant), before);
    equal(await countOf(plant, "whole_quarter"), 2 * quarters);
    const [{ value }] = await plant.rows(
      `SELECT value FROM ${all_readings} WHERE minute = ${begin_us / 60_000_000 + 7}`,
    );
    equal(value, 2);
    await verified(plant);
  }));

Deno.test("whole: of a tag that is looked at minute by minute from now on they are stored", () =>
  withPlant(async (plant) => {
    const before = await minutesOf(plant);
    const sensors = [{ measure: "operating_status" }] as const;
    await plant.map([{ tag_no: 2, encoding: "integer", sensors }]);
    await plant.database.write((write) => plant.roll.markStale(write, [2]));
    await plant.roll.settle();
    equal(await countOf(plant, "whole_quarter"), quarters);
    equal(await countOf(plant, "minute WHERE tag_no = 2 AND NOT carried"), quarters * 15);
    deepEqual(await minutesOf(plant), before);
    await verified(plant);
  }));

Deno.test("whole: corrections beside passes leave each minute once, as its samples are", () =>
  withPlant(async (plant) => {
    for (let round = 0; round < 12; round++) {
      const at = begin_us + ((round * 37) % (quarters * 15)) * 60_000_000 + 7_000_000;
      const mark = plant.database.write((write) => plant.roll.markStale(write, [1, 2]));
      const corrected = correct(plant, { tag: 1, at, value: round + 0.5 });
      const settled = plant.roll.settle();
      const again = correct(plant, { tag: 2, at, value: BigInt(-round) });
      await Promise.all([mark, corrected, settled, again]);
    }
    await plant.roll.settle();
    const [{ n, minutes }] = await plant.rows(
      `SELECT count(*)::INTEGER AS n, count(DISTINCT (tag_no, minute))::INTEGER AS minutes
       FROM ${all_minutes}`,
    );
    equal(n, minutes);
    await verified(plant);
  }));

Deno.test("whole: a day that is put in order beside passes loses nothing", () =>
  withPlant(async (plant) => {
    for (let round = 1; round <= 4; round++) {
      const sensors = [{ measure: "dc_voltage", scale: round, offset: 0 }] as const;
      await plant.map([{ tag_no: 1, sensors }]);
      await plant.database.write((write) => plant.roll.markStale(write, [1, 2]));
      const order = new DayOrder({
        ...{ ...plant, waiting: () => 0, lot_rows: 1 },
        holdRoll: () => plant.roll.hold(),
      });
      await Promise.all([plant.roll.settle(), order.settle()]);
      await plant.roll.settle();
      equal(await countOf(plant, `${all_readings}`), quarters * 15);
      await verified(plant);
      // Whole again, for the next round: nothing but the samples is left.
      await plant.database.write(async (write) => {
        await write.connection.script(
          "DELETE FROM minute; DELETE FROM reading; DELETE FROM quarter; DELETE FROM daily",
        );
        await plant.roll.markStale(write, [1, 2]);
      });
      await plant.roll.settle();
    }
  }));

Deno.test("whole: sums are added by minute, in whatever order samples came", async () => {
  const at = (minute: number) => begin_us + minute * 60_000_000;
  const values = Array.from({ length: 15 }, (_, i) => (i % 2 ? -1 : 1) * 1e12 / (i + 3) + i / 7);
  const orders = [(i: number) => i, (i: number) => 14 - i, (i: number) => i * 7 % 15]
    .map((placeOf) => values.map((_, i) => placeOf(i)));
  const sums = new Set<unknown>();
  for (const order of orders) {
    const plant = await openPlant({ at: "2026-06-02T10:30:30Z", tags });
    await plant.store(order.map((i) => ({ tag: 1, at: at(i), value: values[i], quality: 0 })));
    await plant.roll.settle();
    equal(await countOf(plant, "whole_quarter"), 1);
    for (const { value } of await plant.rows("SELECT value FROM quarter")) sums.add(value);
    await plant.close();
  }
  equal(sums.size, 1);
});

/** Replaces a sample as ingest does. */
function correct(plant: TestPlant, { tag, at, value = null }: PlantSample): Promise<void> {
  return plant.database.write(async ({ connection, stamp_us }) => {
    const quarter = Math.floor(Number(at) / 900_000_000);
    const column_of = (no: number) => ({ kind: "int32", values: Int32Array.of(no) } as const);
    await unfold(connection, { rows: 1, vectors: [column_of(tag), column_of(quarter)] });
    const column = typeof value === "bigint" ? "value_int" : "value";
    await connection.script(`
      UPDATE sample SET ${column} = ${value}, received_at = ${stamp_us}
      WHERE tag_no = ${tag} AND ts = ${at}`);
  });
}
