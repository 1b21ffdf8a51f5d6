// A backup is made while writes go on, proves itself, and is put back whole or not at all.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  ContainerWriter,
  type Manifest,
  type MemberSource,
  readContainer,
} from "../../../src/store/backup/container.ts";
import { packBackup, writeBackup } from "../../../src/store/backup/pack.ts";
import { restoreBackup } from "../../../src/store/backup/restore.ts";
import { Database } from "../../../src/store/database.ts";
import { keptFolders } from "../../../src/store/folder.ts";
import { first_mark } from "../../../src/store/loss_check.ts";
import { fakeEffects } from "../../help/effects.ts";
import { queryRows } from "../../help/query.ts";

const { effects } = fakeEffects();
const made_at = "2026-06-01T12:00:00.000Z";
const about = { program: "1.2.3", made_at };

/** A data directory with rows in the file, rows in the log alone, and a photo. */
async function plant() {
  const path = await Deno.makeTempDir();
  const data_dir = `${path}/it's here`;
  await Deno.mkdir(`${data_dir}/photos`, { recursive: true });
  await Deno.writeFile(`${data_dir}/photos/p1`, new Uint8Array(1000).fill(7));
  await Deno.writeTextFile(`${data_dir}/photos/p2.new`, "half a photo");
  // As one that is removed once the folder was read; wherever it stands there.
  for (const name of ["a", "b", "y", "z"]) {
    await Deno.symlink("gone", `${data_dir}/photos/${name}`);
  }
  const database = await open(`${data_dir}/wattkeeper.duckdb`);
  await write(database, "INSERT INTO stale SELECT range, -range FROM range(5000)");
  await database.checkpoint();
  await write(database, "INSERT INTO block VALUES ('b', 1, 'key', NULL)");
  return { path, data_dir, database, folders: keptFolders({ data_dir }) };
}

function open(path: string): Promise<Database> {
  return Database.open({ path, effects, memory_mb: 256, threads: 1 });
}

async function write(database: Database, sql: string): Promise<void> {
  await database.write(({ connection }) => connection.script(sql));
}

async function sumOf(database: Database): Promise<unknown> {
  const sql = "SELECT sum(day)::BIGINT AS sum, count(*)::INTEGER AS rows FROM stale, block";
  return (await database.read((connection) => queryRows(connection, sql)))[0];
}

/** A backup of such a directory, which is closed then. */
async function backedUp() {
  const world = await plant();
  const file = `${world.path}/plant.tar`;
  {
    using cut = await world.database.cut();
    await writeBackup(file, packBackup(cut, { ...about, folders: world.folders }));
  }
  await world.database.close();
  return { ...world, file };
}

const quick = { effects, memory_mb: 256, threads: 1 };

Deno.test("a backup holds the state of its cut, whatever is written meanwhile", async () => {
  const { path, database, folders } = await plant();
  const file = `${path}/plant.tar`;
  const before = await sumOf(database);
  const shares: number[] = [];
  {
    using cut = await database.cut();
    const pieces = packBackup(cut, {
      ...{ ...about, folders },
      onState: ({ done_bytes, total_bytes }) => shares.push(done_bytes / total_bytes),
    });
    await write(database, "INSERT INTO stale SELECT range, 1 FROM range(300000)");
    await write(database, "DELETE FROM block");
    equal(await database.checkpoint(), false, "nothing changes the file while it is copied");
    await writeBackup(file, pieces);
    equal(await database.checkpoint(), true, "the copy is made, though the tables' state is kept");
  }
  equal(shares.at(-1), 1);
  await database.close();

  const target = `${path}/restored`;
  const manifest = await restoreBackup(
    file,
    { path: target, folders: keptFolders({ data_dir: target }) },
    quick,
  );
  deepEqual(
    manifest.members.map(({ name }) => name),
    ["wattkeeper.duckdb", "wattkeeper.duckdb.wal", "photos/p1"],
  );
  equal(manifest.tables.find(({ table_name }) => table_name === "stale")?.rows, 5000);
  equal((await Deno.readFile(`${target}/photos/p1`)).length, 1000);
  equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  const copy = await open(`${target}/wattkeeper.duckdb`);
  deepEqual(await sumOf(copy), before);
  await copy.close();
});

