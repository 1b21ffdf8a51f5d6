// `compact`: a file of an older form, with room in it, becomes one as this version makes it.
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { digestTables, duckdbVersion } from "../../../src/store/backup/digest.ts";
import { copyAnew, hasOlderForm, replaceByCopy } from "../../../src/store/backup/compact.ts";
import type { Connection } from "../../../src/store/connection.ts";
import { DuckFile } from "../../../src/store/duckdb/client.ts";
import { Folder, sizeOf } from "../../../src/store/folder.ts";
import { markWithoutLog } from "../../../src/store/loss_check.ts";
import { openDatabase } from "../../../src/store/open.ts";
import { fakeEffects } from "../../help/effects.ts";
import { queryRows } from "../../help/query.ts";

const { effects, printed } = fakeEffects();
const options = { effects, memory_mb: 256, threads: 1 };

/** A directory whose database has blocks of 256 KiB, most of which hold nothing any more. */
async function olderFolder() {
  const folder = await Folder.open(await Deno.makeTempDir());
  const old_form = { default_block_size: "262144", storage_compatibility_version: "v1.0.0" };
  (await DuckFile.open(folder.database_path, old_form)).close();
  const open = async (on_loss: "refuse" | "accept" = "refuse") => {
    const key_path = `${folder.path}/wattkeeper.key`;
    return (await openDatabase(folder, { ...options, key_path, on_loss })).database;
  };
  const database = await open("accept");
  for (const count of [100_000, 200]) {
    await database.write(({ connection }) =>
      connection.script(`
        DELETE FROM sample;
        INSERT INTO sample (tag_no, ts, received_at, value)
        SELECT 7 - i % 7, i, 2 * i, hash(i) / 7 FROM range(${count}) AS r (i)`)
    );
    await database.checkpoint();
  }
  return { folder, open, database };
}

/** The form, the rows of every table, and those of one in their order. */
async function stateOf(connection: Connection) {
  return {
    is_older: await hasOlderForm(connection),
    tables: await digestTables(connection),
    order: await queryRows(connection, "SELECT rowid::INTEGER AS at, tag_no, value FROM sample"),
  };
}

Deno.test("a file that is compacted is smaller, holds the same and goes on", async () => {
  const { folder, open, database } = await olderFolder();
  const before = await database.aside(stateOf);
  ok(before.is_older);
  await database.close();
  const before_bytes = await sizeOf(folder.database_path);
  // A run that was killed left them.
  await Deno.writeTextFile(`${folder.database_path}.compact`, "half");
  await Deno.writeTextFile(`${folder.database_path}.compact.wal`, "half");
  const flags = ["--data-dir", folder.path, "--memory-mb", "256", "--threads", "1"];
  const run = () => runCli([...flags, "compact"], { effects, version, openService });
  equal(await run(), 1);
  match(printed.err, /in use by process \d+ on .+: stop it first/);
  folder.close();
  equal(await run(), 0, printed.err);
  match(
    printed.out,
    /wattkeeper\.duckdb has \d\.\d MiB, before \d+\.\d MiB; every table compared\n/,
  );
  ok(await sizeOf(folder.database_path) < before_bytes / 2);
  equal(await sizeOf(`${folder.database_path}.compact`), 0);
  const again = await open();
  const after = await again.aside(stateOf);
  deepEqual(after, { ...before, is_older: false });
  await again.write(({ connection }) => connection.script("INSERT INTO sample (ts) VALUES (1)"));
  await again.abandon();
  const last = await open();
  equal((await last.aside(stateOf)).order.length, 201);
  await last.close();
});

Deno.test("a copy that is not the same never takes the database's place", async () => {
  const { folder, open, database } = await olderFolder();
  const copied = await copyAnew(database, folder);
  const before = await database.aside(stateOf);
  equal(copied.duckdb, await database.aside(duckdbVersion));
  await database.close();
  const bytes = await Deno.readFile(folder.database_path);
  const tables = copied.tables.map((it) =>
    it.table_name === "sample" ? { ...it, digest: "1" } : it
  );
  await rejects(
    replaceByCopy(folder, { ...copied, tables }, options),
    /the database stays as it was: the copy's table sample is another one/,
  );
  deepEqual(await Deno.readFile(folder.database_path), bytes);
  // Killed after the mark was told anew, before the copy was in its place.
  await Deno.writeTextFile(folder.stamp_path, markWithoutLog(copied.stamp_us));
  const again = await open();
  deepEqual(await again.aside(stateOf), before);
  await again.close();
  folder.close();
});
