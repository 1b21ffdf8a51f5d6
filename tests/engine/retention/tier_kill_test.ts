// Files of old days outlive what happens to them: a kill at any step, and a backup meanwhile.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { silent_log } from "../../../src/engine/core/log.ts";
import { readTiers, Tiers } from "../../../src/engine/retention/tiers.ts";
import { packBackup, writeBackup } from "../../../src/store/backup/pack.ts";
import { restoreBackup } from "../../../src/store/backup/restore.ts";
import { Database } from "../../../src/store/database.ts";
import { keptFolders } from "../../../src/store/folder.ts";
import type { LossPolicy } from "../../../src/store/loss_check.ts";
import { recallDays } from "../../../src/store/retention/tier.ts";
import { statement } from "../../../src/store/statement.ts";
import { fakeEffects } from "../../help/effects.ts";
import { Life } from "../../help/life.ts";
import { still_roll } from "../../help/whole.ts";

const { effects } = fakeEffects("2024-12-02T12:00:00Z");
const last_day = 20_059;
const old_day = last_day - 40;
const per_day = 24;

const samples_count = statement({
  sql: `
    SELECT count(*)::INTEGER AS n, count(DISTINCT (tag_no, ts))::INTEGER AS distinct
    FROM sample`,
  row: { n: "int32", distinct: "int32" },
  reach: "all",
});

const open = (path: string) => Database.open({ path, effects, threads: 1, memory_mb: 128 });

function tiersOf(database: Database, on_loss?: LossPolicy): Promise<Tiers> {
  const settings = { tier_after: "35d" };
  return Tiers.open({ database, roll: still_roll, settings, effects, log: silent_log, on_loss });
}

/** A database with an old day and a new one. */
async function fill(path: string): Promise<void> {
  const database = await open(path);
  await database.write(({ connection, stamp_us }) =>
    connection.script(`INSERT INTO sample
      SELECT 1, (${old_day} + 40 * (h // ${per_day})) * 86400000000 + h % ${per_day} * 3600000000,
        ${stamp_us}, h, NULL, NULL, 0, NULL
      FROM range(2 * ${per_day}) AS r (h)`)
  );
  await database.close();
}

/** Moves the old day, takes it back, and removes its file. */
async function live(database: Database): Promise<void> {
  const tiers = await tiersOf(database);
  await tiers.settle();
  await recallDays(database, new Set([old_day]));
  await tiers.sweep();
}

/** What a start finds, and what follows from it. */
async function check(path: string): Promise<void> {
  const whole = [{ n: 2 * per_day, distinct: 2 * per_day }];
  const database = await open(path);
  const count = () => database.read((connection) => connection.rows(samples_count));
  deepEqual(await count(), whole);
  const tiers = await tiersOf(database);
  deepEqual(await count(), whole);
  const files = async () => (await Array.fromAsync(Deno.readDir(database.far.folder))).length;
  equal((await readTiers(database)).whole, await files().catch(() => 0), "no file is left behind");
  await tiers.settle();
  deepEqual(await count(), whole);
  deepEqual([(await readTiers(database)).whole, await files()], [1, 1]);
  await database.close();
}

Deno.test("a process that dies at any step of tiering loses and doubles nothing", async () => {
  const folder = await Deno.makeTempDir();
  await fill(`${folder}/whole.duckdb`);
  const path = `${folder}/a.duckdb`;
  let steps = 1;
  for (;; steps++) {
    await Deno.copyFile(`${folder}/whole.duckdb`, path);
    const database = await open(path);
    const life = new Life(steps);
    const lived = live(database).then(() => true, (error) => ok(/killed/.test(error.message)));
    const is_whole = await lived.finally(() => life.end());
    await database.abandon();
    if (is_whole && !life.is_dead) break;
    await check(path);
    for (const left of ["a.duckdb", "a.duckdb.wal", "tiers"]) {
      await Deno.remove(`${folder}/${left}`, { recursive: true }).catch(() => {});
    }
  }
  ok(steps > 25, `${steps} steps`);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a backup holds the files of its cut, or names what is wrong", async () => {
  const folder = await Deno.makeTempDir();
  await fill(`${folder}/wattkeeper.duckdb`);
  const database = await open(`${folder}/wattkeeper.duckdb`);
  const tiers = await tiersOf(database);
  await tiers.settle();
  const about = { program: "1.2.3", made_at: "", folders: keptFolders({ data_dir: folder }) };
  const cut = await database.cut();
  await recallDays(database, new Set([old_day]));
  const swept = tiers.sweep();
  await writeBackup(`${folder}/a.tar`, packBackup(cut, about));
  cut[Symbol.dispose]();
  await swept;
  deepEqual(await Array.fromAsync(Deno.readDir(database.far.folder)), []);

  const data_dir = `${folder}/restored`;
  const quick = { effects, memory_mb: 128, threads: 1 };
  const target = { path: data_dir, folders: keptFolders({ data_dir }) };
  await restoreBackup(`${folder}/a.tar`, target, quick);
  await check(`${data_dir}/wattkeeper.duckdb`);

  await tiers.settle();
  const [file] = await Array.fromAsync(Deno.readDir(database.far.folder), ({ name }) => name);
  const path = database.far.pathOf(file);
  const bytes = await Deno.readFile(path);
  const backUp = async () => {
    using cut = await database.cut();
    await writeBackup(`${folder}/b.tar`, packBackup(cut, about));
  };
  await Deno.writeFile(path, bytes.map((byte, i) => i === 400 ? byte ^ 4 : byte));
  await rejects(backUp, new RegExp(`${file} is damaged`));
  await Deno.remove(path);
  await rejects(backUp, new RegExp(`${file} of tier_dir is missing`));

  const giving_up = await tiersOf(database, "accept");
  await giving_up.settle();
  equal((await readTiers(database)).flaws.length, 0);
  await backUp();
  await database.close();
  await Deno.remove(folder, { recursive: true });
});
