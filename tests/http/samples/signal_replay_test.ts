// Tests GET /platform/v1/signals by watermark: order, visibility, paging, a writer beside it.
import { deepEqual, equal, ok } from "node:assert/strict";
import { Connection } from "../../../src/store/connection.ts";
import fc from "../../help/costly.ts";
import { openSignals, printed, type SignalRow, start_us } from "../../help/signal.ts";
import { runQuery } from "../../help/query.ts";

const ten = "received_since=2026-06-01T00:00:10Z&resolution=raw";
const day = "from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z";

Deno.test("received_since shows raw_signal by storing time, or the lane asked for", async () => {
  const { rows, close } = await openSignals();
  const since = "received_since=2026-06-01T00:00:10Z";
  const found = await rows(since);
  deepEqual(found.map((row) => `${row.sensor_tag} ${row.resolution} ${row.lane}`), [
    "blank raw raw_signal",
    "code raw raw_signal",
    "ghi raw raw_signal",
    "p raw raw_signal",
    "text raw raw_signal",
    "p raw raw_signal",
    "p raw raw_signal",
    "code 1m raw_signal",
    "p 1m raw_signal",
  ]);
  equal((await rows("received_since=2026-06-01T00:00:10.000001Z")).length, 2);
  deepEqual((await rows(`${since}&lane=performance&resolution=1m`)).map((row) => row.lane), [
    "performance",
    "performance",
  ]);
  equal(
    (await rows(`${since}&from=2026-06-01T00:00:00.000001Z&to=2026-06-02T00:00:00Z`)).length,
    2,
  );
  equal((await rows("received_since=2100-01-01T00:00:00Z")).length, 0);
  await close();
});

Deno.test("a row shows in a replay five seconds after it was stored, not before", async () => {
  const { rows, clock, database, close } = await openSignals();
  const stored_us = clock.now_us;
  await database.write(({ connection, stamp_us }) =>
    runQuery(connection, "INSERT INTO sample VALUES (1, $ts, $at, 1, NULL, NULL, 0, 0)", {
      ts: stored_us,
      at: stamp_us,
    })
  );
  const since = `received_since=${printed(stored_us)}`;
  equal((await rows(since)).length, 0);
  equal(
    (await rows(`from=${printed(stored_us)}&to=2026-06-02T00:00:00Z&lane=raw_signal`)).length,
    1,
  );
  clock.now_us = stored_us + 4_999_999;
  equal((await rows(since)).length, 0);
  clock.now_us = stored_us + 5_000_000;
  equal((await rows(since)).length, 1);
  await close();
});

Deno.test("a replay waits for minutes that are stored beside other writes", async () => {
  const { rows, clock, database, close } = await openSignals();
  const since = `received_since=${printed(clock.now_us)}`;
  const found = async () => (await rows(since)).map((row) => row.resolution);
  const session = database.session();
  await database.writeBeside(session, async ({ connection, stamp_us }) => {
    await connection.script(`
      INSERT INTO minute BY NAME
      SELECT * REPLACE (minute + 60 AS minute, ${stamp_us} AS received_at) FROM minute LIMIT 1`);
    clock.now_us += 1_000_000;
    await database.write(({ connection, stamp_us }) =>
      connection.script(`
        INSERT INTO sample (tag_no, ts, received_at, value, quality)
        VALUES (1, ${stamp_us}, ${stamp_us}, 1, 0)`)
    );
    clock.now_us += 10_000_000;
    deepEqual(await found(), []);
  });
  deepEqual(await found(), ["1m", "raw"]);
  session.close();
  await close();
});

Deno.test("a page is full although a row of it is stored again while it is read", async () => {
  const { rows, database, close } = await openSignals();
  // Of another limit: where this page ends is not known yet.
  const before = (await rows(`${ten}&limit=5`)).slice(0, 4);
  equal(before.length, 4);
  const asked = `${ten}&limit=4`;
  const real = Connection.prototype.chunk;
  const meanwhile: typeof real = async function (this: Connection, ...given) {
    Connection.prototype.chunk = real;
    await database.write(({ connection, stamp_us }) =>
      runQuery(connection, "UPDATE sample SET received_at = $stamp_us", { stamp_us })
    );
    return await Reflect.apply(real, this, given);
  };
  Connection.prototype.chunk = meanwhile;
  try {
    deepEqual(await rows(asked), before);
    ok(Connection.prototype.chunk === real, "something was stored meanwhile");
  } finally {
    Connection.prototype.chunk = real;
  }
  await close();
});

