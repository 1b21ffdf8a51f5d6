// What late samples touch and what they leave alone, and work in slices that is the same as whole.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Rollup } from "../../../src/engine/rollup/rollup.ts";
import type { PlantSample, PlantTag, TestPlant } from "../../help/plant.ts";
import { expectedOf, inverter, power, weather } from "../expected/model_help.ts";
import { assertVerified, at, each, noon, roll, rolledUp, withPlant } from "./setpoint_help.ts";
import { whole_readings } from "../../help/reading.ts";
import { statement } from "../../../src/store/statement.ts";

const counter = { measure: "energy", accumulation: "counter", capacity: 1000 } as const;
const tags: readonly PlantTag[] = [
  power(1),
  power(2, { device_id: "d2" }),
  { tag_no: 3, sensors: [counter] },
  { tag_no: 4, sensors: [{ component: "meter", device_id: "m" }] },
  { tag_no: 5, encoding: "integer", sensors: [{ measure: "operating_status" }] },
  weather(10, "poa_front"),
  weather(11, "ambient_temp"),
];
const modelled = { devices: [inverter("d1"), inverter("d2")], tags };

/** Samples of some tags of every minute from noon on. */
function day(minutes: number, wanted: readonly number[]): PlantSample[] {
  const of = { 1: 700, 2: 710, 3: 50, 4: 1400, 10: 800, 11: 20 };
  return wanted.flatMap((tag) =>
    each(tag, [0, minutes], (minute) => of[tag as keyof typeof of] + minute)
  );
}

/** Spoils stored readings, so that whatever is computed again shows. */
async function spoil(plant: TestPlant, column: "value" | "model"): Promise<void> {
  await plant.database.write(({ connection }) =>
    connection.script(
      {
        value: "UPDATE reading SET value = -1 WHERE value IS NOT NULL",
        model: "UPDATE reading SET model = -1 WHERE model IS NOT NULL",
      }[column],
    )
  );
}

/** Sensors with readings that were computed again since they were spoiled. */
async function worked(plant: TestPlant, column: "value" | "model"): Promise<unknown[]> {
  const rows = await plant.rows(
    `SELECT DISTINCT sensor_no FROM reading WHERE ${column} <> -1 ORDER BY sensor_no`,
  );
  return rows.map((row) => row.sensor_no);
}

Deno.test("roll: an inverter's late values leave what is expected and the others alone", () =>
  withPlant(modelled, async (plant) => {
    await roll(plant, day(60, [1, 2, 3, 4, 10, 11]));
    await spoil(plant, "model");
    await spoil(plant, "value");
    await roll(plant, [{ tag: 1, at: (noon + 20) * 60_000_000 + 1, value: 5 }]);
    deepEqual(await worked(plant, "model"), []);
    deepEqual(await worked(plant, "value"), [1]);
  }));

Deno.test("roll: late weather models the whole site anew and counts no register again", () =>
  withPlant(modelled, async (plant) => {
    await roll(plant, day(60, [1, 2, 3, 4, 11]));
    deepEqual(await worked(plant, "model"), []);
    await spoil(plant, "value");
    await roll(plant, day(60, [10]));
    deepEqual(await worked(plant, "model"), [1, 2, 3, 4]);
    deepEqual(await worked(plant, "value"), [10]);
  }));

Deno.test("roll: halves that come one after the other are as if they came together", async () => {
  let whole: unknown;
  const parts = [[10], [3], [1, 4], [11, 2]];
  await withPlant(modelled, async (plant) => {
    await roll(plant, day(60, parts.flat()));
    whole = await rolledUp(plant);
  });
  await withPlant(modelled, async (plant) => {
    for (const part of parts) await roll(plant, day(60, part));
    deepEqual(await rolledUp(plant), whole);
    await assertVerified(plant);
  });
});

