// A transaction that is one append alone, which DuckDB begins and commits by itself.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { setImmediate } from "node:timers";
import { utf8 } from "../../src/base/bytes.ts";
import type { Chunk } from "../../src/model/data/chunk.ts";
import { noneValid } from "../../src/model/data/chunk.ts";
import type { Connection } from "../../src/store/connection.ts";
import { Database } from "../../src/store/database.ts";
import { database_limits } from "../../src/store/limits.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

/** Rows `(tag_no, n)`, as many of each tag. */
function rowsOf(...tags: readonly number[]): Chunk {
  const values = Int32Array.from(tags);
  return { rows: tags.length, vectors: [{ kind: "int32", values }, { kind: "int32", values }] };
}

/** Rows that the table refuses once they are put in: they have no tag. */
function refused(): Chunk {
  const [tag, n] = rowsOf(1, 2).vectors;
  return { rows: 2, vectors: [{ ...tag, valid: noneValid(2) }, n] };
}

const stored = (connection: Connection) =>
  queryRows<{ tag_no: number; n: number }>(
    connection,
    "SELECT tag_no, count(*)::INTEGER AS n FROM held GROUP BY tag_no ORDER BY tag_no",
  );

async function withTable(work: (database: Database) => Promise<void>): Promise<void> {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", effects, threads: 2 });
  try {
    await database.write(({ connection }) =>
      connection.script("CREATE TABLE held (tag_no INTEGER NOT NULL, n INTEGER)")
    );
    await work(database);
  } finally {
    await database.close();
  }
}

Deno.test("an append that is all of a transaction is seen with its end", () =>
  withTable(async (database) => {
    await database.write(async ({ connection }) => {
      await connection.append("held", rowsOf(1, 1, 2));
      deepEqual(await database.aside(stored), []);
    });
    deepEqual(await database.aside(stored), [{ tag_no: 1, n: 2 }, { tag_no: 2, n: 1 }]);
    await database.rehearse(({ connection }) => connection.append("held", rowsOf(3)));
    await rejects(database.write(async ({ connection }) => {
      await connection.append("held", rowsOf(4));
      throw new Error("no");
    }));
    equal((await database.aside(stored)).length, 2);
  }));

Deno.test("rows that are appended to some columns have nothing in the others, held or not", () =>
  withTable(async (database) => {
    const only = ({ rows, vectors }: Chunk): Chunk => ({ rows, vectors: vectors.slice(0, 1) });
    await database.write(({ connection }) =>
      connection.append("held", only(rowsOf(1)), ["tag_no"])
    );
    await database.write(async ({ connection }) => {
      await connection.append("held", only(rowsOf(2)), ["tag_no"]);
      await connection.append("held", rowsOf(3));
    });
    const rows = await database.aside((connection) =>
      queryRows(connection, "SELECT tag_no, n FROM held ORDER BY tag_no")
    );
    deepEqual(rows, [{ tag_no: 1, n: null }, { tag_no: 2, n: null }, { tag_no: 3, n: 3 }]);
    const misnamed = database.write(({ connection: it }) =>
      it.append("held", only(rowsOf(4)), ["m"])
    );
    await rejects(misnamed, /column/);
  }));

Deno.test("what follows an append in its transaction sees it, and ends with it", () =>
  withTable(async (database) => {
    await database.write(async ({ connection }) => {
      await connection.append("held", rowsOf(1));
      await connection.append("held", rowsOf(2));
      await connection.append(
        "held",
        rowsOf(...new Array(database_limits.append_rows + 1).fill(3)),
      );
      deepEqual((await stored(connection)).map(({ tag_no }) => tag_no), [1, 2, 3]);
      deepEqual(await database.aside(stored), []);
    });
    await rejects(database.write(async ({ connection }) => {
      await connection.append("held", rowsOf(9));
      equal((await stored(connection)).length, 4);
      throw new Error("no");
    }));
    equal((await database.aside(stored)).length, 3);
  }));

Deno.test("statements at once in a transaction begin it once", () =>
  withTable(async (database) => {
    await database.write(async ({ connection }) => {
      await connection.append("held", rowsOf(1));
      const seen = await Promise.all([stored(connection), stored(connection), stored(connection)]);
      deepEqual(seen.map(({ length }) => length), [1, 1, 1]);
    });
    equal((await database.aside(stored)).length, 1);
  }));

Deno.test("others have their turn while a few rows are committed", () =>
  withTable(async (database) => {
    let turns = 0;
    let is_over = false;
    const count = () => void (is_over || setImmediate(count), turns++);
    setImmediate(count);
    for (let n = 0; n < 20; n++) {
      await database.write(({ connection }) => connection.append("held", rowsOf(n)));
    }
    is_over = true;
    ok(turns > 0, "the disk is waited for beside this thread");
  }));

Deno.test("what fails while its transaction begins leaves nothing", () =>
  withTable(async (database) => {
    const reading: Promise<unknown>[] = [];
    await rejects(
      database.write(async ({ connection }) => {
        await connection.append("held", rowsOf(...new Array(database_limits.append_rows).fill(1)));
        reading.push(stored(connection));
        throw new Error("no");
      }),
      /no/,
    );
    await Promise.allSettled(reading);
    deepEqual(await database.aside(stored), []);
  }));

Deno.test("an append on a database that ended itself is known for that", async () => {
  const { effects } = fakeEffects();
  const folder = await Deno.makeTempDir();
  const path = `${folder}/a.duckdb`;
  const database = await Database.open({ path, effects, threads: 1 });
  await database.write(({ connection }) => connection.script("CREATE TABLE held (n INTEGER)"));
  await database.aside(async (connection) => {
    await connection.script("SET debug_checkpoint_abort = 'before_header'");
    // Nobody looks at this error: the append alone tells.
    await rejects(connection.script("CHECKPOINT"), /has been invalidated/);
  });
  equal(database.is_invalid, false);
  const held: Chunk = { rows: 1, vectors: [{ kind: "int32", values: Int32Array.of(1) }] };
  await rejects(
    database.write(({ connection }) => connection.append("held", held)),
    /has been invalidated/,
  );
  equal(database.is_invalid, true);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("words of a row end no database, whatever they say", () =>
  withTable(async (database) => {
    await database.write(({ connection }) =>
      connection.script("CREATE TABLE said (words VARCHAR PRIMARY KEY)")
    );
    const words = utf8("fsync failed! database has been invalidated");
    const text = { bytes: words, offsets: Int32Array.of(0, words.length) };
    const said: Chunk = { rows: 1, vectors: [{ kind: "text", words: text }] };
    const append = () => database.write(({ connection }) => connection.append("said", said));
    await append();
    await rejects(append(), /^Error: Failed to append.*has been invalidated/);
    equal(database.is_invalid, false);
  }));

Deno.test("an append that is refused leaves nothing, and the next transaction goes on", () =>
  withTable(async (database) => {
    const append = (chunk: Chunk) =>
      database.write(({ connection }) => connection.append("held", chunk));
    const rehearsal = database.rehearse(({ connection }) => connection.append("held", refused()));
    await rejects(rehearsal, /NOT NULL/);
    await rejects(append(refused()), /NOT NULL/);
    await append(rowsOf(5));
    await rejects(append(refused()), /NOT NULL/);
    deepEqual(await database.aside(stored), [{ tag_no: 5, n: 1 }]);
  }));