Deno.test("a page that was read before is read at once, also where it changed", async () => {
  const { rows, database, close } = await openSignals();
  const asked = `${ten}&limit=4`;
  const before = await rows(asked);
  const real = Connection.prototype.transaction;
  let looked = 0;
  Connection.prototype.transaction = function (this: Connection, ...given) {
    looked++;
    return Reflect.apply(real, this, given);
  } as typeof real;
  try {
    deepEqual(await rows(asked), before);
    equal(looked, 0, "its end is remembered");
  } finally {
    Connection.prototype.transaction = real;
  }
  const wholes = [
    // Now it reaches further, and then holds far more rows than were thought.
    "DELETE FROM sample WHERE tag_no = 1",
    `INSERT INTO sample
      SELECT 1, ts + i, received_at, i, NULL, NULL, 0, 0 FROM sample, range(40) t(i)
      WHERE tag_no = 2`,
  ];
  for (const sql of wholes) {
    await database.write(({ connection }) => connection.script(sql));
    const whole = await rows(ten);
    deepEqual(await rows(asked), whole.slice(0, 4), sql);
  }
  await close();
});

Deno.test("of the stamps that a page begins and ends in, what is of it is read", async () => {
  const { rows, database, clock, close } = await openSignals();
  await database.write(({ connection, stamp_us }) =>
    runQuery(
      connection,
      "INSERT INTO sample SELECT 1, $ts + i, $at, i, NULL, NULL, 0, 0 FROM range(100) t(i)",
      { ts: start_us + 1000, at: stamp_us },
    )
  );
  clock.now_us += 10_000_000;
  const since = `received_since=${printed(clock.now_us - 20_000_000)}`;
  const whole = await rows(since);
  equal(whole.length, 100);
  using counted = countRows();
  const { read } = counted;
  // What it ends in is known from the second time on.
  await rows(`${since}&limit=10`);
  deepEqual(await rows(`${since}&limit=10`), whole.slice(0, 10));
  equal(read.at(-1), 10);
  const { received_at, ts, sensor_tag } = whole[89];
  const resume = `received_since=${received_at}&after_ts=${ts}&after_tag=${sensor_tag}`;
  deepEqual(await rows(resume), whole.slice(90));
  equal(read.at(-1), 11, "the row that it goes on behind, and those of it");
  await close();
});

Deno.test("pages that others read before are read without a row of the next ones", async () => {
  const { rows, database, clock, close } = await openSignals();
  const from_us = clock.now_us;
  for (let commit = 0; commit < 12; commit++) {
    clock.now_us += 1_000_000;
    await database.write(({ connection, stamp_us }) =>
      runQuery(
        connection,
        "INSERT INTO sample SELECT 1, $ts + i, $at, i, NULL, NULL, 0, 0 FROM range($rows) t(i)",
        { ts: start_us + 1000 * commit, at: stamp_us, rows: [25, 1, 7][commit % 3] },
      )
    );
  }
  clock.now_us += 10_000_000;
  const asked = { limit: 10, from: `received_since=${printed(from_us)}` };
  using counted = countRows();
  const { read } = counted;
  const whole = await replay(rows, asked);
  equal(whole.length, 132);
  read.length = 0;
  deepEqual(await replay(rows, asked), whole);
  // Each page, but for the first, with the row that it goes on behind.
  deepEqual(read, [10, ...Array(12).fill(11), 3]);
  await close();
});

