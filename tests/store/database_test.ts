// The database floor: stamps, readers beside the writer, streams that are stopped, bulk insert.
import assert from "node:assert/strict";
import { giveWay } from "../../src/base/effects.ts";
import { Fault } from "../../src/base/fault.ts";
import { noneValid, setValid, type Vector, wordsOf } from "../../src/model/data/chunk.ts";
import { Connection } from "../../src/store/connection.ts";
import { Database } from "../../src/store/database.ts";
import { database_limits } from "../../src/store/limits.ts";
import { migrate } from "../../src/store/migrate.ts";
import { readFileUse } from "../../src/store/retention/disk.ts";
import { fakeEffects } from "../help/effects.ts";
import { query, queryRows } from "../help/query.ts";

async function open(now_us = () => 1_000): Promise<Database> {
  return await Database.open({ path: ":memory:", effects: { ...fakeEffects().effects, now_us } });
}

const wordOf = (i: number) => `wörter ${i} lang genug`;

/** Rows of the sample table: every third row without a value, texts of its own in the others. */
function sampleRows(rows: number): { rows: number; vectors: Vector[] } {
  const valid = noneValid(rows);
  for (let i = 0; i < rows; i++) if (i % 3 !== 0) setValid(valid, i);
  return {
    rows,
    vectors: [
      { kind: "int32", values: Int32Array.from({ length: rows }, (_, i) => i) },
      { kind: "int64", values: BigInt64Array.from({ length: rows }, (_, i) => BigInt(i) << 32n) },
      { kind: "int64", values: new BigInt64Array(rows) },
      { kind: "float64", values: Float64Array.from({ length: rows }, (_, i) => i / 7), valid },
      { kind: "int64", values: new BigInt64Array(rows).fill(-(2n ** 63n)), valid },
      {
        kind: "text",
        words: wordsOf(
          Array.from({ length: rows }, (_, i) => i % 3 ? wordOf(i) : ""),
        ),
        valid,
      },
      { kind: "int32", values: new Int32Array(rows).fill(2) },
      { kind: "uint32", values: new Uint32Array(rows).fill(4_294_967_295), valid },
    ],
  };
}

Deno.test("rows come back as appended, with nulls and the edges of Int64 and uint32", async () => {
  const database = await open();
  const rows = 10_000;
  await database.write(({ connection }) => connection.append("sample", sampleRows(rows)));
  const read = await database.read((connection) =>
    queryRows<{ n: number; text: string; low: string; code: number; floats: number }>(
      connection,
      "SELECT count(value)::INTEGER AS n, max(value_str) AS text, " +
        "min(value_int)::VARCHAR AS low, " +
        "max(status_code) AS code, " +
        "count(*) FILTER (value = tag_no / 7 AND " +
        "value_str = 'wörter ' || tag_no || ' lang genug')::INTEGER AS floats FROM sample",
    )
  );
  const filled = Array.from({ length: rows }, (_, i) => i).filter((i) => i % 3 !== 0).length;
  assert.deepEqual(read, [{
    n: filled,
    text: "wörter 9998 lang genug",
    low: "-9223372036854775808",
    code: 4_294_967_295,
    floats: filled,
  }]);
  await database.close();
});

Deno.test("stamps rise strictly although the clock falls, and only commits count", async () => {
  let now_us = 5_000;
  const database = await open(() => now_us);
  const stamps: number[] = [];
  const keep = () => database.write(({ stamp_us }) => Promise.resolve(stamps.push(stamp_us)));
  await keep();
  now_us = 100;
  await keep();
  await assert.rejects(database.write(() => Promise.reject(new Error("no"))), /no/);
  assert.equal(database.committed_us, 5_001);
  await keep();
  assert.deepEqual(stamps, [5_000, 5_001, 5_003]);
  assert.equal(database.committed_us, 5_003);
  await database.close();
});

Deno.test("a write that throws leaves nothing, and the next one works", async () => {
  const database = await open();
  const insert = "INSERT INTO meta VALUES ('a', 'b')";
  await assert.rejects(database.write(async ({ connection }) => {
    await connection.script(insert);
    await connection.script("SELECT error('broken')");
  }));
  await database.write(({ connection }) => connection.script(insert));
  const rows = await database.read((connection) =>
    queryRows(connection, "SELECT count(*)::INTEGER AS n FROM meta WHERE name = 'a'")
  );
  assert.deepEqual(rows, [{ n: 1 }]);
  await database.close();
});

Deno.test("chunks that are stopped early leave their reader good", async () => {
  const database = await open();
  const endless = "SELECT range::BIGINT AS n FROM range(1000000000)";
  for (let i = 0; i < 20; i++) {
    await database.read(async (connection) => {
      for await (const chunk of connection.chunks(query(endless))) {
        assert.equal(chunk.rows > 0, true);
        break;
      }
    });
  }
  assert.deepEqual(
    await database.read((connection) => queryRows(connection, "SELECT 1::INTEGER AS n")),
    [
      { n: 1 },
    ],
  );
  await database.close();
});

