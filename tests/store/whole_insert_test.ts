// Large inserts are written in their transaction: others see all of one with its commit.
import { deepEqual, equal, ok } from "node:assert/strict";
import { Database } from "../../src/store/database.ts";
import { statement } from "../../src/store/statement.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

/** More than a row group of the database, in order: by itself it would be written in pieces. */
const rows = 130_000;
const source = `
  SELECT i::INTEGER AS tag_no, $day::INTEGER AS day
  FROM range(${rows}) AS r(i)
  ORDER BY tag_no % 7, tag_no`;
const inserts = [
  `INSERT INTO stale ${source}`,
  `-- Adds days.\n-- By name.\nINSERT INTO stale BY NAME\n${source};\n`,
  `INSERT INTO roll_days ${source}`,
].map((sql) => statement({ sql, parameters: { day: "int32" } }));

/** Numbers that no compression makes small. */
const scattered = statement({
  sql:
    `INSERT INTO stale SELECT (hash(i) >> 33)::INTEGER, $day::INTEGER FROM range(${rows}) AS r(i)`,
  parameters: { day: "int32" },
});

Deno.test("a large insert is written by one thread, in its transaction", async () => {
  const folder = await Deno.makeTempDir();
  const { effects } = fakeEffects();
  const database = await Database.open({ path: `${folder}/a.duckdb`, effects, threads: 2 });
  const session = database.session();
  const profile = `${folder}/profile.json`;
  await session.script(`
    CREATE TEMP TABLE roll_days (tag_no INTEGER, day INTEGER);
    SET SESSION preserve_insertion_order = true;
    SET SESSION enable_profiling = 'json';
    SET SESSION profiling_output = '${profile}'`);
  const ways: (string | undefined)[] = [];
  for (const [day, insert] of inserts.entries()) {
    await database.writeOn(session, async () => {
      await session.run(insert, { day });
      ways.push(/"operator_type": "(\w*INSERT)"/.exec(await Deno.readTextFile(profile))?.[1]);
    });
  }
  deepEqual(ways, ["INSERT", "INSERT", "BATCH_INSERT"]);
  const [{ n }] = await database.read((connection) =>
    queryRows(connection, "SELECT count(*)::INTEGER AS n FROM stale")
  );
  equal(n, 2 * rows);
  session.close();
  await database.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a full row group of one is in the file before it is committed", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/a.duckdb`;
  const { effects } = fakeEffects();
  const database = await Database.open({ path, effects, threads: 2 });
  const session = database.session();
  await database.writeBeside(session, async () => {
    const { size } = await Deno.stat(path);
    await session.run(scattered, { day: 1 });
    const grown = (await Deno.stat(path)).size - size;
    ok(grown > 3 * rows, `only ${grown} bytes: who commits would write them while others wait`);
  });
  session.close();
  await database.close();
  await Deno.remove(folder, { recursive: true });
});