Deno.test("pages of any limit hold together exactly the rows of one page", async () => {
  const { rows, close } = await openSignals();
  const whole = await rows(day);
  const replayed = await rows("received_since=2026-06-01T00:00:00Z");
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 20 }), async (limit) => {
      const paged: SignalRow[] = [];
      for (let more = true; more;) {
        const page = await rows(`${day}&limit=${limit}&offset=${paged.length}`);
        paged.push(...page);
        more = page.length === limit;
      }
      deepEqual(paged, whole);
      deepEqual(await replay(rows, { limit }), replayed);
    }),
    { numRuns: 10 },
  );
  await close();
});

Deno.test("a page is the same in whatever order rows lie, over pauses and loads", async () => {
  const { rows, database, close } = await openSignals();
  const since = "received_since=2026-05-01T00:00:00Z";
  const line = fc.record({
    tag: fc.integer({ min: 1, max: 3 }),
    ts: fc.integer({ min: 1, max: 20 }),
    // Samples lie close together and far apart, more of them than a window may hold.
    apart: fc.constantFrom(1, 1, 1, 1_000_000, 7_200_000_000),
    // Some stamps hold most rows; others lie days apart.
    stamp: fc.oneof(fc.constantFrom(0, 1, 2), fc.integer({ min: 0, max: 25 * 86_400 })),
    table: fc.constantFrom("sample", "minute"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(line, {
        maxLength: 60,
        size: "max",
        selector: ({ tag, ts, apart, table }) =>
          `${tag} ${ts} ${table === "sample" ? apart : ""} ${table}`,
      }),
      fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 12 })),
      fc.constantFrom("", "&tag=p", "&tag=code&tag=text", "&resolution=raw", "&resolution=1m"),
      async (lines, limit, filter) => {
        const values = (it: typeof lines[number]) =>
          it.table === "sample"
            ? `(${it.tag}, ${start_us + it.ts * it.apart}, ${
              load_us + it.stamp * 1e6
            }, 1, NULL, NULL, 0, 0)`
            : `(20605, ${it.tag}, ${start_us / 6e7 + it.ts}, ${load_us + it.stamp * 1e6}, 1, ` +
              "NULL, NULL, 1, 1, 0, 0, false, 1, 0, 0)";
        const inserts = lines.map((it) => `INSERT INTO ${it.table} VALUES ${values(it)};`).join("");
        await database.write(({ connection }) =>
          connection.script(`DELETE FROM sample; DELETE FROM minute; ${inserts}`)
        );
        const whole = await rows(`${since}${filter}`);
        const keys = whole.map((row) => `${row.received_at} ${row.ts} ${row.sensor_tag}`);
        deepEqual(keys, keys.toSorted());
        deepEqual(await replay(rows, { limit, from: since, filter }), whole);
        const ranged = await rows(`${whole_time}${filter}`);
        deepEqual(ranged.map(timeOf), whole.map(timeOf).toSorted());
        for (const range of [whole_time, its_time]) {
          for (const offset of [0, limit]) {
            const page = await rows(`${range}${filter}&limit=${limit}&offset=${offset}`);
            deepEqual(page, ranged.slice(offset, offset + limit));
          }
        }
        const skipped = await rows(`${since}${filter}&limit=${limit}&offset=${limit}`);
        deepEqual(skipped, whole.slice(limit, 2 * limit));
      },
    ),
    { numRuns: 15 },
  );
  await close();
});

const whole_time = "from=1970-01-02T00:00:00Z&to=2100-01-01T00:00:00Z&lane=raw_signal";
/** From the first sample on. */
const its_time = "from=2026-06-01T00:00:00Z&to=2026-07-01T00:00:00Z&lane=raw_signal";

function timeOf({ ts, sensor_tag, resolution }: SignalRow): string {
  return `${ts} ${sensor_tag} ${resolution === "raw" ? 0 : 1}`;
}

const load_us = Date.UTC(2026, 4, 2) * 1000;

