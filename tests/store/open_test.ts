// The data directory: one holder, a new database whole or not at all, a lost tail noticed.
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { Database } from "../../src/store/database.ts";
import { Folder, looseModes, restoredPath, sizeOf } from "../../src/store/folder.ts";
import { first_mark, type LossPolicy } from "../../src/store/loss_check.ts";
import { openDatabase } from "../../src/store/open.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows, runQuery } from "../help/query.ts";

const mark_form = /^(\d{16} \d{16} \d{16}\n)\1$/;

async function open(folder: Folder, on_loss: LossPolicy = "refuse") {
  const { effects } = fakeEffects();
  const key_path = `${folder.path}/wattkeeper.key`;
  return await openDatabase(folder, { effects, on_loss, memory_mb: 256, key_path });
}

async function temporaryFolder() {
  const path = await Deno.makeTempDir();
  return { path, folder: await Folder.open(`${path}/data`) };
}

const modeOf = async (path: string) => (await Deno.stat(path)).mode! & 0o777;

Deno.test("a data directory is its owner's only, whoever made it, and all in it", async () => {
  const path = await Deno.makeTempDir();
  await Deno.mkdir(`${path}/photos`);
  await Deno.writeTextFile(`${path}/wattkeeper.backup`, "2026-06-01T00:00:00.000Z\n");
  await Deno.writeTextFile(`${path}/notes.txt`, "not ours");
  const made = { "": 0o755, photos: 0o750, "wattkeeper.backup": 0o644, "notes.txt": 0o644 };
  for (const [name, mode] of Object.entries(made)) await Deno.chmod(`${path}/${name}`, mode);
  equal((await looseModes(path)).length, 3);
  const folder = await Folder.open(path);
  deepEqual(folder.loose, []);
  const { database } = await open(folder);
  await writeDay({ database }, folder, 1);
  equal(await modeOf(folder.path), 0o700);
  equal(await modeOf(`${folder.path}/photos`), 0o700);
  equal(await modeOf(`${folder.path}/notes.txt`), 0o644);
  const ours = ["duckdb", "duckdb.wal", "stamp", "lock", "backup", "key"];
  for (const name of ours) equal(await modeOf(`${folder.path}/wattkeeper.${name}`), 0o600, name);
  await database.close();
  folder.close();
});

Deno.test("a second holder is refused at once and told who the first is", async () => {
  const { path, folder } = await temporaryFolder();
  await rejects(Folder.open(`${path}/data`), new RegExp(`in use by process ${Deno.pid} on `));
  folder.close();
  (await Folder.open(`${path}/data`)).close();
});

