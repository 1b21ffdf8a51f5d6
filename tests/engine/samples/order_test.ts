// Closed days put in order: the same rows, whatever they are and whenever it stops.
import { deepEqual, equal, ok } from "node:assert/strict";
import { DayOrder } from "../../../src/engine/samples/order.ts";
import { sample_limits } from "../../../src/model/samples/limits.ts";
import { Database } from "../../../src/store/database.ts";
import { queryRows } from "../../help/query.ts";
import { statement } from "../../../src/store/statement.ts";
import { fakeEffects } from "../../help/effects.ts";
import { Life } from "../../help/life.ts";

const { effects } = fakeEffects("2024-12-02T12:00:00Z");
const today = 20_059;

const names = ["sample", "minute", "reading", "quarter"] as const;
type Name = typeof names[number];

/** Whose the rows of a table are, of when, and how much of that is a day. */
const parts = {
  sample: { owner: "tag_no", at: "ts", per_day: 86_400_000_000 },
  minute: { owner: "tag_no", at: "minute", per_day: 1440 },
  reading: { owner: "sensor_no", at: "minute", per_day: 1440 },
  quarter: { owner: "sensor_no", at: "quarter", per_day: 96 },
} as const;

const open = (path: string) => Database.open({ path, effects, threads: 1, memory_mb: 128 });

/** Puts samples in order, each tag a lot of its own. */
const orderOf = (database: Database) =>
  new DayOrder({ database, effects, waiting: () => 0, lot_rows: 1, order_rows: 100_000 });

type Sum = { readonly rows: number; readonly digest: string };

/** How many rows each table has, and what they come to. */
const all = (database: Database) =>
  database.read((it) =>
    Promise.all(names.map(async (name) => {
      const sql = `SELECT count(*)::INTEGER AS rows, sum(hash(kept))::VARCHAR AS digest
        FROM ${name} AS kept`;
      return (await queryRows<Sum>(it, sql))[0];
    }))
  );

/** How often, on a day, a row of a table lies before one that it is to lie behind. */
async function disorder(database: Database, day: number, name: Name = "sample"): Promise<number> {
  const { owner, at, per_day } = parts[name];
  const sql = `
    SELECT count(*)::INTEGER AS n
    FROM (
      SELECT ${owner} AS owner, ${at} AS moment, lag(owner) OVER w AS owner_before,
        lag(moment) OVER w AS moment_before
      FROM ${name}
      WHERE ${at} // ${per_day} = ${day}
      WINDOW w AS (ORDER BY rowid)
    )
    WHERE owner_before > owner OR owner_before = owner AND moment_before > moment`;
  const [{ n }] = await database.read((it) => queryRows<{ n: number }>(it, sql));
  return n;
}

/** The same of every table. */
const disorders = (database: Database, day: number) =>
  Promise.all(names.map((name) => disorder(database, day, name)));

/** Samples as they arrive, by time, of a span of days, and what is rolled up from them. */
async function arrive(
  database: Database,
  { days, tags, each_s }: {
    readonly days: readonly [from: number, to: number];
    readonly tags: number;
    readonly each_s: number;
  },
): Promise<void> {
  const [from, to] = days;
  await database.write(({ connection, stamp_us }) =>
    connection.script(`INSERT INTO sample
      SELECT tag_no, s * 1000000, ${stamp_us},
        if(tag_no % 3 = 0, s / 7.0, NULL), if(tag_no % 3 = 1, s, NULL),
        if(tag_no % 3 = 2, 'on ' || s % 5, NULL), if(s % 11 = 0, NULL, s % 3),
        if(s % 13 = 0, 2147483648, NULL)
      FROM range(${from * 86400}, ${to * 86400}, ${each_s}) AS t (s), range(${tags}) AS g (tag_no)
      ORDER BY s, tag_no;
      INSERT INTO minute
      SELECT day, tag_no, minute, received_at, value, value_int, value_str, NULL, NULL, quality,
        status_code, false, 1, 0, 0
      FROM (
        SELECT *, (ts // 86400000000)::INTEGER AS day, (ts // 60000000)::INTEGER AS minute
        FROM sample
        WHERE received_at = ${stamp_us}
      )
      ORDER BY minute, tag_no;
      INSERT INTO reading (day, sensor_no, minute, light, value, model)
      SELECT day, tag_no, minute, minute % 2 = 0, value, if(tag_no % 2 = 0, minute, NULL)
      FROM minute
      WHERE received_at = ${stamp_us}
      ORDER BY minute, tag_no;
      INSERT INTO quarter (day, sensor_no, quarter, light, n, value, model_n)
      SELECT day, tag_no, minute // 15, light, count(*), sum(good_count), 0
      FROM (SELECT *, minute % 2 = 0 AS light FROM minute WHERE received_at = ${stamp_us})
      GROUP BY ALL
      ORDER BY minute // 15, tag_no, light`)
  );
}

