// A commit of a row group or more lies in the file, is there after a kill, and is seen whole; how
// large row groups are is changed while others read and write.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { giveWay } from "../../src/base/effects_sleep.ts";
import type { Chunk } from "../../src/model/data/chunk.ts";
import { isFatal } from "../../src/store/damage.ts";
import { Database } from "../../src/store/database.ts";
import { DuckFile } from "../../src/store/duckdb/client.ts";
import { sizeOf } from "../../src/store/folder.ts";
import { database_limits } from "../../src/store/limits.ts";
import { isOfLake } from "../../src/store/retention/lake_place.ts";
import { statement } from "../../src/store/statement.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";
import { until } from "../help/until.ts";

const { group_rows, load_group_rows } = database_limits;

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
  const { effects, clock } = fakeEffects();
  const open = () => Database.open({ path, effects, threads: 2 });
  const database = await open();
  await database.write(({ connection }) =>
    connection.script("CREATE TABLE held (commit_no INTEGER, value DOUBLE)")
  );
  return {
    ...{ database, open, path, clock },
    add: (commit: number, rows: number) =>
      database.write(({ connection }) => connection.append("held", rowsOf(commit, rows))),
    bytes: async () => (await Deno.stat(path)).size,
    log_bytes: () => sizeOf(`${path}.wal`),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

const counted = `
  SELECT commit_no, count(*)::INTEGER AS rows FROM held GROUP BY ALL ORDER BY commit_no`;

Deno.test("under a load a commit of a row group goes into the file, not the log", async () => {
  await using world = await openNew();
  const { database } = world;
  equal(await database.group(load_group_rows), true);
  const at = { bytes: await world.bytes(), log_bytes: await world.log_bytes() };
  await world.add(1, load_group_rows);
  ok(await world.bytes() - at.bytes > 7 * load_group_rows);
  ok(await world.log_bytes() - at.log_bytes < load_group_rows / 4);
  const log_bytes = await world.log_bytes();
  await world.add(2, load_group_rows - 1);
  ok(await world.log_bytes() - log_bytes > 7 * load_group_rows);
  await database.abandon();
  const again = await world.open();
  const rows = await again.read((connection) => queryRows(connection, counted));
  deepEqual(rows, [
    { commit_no: 1, rows: load_group_rows },
    { commit_no: 2, rows: load_group_rows - 1 },
  ]);
  await again.close();
});

Deno.test("who reads meanwhile sees each commit whole, or none of it", async () => {
  await using world = await openNew();
  const { database } = world;
  equal(await database.group(load_group_rows), true);
  const rows = 2 * load_group_rows + 77;
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

/** How many parts the table has. */
async function groupsOf(database: Database): Promise<unknown> {
  const sql = `
    SELECT count(DISTINCT row_group_id)::INTEGER AS groups FROM pragma_storage_info('held')`;
  return (await database.read((connection) => queryRows(connection, sql)))[0].groups;
}

Deno.test("what small row groups a load left, checkpoints join to large ones at rest", async () => {
  await using world = await openNew();
  const { database } = world;
  equal(await database.group(load_group_rows), true);
  for (let commit = 1; commit <= 3; commit++) await world.add(commit, 2 * load_group_rows);
  equal(await groupsOf(database), 6);
  equal(await database.group(group_rows), true);
  equal(await groupsOf(database), 6);
  await world.add(4, 1);
  await database.checkpoint();
  equal(await groupsOf(database), 1);
  deepEqual(await database.read((connection) => queryRows(connection, counted)), [
    ...[1, 2, 3].map((commit_no) => ({ commit_no, rows: 2 * load_group_rows })),
    { commit_no: 4, rows: 1 },
  ]);
  await database.close();
});

Deno.test("row groups stay as they are while something does not end", async () => {
  await using world = await openNew();
  const { database, clock } = world;
  await world.add(1, 5_000);
  const held = statement({ sql: "SELECT value FROM held", row: { value: "float64" } });
  const isRefused = async () => {
    let is_done: boolean | undefined;
    void database.group(load_group_rows).then((it) => is_done = it);
    const meanwhile = () => clock.advance(database_limits.group_wait_ms);
    await until(() => is_done !== undefined, { meanwhile });
    equal(is_done, false);
  };

  const session = database.session();
  for await (const _ of session.chunks(held)) await isRefused();
  await session.transaction(async () => {
    await session.rows(held);
    await isRefused();
  });
  await rejects(session.transaction(() => Promise.reject(new Error("not now"))), /not now/);
  session.close();

  const cut = await database.cut();
  equal(await database.group(load_group_rows), false);
  cut.release();
  // Its files are copied; what it sees is still read.
  await isRefused();
  equal((await cut.connection.rows(held)).length, 5_000);
  cut[Symbol.dispose]();
  equal(await database.group(load_group_rows), true);
  await database.close();
});

Deno.test("nothing fails or is lost while row groups are changed", async () => {
  await using world = await openNew();
  const { database } = world;
  const rows = load_group_rows + 77;
  let commits = 0;
  let is_over = false;
  const look = async () => {
    let seen = 0;
    while (!is_over) {
      const found = await database.read((connection) => queryRows(connection, counted));
      for (const it of found) equal(it.rows, rows);
      ok(found.length >= seen);
      seen = found.length;
      await giveWay();
    }
    return seen;
  };
  const add = async () => {
    while (!is_over) {
      await world.add(++commits, rows);
      await giveWay();
    }
  };
  const working = [look(), look(), add()];
  for (let change = 0; change < 12; change++) {
    await until(() => database.group(change % 2 === 0 ? load_group_rows : group_rows));
  }
  is_over = true;
  await Promise.all(working);
  await database.abandon();
  const again = await world.open();
  equal((await again.read((connection) => queryRows(connection, counted))).length, commits);
  await again.close();
});

/** Another process that has locked a file for reading, until it is ended. */
async function lockElsewhere(path: string) {
  const script = `
    const calls = {
      open: { parameters: ["buffer", "i32"], result: "i32" },
      fcntl: { parameters: ["i32", "i32", "buffer"], result: "i32" },
    };
    const c = Deno.dlopen("libc.so.6", calls).symbols;
    const file = c.open(new TextEncoder().encode(Deno.args[0] + "\\0"), 0);
    console.log(c.fcntl(file, 6, new Int16Array(16)));
    await Deno.stdin.read(new Uint8Array(1));`;
  const process = new Deno.Command(Deno.execPath(), {
    args: ["eval", script, path],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const said = process.stdout.getReader();
  equal(new TextDecoder().decode((await said.read()).value), "0\n");
  return {
    async end() {
      await process.stdin.close();
      await process.status;
      await said.cancel();
    },
  };
}

Deno.test("row groups stay as they are where another file or another's lock is there", async () => {
  await using world = await openNew();
  const { database, path } = world;
  await world.add(1, 10);
  // What the database has locked itself is not in the way of others once any file of it was closed.
  (await Deno.open(path)).close();
  const other = await lockElsewhere(path);
  equal(await database.group(load_group_rows), false);
  await other.end();
  equal(await database.group(load_group_rows), true);

  await Deno.copyFile(path, `${path}.copy`);
  await Deno.rename(path, `${path}.moved`);
  await Deno.rename(`${path}.copy`, path);
  equal(await database.group(group_rows), false);
  await world.add(2, 20);
  deepEqual(await database.read((connection) => queryRows(connection, counted)), [
    { commit_no: 1, rows: 10 },
    { commit_no: 2, rows: 20 },
  ]);
  await Deno.rename(`${path}.moved`, path);
  equal(await database.group(group_rows), true);
  await database.close();
});

Deno.test("a connection that is closed while it waits lets row groups be changed", async () => {
  await using world = await openNew();
  const { database } = world;
  await world.add(1, 3);
  const [closing, other] = [database.session(), database.session()];
  const changed = database.group(load_group_rows);
  const waiting = [
    rejects(queryRows(closing, counted), /closed/),
    rejects(closing.append("held", rowsOf(2, 1)), /closed/),
  ];
  closing.close();
  await Promise.all(waiting);
  equal((await queryRows(other, counted)).length, 1);
  other.close();
  equal(await changed, true);
  equal(await database.group(group_rows), true);
  await database.close();
});

Deno.test("a file that can't be opened again ends the database; memory has none", async () => {
  await using world = await openNew();
  await world.database.close();
  const file = await DuckFile.open(":memory:", {});
  await file.attach({ sql: `ATTACH '${world.path}' AS held`, name: "held" });
  await rejects(
    file.attachAgain("ATTACH '/nowhere/a.duckdb' AS held", { tries: 3, wait_ms: 0 }),
    isFatal,
  );
  file.close();
  const memory = await Database.open({ path: ":memory:", effects: fakeEffects().effects });
  equal(await memory.group(load_group_rows), false);
  await memory.close();
});

Deno.test("a file whose log can't be written into it is opened again with its log", async () => {
  await using world = await openNew();
  await world.database.close();
  const file = await DuckFile.open(":memory:", {});
  const again = `ATTACH IF NOT EXISTS '${world.path}' AS wattkeeper`;
  await file.attach({ sql: again, name: "wattkeeper" });
  const connection = file.connect();
  const run = async (sql: string) => (await connection.run(sql)).close();
  await run("INSERT INTO held VALUES (7, 0.5)");
  await run("SET debug_checkpoint_abort = 'before_header'");
  await file.attachAgain(again, { tries: 1, wait_ms: 0 });
  await run("SET debug_checkpoint_abort = 'none'");
  ok(await sizeOf(`${world.path}.wal`) > 0);
  await run("INSERT INTO held VALUES (8, 0.5)");
  connection.close();
  file.close();
  const database = await world.open();
  deepEqual(await database.read((it) => queryRows(it, counted)), [
    { commit_no: 7, rows: 1 },
    { commit_no: 8, rows: 1 },
  ]);
  await database.close();
});
