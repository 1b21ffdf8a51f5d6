// A database whose old days lie in a lake, as a process that can be killed: it does what requests
// say, and answers with what came of it.
import { systemEffects } from "../../src/base/effects.ts";
import { silent_log } from "../../src/engine/core/log.ts";
import { Tiers } from "../../src/engine/retention/tiers.ts";
import type { Connection } from "../../src/store/connection.ts";
import { Database, type Write } from "../../src/store/database.ts";
import { Lake } from "../../src/store/retention/lake.ts";
import type { S3Options } from "../../src/store/retention/lake_place.ts";
import { recallDays, requireNear } from "../../src/store/retention/tier.ts";
import { statement } from "../../src/store/statement.ts";
import { still_roll } from "../help/whole.ts";

/** Where its lake is. */
export type WorkerPlace = {
  readonly folder: string;
  readonly catalog: string;
  readonly data_path: string;
  readonly extensions: string;
  readonly s3: S3Options;
};

/** What it is asked: rows are told apart by the number of who sent them. */
export type Order = {
  readonly what: "store" | "publish" | "erase" | "count" | "near" | "lake" | "tend";
  readonly day?: number;
  readonly n?: number;
};

/** The rows of a day, and how many of them differ. */
export type DayCount = { readonly day: number; readonly n: number; readonly distinct: number };

export const rows_per_order = 60;

const counted = {
  sql: `SELECT (ts // 86400000000)::INTEGER AS day, count(*)::INTEGER AS n,
      count(DISTINCT (tag_no, ts))::INTEGER AS distinct
    FROM sample GROUP BY day ORDER BY day`,
  row: { day: "int32", n: "int32", distinct: "int32" },
} as const;
const all_count = statement({ ...counted, reach: "all" });
const near_count = statement({ ...counted, reach: "near" });
/** What the lake alone tells: of each day that has a mark which counts. */
const lake_count = statement({
  sql: `SELECT day, count(ts)::INTEGER AS n, count(DISTINCT (tag_no, ts))::INTEGER AS distinct
    FROM lake.main.sealed SEMI JOIN lake.main.owner USING (epoch)
    LEFT JOIN lake.main.sample USING (copy)
    GROUP BY day`,
  row: counted.row,
  is_dynamic: true,
});

if (import.meta.main) {
  const { folder, ...place }: WorkerPlace = JSON.parse(Deno.args[0]);
  const effects = systemEffects();
  const lake = new Lake({ ...place, schema: "rounds", effects, old_hours: 0 });
  const path = `${folder}/a.duckdb`;
  const database = await Database.open({ path, effects, threads: 2, memory_mb: 256, lake });
  const settings = { tier_after: "35d" };
  const tiers = await Tiers.open({
    database,
    roll: still_roll,
    settings,
    effects,
    log: silent_log,
  });
  const count = (what: typeof all_count) =>
    database.read((connection: Connection) => connection.rows(what));
  const recalled = async (day: number, work: (write: Write) => Promise<void>) => {
    await recallDays(database, new Set([day]));
    await database.write(async (write) => {
      await requireNear(write, new Set([day]));
      await work(write);
    });
  };
  const works: Readonly<Record<Order["what"], (day: number, n: number) => Promise<unknown>>> = {
    store: (day, n) =>
      recalled(day, ({ connection, stamp_us }) =>
        connection.script(`INSERT INTO sample
          SELECT 1, ${day} * 86400000000 + (${n * rows_per_order} + i) * 1000000, ${stamp_us}, i,
            NULL, NULL, 0, NULL
          FROM range(${rows_per_order}) AS r (i)`)),
    publish: () => tiers.settle(),
    erase: (day) =>
      recalled(
        day,
        ({ connection }) =>
          connection.script(`DELETE FROM sample WHERE ts // 86400000000 = ${day}`),
      ),
    count: () => count(all_count),
    near: () => count(near_count),
    lake: async () => {
      await lake.ready();
      return await count(lake_count);
    },
    tend: () => database.far.tend(),
  };
  const onListen = ({ port }: Deno.NetAddr) => effects.out(`${port}\n`);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, async (request) => {
    const { what, day = 0, n = 0 }: Order = await request.json();
    try {
      return Response.json({ done: await works[what](day, n) ?? null });
    } catch (error) {
      return Response.json({ fault: (error as Error).message }, { status: 503 });
    }
  });
}
