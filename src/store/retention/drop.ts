// Finds what of tags' data is older than it is kept, counts it, and drops it day by day.
import due_find_sql from "./due_find.sql" with { type: "text" };
import table_size_read_sql from "./table_size_read.sql" with { type: "text" };
import { horizon_table, type Kept } from "../../model/retention/keep.ts";
import { retention_limits } from "../../model/retention/limits.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { statement } from "../statement.ts";
import { per_day } from "../samples/order.ts";
import { stageRows, table, workTable } from "../table.ts";

/** Days (UTC, since 1970) of a tag, [from_day, to_day). */
export type TagDays = {
  readonly tag_no: number;
  readonly from_day: number;
  readonly to_day: number;
};

const drop_tag = workTable("drop_tag", { tag_no: "int32", from_day: "int32", to_day: "int32" });

/** A table that holds what is kept: whose its rows are, and of when. */
type Part = {
  readonly table: string;
  readonly of: "tag" | "sensor";
  readonly at: keyof typeof per_day;
  /** How many rows some of its rows stand for, where that is not their number. */
  readonly counted?: string;
};

/** A whole quarter-hour is its minutes, and the readings of the sensor that reads the tag. */
const of_whole = "coalesce(sum(if(sensor_no IS NULL, 15, 30)), 0)";

/** How many rows there are of tags within their days. */
const due_count_sql = `
  SELECT {counted}::BIGINT AS rows
  FROM {table} AS t
  JOIN {owners} AS d
    ON d.{owner} = t.{owner} AND t.{at} // {per_day} >= d.from_day
      AND t.{at} // {per_day} < d.to_day
  WHERE t.{at} < $end_day::BIGINT * {per_day}`;

/** Drops a day of the tags whose days hold it. */
const day_drop_sql = `
  DELETE FROM {table}
  WHERE {at} >= $day::BIGINT * {per_day} AND {at} < ($day::BIGINT + 1) * {per_day}
    AND {owner} IN (
      SELECT {owner} FROM {owners} WHERE from_day <= $day::BIGINT AND to_day > $day::BIGINT
    )`;

/** What finds, counts and drops the rows of one table. */
function statementsOf({ table, of, at, counted = "count(*)" }: Part) {
  const [reach, near] = table === "sample" ? ["before", "near"] as const : [];
  const names = {
    ...{ table, at, counted },
    per_day: `${per_day[at]}`,
    owner: `${of}_no`,
    owners: of === "tag"
      ? "drop_tag"
      : "(SELECT sensor_no, drop_tag.* FROM drop_tag JOIN sensor USING (tag_no))",
  };
  return {
    find: statement({
      sql: due_find_sql,
      parameters: { end_day: "int64", reach: "int32" },
      row: { tag_no: "int32", from_day: "int32", last_day: "int32" },
      names,
      reach,
    }),
    count: statement({
      sql: due_count_sql,
      parameters: { end_day: "int64" },
      row: { rows: "int64" },
      names,
      reach,
    }),
    drop: statement({ sql: day_drop_sql, parameters: { day: "int64" }, names, reach: near }),
    size: statement({
      sql: table_size_read_sql,
      row: { rows: "int64", bytes: "int64" },
      names,
      reach: near,
    }),
  };
}

const parts = {
  samples: [statementsOf({ table: "sample", of: "tag", at: "ts" })],
  forecasts: [statementsOf({ table: "forecast", of: "tag", at: "ts" })],
  minutes: [
    statementsOf({ table: "minute", of: "tag", at: "minute" }),
    statementsOf({ table: "reading", of: "sensor", at: "minute" }),
    statementsOf({ table: "whole_quarter", of: "tag", at: "quarter", counted: of_whole }),
  ],
  quarters: [
    statementsOf({ table: "quarter", of: "sensor", at: "quarter" }),
    statementsOf({ table: "lent_quarter", of: "sensor", at: "quarter" }),
  ],
} as const;

/**
 * What of `limits`, the days that may go, there is: of each tag that has any from the first of its
 * days on. A tag's last samples before a silence stay until it is over: what comes after it can be
 * computed again as it was.
 */
export async function findDue(
  connection: Connection,
  kept: Kept,
  limits: readonly TagDays[],
): Promise<TagDays[]> {
  if (limits.length === 0) return [];
  await stageRows(connection, drop_tag, limits);
  const { seal_days, spoken_days } = retention_limits;
  const reach = kept === "samples" ? seal_days : 0;
  const end_day = lastOf(limits) + reach;
  const days = new Map<number, { from_day: number; last_day: number }>();
  for (const { find } of parts[kept]) {
    for (const { tag_no, from_day, last_day } of await connection.rows(find, { end_day, reach })) {
      const known = days.get(tag_no) ?? { from_day, last_day };
      days.set(tag_no, {
        from_day: Math.min(known.from_day, from_day),
        last_day: Math.max(known.last_day, last_day),
      });
    }
  }
  return limits.flatMap(({ tag_no, to_day }) => {
    const { from_day, last_day } = days.get(tag_no) ?? { from_day: to_day, last_day: 0 };
    const end = kept === "samples" ? Math.min(to_day, last_day - seal_days + spoken_days) : to_day;
    return from_day < end ? [{ tag_no, from_day, to_day: end }] : [];
  });
}

/** How many rows `due` has, and about how much room they take in the file. */
export async function sizeDue(
  connection: Connection,
  kept: Kept,
  due: readonly TagDays[],
): Promise<{ readonly rows: number; readonly bytes: number }> {
  await stageRows(connection, drop_tag, due);
  const sum = { rows: 0, bytes: 0 };
  for (const { count, size } of parts[kept]) {
    const [{ rows }] = await connection.rows(count, { end_day: lastOf(due) });
    const [all] = await connection.rows(size);
    sum.rows += rows;
    sum.bytes += Math.round(all.bytes * rows / Math.max(all.rows, 1));
  }
  return sum;
}

/** Drops a day of what is due, and notes in the same transaction what of each tag is gone. */
export async function dropDay(
  { connection }: Write,
  { kept, due, day }: {
    readonly kept: Kept;
    readonly due: readonly TagDays[];
    readonly day: number;
  },
): Promise<void> {
  await stageRows(connection, drop_tag, due);
  for (const { drop } of parts[kept]) await connection.run(drop, { day });
  await connection.run(horizons_insert);
  await connection.run(raises[kept], { day });
}

/** What of each tag is gone. */
export const horizons = table("horizon", horizon_table);

const horizons_insert = statement({
  sql: `
    INSERT INTO horizon
    SELECT tag_no, 0, 0, 0, 0
    FROM drop_tag
    ANTI JOIN horizon USING (tag_no)
    ORDER BY tag_no`,
});

function raiseOf(kept: Kept) {
  return statement({
    sql: `
      UPDATE horizon
      SET {kept} = least(d.to_day, $day::INTEGER + 1)
      FROM drop_tag AS d
      WHERE d.tag_no = horizon.tag_no AND d.from_day <= $day::INTEGER`,
    parameters: { day: "int32" },
    names: { kept },
  });
}

const raises = {
  samples: raiseOf("samples"),
  forecasts: raiseOf("forecasts"),
  minutes: raiseOf("minutes"),
  quarters: raiseOf("quarters"),
} as const;

function lastOf(days: readonly TagDays[]): number {
  return days.reduce((last, { to_day }) => Math.max(last, to_day), 0);
}
