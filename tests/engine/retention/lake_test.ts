// Old days in a lake: every answer is as if they were here, whatever dies or goes away.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { readTiers } from "../../../src/engine/retention/tiers.ts";
import type { Database } from "../../../src/store/database.ts";
import { readFileUse, readSizes } from "../../../src/store/retention/disk.ts";
import { statement } from "../../../src/store/statement.ts";
import { startPostgres } from "../../help/postgres.ts";
import { lakeTest, skip } from "../../help/lake.ts";
import { Life } from "../../help/life.ts";
import {
  clock,
  fill,
  open,
  per_day,
  type Place,
  recall,
  tiersOf,
  told,
  whole_day,
} from "./lake_help.ts";
import { apply, compare, day_ms, days, filled, first_ms, send, site } from "./world_help.ts";
import { aTurn } from "../../help/until.ts";

lakeTest("answers over a lake are those of a database alone", async (extension_dir) => {
  const data_dir = await Deno.makeTempDir();
  const lake = { tier: `ducklake:${data_dir}/catalog.ducklake`, extension_dir };
  const tiered = await filled({ data_dir, tier_after: "35d", ...lake });
  const twin = await filled({});
  await tiered.services.tiers.settle();
  const inLake = async () => (await readTiers(tiered.services.database)).whole;
  equal(await inLake(), days - 36);
  await compare(tiered, twin);

  const at = (ms: number) => new Date(first_ms + 5 * day_ms + ms).toISOString();
  const late = [
    { tag: "p", ts: at(0), value: 0 },
    { tag: "p", ts: at(60_000), value: 1 },
    { tag: "e", ts: at(60_000), value: 2 },
  ];
  for (const service of [tiered, twin]) {
    const { accepted, duplicates } = await send(service, late);
    deepEqual({ accepted, duplicates }, { accepted: 2, duplicates: 1 });
    await service.services.roll.settle();
  }
  equal(await inLake(), days - 37);
  await compare(tiered, twin);
  // The day stays here for an hour, and goes again with what came late.
  for (const service of [tiered, twin]) service.clock.advance(2 * 3_600_000);
  await tiered.services.tiers.settle();
  equal(await inLake(), days - 36);
  await compare(tiered, twin);

  const mapped = { ...site, sensors: site.sensors.map((it) => ({ ...it, scale: 2 })) };
  for (const service of [tiered, twin]) {
    await apply(service, mapped);
    await service.services.roll.settle();
  }
  await compare(tiered, twin);
  for (const service of [tiered, twin]) await service.close();
  await Deno.remove(data_dir, { recursive: true });
});

const samples_count = statement({
  sql: `
    SELECT count(*)::INTEGER AS n, count(DISTINCT (tag_no, ts))::INTEGER AS distinct
    FROM sample`,
  row: { n: "int32", distinct: "int32" },
  reach: "all",
});

const near_count = statement({
  sql: "SELECT count(*)::INTEGER AS n FROM sample",
  row: { n: "int32" },
  reach: "near",
});

const lake_count = statement({
  sql: `SELECT count(*)::INTEGER AS rows, count(DISTINCT copy)::INTEGER AS copies,
      (SELECT count(*)::INTEGER FROM lake.main.published) AS marks
    FROM lake.main.sample`,
  row: { rows: "int32", copies: "int32", marks: "int32" },
  is_dynamic: true,
});

/** Moves the old day, takes it back, and moves it once more. */
async function live(database: Database): Promise<void> {
  await (await tiersOf(database)).settle();
  await recall(database);
  await (await tiersOf(database)).settle();
}

/** What a start finds: each sample once, and after a move nothing in the lake that nobody names. */
async function check(place: Place): Promise<void> {
  const { database } = await open(place);
  const count = () => database.read((connection) => connection.rows(samples_count));
  const whole = [{ n: 2 * per_day, distinct: 2 * per_day }];
  deepEqual(await count(), whole);
  await told(database);
  const tiers = await tiersOf(database);
  deepEqual(await count(), whole);
  await tiers.settle();
  deepEqual(await count(), whole);
  deepEqual(await told(database), [whole_day]);
  const left = await database.read((connection) => connection.rows(lake_count));
  deepEqual(left, [{ rows: per_day, copies: 1, marks: 1 }]);
  await database.abandon();
}

