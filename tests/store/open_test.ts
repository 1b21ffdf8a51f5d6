// The data directory: one holder, a new database whole or not at all, a lost tail noticed.
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Folder, sizeOf } from "../../src/store/folder.ts";
import type { LossPolicy } from "../../src/store/loss_check.ts";
import { openDatabase } from "../../src/store/open.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows, runQuery } from "../help/query.ts";

async function open(folder: Folder, on_loss: LossPolicy = "refuse") {
  return await openDatabase(folder, { effects: fakeEffects().effects, on_loss, memory_mb: 256 });
}

async function temporaryFolder() {
  const path = await Deno.makeTempDir();
  return { path, folder: await Folder.open(`${path}/data`) };
}

Deno.test("a data directory is made for its owner only", async () => {
  const { path, folder } = await temporaryFolder();
  equal((await Deno.stat(`${path}/data`)).mode! & 0o777, 0o700);
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
  folder.close();
});

Deno.test("a log that lost its tail is refused and left alone, or accepted", async () => {
  const { folder } = await temporaryFolder();
  const first = await open(folder);
  await first.database.write(({ connection }) => connection.script("DELETE FROM stale"));
  await first.guard.keep();
  const early_log = await Deno.readFile(folder.log_path);
  await first.database.write(({ connection }) => connection.script("DELETE FROM stale"));
  await first.guard.keep();
  await first.database.abandon();

  await Deno.writeFile(folder.log_path, early_log);
  await rejects(open(folder), { name: "Fault", message: /data was lost/ });
  equal(await sizeOf(folder.log_path), early_log.length);
  const accepted = await open(folder, "accept");
  await accepted.database.close();
  await (await open(folder)).database.close();
  folder.close();
});

Deno.test("a log that a power cut ended in zeros keeps every whole commit", async () => {
  const { folder } = await temporaryFolder();
  const { database } = await open(folder);
  const write = (day: number) =>
    database.write(({ connection }) =>
      runQuery(connection, "INSERT INTO stale VALUES (1, $day::INTEGER)", { day })
    );
  await write(1);
  const whole = await sizeOf(folder.log_path);
  await write(2);
  await database.abandon();
  const log = await Deno.readFile(folder.log_path);
  for (const zeros of [0, 1, 40, log.length - whole - 1]) {
    const damaged = new Uint8Array(log.length + 100);
    damaged.set(log.subarray(0, log.length - zeros));
    await Deno.writeFile(folder.log_path, damaged);
    const opened = await open(folder);
    const [{ n }] = await opened.database.read((connection) =>
      queryRows(connection, "SELECT count(*)::INTEGER AS n FROM stale")
    );
    equal(n, zeros === 0 ? 2 : 1);
    ok(opened.cut_bytes >= 100);
    deepEqual(await Deno.readFile(`${folder.log_path}.damaged`), damaged);
    await opened.database.abandon();
  }
  folder.close();
});

Deno.test("a stamp file that says nothing is named with what helps, or accepted", async () => {
  const { folder } = await temporaryFolder();
  const { database, guard } = await open(folder);
  await database.write(({ connection }) => connection.script("DELETE FROM stale"));
  await guard.keep();
  await database.close();
  const whole = await Deno.readTextFile(folder.stamp_path);
  for (const text of ["", "\0".repeat(17), "-1\n", "1e30\n", "\n", whole.slice(0, 12)]) {
    await Deno.writeTextFile(folder.stamp_path, text);
    await rejects(open(folder), ({ name, message }) => {
      equal(name, "Fault");
      ok(message.includes(folder.stamp_path) && message.includes("--accept-data-loss"), message);
      return true;
    });
    await (await open(folder, "accept")).database.close();
    equal(await Deno.readTextFile(folder.stamp_path), whole, "it says again what is there");
  }
  await Deno.remove(folder.stamp_path);
  await Deno.mkdir(folder.stamp_path);
  await rejects(open(folder), { name: "Fault", message: /does not say what was committed/ });
  await rejects(open(folder, "accept"), {
    name: "Fault",
    message: /can't be written.*Take it away/,
  });
  folder.close();
});

Deno.test("the guard keeps the stamp that it wrote; a commit in between is kept next", async () => {
  const { folder } = await temporaryFolder();
  const { database, guard } = await open(folder);
  const commit = database.write.bind(database);
  const write = () =>
    commit(async ({ connection, stamp_us }) => {
      await connection.script("DELETE FROM stale");
      return stamp_us;
    });
  await write();
  let between_us = 0;
  const thenAnother: typeof commit = async (work) => {
    const result = await commit(work);
    between_us = await write();
    return result;
  };
  Object.assign(database, { write: thenAnother });
  await guard.keep();
  ok(Number(await Deno.readTextFile(folder.stamp_path)) < between_us);
  Object.assign(database, { write: commit });
  await guard.keep();
  ok(Number(await Deno.readTextFile(folder.stamp_path)) > between_us);
  await database.close();
  folder.close();
});

Deno.test("a directory whose database is gone is refused, not filled anew", async () => {
  const { folder } = await temporaryFolder();
  const { database, guard } = await open(folder);
  await database.write(({ connection }) => connection.script("DELETE FROM stale"));
  await guard.keep();
  await database.close();
  match(await Deno.readTextFile(folder.stamp_path), /^\d{16}\n$/);
  await Deno.remove(folder.database_path);
  await rejects(open(folder), /the database ends at nothing/);
  folder.close();
});

Deno.test("a file that is no database is named in one sentence", async () => {
  const { folder } = await temporaryFolder();
  await Deno.writeTextFile(folder.database_path, "something else".repeat(1000));
  await rejects(open(folder), { name: "Fault", message: /^the database .* can't be opened: / });
  folder.close();
});

Deno.test("an idle guard writes nothing", async () => {
  const { folder } = await temporaryFolder();
  const { database, guard } = await open(folder);
  await guard.keep();
  equal(await sizeOf(folder.stamp_path), 0);
  await database.close();
  folder.close();
});