Deno.test("chunks gather whole results, nulls where DuckDB has them", async () => {
  const database = await open();
  let rows = 0;
  let nulls = 0;
  const sql = "SELECT CASE WHEN range % 5 = 0 THEN NULL ELSE range::DOUBLE END AS n " +
    "FROM range(200001)";
  const chunks = await database.read((connection) =>
    Array.fromAsync(connection.chunks(query(sql)))
  );
  for (const chunk of chunks) {
    rows += chunk.rows;
    const { valid } = chunk.vectors[0];
    for (let i = 0; i < chunk.rows; i++) if (valid && (valid[i >> 3] >> (i & 7) & 1) === 0) nulls++;
  }
  assert.deepEqual([rows, nulls], [200_001, 40_001]);
  await database.close();
});

Deno.test("a file of a newer program is refused and left as it is", async () => {
  const database = await open();
  const connection: Connection = await database.session();
  await connection.script("UPDATE meta SET value = '9999' WHERE name = 'version'");
  await assert.rejects(migrate(connection), /version 9999/);
  const rows = await queryRows(connection, "SELECT value FROM meta WHERE name = 'version'");
  assert.deepEqual(rows, [{ value: "9999" }]);
  connection.close();
  await database.close();
});

Deno.test("a full disk is a refusal that says when to come again", async () => {
  const database = await open();
  const full = new Error("Failed to commit: Could not write file: No space left on device");
  await assert.rejects(
    database.write(() => Promise.reject(full)),
    (error) => error instanceof Fault && error.code === "unavailable" && error.retry_after_s === 30,
  );
  assert.equal(database.write_refusal, "the disk is full");
  await assert.rejects(database.write(() => Promise.reject(new Error("a mistake"))), /a mistake/);
  assert.equal(database.write_refusal, undefined);
  await assert.rejects(
    database.write(() => Promise.reject(new Error("Failed to commit: Input/output error"))),
    /the disk fails: send again/,
  );
  await database.write(() => Promise.resolve());
  assert.equal(database.write_refusal, undefined);
  await database.close();
});

