// What is due worked out in temporary tables, set against what is stored, and stored.
import inverter_mark from "./inverter_stale_mark.sql" with { type: "text" };
import change_count from "./change_count.sql" with { type: "text" };
import daily_change from "./daily_change.sql" with { type: "text" };
import daily_insert from "./daily_insert.sql" with { type: "text" };
import daily_make from "./daily_make.sql" with { type: "text" };
import daily_merge from "./daily_merge.sql" with { type: "text" };
import minute_carry from "./minute_carry.sql" with { type: "text" };
import minute_change from "./minute_change.sql" with { type: "text" };
import minute_insert from "./minute_insert.sql" with { type: "text" };
import minute_make from "./minute_make.sql" with { type: "text" };
import minute_merge from "./minute_merge.sql" with { type: "text" };
import quarter_change from "./quarter_change.sql" with { type: "text" };
import quarter_insert from "./quarter_insert.sql" with { type: "text" };
import quarter_merge from "./quarter_merge.sql" with { type: "text" };
import reading_change from "./reading_change.sql" with { type: "text" };
import reading_insert from "./reading_insert.sql" with { type: "text" };
import reading_make from "./reading_make.sql" with { type: "text" };
import reading_merge from "./reading_merge.sql" with { type: "text" };
import scope_make from "./scope_make.sql" with { type: "text" };
import sum_make from "./sum_make.sql" with { type: "text" };
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { makeModels } from "../expected/worktables.ts";
import type { PlantKind } from "./plant.ts";
import { makeCurbs } from "./setpoint.ts";
import type { Parameters } from "../value.ts";

/** How many rows of a table are new, and how many others changed or vanished. */
export type ChangeCount = { readonly fresh: number; readonly other: number };
export type TableName = "minute" | "reading" | "quarter" | "daily";

/** Works out minutes, readings, quarter-hours, days, and what differs from the stored ones. */
export async function workOut(
  connection: Connection,
  over: {
    readonly over_minute: number;
    readonly range: WorkRange;
    readonly kind: PlantKind;
  },
): Promise<ReadonlyMap<TableName, ChangeCount>> {
  await connection.run(scope_make);
  const [scope] = await connection.rows<{ from_us: number; to_us: number }>(
    "SELECT coalesce(min(quarter), 0)::BIGINT * 900000000 AS from_us, " +
      "(coalesce(max(quarter), 0)::BIGINT + 1) * 900000000 AS to_us FROM roll_scope",
  );
  const to_us = Math.min(scope.to_us, over.over_minute * 60_000_000);
  await connection.run(minute_make, { from_us: scope.from_us, to_us });
  await connection.run(minute_carry, { over_minute: over.over_minute });
  if (over.kind.has_models) await makeModels(connection, over);
  if (over.kind.has_setpoints) await makeCurbs(connection);
  await connection.run(reading_make, rangeOf("reading", over.range));
  await connection.run(sum_make);
  await connection.run(daily_make, rangeOf("daily", over.range));
  for (const { name, change } of tables) {
    await connection.run(change, rangeOf(name, over.range));
  }
  const counts = await connection.rows<{ name: TableName; fresh: number; other: number }>(
    change_count,
  );
  return new Map(counts.map((count) => [count.name, count]));
}

/** UTC minutes and local days that hold everything which is worked out, both ends included. */
export type WorkRange = {
  readonly from_minute: number;
  readonly to_minute: number;
  readonly from_day: number;
  readonly to_day: number;
};

/** What a statement on a table's rows of the range takes. */
function rangeOf(name: TableName, range: WorkRange): Parameters {
  const { from_minute, to_minute, from_day, to_day } = range;
  return name === "daily" ? { from_day, to_day } : { from_minute, to_minute };
}

const tables = [
  { name: "minute", change: minute_change, merge: minute_merge, insert: minute_insert },
  { name: "reading", change: reading_change, merge: reading_merge, insert: reading_insert },
  { name: "quarter", change: quarter_change, merge: quarter_merge, insert: quarter_insert },
  { name: "daily", change: daily_change, merge: daily_merge, insert: daily_insert },
] as const;

/** Stores what differs; minutes get the write's stamp, and inverters' days their marks. */
export async function storeChanges(
  write: Write,
  found: { readonly counts: ReadonlyMap<TableName, ChangeCount>; readonly range: WorkRange },
): Promise<void> {
  for (const { name, merge, insert } of tables) {
    const count = found.counts.get(name);
    const stamp: Parameters = name === "minute" ? { stamp_us: write.stamp_us } : {};
    if (count?.other) {
      await write.connection.run(merge, { ...rangeOf(name, found.range), ...stamp });
    }
    if (count?.fresh) await write.connection.run(insert, stamp);
  }
  await write.connection.run(inverter_mark);
}
