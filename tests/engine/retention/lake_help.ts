// A database of an old day and a new one whose old days lie in a lake, for tests of that.
import { deepEqual } from "node:assert/strict";
import { silent_log } from "../../../src/engine/core/log.ts";
import { Tiers } from "../../../src/engine/retention/tiers.ts";
import { Database } from "../../../src/store/database.ts";
import { Lake } from "../../../src/store/retention/lake.ts";
import { listTiers, recallDays } from "../../../src/store/retention/tier.ts";
import { statement } from "../../../src/store/statement.ts";
import { fakeEffects } from "../../help/effects.ts";
import { still_roll } from "../../help/whole.ts";

export const { effects, clock } = fakeEffects("2024-12-02T12:00:00Z");
const last_day = 20_059;
export const old_day = last_day - 40;
export const per_day = 24;

/** What who reads the lake alone is told of each day. */
const told_list = statement({
  sql: `SELECT day, copy, count(value)::INTEGER AS rows
    FROM lake.main.sealed
    SEMI JOIN lake.main.owner USING (epoch)
    LEFT JOIN lake.main.sample USING (copy)
    GROUP BY day, copy`,
  row: { day: "int32", copy: "text", rows: "int32" },
  is_dynamic: true,
});

/** How many rows of which days the lake alone tells of, each as the database has it there. */
export async function told(database: Database) {
  await database.far.place.ready();
  const days = await database.aside((connection) => connection.rows(told_list));
  const moved = (await database.aside(listTiers)).filter(({ state }) => state === "moved");
  for (const { day, copy, rows } of days) {
    const known = moved.find(({ file }) => file === copy);
    deepEqual({ day: known?.day, rows: known?.rows }, { day, rows });
  }
  return days.map(({ day, rows }) => ({ day, rows }));
}

export const whole_day = { day: old_day, rows: per_day };

export type Place = {
  readonly folder: string;
  readonly extensions: string;
  readonly name?: string;
  readonly catalog?: string;
  readonly owns?: () => boolean;
};

/** A database in a folder with its lake beside it. */
export async function open({ folder, extensions, ...place }: Place) {
  const { name = "a.duckdb", catalog = `${folder}/catalog.ducklake`, owns = () => true } = place;
  const none = { endpoint: "none", region: "none", key_id: "none", secret: "none" };
  const lake = new Lake({
    ...{ catalog, data_path: `${folder}/lake`, schema: "one", extensions, s3: none },
    effects: { ...effects, owns },
  });
  const path = `${folder}/${name}`;
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 128, lake });
  return { database, lake };
}

export function tiersOf(database: Database): Promise<Tiers> {
  return Tiers.open({
    ...{ database, roll: still_roll, settings: { tier_after: "35d" }, effects },
    log: silent_log,
  });
}

/** An old day and a new one. */
export function fill(database: Database): Promise<void> {
  return database.write(({ connection, stamp_us }) =>
    connection.script(`INSERT INTO sample
      SELECT 1, (${old_day} + 40 * (h // ${per_day})) * 86400000000 + h % ${per_day} * 3600000000,
        ${stamp_us}, h, NULL, NULL, 0, NULL
      FROM range(2 * ${per_day}) AS r (h)`)
  );
}

export function recall(database: Database): Promise<void> {
  return recallDays(database, new Set([old_day]));
}
