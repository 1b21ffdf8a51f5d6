// Samples of closed days put in order: the same samples, whatever they are and whenever it stops.
import { deepEqual, equal, ok } from "node:assert/strict";
import { SampleOrder } from "../../../src/engine/samples/order.ts";
import { Database } from "../../../src/store/database.ts";
import { statement } from "../../../src/store/statement.ts";
import { fakeEffects } from "../../help/effects.ts";
import { Life } from "../../help/life.ts";

const { effects } = fakeEffects("2024-12-02T12:00:00Z");
const today = 20_059;

const samples_list = statement({
  sql: `
    SELECT tag_no, ts, received_at, value, value_int, value_str, quality::INTEGER AS quality,
      status_code
    FROM sample
    ORDER BY ALL`,
  row: {
    ...{ tag_no: "int32", ts: "instant", received_at: "instant", value: "float64?" } as const,
    ...{ value_int: "int64?", value_str: "text?", quality: "int32?" } as const,
    status_code: "uint32?",
  },
  reach: "near",
});

/** How often, on a day, a sample lies before one that it is to lie behind. */
const disorder_count = statement({
  sql: `
    SELECT count(*)::INTEGER AS n
    FROM (
      SELECT tag_no, ts, lag(tag_no) OVER w AS tag_before, lag(ts) OVER w AS ts_before
      FROM sample
      WHERE ts // 86400000000 = $day
      WINDOW w AS (ORDER BY rowid)
    )
    WHERE tag_before > tag_no OR tag_before = tag_no AND ts_before > ts`,
  parameters: { day: "int32" },
  row: { n: "int32" },
  reach: "near",
});

const open = (path: string) => Database.open({ path, effects, threads: 1, memory_mb: 128 });

/** Puts samples in order, each tag a lot of its own. */
const orderOf = (database: Database) =>
  new SampleOrder({ database, effects, waiting: () => 0, lot_rows: 1 });

const all = (database: Database) => database.read((it) => it.rows(samples_list));

async function disorder(database: Database, day: number): Promise<number> {
  const [{ n }] = await database.read((it) => it.rows(disorder_count, { day }));
  return n;
}

