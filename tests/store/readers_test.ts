// Leases of readers: who waits, for how long, in which order, and what a failure leaves behind.
import assert from "node:assert/strict";
import { Fault } from "../../src/base/fault.ts";
import { limits } from "../../src/base/limits.ts";
import { database_limits } from "../../src/store/limits.ts";
import { Connection } from "../../src/store/connection.ts";
import { DuckFile } from "../../src/store/duckdb/client.ts";
import { FarDays } from "../../src/store/far.ts";
import { Database } from "../../src/store/database.ts";
import { Readers } from "../../src/store/readers.ts";
import { statement } from "../../src/store/statement.ts";
import { fakeEffects } from "../help/effects.ts";
import { query, queryRows } from "../help/query.ts";
import { aTurn } from "../help/until.ts";

/** A database whose readers are all leased until `free` is called. */
async function openLeased() {
  const { effects, clock } = fakeEffects();
  const database = await Database.open({ path: ":memory:", threads: 1, effects });
  const over = Promise.withResolvers<void>();
  const leased = Array.from(
    { length: database_limits.readers },
    () => database.read(() => over.promise),
  );
  return {
    database,
    clock,
    async free() {
      over.resolve();
      await Promise.all(leased);
    },
  };
}

const samples_count = statement({
  sql: "SELECT count(*)::INTEGER AS n FROM sample",
  row: { n: "int32" },
  reach: "all",
});

const one = (connection: Connection) => queryRows(connection, "SELECT 1::INTEGER AS n");

/** Every reader answers at once: none was lost. */
async function allAnswer(database: Pick<Database, "read">): Promise<void> {
  const met = Promise.withResolvers<void>();
  let here = 0;
  await Promise.all(
    Array.from({ length: database_limits.readers }, () =>
      database.read(async (connection) => {
        assert.deepEqual(await one(connection), [{ n: 1 }]);
        if (++here === database_limits.readers) met.resolve();
        await met.promise;
      })),
  );
}

Deno.test("reads that wait get their turn in the order of asking", async () => {
  const { database, free } = await openLeased();
  const order: number[] = [];
  const reads = [1, 2, 3, 4, 5, 6].map((i) =>
    database.read((connection) => {
      order.push(i);
      return one(connection);
    })
  );
  await free();
  await Promise.all(reads);
  assert.deepEqual(order, [1, 2, 3, 4, 5, 6]);
  await database.close();
});

Deno.test("who waits for old days keeps no place from others", async () => {
  const { effects, clock } = fakeEffects();
  const database = await Database.open({ path: ":memory:", threads: 1, effects });
  database.far.note({ day: 1, last_received_at: 1 });
  const over = Promise.withResolvers<void>();
  const begun = Array.from(
    { length: database_limits.readers },
    () => Promise.withResolvers<void>(),
  );
  const leased = begun.map(({ resolve }) =>
    database.read(async (connection) => {
      await connection.rows(samples_count);
      resolve();
      await over.promise;
    })
  );
  await Promise.all(begun.map(({ promise }) => promise));
  await allAnswer(database);
  const refused = assert.rejects(
    database.read((connection) => connection.rows(samples_count)),
    /others wait for old days, too; try again shortly/,
  );
  await allAnswer(database);
  clock.advance(database_limits.reader_wait_ms);
  await refused;
  over.resolve();
  await Promise.all(leased);
  assert.deepEqual(await database.read((it) => it.rows(samples_count)), [{ n: 0 }]);
  await allAnswer(database);
  await database.close();
});

Deno.test("a read whose client goes while it waits is forgotten at once", async () => {
  const { database, free } = await openLeased();
  const gone = new AbortController();
  const waiting = database.read(() => assert.fail("nobody wants it"), gone.signal);
  const other = database.read(one);
  gone.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  await assert.rejects(database.read(one, gone.signal), { name: "AbortError" });
  await free();
  assert.deepEqual(await other, [{ n: 1 }]);
  await allAnswer(database);
  await database.close();
});

Deno.test("a read whose client goes between two statements runs no other to its end", async () => {
  const { effects, clock } = fakeEffects();
  const database = await Database.open({ path: ":memory:", threads: 1, effects });
  const gone = new AbortController();
  const reading = database.read(async (connection) => {
    await one(connection);
    gone.abort();
    await queryRows(connection, "SELECT count(*)::BIGINT AS n FROM range(1000000000000)");
  }, gone.signal);
  let ended = false;
  const refused = assert.rejects(reading, /interrupt/i).finally(() => ended = true);
  for (; !ended; await aTurn()) clock.advance(database_limits.interrupt_again_ms);
  await refused;
  await allAnswer(database);
  await database.close();
});

