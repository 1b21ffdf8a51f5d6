// The roll-up: minutes, readings, quarter-hours and days from samples, late and early ones too.
import { deepEqual, equal, ok } from "node:assert/strict";
import { rollup_limits } from "../../../src/model/rollup/limits.ts";
import type { Plain } from "../../../src/store/connection.ts";
import {
  openPlant,
  type PlantOptions,
  type PlantSample,
  type TestPlant,
} from "../../help/plant.ts";
import { passing, until } from "../../help/until.ts";
import { all_minutes, all_readings } from "../../help/whole.ts";

const minute_stamps = `SELECT received_at::DOUBLE AS at FROM ${all_minutes} ORDER BY minute`;

const uncertain = 0x40000000;
const bad = 0x80000000;

const minute_cases: readonly {
  readonly name: string;
  readonly samples: readonly Omit<PlantSample, "tag" | "at">[];
  readonly row: Record<string, Plain>;
}[] = [
  {
    name: "all good: good, with the mean and the common code",
    samples: [{ value: 1, quality: 0, code: 0 }, { value: 4, quality: 0, code: 0 }],
    row: {
      value: 2.5,
      quality: 0,
      status_code: 0,
      good_count: 2,
      uncertain_count: 0,
      bad_count: 0,
    },
  },
  {
    name: "any uncertain, none bad: uncertain, and its value counts",
    samples: [{ value: 1, quality: 0, code: 0 }, { value: 3, quality: 1, code: uncertain }],
    row: {
      value: 2,
      quality: 1,
      status_code: null,
      good_count: 1,
      uncertain_count: 1,
      bad_count: 0,
    },
  },
  {
    name: "bad beside usable: partial, and the bad value does not count",
    samples: [{ value: 9, quality: 2, code: bad }, { value: 3, quality: 0, code: 0 }],
    row: {
      value: 3,
      quality: 3,
      status_code: null,
      good_count: 1,
      uncertain_count: 0,
      bad_count: 1,
    },
  },
  {
    name: "only bad: bad, with null values",
    samples: [{ value: 9, quality: 2, code: bad }, { value: 3, quality: 2, code: bad }],
    row: {
      value: null,
      quality: 2,
      status_code: bad,
      good_count: 0,
      uncertain_count: 0,
      bad_count: 2,
    },
  },
  {
    name: "no quality reported: null, and the value counts",
    samples: [{ value: 9 }, { value: 3 }],
    row: {
      value: 6,
      quality: null,
      status_code: null,
      good_count: 0,
      uncertain_count: 0,
      bad_count: 0,
    },
  },
];

for (const { name, samples, row } of minute_cases) {
  Deno.test(`minute: ${name}`, () =>
    withPlant({ tags: [{ tag_no: 1, carry_s: 0 }] }, async (plant) => {
      const at = (i: number) => `2026-06-01T10:00:${10 + 20 * i}Z`;
      await plant.store(samples.map((sample, i) => ({ tag: 1, at: at(i), ...sample })));
      await plant.roll.settle();
      const columns = "value, quality::INTEGER AS quality, status_code, good_count, " +
        "uncertain_count, bad_count";
      deepEqual(await plant.rows(`SELECT ${columns} FROM ${all_minutes}`), [row]);
    }));
}

Deno.test("minute: integers and strings are the last usable by time", () =>
  withPlant({
    tags: [
      { tag_no: 1, encoding: "integer", carry_s: 0, sensors: [{ measure: "operating_status" }] },
      { tag_no: 2, encoding: "string", carry_s: 0 },
    ],
  }, async (plant) => {
    const big = 9_007_199_254_740_993n;
    await plant.store([
      { tag: 1, at: "2026-06-01T10:00:40Z", value: big, quality: 0 },
      { tag: 1, at: "2026-06-01T10:00:20Z", value: 1n, quality: 0 },
      { tag: 1, at: "2026-06-01T10:00:50Z", value: 7n, quality: 2 },
      { tag: 2, at: "2026-06-01T10:00:30Z", value: "b", quality: 0 },
      { tag: 2, at: "2026-06-01T10:00:10Z", value: "a", quality: 0 },
    ]);
    await plant.roll.settle();
    deepEqual(
      await plant.rows(
        `SELECT value, value_int::VARCHAR AS value_int, value_str FROM ${all_minutes}
         ORDER BY tag_no`,
      ),
      [
        { value: null, value_int: String(big), value_str: null },
        { value: null, value_int: null, value_str: "b" },
      ],
    );
    deepEqual(await plant.rows(`SELECT value FROM ${all_readings}`), [{ value: Number(big) }]);
  }));