/** Every row by watermark from a place, in pages of `limit`. */
async function replay(
  rows: (query: string) => Promise<SignalRow[]>,
  { limit, from = "received_since=2026-06-01T00:00:00Z", filter = "" }: {
    readonly limit: number;
    readonly from?: string;
    readonly filter?: string;
  },
): Promise<SignalRow[]> {
  const all: SignalRow[] = [];
  for (let resume = from;;) {
    const page = await rows(`${resume}${filter}&limit=${limit}`);
    all.push(...page);
    if (page.length < limit) return all;
    const { received_at, ts, sensor_tag } = page.at(-1)!;
    resume = `received_since=${received_at}&after_ts=${ts}&after_tag=${sensor_tag}`;
  }
}

Deno.test("a reader that resumes beside a writer misses nothing and repeats nothing", async () => {
  const { rows, clock, database, close } = await openSignals();
  const from_us = clock.now_us;
  let written = 0;
  const write = async () => {
    for (let batch = 0; batch < 40; batch++) {
      clock.now_us += (batch % 3) * 1_700_000;
      await database.write(({ connection, stamp_us }) =>
        runQuery(
          connection,
          "INSERT INTO sample SELECT 1 + i % 3, $ts - i, $at, 1, NULL, NULL, 0, 0 " +
            "FROM range($rows::BIGINT) t(i)",
          { ts: stamp_us - 1_000_000 * (batch % 7), at: stamp_us, rows: 1 + batch % 11 },
        )
      );
      written += 1 + batch % 11;
    }
  };
  const seen: SignalRow[] = [];
  let resume = `received_since=${printed(from_us)}`;
  const read = async () => {
    const page = await rows(`${resume}&limit=7`);
    seen.push(...page);
    if (page.length === 0) return;
    const { received_at, ts, sensor_tag } = page.at(-1)!;
    resume = `received_since=${received_at}&after_ts=${ts}&after_tag=${sensor_tag}`;
  };
  const writing = write();
  for (let i = 0; i < 30; i++) await read();
  await writing;
  // Stamps rise even while the clock stands: the last may lie a little ahead of it.
  clock.now_us += 5_001_000;
  for (let before = -1; before !== seen.length;) {
    before = seen.length;
    await read();
  }
  equal(seen.length, written);
  equal(new Set(seen.map((row) => `${row.received_at} ${row.ts} ${row.sensor_tag}`)).size, written);
  await close();
});

Deno.test("tags come in the order of UTF-8 bytes; after_tag may be an unknown one", async () => {
  const { rows, database, services, close } = await openSignals();
  const names = ["Z", "a", "é", "\uffee", "\u{1f600}"];
  await database.write(({ connection, stamp_us }) =>
    Promise.all(names.map(async (name, i) => {
      await runQuery(
        connection,
        "INSERT INTO tag VALUES " +
          "($no, 1, 'signal', $name, 'odd', 'float', NULL, 900, NULL, NULL, false, NULL)",
        { no: 100 - i, name },
      );
      await runQuery(connection, "INSERT INTO sample VALUES ($no, $ts, $at, 1, NULL, NULL, 0, 0)", {
        no: 100 - i,
        ts: start_us,
        at: stamp_us - 60_000_000,
      });
    })).then(() => {})
  );
  await services.catalog.reload();
  const tags = (await rows(`${day}&tag_class=odd`)).map((row) => row.sensor_tag);
  deepEqual(tags, names);
  const [{ received_at, ts }] = await rows("received_since=2026-06-01T00:00:00Z&tag_class=odd");
  const resume = `received_since=${received_at}&after_ts=${ts}&tag_class=odd&after_tag=`;
  deepEqual((await rows(`${resume}b`)).map((row) => row.sensor_tag), names.slice(2));
  deepEqual((await rows(resume + encodeURIComponent("\uffee"))).length, 1);
  await close();
});

/** Notes of each answer of the database how many rows it has, until it is disposed of. */
function countRows(): Disposable & { readonly read: number[] } {
  const real = Connection.prototype.chunk;
  const read: number[] = [];
  Connection.prototype.chunk = async function (this: Connection, ...given) {
    const chunk = await Reflect.apply(real, this, given);
    read.push(chunk.rows);
    return chunk;
  } as typeof real;
  return { read, [Symbol.dispose]: () => void (Connection.prototype.chunk = real) };
}