/** Says to an order that something was stored in some days. */
const tell = (order: DayOrder, [from, to]: readonly [from: number, to: number]) =>
  order.stored({ from_minute: from * 1440, to_minute: to * 1440 });

Deno.test("closed days lie by tag or sensor and time, and are the same", async () => {
  const database = await open(":memory:");
  await arrive(database, { days: [today - 2, today], tags: 12, each_s: 100 });
  await arrive(database, { days: [today, today + 1], tags: 12, each_s: 600 });
  const before = await all(database);
  ok(await disorder(database, today - 1) > 500);
  const order = orderOf(database);
  await order.settle();
  deepEqual(await all(database), before);
  deepEqual(await disorders(database, today - 2), [0, 0, 0, 0]);
  deepEqual(await disorders(database, today - 1), [0, 0, 0, 0]);
  const open_day = await disorders(database, today);
  ok(open_day.every((n) => n > 50), `${open_day}: the day is not over`);

  const { committed_us } = database;
  await order.settle();
  await orderOf(database).settle();
  equal(database.committed_us, committed_us, "nothing is stored where nothing came");

  const few = { days: [today - 1, today], tags: 1, each_s: 9_000 } as const;
  await arrive(database, few);
  tell(order, few.days);
  await order.settle();
  ok(await disorder(database, today - 1) > 0, "a few late samples lie behind");
  await arrive(database, { ...few, tags: 12, each_s: 1_000 });
  const late = await all(database);
  await order.settle();
  ok(await disorder(database, today - 1) > 0, "nobody said that anything was stored");
  tell(order, few.days);
  await order.settle();
  deepEqual(await disorders(database, today - 1), [0, 0, 0, 0]);
  deepEqual(await all(database), late);
  await database.close();
});

Deno.test("tags of a measure lie together by time, as many in each lot", async () => {
  const cases = [
    { measures: 0, lots: [[0, 1, 2], [3, 4, 5], [6, 7, 8]] },
    { measures: 2, lots: [[0, 2, 4], [6, 8], [1, 3, 5, 7]] },
  ];
  for (const { measures, lots } of cases) {
    const database = await open(":memory:");
    await database.write(({ connection }) =>
      connection.script(`INSERT INTO sensor (sensor_no, tag_no, measure)
        SELECT i, i, 'm' || i % 2 FROM range(${9 * measures / 2}) AS r (i)`)
    );
    await arrive(database, { days: [today - 1, today + 1], tags: 9, each_s: 3_600 });
    const before = await all(database);
    await new DayOrder({ database, effects, waiting: () => 0, lot_rows: 70 }).settle();
    deepEqual(await all(database), before);
    const lying = await database.read((it) => it.rows(lying_list));
    const hours = Array.from({ length: 24 }, (_, hour) => hour);
    deepEqual(
      lying,
      lots.flatMap((lot) => hours.flatMap((hour) => lot.map((tag_no) => ({ tag_no, hour })))),
    );
    await database.close();
  }
});

const lying_list = statement({
  sql: `
    SELECT tag_no, ((ts // 1000000 - ${today - 1} * 86400) // 3600)::INTEGER AS hour
    FROM sample
    WHERE ts // 86400000000 = ${today - 1}
    ORDER BY rowid`,
  row: { tag_no: "int32", hour: "int32" },
  reach: "near",
});

Deno.test("a day that came whole before it ended is put in order once it has", async () => {
  const { effects, clock } = fakeEffects("2024-12-02T12:00:00Z");
  const database = await Database.open({ path: ":memory:", effects, threads: 1, memory_mb: 128 });
  const order = new DayOrder({ database, effects, waiting: () => 0, lot_rows: 1 });
  for (const day of [today, today + 1, today + 2]) {
    await arrive(database, { days: [day, day + 1], tags: 3, each_s: 3_600 });
    tell(order, [day, day + 1]);
    await order.settle();
    ok(await disorder(database, day) > 0, "it is not over");
    clock.advance(86_400_000);
    if (day > today) equal(await disorder(database, day - 1), 0);
  }
  await database.close();
});

