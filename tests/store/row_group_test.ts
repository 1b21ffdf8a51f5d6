// A commit of a row group or more lies in the file, is there after a kill, and is seen whole.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { Chunk } from "../../src/model/data/chunk.ts";
import { isFatal } from "../../src/store/damage.ts";
import { Database } from "../../src/store/database.ts";
import { database_limits } from "../../src/store/limits.ts";
import { isOfLake } from "../../src/store/retention/lake_place.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

const { row_group_rows } = database_limits;

/** Numbers that no compression makes small, each with the number of its commit. */
function rowsOf(commit: number, rows: number): Chunk {
  const values = Float64Array.from({ length: rows }, (_, i) => Math.sin(i + commit));
  return {
    rows,
    vectors: [
      { kind: "int32", values: new Int32Array(rows).fill(commit) },
      { kind: "float64", values },
    ],
  };
}

async function openNew() {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/a.duckdb`;
  const open = () => Database.open({ path, effects: fakeEffects().effects, threads: 2 });
  const database = await open();
  await database.write(({ connection }) =>
    connection.script("CREATE TABLE held (commit_no INTEGER, value DOUBLE)")
  );
  return {
    ...{ database, open, path },
    add: (commit: number, rows: number) =>
      database.write(({ connection }) => connection.append("held", rowsOf(commit, rows))),
    bytes: async () => (await Deno.stat(path)).size,
    log_bytes: async () => (await Deno.stat(`${path}.wal`)).size,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

const counted = `
  SELECT commit_no, count(*)::INTEGER AS rows FROM held GROUP BY ALL ORDER BY commit_no`;

Deno.test("a commit of a row group goes into the file, a smaller one into the log", async () => {
  await using world = await openNew();
  const { database } = world;
  const at = { bytes: await world.bytes(), log_bytes: await world.log_bytes() };
  await world.add(1, row_group_rows);
  ok(await world.bytes() - at.bytes > 7 * row_group_rows);
  ok(await world.log_bytes() - at.log_bytes < row_group_rows / 4);
  const log_bytes = await world.log_bytes();
  await world.add(2, row_group_rows - 1);
  ok(await world.log_bytes() - log_bytes > 7 * row_group_rows);
  await database.abandon();
  const again = await world.open();
  const rows = await again.read((connection) => queryRows(connection, counted));
  deepEqual(rows, [
    { commit_no: 1, rows: row_group_rows },
    { commit_no: 2, rows: row_group_rows - 1 },
  ]);
  await again.close();
});

Deno.test("who reads meanwhile sees each commit whole, or none of it", async () => {
  await using world = await openNew();
  const { database } = world;
  const rows = 2 * row_group_rows + 77;
  let is_over = false;
  const seen = new Set<number>();
  const look = async () => {
    while (!is_over) {
      const found = await database.read((connection) => queryRows(connection, counted));
      for (const it of found) equal(it.rows, rows);
      seen.add(found.length);
    }
  };
  const looking = [look(), look()];
  for (let commit = 1; commit <= 25; commit++) {
    await world.add(commit, rows);
    if (commit % 8 === 0) await database.checkpoint();
  }
  is_over = true;
  await Promise.all(looking);
  ok(seen.size > 2, `${seen.size} states`);
  await database.close();
});

Deno.test("statements at once on a new connection all work in the file", async () => {
  await using world = await openNew();
  const { database } = world;
  await world.add(1, 3);
  await database.aside(async (connection) => {
    const found = await Promise.all([
      queryRows(connection, counted),
      queryRows(connection, counted),
      queryRows(connection, "SELECT current_database() AS name"),
    ]);
    const held = [{ commit_no: 1, rows: 3 }];
    deepEqual(found, [held, held, [{ name: "wattkeeper" }]]);
  });
  await database.close();
});

Deno.test("a connection that can't work in the file works in none", async () => {
  await using world = await openNew();
  const { database } = world;
  await database.aside((it) => it.script("SET debug_checkpoint_abort = 'before_header'"));
  const isOwnEnd = (error: unknown) => isFatal(error) && !isOfLake(error);
  await rejects(database.checkpoint(), isOwnEnd);
  await database.aside(async (connection) => {
    for (const name of ["lost", "gone"]) {
      await rejects(connection.script(`CREATE TABLE ${name} (a INTEGER)`), isOwnEnd);
    }
  });
  equal(await database.answers(), false);
});

Deno.test("of a file that is large as it is opened, parts become few and large", async () => {
  await using world = await openNew();
  const { database, path } = world;
  for (let commit = 1; commit <= 3; commit++) await world.add(commit, 2 * row_group_rows);
  await database.close();
  const groups = async (opened: Database) => {
    const sql = `
      SELECT count(DISTINCT row_group_id)::INTEGER AS groups FROM pragma_storage_info('held')`;
    return (await opened.read((connection) => queryRows(connection, sql)))[0].groups;
  };
  const small = await world.open();
  equal(await groups(small), 6);
  await small.close();
  // DuckDB uses what is behind its blocks for the next ones.
  await Deno.truncate(path, database_limits.small_file_bytes);
  const large = await world.open();
  await large.write(({ connection }) => connection.append("held", rowsOf(4, 1)));
  await large.checkpoint();
  equal(await groups(large), 1);
  deepEqual(await large.read((connection) => queryRows(connection, counted)), [
    ...[1, 2, 3].map((commit_no) => ({ commit_no, rows: 2 * row_group_rows })),
    { commit_no: 4, rows: 1 },
  ]);
  await large.close();
});