Deno.test("roll: air is carried, and light models the minutes that lead to its next sample", () =>
  withPlant({ ...modelled, at: "2026-06-01T18:00:00Z" }, async (plant) => {
    await roll(plant, [at(10, 0, 800), at(11, 0, 20)]);
    const counts: number[] = [];
    for (const minute of [0, 1, 2, 10, 24, 39, 55]) {
      if (minute > 1) await plant.store([at(10, minute, 800 + minute)]);
      plant.clock.advance((noon + minute + 1) * 60_000 - plant.clock.now_us / 1000);
      await plant.roll.settle();
      counts.push((await expectedOf(plant, 1, [0, 60])).filter((it) => it !== null).length);
    }
    // The air is known up to minute 15.
    deepEqual(counts, [1, 1, 3, 11, 16, 16, 16]);
    await assertVerified(plant);
  }));

Deno.test("roll: in the dark nothing is expected of a sensor that has a value", () =>
  withPlant({ ...modelled, at: "2026-06-02T10:00:00Z" }, async (plant) => {
    const night = 15 * 60;
    await roll(plant, [at(1, night, -3), at(5, night, 4), at(10, night, 900), at(11, night, 20)]);
    await roll(plant, [at(4, night, -9)]);
    deepEqual(
      await plant.rows(
        "SELECT sensor_no, value, model, value_setpoint, model_setpoint " +
          `FROM ${whole_readings} ` +
          "WHERE sensor_no < 5 ORDER BY sensor_no",
      ),
      [
        { sensor_no: 1, value: -3, model: 0, value_setpoint: -3, model_setpoint: 0 },
        { sensor_no: 4, value: -9, model: 0, value_setpoint: -9, model_setpoint: 0 },
      ],
    );
    await assertVerified(plant);
  }));

Deno.test("roll: what was sent for the dark stays where a counter joins it", () => {
  const sent: readonly PlantTag[] = [
    { ...power(1), sensor_tag: "power" },
    { tag_no: 501, sensor_tag: "power", lane: "model" },
    { tag_no: 3, sensors: [counter] },
  ];
  const night = 15 * 60;
  const model = (minute: number) => at(501, night + minute, 300);
  return withPlant({ ...modelled, tags: sent, at: "2026-06-02T10:00:00Z" }, async (plant) => {
    // The counter's difference leads from one quarter-hour into the next.
    const samples = [model(5), model(16), at(3, night + 5, 100), at(3, night + 20, 115)];
    await roll(plant, samples);
    const before = await rolledUp(plant);
    await roll(plant, [at(501, night + 16, 200)]);
    await roll(plant, [model(16)]);
    deepEqual(await rolledUp(plant), before);
    await assertVerified(plant);
  });
});

Deno.test("roll: slices are the same as the whole, and so they are after a crash", async () => {
  const samples = day(200, [1, 2, 3, 4, 10, 11]);
  let whole: unknown;
  await withPlant(modelled, async (plant) => {
    await roll(plant, samples);
    whole = await rolledUp(plant);
  });
  const cases = [
    ...[{ good_writes: Infinity, units: 1 }, { good_writes: 3, units: 1 }],
    ...[{ good_writes: Infinity, rows_per_write: 30 }, { good_writes: 12, rows_per_write: 30 }],
  ];
  for (const { good_writes, ...bounds } of cases) {
    await withPlant(modelled, async (plant) => {
      await plant.roll.close();
      const { database, catalog, effects } = plant;
      plant.roll = await Rollup.open({ database, catalog, effects, bounds });
      const stop = stopAfter(plant, good_writes);
      await plant.store(samples);
      if (good_writes < Infinity) {
        await rejects(plant.roll.settle(), /crash/);
        const [{ n }] = await plant.rows("SELECT count(*)::INTEGER AS n FROM reading");
        ok(Number(n) > 0, "what was stored before stays");
        const unmarked = "SELECT DISTINCT day FROM quarter ANTI JOIN inverter_stale USING (day)";
        deepEqual(await plant.rows(unmarked), [], "and inverters are told of it");
        stop.good_writes = Infinity;
        await plant.restart();
      }
      await plant.roll.settle();
      deepEqual(await rolledUp(plant), whole);
      await assertVerified(plant);
      if (good_writes === Infinity) ok(stop.writes > 10, `${stop.writes} transactions`);
    });
  }
});

