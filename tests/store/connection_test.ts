// Statements that run again over other rows or with other values, and rows appended in parts.
import assert from "node:assert/strict";
import fc from "fast-check";
import { giveWay } from "../../src/base/effects.ts";
import { noneValid, setValid, validityOf, wordsOf } from "../../src/model/data/chunk.ts";
import { Instance } from "../../src/store/instance.ts";
import { Database } from "../../src/store/database.ts";
import { database_limits } from "../../src/store/limits.ts";
import type { Parameter } from "../../src/store/duckdb/parameter.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

const statements = [
  "SELECT name, number FROM plan ORDER BY number",
  "SELECT count(*)::INTEGER AS n FROM plan WHERE number > 5",
  "SELECT number, count(*)::INTEGER AS n FROM plan GROUP BY number ORDER BY number",
  "SELECT count(*)::INTEGER AS n FROM plan WHERE name IS NULL",
  "SELECT number, row_number() OVER (PARTITION BY name ORDER BY number)::INTEGER AS n FROM plan " +
  "ORDER BY number",
];

Deno.test("a statement that ran before sees rows outside the values of then", async () => {
  const database = await Database.open({ path: ":memory:", effects: fakeEffects().effects });
  const readAll = () =>
    database.read(async (connection) => {
      const answers = [];
      for (const sql of statements) answers.push(await queryRows(connection, sql));
      return answers;
    });
  await database.write(({ connection }) =>
    connection.script(
      "CREATE TABLE plan (number INTEGER, name VARCHAR); INSERT INTO plan VALUES (1, 'a')",
    )
  );
  await readAll();
  await database.write(({ connection }) =>
    connection.script("INSERT INTO plan VALUES (100000, 'a longer name'), (-5, NULL)")
  );
  assert.deepEqual(await readAll(), [
    [
      { name: null, number: -5 },
      { name: "a", number: 1 },
      { name: "a longer name", number: 100_000 },
    ],
    [{ n: 1 }],
    [{ number: -5, n: 1 }, { number: 1, n: 1 }, { number: 100_000, n: 1 }],
    [{ n: 1 }],
    [{ number: -5, n: 1 }, { number: 1, n: 1 }, { number: 100_000, n: 1 }],
  ]);
  await database.close();
});

