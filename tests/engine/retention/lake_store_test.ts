// Old days in an object store: read at once after a start, whatever hangs or dies, and gone in the
// end.
import { deepEqual, ok, rejects } from "node:assert/strict";
import { silent_log } from "../../../src/engine/core/log.ts";
import { Tiers } from "../../../src/engine/retention/tiers.ts";
import { Database } from "../../../src/store/database.ts";
import { Lake } from "../../../src/store/retention/lake.ts";
import { recallDays } from "../../../src/store/retention/tier.ts";
import { statement } from "../../../src/store/statement.ts";
import { fakeEffects } from "../../help/effects.ts";
import { lakeTest, skip } from "../../help/lake.ts";
import { startStore, type Store } from "../../help/store.ts";
import { still_roll } from "../../help/whole.ts";

const { effects, clock } = fakeEffects("2024-12-02T12:00:00Z");
const old_day = 20_059 - 40;
const per_day = 24;
const whole = [{ n: 2 * per_day, distinct: 2 * per_day }];

const samples_count = statement({
  sql: `SELECT count(*)::INTEGER AS n, count(DISTINCT (tag_no, ts))::INTEGER AS distinct
    FROM sample`,
  row: { n: "int32", distinct: "int32" },
  reach: "all",
});

const count = (database: Database) => database.read((it) => it.rows(samples_count));

/** A database whose lake is in the store; what nobody needs goes at once. */
async function open(folder: string, extensions: string, { settings }: Store) {
  const { lake_dir, s3_endpoint, s3_key_id, s3_secret } = settings;
  const lake = new Lake({
    ...{ catalog: `${folder}/catalog.ducklake`, data_path: lake_dir, schema: "one", extensions },
    s3: { endpoint: s3_endpoint, region: "none", key_id: s3_key_id, secret: s3_secret },
    ...{ effects, old_hours: 0 },
  });
  const path = `${folder}/a.duckdb`;
  return await Database.open({ path, effects, threads: 1, memory_mb: 128, lake });
}

async function settle(database: Database): Promise<void> {
  const settings = { tier_after: "35d" };
  const tiers = await Tiers.open({
    database,
    roll: still_roll,
    settings,
    effects,
    log: silent_log,
  });
  await tiers.settle();
}

function recall(database: Database): Promise<void> {
  return recallDays(database, new Set([old_day]));
}

lakeTest("days in an object store are read, and leave nothing there", async (extensions) => {
  const folder = await Deno.makeTempDir();
  await using store = await startStore(`${folder}/store`);
  if (store === undefined) return skip("there is no versitygw");
  const first = await open(folder, extensions, store);
  await first.write(({ connection, stamp_us }) =>
    connection.script(`INSERT INTO sample
      SELECT 1, (${old_day} + 40 * (h // ${per_day})) * 86400000000 + h % ${per_day} * 3600000000,
        ${stamp_us}, h, NULL, NULL, 0, NULL
      FROM range(2 * ${per_day}) AS r (h)`)
  );
  await settle(first);
  ok((await store.list()).some((it) => it.startsWith("plants/main/sample/")));
  await first.close();

  const second = await open(folder, extensions, store);
  deepEqual(await count(second), whole, "who reads first after a start finds the store");
  await second.close();
  await store.stop();
  const database = await open(folder, extensions, store);
  for (const work of [count, recall]) await rejects(work(database), /a lake that does not answer/);
  await store.start();
  clock.advance(60_000);
  deepEqual(await count(database), whole);
  await recall(database);
  await store.stop();
  await rejects(settle(database));
  deepEqual(await count(database), whole, "what could not be stored is where it was");
  await store.start();
  clock.advance(60_000);
  await settle(database);
  deepEqual(await count(database), whole);

  // Taken back and removed: nobody needs what is in the store any more.
  await recall(database);
  await database.write(({ connection }) =>
    connection.script(`DELETE FROM sample WHERE ts < ${old_day + 1} * 86400000000`)
  );
  await settle(database);
  await database.close();
  const last = await open(folder, extensions, store);
  await last.far.tend();
  deepEqual((await store.list()).filter((it) => it.includes("/sample/")), []);
  deepEqual(await count(last), [{ n: per_day, distinct: per_day }]);
  await last.close();
  await Deno.remove(folder, { recursive: true });
});