Deno.test("roll: what waits for its minute is counted once, however often a pass failed", () =>
  withPlant(modelled, async (plant) => {
    // One of a minute that is over, and one of the minute of now.
    await plant.store([at(1, 239, 1), at(1, 240, 1)]);
    const stop = stopAfter(plant, 0);
    for (let i = 0; i < 3; i++) await rejects(plant.roll.settle(), /crash/);
    stop.good_writes = Infinity;
    await plant.roll.settle();
    equal(plant.roll.state.waiting, 1);
  }));

Deno.test("roll: stale days are taken whole, each with all its tags", () =>
  withPlant({ ...modelled, at: "2026-06-03T22:00:00Z" }, async (plant) => {
    const days = [0, 1440, 2880].flatMap((minute) => [
      ...[1, 2, 4].map((tag) => at(tag, minute, 600)),
      ...[at(10, minute, 800), at(11, minute, 20)],
    ]);
    await roll(plant, days);
    const right = await rolledUp(plant);
    await spoil(plant, "model");
    await plant.database.write((write) => plant.roll.markStale(write, [1, 2, 4, 10, 11]));
    const slices: number[] = [];
    plant.roll.onWorked = ({ from_minute }) => slices.push(Math.floor(from_minute / 1440));
    await plant.roll.settle();
    deepEqual(await rolledUp(plant), right);
    equal(new Set(slices).size, slices.length, "no day twice");
    deepEqual(await plant.rows("SELECT day FROM stale"), []);
  }));

Deno.test("roll: recent days go first, then those before, the newest first", () =>
  withPlant({ ...modelled, at: "2026-06-03T22:00:00Z" }, async (plant) => {
    const days = [0, 1440, 2880].flatMap((minute) => [
      ...[1, 2, 4].map((tag) => at(tag, minute, 600)),
      ...[at(10, minute, 800), at(11, minute, 20)],
    ]);
    await plant.store(days);
    // So many other tags that a pass takes one day.
    const others = "SELECT 100 + i, 20605 + day FROM range(400) t(i), range(3) d(day)";
    await plant.database.write(({ connection }) =>
      connection.run(statement({ sql: `INSERT INTO stale ${others}` }))
    );
    const last_us = Date.parse("2026-06-03T00:00:00Z") * 1000;
    const slices: number[] = [];
    const waiting: number[] = [];
    plant.roll.onWorked = ({ from_minute }) => {
      slices.push(Math.floor(from_minute / 1440));
      waiting.push(plant.roll.state.backlog);
    };
    const rolled = "SELECT DISTINCT day FROM reading ORDER BY day";
    await plant.roll.rollRecent(last_us);
    const [{ day }, ...none] = await plant.rows(rolled);
    deepEqual(none, []);
    deepEqual(waiting, [days.length], "each is counted once meanwhile");
    equal(plant.roll.state.backlog, days.length, "none of the others is looked at");
    // A crash: what was put off is not forgotten.
    await plant.restart();
    plant.roll.onWorked = ({ from_minute }) => slices.push(Math.floor(from_minute / 1440));
    await plant.roll.settle();
    deepEqual(slices, [Number(day), Number(day) - 1, Number(day) - 2]);
    equal(plant.roll.state.backlog, 0);
    const stepwise = await rolledUp(plant);
    await withPlant({ ...modelled, at: "2026-06-03T22:00:00Z" }, async (other) => {
      await roll(other, days);
      deepEqual(stepwise, await rolledUp(other));
    });
    await assertVerified(plant);
  }));

/** Lets a roll-up's writes through up to a number, then throws. */
function stopAfter({ database }: TestPlant, good_writes: number) {
  const state = { good_writes, writes: 0 };
  const writeOn = database.writeOn.bind(database);
  database.writeOn = (connection, work) => {
    state.writes++;
    if (state.writes > state.good_writes) return Promise.reject(new Error("crash"));
    return writeOn(connection, work);
  };
  return state;
}