Deno.test("carried: the last usable value is repeated for carry_s and no longer", () =>
  withPlant({ tags: [{ tag_no: 1, carry_s: 180 }] }, async (plant) => {
    await plant.store([
      { tag: 1, at: "2026-06-01T10:13:10Z", value: 1, quality: 1, code: uncertain },
      { tag: 1, at: "2026-06-01T10:13:20Z", value: 5, quality: 1, code: uncertain },
    ]);
    await plant.roll.settle();
    const carried = {
      value: 5,
      carried: true,
      quality: 1,
      good_count: 0,
      uncertain_count: 0,
      bad_count: 0,
    };
    deepEqual(await minutes(plant), [
      { at: "10:13", ...carried, value: 3, carried: false, uncertain_count: 2 },
      { at: "10:14", ...carried },
      { at: "10:15", ...carried },
      { at: "10:16", ...carried },
    ]);
  }));

Deno.test("carried: a bad sample ends it, a late good one takes it up again", () =>
  withPlant({ tags: [{ tag_no: 1 }] }, async (plant) => {
    await plant.store([
      { tag: 1, at: "2026-06-01T10:00:00Z", value: 1, quality: 0 },
      { tag: 1, at: "2026-06-01T10:02:00Z", value: null, quality: 2 },
    ]);
    await plant.roll.settle();
    deepEqual((await minutes(plant)).map((row) => [row.at, row.value, row.carried]), [
      ["10:00", 1, false],
      ["10:01", 1, true],
      ["10:02", null, false],
    ]);
    const before = await plant.rows(minute_stamps);
    await plant.store([{ tag: 1, at: "2026-06-01T10:02:30Z", value: 7, quality: 0 }]);
    await plant.roll.settle();
    const rows = await minutes(plant);
    equal(rows.length, 18);
    deepEqual([rows[2].value, rows[2].quality, rows[17].at], [7, 3, "10:17"]);
    const after = await plant.rows(minute_stamps);
    deepEqual(
      after.slice(0, 2),
      before.slice(0, 2),
      "minutes that did not change keep their stamp",
    );
    ok(Number(after[2].at) > Number(before[2].at), "the rewritten minute has a new stamp");
  }));

Deno.test("carried: a silent tag goes on minute by minute as time passes", () =>
  withPlant({ at: "2026-06-01T10:00:30Z", tags: [{ tag_no: 1, carry_s: 120 }] }, async (plant) => {
    await plant.store([{ tag: 1, at: "2026-06-01T10:00:10Z", value: 1 }]);
    for (const count of [0, 1, 2, 3, 3]) {
      await plant.roll.settle();
      equal((await minutes(plant)).length, count);
      plant.clock.advance(60_000);
    }
  }));

Deno.test("carried: minutes before a sample that came ahead of its time are made", () =>
  withPlant({ at: "2026-06-01T12:13:01Z", tags: [{ tag_no: 1 }] }, async (plant) => {
    const from_us = Date.parse("2026-06-01T12:12:00Z") * 1000;
    await plant.store([0, 4].map((minute) => ({
      tag: 1,
      at: from_us + minute * 60_000_000,
      value: minute,
    })));
    await plant.roll.settle();
    plant.clock.advance(5 * 60_000);
    await plant.roll.settle();
    deepEqual((await minutes(plant)).map(({ value }) => value), [0, 0, 0, 0, 4, 4]);
  }));

Deno.test("carried: a newer sample in the next quarter-hour leaves no gap before it", () =>
  withPlant({ at: "2026-06-01T10:13:30Z", tags: [{ tag_no: 1 }] }, async (plant) => {
    for (const at of ["2026-06-01T10:12:10Z", "2026-06-01T10:15:10Z"]) {
      await plant.store([{ tag: 1, at, value: 1 }]);
      await plant.roll.settle();
      plant.clock.advance(180_000);
    }
    equal((await minutes(plant)).map((row) => row.at).join(), "10:12,10:13,10:14,10:15");
  }));