Deno.test("what comes or changes while its day is put in order is kept", async () => {
  const database = await open(":memory:");
  await arrive(database, { days: [today - 1, today], tags: 7, each_s: 5 });
  await arrive(database, { days: [today, today + 1], tags: 1, each_s: 21_600 });
  const order = orderOf(database);
  const late = { days: [today - 1, today], tags: 7, each_s: 9_001 } as const;
  // Each table's day is begun, and comes in two parts.
  const meanwhile: Readonly<Record<number, () => Promise<void>>> = {
    1: () => arrive(database, late),
    7: () => database.write(({ connection }) => connection.script(last_change)),
  };
  let rests = 0;
  await order.settle(() => meanwhile[rests++]?.() ?? Promise.resolve());
  ok(rests > 8, `${rests} rests`);
  const rows = await all(database);
  equal(rows[0].rows, 7 * (17_280 + 10) + 4);
  const changed = await database.read((it) => queryRows(it, changed_count));
  deepEqual(changed, [{ rows: 17_290 }], "nothing is stored over what has changed");
  for (const name of ["sample", "reading"] as const) {
    ok(await disorder(database, today - 1, name) > 0, "what changed meanwhile stays as it lies");
  }
  tell(order, late.days);
  await order.settle();
  deepEqual(await disorders(database, today - 1), [0, 0, 0, 0]);
  deepEqual(await all(database), rows);
  await database.close();
});

// The last column, of an even number of rows alike: `xor` of their hashes stays as it was.
const last_change = "UPDATE reading SET broken = true WHERE sensor_no = 6";
const changed_count = "SELECT count(*)::INTEGER AS rows FROM reading WHERE broken";

Deno.test("a process that dies at a step of ordering loses and doubles nothing", async () => {
  const folder = await Deno.makeTempDir();
  const whole = await open(`${folder}/whole.duckdb`);
  await arrive(whole, { days: [today - 1, today + 1], tags: 2, each_s: 3_600 });
  const rows = await all(whole);
  await whole.close();
  const path = `${folder}/a.duckdb`;
  let steps = 1;
  for (;; steps += 4) {
    await Deno.copyFile(`${folder}/whole.duckdb`, path);
    const database = await open(path);
    const life = new Life(steps);
    const lived = orderOf(database).settle().then(() => true, () => false);
    const is_whole = await lived.finally(() => life.end());
    await database.abandon();
    if (is_whole && !life.is_dead) break;
    const again = await open(path);
    deepEqual(await all(again), rows, `after ${steps} steps`);
    await orderOf(again).settle();
    deepEqual([await all(again), await disorders(again, today - 1)], [rows, [0, 0, 0, 0]]);
    await again.close();
    for (const left of ["a.duckdb", "a.duckdb.wal"]) {
      await Deno.remove(`${folder}/${left}`).catch(() => {});
    }
  }
  ok(steps > 60, `${steps} steps`);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("no day is put in order while the disk has little room", async () => {
  const database = await open(":memory:");
  await arrive(database, { days: [today - 1, today + 1], tags: 3, each_s: 3_600 });
  let free_bytes = sample_limits.order_free_bytes - 1;
  const space = () => Promise.resolve({ free_bytes, total_bytes: 2 * free_bytes });
  const order = new DayOrder({ database, effects, waiting: () => 0, lot_rows: 1, space });
  const { committed_us } = database;
  await order.settle();
  equal(database.committed_us, committed_us);
  free_bytes++;
  await order.settle();
  deepEqual(await disorders(database, today - 1), [0, 0, 0, 0]);
  await database.close();
});

/** What ordering lets go first: gives what ends it. */
const first: Readonly<Record<string, (others: Others) => Promise<() => void>>> = {
  "samples wait": (others) => {
    others.waiting = 1e6;
    return Promise.resolve(() => void (others.waiting = 0));
  },
  "a backup is copied": async ({ database }) => {
    const cut = await database.cut();
    return () => cut[Symbol.dispose]();
  },
};
type Others = { waiting: number; readonly database: Database };

for (const [what, begin] of Object.entries(first)) {
  Deno.test(`ordering waits while ${what}, and stops when it is told to`, async () => {
    const world = fakeEffects("2024-12-02T12:00:00Z");
    const database = await open(":memory:");
    await arrive(database, { days: [today - 1, today + 1], tags: 3, each_s: 3_600 });
    const others = { waiting: 0, database };
    const end = await begin(others);
    let waits = 0;
    const sleep: typeof world.effects.sleep = (wait_ms, ...signals) => {
      if (wait_ms === sample_limits.order_wait_ms) waits++;
      return world.effects.sleep(wait_ms, ...signals);
    };
    const order = new DayOrder({
      ...{ database, effects: { ...world.effects, sleep }, lot_rows: 1 },
      waiting: () => others.waiting,
    });
    const stop = new AbortController();
    const running = order.loop.run(stop.signal);
    const pass = async (until: () => Promise<boolean>) => {
      while (!await until()) world.clock.advance(60_000);
    };
    const isOrdered = async () => Math.max(...await disorders(database, today - 1)) === 0;
    await pass(async () => await isOrdered() || waits > 5);
    equal(await isOrdered(), false);
    end();
    await pass(isOrdered);
    stop.abort();
    await running;
    await database.close();
  });
}