/** Samples as they arrive, by time, of a span of days. */
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
      ORDER BY s, tag_no`)
  );
}

Deno.test("samples of closed days lie by tag and time, and are the same", async () => {
  const database = await open(":memory:");
  await arrive(database, { days: [today - 2, today], tags: 70, each_s: 100 });
  await arrive(database, { days: [today, today + 1], tags: 70, each_s: 600 });
  const before = await all(database);
  ok(await disorder(database, today - 1) > 500);
  const order = orderOf(database);
  await order.settle();
  deepEqual(await all(database), before);
  deepEqual([await disorder(database, today - 2), await disorder(database, today - 1)], [0, 0]);
  ok(await disorder(database, today) > 50, "the day is not over");

  const { committed_us } = database;
  await order.settle();
  await orderOf(database).settle();
  equal(database.committed_us, committed_us, "nothing is stored where nothing came");

  const few = { days: [today - 1, today], tags: 1, each_s: 9_000 } as const;
  await arrive(database, few);
  await order.settle();
  ok(await disorder(database, today - 1) > 0, "a few late samples lie behind");
  await arrive(database, { ...few, tags: 70, each_s: 1_000 });
  const late = await all(database);
  await order.settle();
  equal(await disorder(database, today - 1), 0);
  deepEqual(await all(database), late);
  await database.close();
});

Deno.test("the tags of a lot lie together by time, and no more of them than fill it", async () => {
  const database = await open(":memory:");
  await arrive(database, { days: [today - 1, today + 1], tags: 9, each_s: 3_600 });
  const before = await all(database);
  await new SampleOrder({ database, effects, waiting: () => 0, lot_rows: 70 }).settle();
  deepEqual(await all(database), before);
  const lying = await database.read((it) => it.rows(lying_list));
  const wanted = [[0, 1, 2], [3, 4, 5], [6, 7, 8]].flatMap((lot) =>
    Array.from({ length: 24 }, (_, hour) => lot.map((tag_no) => ({ tag_no, hour }))).flat()
  );
  deepEqual(lying, wanted);
  await database.close();
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
  const order = new SampleOrder({ database, effects, waiting: () => 0, lot_rows: 1 });
  for (const day of [today, today + 1, today + 2]) {
    await arrive(database, { days: [day, day + 1], tags: 3, each_s: 3_600 });
    await order.settle();
    ok(await disorder(database, day) > 0, "it is not over");
    clock.advance(86_400_000);
    if (day > today) equal(await disorder(database, day - 1), 0);
  }
  await database.close();
});

Deno.test("samples that come while their day is put in order are kept", async () => {
  const database = await open(":memory:");
  await arrive(database, { days: [today - 1, today + 1], tags: 70, each_s: 40 });
  const order = orderOf(database);
  const late = { days: [today - 1, today], tags: 70, each_s: 9_001 } as const;
  let parts = 0;
  await order.settle(async () => {
    if (parts++ === 0) await arrive(database, late);
  });
  ok(parts > 1, `${parts} parts`);
  const samples = await all(database);
  equal(samples.length, 70 * (2 * 2160 + 10));
  ok(await disorder(database, today - 1) > 0, "what changed meanwhile stays as it lies");
  await order.settle();
  equal(await disorder(database, today - 1), 0);
  deepEqual(await all(database), samples);
  await database.close();
});

Deno.test("a process that dies at any step of ordering loses and doubles nothing", async () => {
  const folder = await Deno.makeTempDir();
  const whole = await open(`${folder}/whole.duckdb`);
  await arrive(whole, { days: [today - 1, today + 1], tags: 3, each_s: 3_600 });
  const samples = await all(whole);
  await whole.close();
  const path = `${folder}/a.duckdb`;
  let steps = 1;
  for (;; steps++) {
    await Deno.copyFile(`${folder}/whole.duckdb`, path);
    const database = await open(path);
    const life = new Life(steps);
    const lived = orderOf(database).settle().then(() => true, () => false);
    const is_whole = await lived.finally(() => life.end());
    await database.abandon();
    if (is_whole && !life.is_dead) break;
    const again = await open(path);
    deepEqual(await all(again), samples, `after ${steps} steps`);
    await orderOf(again).settle();
    deepEqual([await all(again), await disorder(again, today - 1)], [samples, 0]);
    await again.close();
    for (const left of ["a.duckdb", "a.duckdb.wal"]) {
      await Deno.remove(`${folder}/${left}`).catch(() => {});
    }
  }
  ok(steps > 8, `${steps} steps`);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("ordering waits while there is other work, and stops when it is told to", async () => {
  const world = fakeEffects("2024-12-02T12:00:00Z");
  const database = await open(":memory:");
  await arrive(database, { days: [today - 1, today + 1], tags: 3, each_s: 3_600 });
  let waiting = 1e6;
  const order = new SampleOrder({
    ...{ database, effects: world.effects, waiting: () => waiting, lot_rows: 1 },
  });
  const stop = new AbortController();
  const running = order.loop.run(stop.signal);
  const pass = async (until: () => Promise<boolean>) => {
    while (!await until()) world.clock.advance(1_000);
  };
  const isOrdered = async () => await disorder(database, today - 1) === 0;
  await pass(isOrdered);
  waiting = 0;
  const isNoted = async () => {
    const [{ n }] = await database.read((it) => it.rows(notes_count));
    return n > 0;
  };
  await pass(isNoted);
  stop.abort();
  await running;
  await database.close();
});

const notes_count = statement({
  sql: "SELECT count(*)::INTEGER AS n FROM sample_order",
  row: { n: "int32" },
});