Deno.test("roll: a minute that is not over survives a restart in its middle", () =>
  withPlant({ at: "2026-06-01T10:00:30Z", tags: [{ tag_no: 1, sensors: [{}] }] }, async (plant) => {
    await plant.store([
      { tag: 1, at: "2026-06-01T10:00:10Z", value: 1 },
      { tag: 1, at: "2026-06-01T09:50:00Z", value: 1 },
    ]);
    await plant.roll.settle();
    await plant.restart();
    plant.clock.advance(45_000);
    await plant.store([{ tag: 1, at: "2026-06-01T10:00:50Z", value: 3 }]);
    await plant.restart();
    await plant.roll.settle();
    deepEqual(
      await plant.rows(`SELECT value FROM ${all_readings} AS reading ORDER BY minute`),
      [{ value: 1 }, { value: 2 }],
    );
  }));

Deno.test("roll: the background loop takes minutes up once they are over", () =>
  withPlant({ at: "2026-06-01T10:00:30Z", tags: [{ tag_no: 1, carry_s: 0 }] }, async (plant) => {
    const stop = new AbortController();
    const running = plant.roll.loop.run(stop.signal);
    await plant.store([{ tag: 1, at: "2026-06-01T10:00:10Z", value: 1 }]);
    plant.roll.wake();
    await until(async () => (await minutes(plant)).length > 0, {
      meanwhile: passing(plant.clock, { step_ms: 1000, most_ms: 500_000 }),
    });
    equal((await minutes(plant)).length, 1);
    stop.abort();
    await running;
  }));

Deno.test("roll: what is of a minute that is not over waits for its end, and nothing else", () =>
  withPlant({ at: "2026-06-01T10:00:30Z", tags: [{ tag_no: 1, sensors: [{}] }] }, async (plant) => {
    let wakes = 0;
    Object.assign(plant.roll.loop, { wake: () => wakes++ });
    const take = async (time: string, rows = 1) => {
      const at = `2026-06-01T${time}Z`;
      await plant.store([{ tag: 1, at, value: 1 }]);
      const received_at = plant.database.committed_us;
      plant.roll.stored({ received_at, rows, from_us: Date.parse(at) * 1000 });
      return wakes;
    };
    equal(await take("10:00:10"), 1, "else no turn would come");
    await plant.roll.settle();
    equal(await take("10:00:20"), 1);
    equal(await take("10:00:30"), 1);
    const { backlog, waiting } = plant.roll.state;
    deepEqual({ backlog, waiting }, { backlog: 0, waiting: 3 });
    equal(await take("09:59:59"), 2, "its minute is over");
    equal(plant.roll.state.backlog, 3);
    await plant.roll.settle();
    equal(await take("10:00:40", rollup_limits.open_rows), 3, "they are many");
    await plant.roll.settle();
    equal(await take("10:00:50"), 3);
    plant.clock.advance(60_000);
    equal(await take("10:01:10"), 4, "its minute is not over, that of the one before it is");
  }));

Deno.test("roll: a day of a clock change is as long as it is, on the site's clock", () =>
  withPlant({ timezone: "America/Denver", tags: [{ tag_no: 1, sensors: [{}] }] }, async (plant) => {
    const from = Date.parse("2024-11-03T00:00:00Z");
    await plant.store(Array.from({ length: 72 }, (_, hour) => ({
      tag: 1,
      at: (from + hour * 3_600_000) * 1000,
      value: 1,
    })));
    await plant.roll.settle();
    const [, changed, next] = await plant.rows(
      "SELECT sum(n)::INTEGER AS n FROM daily GROUP BY day ORDER BY day",
    );
    deepEqual([changed.n, next.n], [25, 24]);
    const [split] = await plant.rows(
      "SELECT count(*) FILTER (light)::INTEGER AS light, min(minute) FILTER (light) AS first, " +
        `max(minute) FILTER (light) AS last FROM ${all_readings} AS reading WHERE day = 20030`,
    );
    const hour = (minute: Plain) => new Date(Number(minute) * 60_000).toISOString().slice(11, 13);
    deepEqual([split.light, hour(split.first), hour(split.last)], [11, "14", "00"]);
    const [sums] = await plant.rows(
      "SELECT (SELECT sum(n) FROM quarter)::INTEGER AS quarters, " +
        "(SELECT sum(n) FROM daily)::INTEGER AS days",
    );
    deepEqual(sums, { quarters: 72, days: 72 });
  }));