const number = fc.oneof(
  fc.constantFrom(-0, -5, 5e-324, 2 ** 53, NaN),
  fc.double(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

const whole_list = fc.oneof(
  fc.array(fc.integer()),
  fc.array(fc.integer(), { minLength: 18, maxLength: 60 }),
);

const text = fc.oneof(
  fc.stringMatching(/^[\w -]{0,60}$/),
  fc.stringMatching(/^['"$\\\w -]{0,9}$/),
  fc.constantFrom("", "'", "''", "$x", "%", "\\'", "\n", "1e5", "-- ", "é"),
);

const sql = "SELECT $x::VARCHAR AS x, typeof($x) AS type";
const cases: fc.Arbitrary<[string, Parameter]> = fc.oneof(
  fc.tuple(
    fc.constant(`${sql}, (1-$x::DOUBLE)::VARCHAR AS less`),
    fc.oneof(number, fc.boolean(), fc.constant(null)),
  ),
  fc.tuple(
    fc.constant(sql),
    fc.oneof(
      text,
      whole_list,
      whole_list.map((items) => Int32Array.from(items)),
      fc.array(fc.double()),
    ),
  ),
);

Deno.test("a value is the same whether it is bound or written into the text", async () => {
  const database = await Database.open({ path: ":memory:", effects: fakeEffects().effects });
  const property = fc.asyncProperty(cases, ([sql, x]) =>
    database.read(async (connection) => {
      const written = await queryRows(connection, sql, { x });
      // A text with a quote is always bound, and all else with it.
      const bound = await queryRows(connection, `${sql} WHERE $text <> 'a'`, { x, text: "'" });
      assert.deepEqual(written, bound);
    }));
  await fc.assert(property, { numRuns: 400 });
  await database.close();
});

Deno.test("many rows are appended in parts, between which others have their turn", async () => {
  const database = await Database.open({ path: ":memory:", effects: fakeEffects().effects });
  const rows = 8 * database_limits.append_rows + 5;
  const numbers = Int32Array.from({ length: rows }, (_, i) => i);
  const valid = noneValid(rows);
  for (let i = 0; i < rows; i += 3) setValid(valid, i);
  const words = wordsOf(Array.from(numbers, (i) => i % 3 === 0 ? `n${i}` : ""));
  const turns = await database.write(async ({ connection }) => {
    await connection.script("CREATE TABLE plan (number INTEGER, name VARCHAR)");
    const columns = [{ kind: "int32", values: numbers }, { kind: "text", words, valid }] as const;
    let appended = false;
    const done = connection.append("plan", { rows, vectors: columns }).then(() => appended = true);
    let turns = 0;
    for (; !appended; turns++) await giveWay();
    await done;
    return turns;
  });
  assert.ok(turns > 1, `${turns}`);
  const sql = "SELECT count(*)::INTEGER AS rows, count(DISTINCT number)::INTEGER AS numbers, " +
    "count(*) FILTER (name IS NOT DISTINCT FROM if(number % 3 = 0, 'n' || number, NULL))::INTEGER" +
    " AS right FROM plan";
  const found = await database.read((connection) => queryRows(connection, sql));
  assert.deepEqual(found, [{ rows, numbers: rows, right: rows }]);
  await database.close();
});

Deno.test("texts of any length and script are stored as they are, by row or by code", async () => {
  const database = await Database.open({ path: ":memory:", effects: fakeEffects().effects });
  const text = fc.oneof(fc.string({ maxLength: 14 }), fc.string({ unit: "binary" }));
  const stored = fc.asyncProperty(fc.array(fc.option(text), { minLength: 1 }), async (texts) => {
    const rows = 50 * texts.length;
    const codes = Int32Array.from({ length: rows }, (_, i) => i % texts.length);
    const cells = Array.from(codes, (code) => texts[code]);
    const valid = validityOf(cells);
    const dictionary = wordsOf(texts.map((it) => it ?? ""));
    const words = wordsOf(cells.map((it) => it ?? ""));
    const found = await database.write(async ({ connection }) => {
      await connection.script("CREATE OR REPLACE TABLE plan (place INTEGER, own TEXT, coded TEXT)");
      const at = Int32Array.from(cells, (_, i) => i);
      await connection.append("plan", {
        rows,
        vectors: [
          { kind: "int32", values: at },
          { kind: "text", words, valid },
          { kind: "text", words: dictionary, codes, valid },
        ],
      });
      return await queryRows(connection, "SELECT own, coded FROM plan ORDER BY place");
    });
    assert.deepEqual(found, cells.map((own) => ({ own, coded: own })));
  });
  await fc.assert(stored, { numRuns: 40 });
  await database.close();
});

async function openFile(): Promise<Database> {
  const path = `${await Deno.makeTempDir()}/wattkeeper.duckdb`;
  return await Database.open({ path, memory_mb: 256, effects: fakeEffects().effects });
}

Deno.test("where a rollback fails for want of memory, the next transaction goes on", async () => {
  const instance = await Instance.open({ path: `${await Deno.makeTempDir()}/room.duckdb` });
  const [connection, other] = [instance.connect(), instance.connect()];
  const fill = () =>
    connection.transaction(() =>
      connection.script("INSERT INTO room SELECT i FROM range(300000) r(i)")
    );
  await connection.script("CREATE TABLE room (value DOUBLE); CHECKPOINT");
  await other.script("SET memory_limit = '1B'");
  await assert.rejects(fill(), /Out of Memory/);
  await other.script("SET memory_limit = '256MiB'");
  await connection.script("CHECKPOINT");
  await fill();
  connection.close();
  other.close();
  instance.close();
});

Deno.test("reads and writes go on while caches are given back", async () => {
  const database = await openFile();
  const rows = 20_000;
  const values = Float64Array.from({ length: rows }, (_, i) => i);
  await database.write(({ connection }) => connection.script("CREATE TABLE room (value DOUBLE)"));
  for (let round = 0; round < 20; round++) {
    await database.checkpoint();
    await database.dropCache();
    const write = database.write(({ connection }) =>
      connection.append("room", { rows, vectors: [{ kind: "float64", values }] })
    );
    const read = database.read((connection) =>
      connection.script("SELECT count(DISTINCT value) FROM room")
    );
    await Promise.all([database.dropCache(), write, read, database.dropCache()]);
  }
  await database.close();
});