Deno.test("a read that waits for too long is refused, and says when to come again", async () => {
  const { database, clock, free } = await openLeased();
  const waiting = database.read(() => assert.fail("its time is over"));
  clock.advance(database_limits.reader_wait_ms - 1);
  const late = database.read(one);
  clock.advance(1);
  await assert.rejects(
    waiting,
    (error) =>
      error instanceof Fault && error.code === "unavailable" &&
      error.retry_after_s === limits.retry_after_s,
  );
  await free();
  assert.deepEqual(await late, [{ n: 1 }]);
  await allAnswer(database);
  await database.close();
});

Deno.test("the database tells that it answers although every reader is leased", async () => {
  const { database, free } = await openLeased();
  assert.equal(await database.answers(), true);
  await free();
  await database.close();
  assert.equal(await database.answers(), false);
});

Deno.test("a connection that can't be opened is not counted", async () => {
  const { effects } = fakeEffects();
  // A closed instance opens none, as one that has no memory left.
  let instance = await DuckFile.open(":memory:", {});
  instance.close();
  const readers = new Readers(
    () => new Connection(instance.connect(), { far: new FarDays("") }),
    effects,
  );
  for (let i = 0; i < 3 * database_limits.readers; i++) await assert.rejects(readers.run(one));
  instance = await DuckFile.open(":memory:", {});
  await allAnswer({ read: (work, signal) => readers.run(work, signal) });
  readers.close();
  instance.close();
});

Deno.test("a connection on which a read failed serves no other read", async () => {
  const { database, free } = await openLeased();
  await free();
  const count = (connection: Connection) =>
    queryRows(connection, "SELECT count(*)::INTEGER AS n FROM meta WHERE name = 'a'");
  // It leaves a transaction open, whose view of the database stands still.
  const failing = Array.from(
    { length: database_limits.readers },
    () =>
      database.read(async (connection) => {
        await connection.script("BEGIN TRANSACTION");
        await count(connection);
        throw new Error("broken");
      }),
  );
  const ends = await Promise.allSettled(failing);
  assert.ok(ends.every(({ status }) => status === "rejected"));
  await database.write(({ connection }) => connection.script("INSERT INTO meta VALUES ('a', 'b')"));
  const counts = await Promise.all(
    Array.from({ length: database_limits.readers }, () => database.read(count)),
  );
  for (const rows of counts) assert.deepEqual(rows, [{ n: 1 }]);
  await database.close();
});

Deno.test("pieces of a result need their connection no more", async () => {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", threads: 1, effects });
  const rows = 50_000;
  await database.write(({ connection }) =>
    connection.script(
      "CREATE TABLE long AS SELECT range::INTEGER AS n, 'a text of its own ' || range AS word " +
        `FROM range(${rows})`,
    )
  );
  const pieces = await database.read((connection) =>
    connection.pieces(query("SELECT n, word FROM long ORDER BY n"))
  );
  const decoder = new TextDecoder();
  let at = 0;
  let count = 0;
  for (const { rows, vectors: [n, word] } of pieces) {
    if (count++ === 0) {
      await allAnswer(database);
      await database.write(({ connection }) => connection.script("DROP TABLE long"));
      await database.close();
    }
    assert.ok(n.kind === "int32" && word.kind === "text");
    const { bytes, offsets } = word.words;
    for (let i = 0; i < rows; i++, at++) {
      assert.equal(n.values[i], at);
      const text = decoder.decode(bytes.subarray(offsets[i], offsets[i + 1]));
      assert.equal(text, `a text of its own ${at}`);
    }
  }
  assert.equal(at, rows);
  assert.ok(count > 2);
});

Deno.test("pieces in turn are as those that have memory of their own", async () => {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", threads: 1, effects });
  // Null in no row of a piece, in some, and in all; the last piece is a short one.
  const sql = `
    SELECT range::INTEGER AS n, range::DOUBLE AS whole, 'word ' || range AS word,
      if(range // 8192 % 2 = 1, NULL, range / 2)::DOUBLE AS some,
      if(range % 3 = 0, NULL, range)::BIGINT AS third
    FROM range(40_000) ORDER BY n`;
  const read = () => database.read((connection) => connection.pieces(query(sql)));
  const own = Array.from(await read());
  assert.deepEqual(Array.from((await read()).inTurn(), (piece) => structuredClone(piece)), own);
  const memory = Array.from(
    (await read()).inTurn(),
    ({ vectors: [n] }) => n.kind === "int32" && n.values.buffer,
  );
  assert.ok(own.length > 2);
  assert.deepEqual(new Set(memory).size, 1);
  await database.close();
});