Deno.test("files that a backup still reads are removed after it", async () => {
  const { database } = await plant();
  let free = false;
  const cut = await database.cut();
  const freed = database.copied().then(() => free = true);
  await write(database, "DELETE FROM block");
  equal(free, false);
  cut.release();
  await freed;
  cut[Symbol.dispose]();
  await database.close();
});

Deno.test("200 single bits that flip in a backup, a cut, a longer file: all refused", async () => {
  const { file } = await backedUp();
  equal((await readContainer(file)).members.length, 3);
  using out = await Deno.open(file, { read: true, write: true });
  const { size } = await out.stat();
  const refused = () => rejects(readContainer(file), { message: /damaged|can't read/ });
  const flip = async (at: number, bit: number) => {
    const byte = new Uint8Array(1);
    await out.seek(at, Deno.SeekMode.Start);
    await out.read(byte);
    byte[0] ^= 1 << bit;
    await out.seek(at, Deno.SeekMode.Start);
    await out.write(byte);
  };
  const chance = new DataView(fakeEffects().effects.random(800).buffer);
  for (let i = 0; i < 200; i++) {
    // Headers and the manifest are few of many bytes: half of the flips are near the end.
    const range = i % 2 === 0 ? size : 20_000;
    const at = size - 1 - chance.getUint32(4 * i) % range;
    await flip(at, i % 8);
    await refused();
    await flip(at, i % 8);
  }
  equal((await readContainer(file)).members.length, 3, "it is whole again");
  await out.truncate(size + 1);
  await refused();
  await out.truncate(size - 1);
  await refused();
});

Deno.test("a database other than its digests say is refused, and nothing is left", async () => {
  const { path, file } = await backedUp();
  // A backup that proves itself, of tables that never were.
  const lying = `${path}/lying.tar`;
  const bytes = await Deno.readFile(file);
  await Deno.writeFile(lying, forged(bytes));
  const target = `${path}/restored`;
  await Deno.mkdir(target);
  await Deno.writeTextFile(`${target}/wattkeeper.stamp`, first_mark);
  const places = { path: target, folders: keptFolders({ data_dir: target }) };
  await rejects(
    restoreBackup(lying, places, quick),
    /lying\.tar: the table stale is not what was backed up/,
  );
  deepEqual(names(target), ["wattkeeper.stamp"]);
  await Deno.mkdir(`${target}/photos`);
  await Deno.writeTextFile(`${target}/photos/other`, "");
  await rejects(restoreBackup(file, places, quick), /photos is there already: move it away/);
  await Deno.remove(`${target}/photos/other`);
  await Deno.writeTextFile(`${target}/wattkeeper.stamp`, "1780000000000000 1 0\n");
  await rejects(restoreBackup(file, places, quick), /stamp is there already: move it away/);
  await Deno.remove(`${target}/wattkeeper.stamp`);
  await restoreBackup(file, places, quick);
  deepEqual(names(target), ["photos", "wattkeeper.duckdb", "wattkeeper.stamp"]);
  const stamp = await Deno.readTextFile(`${target}/wattkeeper.stamp`);
  equal(stamp, first_mark);
  await rejects(
    restoreBackup(file, places, quick),
    /wattkeeper\.duckdb is there already: move it away/,
  );
});

Deno.test("a member that has no place in a backup is refused by its name", async () => {
  const { path, file } = await backedUp();
  const manifest = await readContainer(file);
  const bytes = await Deno.readFile(file);
  await Deno.writeFile(`${path}/junk`, new Uint8Array(900).fill(5));
  const target = { path: `${path}/other`, folders: keptFolders({ data_dir: `${path}/other` }) };
  const [first] = manifest.members;
  await Deno.writeFile(`${path}/first`, bytes.subarray(512, 512 + first.bytes));
  const given = (name: string, from = "junk") => ({ name, path: `${path}/${from}`, bytes: 900 });
  const database = { ...given(first.name, "first"), bytes: first.bytes };
  for (
    const [sources, reason] of [
      [[given("tiers")], /forged\.tar: the backup holds tiers, which/],
      [[given("photos")], /forged\.tar: the backup holds photos, which/],
      [[given("photos/")], /forged\.tar: the backup holds photos\/, which/],
      [[given("photos/a/b")], /forged\.tar: the backup holds photos\/a\/b, which/],
      [
        [given("wattkeeper.duckdb/x")],
        /forged\.tar: the backup holds wattkeeper\.duckdb\/x, which/,
      ],
      [[given("photos/a"), given("photos/a")], /forged\.tar: .*photos\/a is in it twice/],
      [[database, given("wattkeeper.duckdb.wal")], /forged\.tar: .*duckdb\.wal is no log/],
    ] as const
  ) {
    const forged = `${path}/forged.tar`;
    await writeBackup(forged, packed(sources, manifest));
    await rejects(restoreBackup(forged, target, quick), reason);
    await Deno.remove(forged);
  }
});

/** A backup that proves itself, of any members. */
async function* packed(sources: readonly MemberSource[], manifest: Manifest) {
  const writer = new ContainerWriter();
  for (const source of sources) yield* writer.member(source);
  const { members: _, format: __, ...about } = manifest;
  yield* writer.end(about);
}

/** The same archive with another count of rows, sealed again by the program itself. */
function forged(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder("latin1").decode(bytes);
  const at = text.lastIndexOf('"table_name": "stale"');
  const changed = Uint8Array.from(bytes);
  const row = text.indexOf("5000", at);
  changed.set(new TextEncoder().encode("5001"), row);
  const begin = text.lastIndexOf('{\n "format": 1');
  const end = text.indexOf("\n}\n", begin) + 3;
  const seal = /[0-9a-f]{64} {2}manifest\.json/g;
  seal.lastIndex = end;
  const digest = createHash("sha256").update(changed.subarray(begin, end)).digest("hex");
  changed.set(new TextEncoder().encode(digest), seal.exec(text)!.index);
  return changed;
}

function names(path: string): string[] {
  return Array.from(Deno.readDirSync(path), ({ name }) => name).sort();
}

Deno.test("a backup that can't be finished leaves no file, and none is overwritten", async () => {
  const { path, database, folders } = await plant();
  const file = `${path}/plant.tar`;
  const stop = new AbortController();
  {
    using cut = await database.cut();
    const onState = ({ done_bytes }: { done_bytes: number }) => done_bytes > 0 && stop.abort();
    const pieces = packBackup(cut, { ...about, folders, onState, signal: stop.signal });
    await rejects(writeBackup(file, pieces), { name: "AbortError" });
  }
  deepEqual(names(path), ["it's here"]);
  equal(await database.checkpoint(), true);
  await Deno.writeTextFile(file, "mine");
  {
    using cut = await database.cut();
    const pieces = packBackup(cut, { ...about, folders });
    await rejects(writeBackup(file, pieces), /exists already: give another name, or remove it/);
  }
  equal(await Deno.readTextFile(file), "mine");
  await database.close();
});

Deno.test("what is no backup is said to be none", async () => {
  const path = await Deno.makeTempDir();
  await rejects(readContainer(`${path}/none`), { name: "Fault", message: /there is no backup at/ });
  await Deno.writeFile(`${path}/x`, new Uint8Array(4096).fill(65));
  await rejects(readContainer(`${path}/x`), { name: "Fault", message: /damaged \(a header\)/ });
  await rejects(readContainer(path), { name: "Fault" });
});