lakeTest("a process that dies at any step with a lake loses nothing", async (extensions) => {
  const whole = await Deno.makeTempDir();
  const first = await open({ folder: whole, extensions });
  await fill(first.database);
  await first.database.close();
  let steps = 1;
  // All of them take minutes: LAKE_STEPS=1.
  const stride = Number(Deno.env.get("LAKE_STEPS") ?? 13);
  for (;; steps += stride) {
    const folder = await Deno.makeTempDir();
    await Deno.copyFile(`${whole}/a.duckdb`, `${folder}/a.duckdb`);
    const { database } = await open({ folder, extensions });
    const life = new Life(steps);
    const lived = live(database).then(() => true, () => false);
    const is_whole = await lived.finally(() => life.end());
    await database.abandon();
    await check({ folder, extensions });
    await Deno.remove(folder, { recursive: true });
    if (is_whole && !life.is_dead) break;
  }
  ok(steps > 30, `${steps} steps`);
  await Deno.remove(whole, { recursive: true });
});

lakeTest("a service whose lake was taken over stores nothing there", async (extensions) => {
  const folder = await Deno.makeTempDir();
  const one = await open({ folder, extensions });
  await fill(one.database);
  await one.database.checkpoint();
  await Deno.copyFile(`${folder}/a.duckdb`, `${folder}/b.duckdb`);
  const move = async ({ database, lake }: typeof one) => {
    await (await tiersOf(database)).settle();
    // A catalogue in a file is open once at a time.
    await lake.leave(false);
  };
  await move(one);
  clock.advance(1);
  const other = await open({ folder, extensions, name: "b.duckdb" });
  await move(other);
  await recall(one.database);
  await rejects(() => move(one), /another service has taken the lake over/);
  await one.lake.leave(false);
  const [found] = await other.database.read((connection) => connection.rows(samples_count));
  deepEqual(found, { n: 2 * per_day, distinct: 2 * per_day });
  for (const { database } of [one, other]) await database.abandon();
  await Deno.remove(folder, { recursive: true });
});

lakeTest("a service whose data may be another's stores nothing in the lake", async (extensions) => {
  const folder = await Deno.makeTempDir();
  let is_owner = true;
  const owns = () => is_owner;
  const { database, lake } = await open({ folder, extensions, owns });
  await fill(database);
  // It loses them while it stores.
  const storing = (async () => await (await tiersOf(database)).settle())();
  is_owner = false;
  await rejects(storing, /others may have the data/);
  const near = () => database.read((connection) => connection.rows(near_count));
  deepEqual(await near(), [{ n: 2 * per_day }], "all of it is where it was");
  await lake.ready();
  const left = () => database.read((connection) => connection.rows(lake_count));
  deepEqual(await left(), [{ rows: 0, copies: 0, marks: 0 }]);
  is_owner = true;
  await (await tiersOf(database)).settle();
  deepEqual(await left(), [{ rows: per_day, copies: 1, marks: 1 }]);
  await database.abandon();
  await Deno.remove(folder, { recursive: true });
});

lakeTest("a catalogue that hangs or is gone touches nothing that is near", async (extensions) => {
  const folder = await Deno.makeTempDir();
  await using server = await startPostgres(`${folder}/postgres`);
  if (server === undefined) return skip("there is no PostgreSQL, or no root to start it");
  const { database } = await open({ folder, extensions, catalog: `postgres:${server.place}` });
  await fill(database);
  await (await tiersOf(database)).settle();
  const far = () => database.read((connection) => connection.rows(samples_count));
  const whole = [{ n: 2 * per_day, distinct: 2 * per_day }];
  deepEqual(await far(), whole);
  for (const way of ["stop", "hang"] as const) {
    await server[way]();
    const answer = rejects(far(), /old days lie in a lake that does not answer/);
    // Nobody knows yet that it is away.
    for (let turn = 0; turn < 20; turn++) await aTurn();
    const sizes = database.aside(readSizes);
    await passing(Promise.all([answer, sizes]));
    const near = await database.read((connection) => connection.rows(near_count));
    equal(near[0].n, per_day);
    await database.write(({ connection }) =>
      connection.script("INSERT INTO disk_use VALUES (1, 1)")
    );
    await database.aside(readSizes);
    await database.aside(readFileUse);
    await database.checkpoint();
    await server.start();
    clock.advance(60_000);
    deepEqual(await far(), whole);
  }
  await database.abandon();
  await Deno.remove(folder, { recursive: true });
});