Deno.test("a fatal error invalidates the database and is told at once", async () => {
  const folder = await Deno.makeTempDir();
  const { effects } = fakeEffects();
  const database = await Database.open({ path: `${folder}/a.duckdb`, effects, memory_mb: 256 });
  await assert.rejects(database.read((connection) => connection.script("SELECT nothing")));
  assert.equal(database.is_invalid, false);
  await database.aside((connection) =>
    connection.script("SET debug_checkpoint_abort = 'before_header'")
  );
  await assert.rejects(database.checkpoint(), /has been invalidated/);
  await database.invalid;
  assert.equal(database.is_invalid, true);
  assert.equal(await database.answers(), false);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("another program's database is refused and left as it is", async () => {
  const database = await open();
  const connection: Connection = await database.session();
  await connection.script("ALTER TABLE meta RENAME TO theirs");
  await assert.rejects(migrate(connection), /another program's database/);
  connection.close();
  await database.close();
});

Deno.test("a stop beside an open transaction leaves the log, which is replayed", async () => {
  const path = `${await Deno.makeTempDir()}/a.duckdb`;
  const { effects } = fakeEffects();
  const database = await Database.open({ path, effects });
  await database.write(({ connection }) => connection.script("INSERT INTO stale VALUES (7, 7)"));
  const other = await database.session();
  await other.script("BEGIN; CREATE TABLE other(a INTEGER)");
  assert.equal(await database.checkpoint(), false);
  await database.close();
  other.close();
  const again = await Database.open({ path, effects });
  const rows = await again.read((connection) => queryRows(connection, "SELECT day FROM stale"));
  assert.deepEqual(rows, [{ day: 7 }]);
  await again.close();
});

Deno.test("a few rows of a new file take little room, and many are compressed", async () => {
  const path = `${await Deno.makeTempDir()}/new.duckdb`;
  const database = await Database.open({ path, effects: fakeEffects().effects });
  const add = async (rows: number) => {
    await database.write(({ connection }) =>
      connection.script(`
        INSERT INTO reading (day, sensor_no, minute, light, value)
        SELECT 1, 1, i, true, round(500 * sin(i / 97) + hash(i) / 1e18, 1)
        FROM range(${rows}) AS r (i)`)
    );
    await database.checkpoint();
    return (await database.aside(readFileUse)).used_bytes;
  };
  const few_bytes = await add(100);
  const row_bytes = (await add(300_000) - few_bytes) / 300_000;
  // In blocks of 256 KiB few would take 786 432 bytes; doubles as they are 8 bytes a row.
  assert.ok(few_bytes < 400_000, `${few_bytes} bytes`);
  assert.ok(row_bytes < 3, `${row_bytes} bytes a row`);
  await database.close();
});

Deno.test("little is kept of a file that nobody reads, but working tables are", async () => {
  const path = `${await Deno.makeTempDir()}/unread.duckdb`;
  const database = await Database.open({ path, effects: fakeEffects().effects });
  const session = database.session();
  const many = "SELECT random() AS x FROM range(2000000)";
  await database.write(({ connection }) => connection.script(`CREATE TABLE many AS ${many}`));
  await session.script("CREATE TEMP TABLE kept AS SELECT range AS i FROM range(1000000)");
  await database.checkpoint();
  await database.read((connection) => connection.script("SELECT sum(x) FROM many"));
  const usedMb = async () => {
    const sql = "SELECT sum(memory_usage_bytes)::DOUBLE AS bytes FROM duckdb_memory()";
    const [{ bytes }] = await queryRows<{ bytes: number }>(session, sql);
    return bytes / 1024 ** 2;
  };
  assert.ok(await usedMb() > 10);
  await database.dropCache();
  assert.ok(await usedMb() <= database_limits.unused_mb);
  const sum = "SELECT sum(i)::BIGINT AS sum FROM kept";
  assert.deepEqual(await queryRows(session, sum), [{ sum: 499_999_500_000 }]);
  session.close();
  await database.close();
});

Deno.test("a dropped cache leaves the limit as it was, and working tables whole", async () => {
  const path = `${await Deno.makeTempDir()}/cache.duckdb`;
  const database = await Database.open({ path, effects: fakeEffects().effects, memory_mb: 64 });
  await database.read(async (connection) => {
    await connection.script("CREATE TEMP TABLE kept AS SELECT range AS i FROM range(100000)");
    const ask = (sql: string) => queryRows(connection, sql);
    const limit = "SELECT current_setting('memory_limit') AS memory";
    const before = await ask(limit);
    await database.dropCache();
    assert.deepEqual(await ask(limit), before);
    assert.deepEqual(await ask("SELECT sum(i)::BIGINT AS sum FROM kept"), [{ sum: 4_999_950_000 }]);
    const distinct = "SELECT count(DISTINCT md5(range::VARCHAR)) AS n FROM range(200000)";
    assert.deepEqual(await ask(distinct), [{ n: 200_000 }]);
  });
  await database.close();
});

Deno.test("who comes while caches are given back waits, and has all of the memory", async () => {
  const path = `${await Deno.makeTempDir()}/held.duckdb`;
  const database = await Database.open({ path, effects: fakeEffects().effects });
  const session = database.session();
  const many = "SELECT range AS i, random() AS x FROM range(1000000)";
  await database.write(({ connection }) => connection.script(`CREATE TABLE many AS ${many}`));
  await database.checkpoint();
  const limits = new Set<unknown>();
  const look = async () => {
    const sql = "SELECT current_setting('memory_limit') AS most FROM many WHERE i = 7";
    for (const { most } of await queryRows(session, sql)) limits.add(most);
  };
  await look();
  for (let round = 0; round < 5; round++) {
    let dropped = false;
    const dropping = database.dropCache().finally(() => dropped = true);
    while (!dropped) {
      await giveWay();
      await look();
    }
    await dropping;
  }
  assert.deepEqual(limits.size, 1, [...limits].join(", "));
  session.close();
  await database.close();
});

Deno.test("a limit that is too low to be kept leaves the one before", async () => {
  const database = await open();
  const session = database.session();
  const limit = "SELECT current_setting('memory_limit') AS most";
  const before = await queryRows(session, limit);
  await session.script(`
    SET max_temp_directory_size = '0KiB';
    CREATE TEMP TABLE held AS SELECT random() FROM range(2000000)`);
  await database.dropCache();
  assert.deepEqual(await queryRows(session, limit), before);
  session.close();
  await database.close();
});

Deno.test("a write that waits as the database closes is stored", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/a.duckdb`;
  const { effects } = fakeEffects();
  const database = await Database.open({ path, effects });
  const insert = (tag_no: number) =>
    database.write(({ connection, stamp_us }) =>
      connection.script(`
        INSERT INTO sample (tag_no, ts, received_at) VALUES (${tag_no}, 0, ${stamp_us})`)
    );
  await Promise.all([insert(1), insert(2), insert(3), database.close()]);
  const again = await Database.open({ path, effects });
  const [{ rows }] = await again.read((connection) =>
    queryRows<{ rows: number }>(connection, "SELECT count(*)::INTEGER AS rows FROM sample")
  );
  assert.equal(rows, 3);
  await again.close();
  await Deno.remove(folder, { recursive: true });
});
