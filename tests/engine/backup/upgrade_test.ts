// An older version's database is backed up before it is migrated, or left as it is.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { upgradeBy } from "../../../src/engine/backup/upgrade.ts";
import type { Settings } from "../../../src/model/setting.ts";
import { Database } from "../../../src/store/database.ts";
import { withFile } from "../../../src/store/instance.ts";
import plant from "../../../src/store/migrations/001_plant.sql" with { type: "text" };
import { keptFolders } from "../../../src/store/folder.ts";
import { restoreBackup } from "../../../src/store/backup/restore.ts";
import { fakeEffects } from "../../help/effects.ts";

const { effects } = fakeEffects();
const own = { effects, memory_mb: 256, threads: 1 } as const;

/** A data directory whose database is of the first version. */
async function older() {
  const data_dir = await Deno.makeTempDir();
  const path = `${data_dir}/wattkeeper.duckdb`;
  await withFile({ path, memory_mb: 256 }, async (connection) => {
    await connection.script(plant);
    await connection.script("INSERT INTO meta VALUES ('version', '1')");
    await connection.script("INSERT INTO stale VALUES (1, 2)");
  });
  const open = (upgrade: Settings["upgrade"], tell: (text: string) => void = () => {}) => {
    const settings = { data_dir, backup_dir: "none", upgrade } as const;
    const onMigrate = upgradeBy({ settings, effects, version: "2.0.0", tell });
    return Database.open({ ...own, path, onMigrate });
  };
  return { data_dir, path, open };
}

Deno.test("an upgrade is backed up first, told step by step, and can be taken back", async () => {
  const { data_dir, open } = await older();
  const told: string[] = [];
  const database = await open("backup", (text) => told.push(text));
  await database.close();
  const name = "upgrade-from-1-20260601T120000Z.tar";
  deepEqual(Array.from(Deno.readDirSync(`${data_dir}/backups`), (it) => it.name), [name]);
  match(told[0], /backing up the database before its upgrade: /);
  match(told.at(-1)!, /^the database is of version (\d+) of \1 now$/);
  const path = `${data_dir}/again`;
  const manifest = await restoreBackup(
    `${data_dir}/backups/${name}`,
    { path, folders: keptFolders({ data_dir: path }) },
    own,
  );
  equal(manifest.schema, 1);
  equal(manifest.tables.find(({ table_name }) => table_name === "stale")?.rows, 1);
  await (await open("refuse")).close();
});

Deno.test("an upgrade that is refused, or whose backup fails, changes nothing", async () => {
  const { data_dir, path, open } = await older();
  const bytes = () => Deno.readFile(path);
  const before = await bytes();
  await rejects(open("refuse"), { name: "Fault", message: /upgrade is refuse/ });
  deepEqual(await bytes(), before);
  await Deno.writeTextFile(`${data_dir}/backups`, "no folder");
  await rejects(open("backup"));
  deepEqual(await bytes(), before);
  await (await open("direct")).close();
});

Deno.test("an upgrade that ends in the middle goes on from there", async () => {
  const { data_dir, path, open } = await older();
  const dies = (text: string) => {
    if (text.includes("of version 3 of")) throw new Error("killed");
  };
  await rejects(open("backup", dies), /killed/);
  await rejects(open("refuse"), /is of version 3, this program makes it/);
  await Deno.remove(`${data_dir}/backups`, { recursive: true });
  const database = await open("backup");
  await database.close();
  match([...Deno.readDirSync(`${data_dir}/backups`)][0].name, /^upgrade-from-3-/);
  await (await Database.open({ ...own, path })).close();
});