Deno.test("roll: a tag that is mapped later brings its history", () =>
  withPlant({ tags: [{ tag_no: 1 }] }, async (plant) => {
    await plant.store([
      { tag: 1, at: "2026-05-01T10:00:00Z", value: 1 },
      { tag: 1, at: "2026-06-01T10:00:00Z", value: 2 },
    ]);
    await plant.roll.settle();
    deepEqual(await plant.rows(`SELECT value FROM ${all_readings}`), []);
    for (const [scale, values] of [[10, [10, 20]], [1000, [1000, 2000]]] as const) {
      await plant.map([{ tag_no: 1, sensors: [{ scale }] }]);
      await plant.database.write((write) => plant.roll.markStale(write, [1]));
      await plant.roll.settle();
      for (const table of [all_readings, "quarter", "daily"]) {
        deepEqual(
          (await plant.rows(`SELECT value FROM ${table} ORDER BY day`)).map((row) => row.value),
          values,
          table,
        );
      }
    }
    deepEqual(await plant.rows("SELECT day FROM stale"), []);
  }));

Deno.test("roll: tags that change alike are rolled up as they are now", () =>
  withPlant({ tags: tagsCarriedFor(60) }, async (plant) => {
    await plant.store([1, 2].map((tag) => ({ tag, at: "2026-06-01T10:00:00Z", value: tag })));
    for (const carry_s of [60, 180]) {
      await plant.map(tagsCarriedFor(carry_s));
      await plant.database.write((write) => plant.roll.markStale(write, [1, 2]));
      await plant.roll.settle();
      equal((await minutes(plant)).length, 2 * (1 + carry_s / 60));
    }
  }));

const tagsCarriedFor = (carry_s: number) => [1, 2].map((tag_no) => ({ tag_no, carry_s }));

Deno.test("roll: what is carried for less time leaves no minutes, on any day", async () => {
  for (const sensors of [[], [{ measure: "dc_voltage" as const }]]) {
    const tag = { tag_no: 1, carry_s: 7200, sensors };
    await withPlant({ at: "2026-06-02T14:00:30Z", tags: [tag] }, async (plant) => {
      for (const at of ["2026-06-01T21:50:05Z", "2026-06-01T23:50:05Z"]) {
        await plant.store([{ tag: 1, at, value: 1 }]);
      }
      await plant.roll.settle();
      equal((await minutes(plant)).length, 241);
      await plant.map([{ ...tag, carry_s: 60 }]);
      await plant.database.write((write) => plant.roll.markStale(write, [1]));
      await plant.roll.settle();
      const at = (await minutes(plant)).map(({ at }) => at);
      deepEqual(at, ["21:50", "21:51", "23:50", "23:51"]);
    });
  }
});

Deno.test("roll: a negative scale swaps the lowest and the highest of a minute", () =>
  withPlant(
    { tags: [{ tag_no: 1, sensors: [{ measure: "max_temp", scale: -1 }] }] },
    async (plant) => {
      await plant.store([
        { tag: 1, at: "2026-06-01T10:00:00Z", value: 1 },
        { tag: 1, at: "2026-06-01T10:00:30Z", value: 5 },
      ]);
      await plant.roll.settle();
      deepEqual(await plant.rows(`SELECT value FROM ${all_readings}`), [{ value: -1 }]);
    },
  ));

async function minutes(plant: TestPlant): Promise<Record<string, Plain>[]> {
  const rows = await plant.rows(
    "SELECT minute, value, carried, quality::INTEGER AS quality, good_count, uncertain_count, " +
      `bad_count FROM ${all_minutes} AS minute ORDER BY minute`,
  );
  return rows.map(({ minute, ...row }) => ({
    at: new Date(Number(minute) * 60_000).toISOString().slice(11, 16),
    ...row,
  }));
}

async function withPlant(
  options: PlantOptions,
  work: (plant: TestPlant) => Promise<void>,
): Promise<void> {
  const plant = await openPlant(options);
  try {
    await work(plant);
  } finally {
    await plant.close();
  }
}