lakeTest("who asks for sizes while a day moves does not end the move", async (extensions) => {
  const folder = await Deno.makeTempDir();
  const { database } = await open({ folder, extensions });
  await fill(database);
  let is_moved = false;
  const moving = (await tiersOf(database)).settle().finally(() => is_moved = true);
  while (!is_moved) {
    await database.aside(readSizes);
    await aTurn();
  }
  await moving;
  const near = await database.read((connection) => connection.rows(near_count));
  equal(near[0].n, per_day);
  await database.abandon();
  await Deno.remove(folder, { recursive: true });
});

lakeTest("what others remove from a lake is told of, never left out", async (extensions) => {
  const folder = await Deno.makeTempDir();
  const { database } = await open({ folder, extensions });
  await fill(database);
  await (await tiersOf(database)).settle();
  const count = () => database.read((connection) => connection.rows(samples_count));
  deepEqual(await count(), [{ n: 2 * per_day, distinct: 2 * per_day }]);
  for (const removal of ["sample WHERE value = 5", "sample", "published"]) {
    const session = database.session();
    await session.script(`DELETE FROM lake.main.${removal}`);
    session.close();
    const told = /2024-10-23 can't be read, lake-2024-10-23-\d+ is (missing|not as it was stored)/;
    await rejects(count, told);
    await rejects(() => recall(database), told);
    const near = await database.read((connection) => connection.rows(near_count));
    equal(near[0].n, per_day);
  }
  await database.abandon();
  await Deno.remove(folder, { recursive: true });
});

lakeTest("a password with quotes in it is in no reason", async (extensions) => {
  const folder = await Deno.makeTempDir();
  const catalog = `postgres:host=127.0.0.1 port=1 dbname=d password='a"b hidden'`;
  const { database } = await open({ folder, extensions, catalog });
  await rejects(database.far.place.ready(), (error: Error) => {
    ok(!error.message.includes("hidden"), error.message);
    return true;
  });
  await database.abandon();
  await Deno.remove(folder, { recursive: true });
});

lakeTest("what fails as the catalogue goes away tells no password", async (extensions) => {
  const folder = await Deno.makeTempDir();
  await using server = await startPostgres(`${folder}/postgres`);
  if (server === undefined) return skip("there is no PostgreSQL, or no root to start it");
  const catalog = `postgres:${server.place} password=hidden`;
  const { database } = await open({ folder, extensions, catalog });
  await database.far.place.ready();
  await server.stop();
  await rejects(database.far.place.remove("lake-none"), (error: Error) => {
    ok(/does not answer/.test(error.message) && !error.message.includes("hidden"), error.message);
    return true;
  });
  await database.abandon();
  await Deno.remove(folder, { recursive: true });
});

lakeTest("a first move that fails is no take-over", async (extensions) => {
  const folder = await Deno.makeTempDir();
  const { database } = await open({ folder, extensions });
  await fill(database);
  await database.far.place.ready();
  // A file where the lake wants a folder.
  const in_the_way = `${folder}/lake/main/sample`;
  await Deno.writeTextFile(in_the_way, "");
  await rejects(async () => await (await tiersOf(database)).settle());
  await Deno.remove(in_the_way);
  clock.advance(60_000);
  await (await tiersOf(database)).settle();
  const near = await database.read((connection) => connection.rows(near_count));
  equal(near[0].n, per_day);
  await database.abandon();
  await Deno.remove(folder, { recursive: true });
});

/** Lets time pass until something is settled. */
async function passing(what: Promise<unknown>): Promise<void> {
  let is_settled = false;
  const settled = what.finally(() => is_settled = true);
  while (!is_settled) {
    clock.advance(1000);
    await aTurn();
  }
  await settled;
}