Deno.test("a data directory that can't be one is a sentence, not a stack", async () => {
  const file = await Deno.makeTempFile();
  await rejects(Folder.open(file), { name: "Fault", message: /can't be written/ });
});

Deno.test("a new database is whole when it stands in its place", async () => {
  const { folder } = await temporaryFolder();
  await Deno.writeTextFile(`${folder.database_path}.new`, "half a database");
  const { database } = await open(folder);
  equal(await sizeOf(`${folder.database_path}.new`), 0);
  await database.close();
  ok(await sizeOf(folder.database_path) > 0);
  // A start that was cut short here leaves the first mark, which says of nothing acknowledged.
  await Deno.writeTextFile(folder.stamp_path, first_mark);
  await (await open(folder)).database.close();
  folder.close();
});

Deno.test("no empty database is made where a restore was cut short", async () => {
  const { folder } = await temporaryFolder();
  const left = restoredPath(folder.database_path);
  await Deno.writeTextFile(left, "half a database");
  await rejects(open(folder), ({ name, message }) => {
    equal(name, "Fault");
    ok(message.includes(left), message);
    return true;
  });
  equal(await sizeOf(folder.database_path), 0);
  folder.close();
});

/** Commits one row and gives the size of the log then. */
async function writeDay({ database }: { database: Database }, folder: Folder, day: number) {
  await database.write(({ connection }) =>
    runQuery(connection, "INSERT INTO stale VALUES (1, $day::INTEGER)", { day })
  );
  return await sizeOf(folder.log_path);
}

async function countDays({ database }: { database: Database }): Promise<number> {
  const sql = "SELECT count(*)::INTEGER AS n FROM stale";
  const [{ n }] = await database.read((connection) => queryRows<{ n: number }>(connection, sql));
  return n;
}

Deno.test("a log that lost its last commit is refused and left alone, or accepted", async () => {
  const { folder } = await temporaryFolder();
  const first = await open(folder);
  const early = await writeDay(first, folder, 1);
  await writeDay(first, folder, 2);
  await first.database.abandon();
  await Deno.truncate(folder.log_path, early);
  await rejects(open(folder), ({ name, message }) => {
    equal(name, "Fault");
    ok(message.includes(folder.log_path) && message.includes("--accept-data-loss"), message);
    return true;
  });
  equal(await sizeOf(folder.log_path), early);
  const accepted = await open(folder, "accept");
  equal(await countDays(accepted), 1);
  await accepted.database.abandon();
  const again = await open(folder);
  await writeDay(again, folder, 3);
  await again.database.abandon();
  await Deno.truncate(folder.log_path, early);
  await rejects(open(folder), /data was lost/);
  folder.close();
});

Deno.test("a log that a power cut ended in zeros keeps what was acknowledged", async () => {
  const { folder } = await temporaryFolder();
  const { database } = await open(folder);
  const whole = await writeDay({ database }, folder, 1);
  const early_mark = await Deno.readTextFile(folder.stamp_path);
  const after = await writeDay({ database }, folder, 2);
  const late_mark = await Deno.readTextFile(folder.stamp_path);
  await database.abandon();
  const log = await Deno.readFile(folder.log_path);
  for (const zeros of [0, 1, 40, after - whole - 1]) {
    const damaged = new Uint8Array(after + 100);
    damaged.set(log.subarray(0, after - zeros));
    await Deno.writeFile(folder.log_path, damaged);
    await Deno.writeTextFile(folder.stamp_path, late_mark);
    if (zeros > 0) {
      await rejects(open(folder), /data was lost: the log/);
      deepEqual(await Deno.readFile(folder.log_path), damaged, "a refusal changes nothing");
      // The process ended before the second was acknowledged.
      await Deno.writeTextFile(folder.stamp_path, early_mark);
    }
    const opened = await open(folder);
    equal(await countDays(opened), zeros === 0 ? 2 : 1);
    ok(opened.cut_bytes >= 100);
    deepEqual(await Deno.readFile(`${folder.log_path}.damaged`), damaged);
    await opened.database.abandon();
  }
  folder.close();
});

Deno.test("files that are older than the last acknowledged write are refused", async () => {
  const { folder } = await temporaryFolder();
  const first = await open(folder);
  const early = await Deno.readFile(folder.database_path);
  await writeDay(first, folder, 1);
  await first.database.checkpoint();
  await writeDay(first, folder, 2);
  await first.database.abandon();
  const [late, log] = await Promise.all(
    [folder.database_path, folder.log_path].map((path) => Deno.readFile(path)),
  );
  await Deno.writeFile(folder.database_path, early);
  await rejects(open(folder), /data was lost: the database .* is older than/);
  await Deno.writeFile(folder.database_path, late);
  await Deno.remove(folder.log_path);
  await rejects(open(folder), /data was lost: the log .* is damaged, or ends before/);
  await Deno.writeFile(folder.log_path, log);
  const whole = await open(folder);
  equal(await countDays(whole), 2);
  await whole.database.close();
  const { database } = await open(folder);
  await database.close();
  folder.close();
});

Deno.test("what an older version said of the last commit is compared, and said anew", async () => {
  const { folder } = await temporaryFolder();
  const { database } = await open(folder);
  const stamp_us = database.committed_us;
  await database.close();
  await Deno.writeTextFile(folder.stamp_path, `${stamp_us + 1}\n`);
  await rejects(open(folder), /data was lost: the database .* ends before/);
  await Deno.writeTextFile(folder.stamp_path, `${stamp_us}\n`);
  await (await open(folder)).database.close();
  match(await Deno.readTextFile(folder.stamp_path), mark_form);
  folder.close();
});

Deno.test("a stamp that was given is not given again after a start", async () => {
  const { folder } = await temporaryFolder();
  const { database } = await open(folder);
  await database.write(({ connection }) => connection.script("DELETE FROM stale"));
  const { committed_us } = database;
  await database.close();
  const again = await open(folder);
  equal(again.database.committed_us, committed_us);
  await again.database.close();
  folder.close();
});

Deno.test("a stamp file that says nothing is named with what helps, or accepted", async () => {
  const { folder } = await temporaryFolder();
  const { database, guard } = await open(folder);
  await database.write(({ connection }) => connection.script("DELETE FROM stale"));
  await guard.keep();
  await database.close();
  const whole = await Deno.readTextFile(folder.stamp_path);
  for (
    const text of [
      "",
      "\0".repeat(17),
      "-1\n",
      "1e30\n",
      "\n",
      whole.slice(0, 51),
      whole.replace("0", "1"),
    ]
  ) {
    await Deno.writeTextFile(folder.stamp_path, text);
    await rejects(open(folder), ({ name, message }) => {
      equal(name, "Fault");
      ok(message.includes(folder.stamp_path) && message.includes("--accept-data-loss"), message);
      return true;
    });
    await (await open(folder, "accept")).database.close();
    match(await Deno.readTextFile(folder.stamp_path), mark_form);
  }
  await Deno.remove(folder.stamp_path);
  await rejects(open(folder), { name: "Fault", message: /what was committed last: it is gone/ });
  await Deno.mkdir(folder.stamp_path);
  await rejects(open(folder), { name: "Fault", message: /does not say what was committed/ });
  await rejects(open(folder, "accept"), {
    name: "Fault",
    message: /can't be written.*Take it away/,
  });
  folder.close();
});

Deno.test("a mark that can't be written is told, and written when it can be", async () => {
  const { folder } = await temporaryFolder();
  const opened = await open(folder);
  await Deno.remove(folder.stamp_path);
  await Deno.mkdir(folder.stamp_path);
  await writeDay(opened, folder, 1);
  await rejects(opened.guard.keep());
  await Deno.remove(folder.stamp_path);
  equal(await opened.guard.keep(), true);
  match(await Deno.readTextFile(folder.stamp_path), mark_form);
  equal(await opened.guard.keep(), false);
  await opened.database.close();
  folder.close();
});

Deno.test("a directory whose database is gone is refused, not filled anew", async () => {
  const { folder } = await temporaryFolder();
  const { database, guard } = await open(folder);
  await database.write(({ connection }) => connection.script("DELETE FROM stale"));
  await guard.keep();
  await database.close();
  match(await Deno.readTextFile(folder.stamp_path), mark_form);
  await Deno.remove(folder.database_path);
  await rejects(open(folder), /the database .* is gone/);
  folder.close();
});

Deno.test("a file that is no database is named in one sentence", async () => {
  const { folder } = await temporaryFolder();
  await Deno.writeTextFile(folder.database_path, "something else".repeat(1000));
  const message = /^the database can't be used: .*wattkeeper\.duckdb.* restore a backup$/;
  await rejects(open(folder), { name: "Fault", message });
  folder.close();
});

Deno.test("an idle guard writes nothing", async () => {
  const { folder } = await temporaryFolder();
  const { database, guard } = await open(folder);
  equal(await guard.keep(), false);
  await database.close();
  folder.close();
});
