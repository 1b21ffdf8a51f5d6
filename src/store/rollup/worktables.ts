// What is due computed in temporary tables, set against what is stored, and stored.
import inverter_mark_sql from "./inverter_stale_mark.sql" with { type: "text" };
import change_count_sql from "./change_count.sql" with { type: "text" };
import daily_change_sql from "./daily_change.sql" with { type: "text" };
import daily_cover_mark_sql from "./daily_cover_mark.sql" with { type: "text" };
import daily_make_sql from "./daily_make.sql" with { type: "text" };
import daily_merge_sql from "./daily_merge.sql" with { type: "text" };
import minute_carry_sql from "./minute_carry.sql" with { type: "text" };
import minute_change_sql from "./minute_change.sql" with { type: "text" };
import minute_make_sql from "./minute_make.sql" with { type: "text" };
import minute_merge_sql from "./minute_merge.sql" with { type: "text" };
import quarter_change_sql from "./quarter_change.sql" with { type: "text" };
import quarter_merge_sql from "./quarter_merge.sql" with { type: "text" };
import reading_change_sql from "./reading_change.sql" with { type: "text" };
import reading_broken_mark_sql from "./reading_broken_mark.sql" with { type: "text" };
import reading_make_sql from "./reading_make.sql" with { type: "text" };
import reading_merge_sql from "./reading_merge.sql" with { type: "text" };
import sum_make_sql from "./sum_make.sql" with { type: "text" };
import { oneOf } from "../../model/data/row.ts";
import { counter_limits } from "../../model/counters/limits.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { makeModels } from "../expected/worktables.ts";
import type { PlantNeeds } from "./plant.ts";
import { makeCurbs } from "./setpoint.ts";
import { statement } from "../statement.ts";
import { table } from "../table.ts";

/** Samples by tag and minute. */
table("minute", {
  day: "int32",
  tag_no: "int32",
  minute: "int32",
  received_at: "instant",
  value: "float64?",
  value_int: "int64?",
  value_str: "text?",
  minimum: "float64?",
  maximum: "float64?",
  quality: "uint8?",
  status_code: "uint32?",
  carried: "bool",
  good_count: "int32",
  uncertain_count: "int32",
  bad_count: "int32",
});

/** Values by sensor and minute, in the measure's unit. */
table("reading", {
  day: "int32",
  sensor_no: "int32",
  minute: "int32",
  light: "bool",
  value: "float64?",
  model: "float64?",
  value_setpoint: "float64?",
  model_setpoint: "float64?",
  clipped: "float64?",
  storage: "float64?",
  span_before: "int32?",
  span_after: "int32?",
  broken: "bool?",
});

/** Readings by sensor and quarter-hour. */
table("quarter", {
  day: "int32",
  sensor_no: "int32",
  quarter: "int32",
  light: "bool",
  n: "int32",
  value: "float64?",
  minimum: "float64?",
  maximum: "float64?",
  last: "float64?",
  last_minute: "int32?",
  value_setpoint: "float64?",
  model_n: "int32",
  model: "float64?",
  model_setpoint: "float64?",
  clipped: "float64?",
  heard: "int32?",
  modelled: "int32?",
  value_matched: "float64?",
  model_matched: "float64?",
  model_setpoint_matched: "float64?",
});

/** Readings by sensor and local day. */
table("daily", {
  day: "int32",
  sensor_no: "int32",
  light: "bool",
  n: "int32",
  value: "float64?",
  minimum: "float64?",
  maximum: "float64?",
  last: "float64?",
  last_minute: "int32?",
  value_setpoint: "float64?",
  model_n: "int32",
  model: "float64?",
  model_setpoint: "float64?",
  matched_n: "int32?",
  value_matched: "float64?",
  model_matched: "float64?",
  model_setpoint_matched: "float64?",
  covered: "int32?",
});

/** How many rows of a table are new, and how many others changed or vanished. */
export type ChangeCount = { readonly fresh: number; readonly other: number };

/** The tables that it fills, the finest first. */
export const table_names = ["minute", "reading", "quarter", "daily"] as const;
export type TableName = typeof table_names[number];

/** A range of UTC minutes, and of local days, both ends included. */
const of_minutes = { from_minute: "int32", to_minute: "int32" } as const;
const of_days = { from_day: "int32", to_day: "int32" } as const;

const change_count = statement({
  sql: change_count_sql,
  row: { name: oneOf(table_names), fresh: "int32", other: "int32" },
});

const daily_cover_mark = statement({ sql: daily_cover_mark_sql, parameters: of_days });

/** Whether any day has expected minutes of daylight that no value of its own stands for. */
const lack_find = statement({
  sql: `
    SELECT count(*) > 0 AS lacks
    FROM roll_daily
    WHERE light AND coalesce(matched_n, 0) < model_n`,
  row: { lacks: "bool" },
});

const daily_make = statement({ sql: daily_make_sql, parameters: of_days });

const minute_carry = statement({
  sql: minute_carry_sql,
  parameters: { over_minute: "int32" },
});

const minute_make = statement({
  sql: minute_make_sql,
  reach: "time",
  parameters: { from_us: "instant", to_us: "instant" },
});

const reading_make = statement({
  sql: reading_make_sql,
  parameters: { ...of_minutes, close: "int32", spread: "int32" },
});

const reading_broken_mark = statement({
  sql: reading_broken_mark_sql,
  parameters: { ...of_minutes, spread: "int32" },
});

/**
 * Quarter-hours of tags whose samples are read: those to be computed, those that values are carried
 * from, and those after them that an irradiance is judged by.
 */
const scope_make = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_scope AS
    SELECT tag_no,
      unnest(range(greatest(after, quarter - reach), quarter + ahead + 1))::INTEGER AS quarter
    FROM (
      SELECT tag_no, quarter, reach, ahead,
        lag(quarter) OVER (PARTITION BY tag_no ORDER BY quarter) + 1 AS after
      FROM roll_slot JOIN roll_tag USING (tag_no)
    )`,
});

/** The time that those quarter-hours span. */
const scope_span = statement({
  sql: `
    SELECT
      coalesce(min(quarter), 0)::BIGINT * 900000000 AS from_us,
      (coalesce(max(quarter), 0)::BIGINT + 1) * 900000000 AS to_us
    FROM roll_scope`,
  row: { from_us: "instant", to_us: "instant" },
});

const sum_make = statement({ sql: sum_make_sql });

/** Computes minutes, readings, quarter-hours, days, and what differs from the stored ones. */
export async function workOut(
  connection: Connection,
  over: {
    readonly over_minute: number;
    readonly range: WorkRange;
    readonly kind: PlantNeeds;
  },
): Promise<ReadonlyMap<TableName, ChangeCount>> {
  await connection.run(scope_make);
  const [{ from_us, to_us }] = await connection.rows(scope_span);
  const over_us = over.over_minute * minute_us;
  await connection.run(minute_make, { from_us, to_us: Math.min(to_us, over_us) });
  await connection.run(minute_carry, { over_minute: over.over_minute });
  if (over.kind.has_models) await makeModels(connection, over);
  if (over.kind.has_setpoints) await makeCurbs(connection);
  const { minutes, days } = rangesOf(over.range);
  const spread = counter_limits.span_minutes;
  const close = counter_limits.close_minutes;
  await connection.run(reading_make, { ...minutes, spread, close });
  if (over.kind.has_spans) await connection.run(reading_broken_mark, { ...minutes, spread });
  await connection.run(sum_make);
  await connection.run(daily_make, days);
  if (over.kind.has_models) await markCovered(connection, days);
  for (const change of [minute_change, reading_change, quarter_change]) {
    await connection.run(change, minutes);
  }
  await connection.run(daily_change, days);
  const counts = await connection.rows(change_count);
  return new Map(counts.map((count) => [count.name, count]));
}

/** Where values come seldom, lets them stand for the minutes until the next one. */
async function markCovered(
  connection: Connection,
  days: Pick<WorkRange, "from_day" | "to_day">,
): Promise<void> {
  const [{ lacks }] = await connection.rows(lack_find);
  if (lacks) await connection.run(daily_cover_mark, days);
}

/** UTC minutes and local days that hold everything which is computed, both ends included. */
export type WorkRange = {
  readonly from_minute: number;
  readonly to_minute: number;
  readonly from_day: number;
  readonly to_day: number;
};

/** What a statement takes on rows of minutes, and on rows of days. */
function rangesOf({ from_minute, to_minute, from_day, to_day }: WorkRange) {
  return { minutes: { from_minute, to_minute }, days: { from_day, to_day } };
}

const daily_change = statement({ sql: daily_change_sql, parameters: of_days });

/** Stores the new local days, in the order in which the changes lie. */
const daily_insert = statement({
  sql: `
    INSERT INTO daily BY NAME
    SELECT * EXCLUDE (op)
    FROM roll_daily_change
    WHERE op = 'insert'`,
});

const daily_merge = statement({ sql: daily_merge_sql, parameters: of_days });

const minute_change = statement({ sql: minute_change_sql, parameters: of_minutes });

/** Stores the new minutes, in the order in which the changes lie. */
const minute_insert = statement({
  sql: `
    INSERT INTO minute
    SELECT day, tag_no, minute, $stamp_us::BIGINT AS received_at, value, value_int, value_str,
      minimum, maximum, quality, status_code, carried, good_count, uncertain_count, bad_count
    FROM roll_minute_change
    WHERE op = 'insert'`,
  parameters: { stamp_us: "instant" },
});

const minute_merge = statement({
  sql: minute_merge_sql,
  parameters: { ...of_minutes, stamp_us: "instant" },
});

const quarter_change = statement({ sql: quarter_change_sql, parameters: of_minutes });

/** Stores the new quarter-hours, in the order in which the changes lie. */
const quarter_insert = statement({
  sql: `
    INSERT INTO quarter BY NAME
    SELECT * EXCLUDE (op)
    FROM roll_quarter_change
    WHERE op = 'insert'`,
});

const quarter_merge = statement({ sql: quarter_merge_sql, parameters: of_minutes });

const reading_change = statement({ sql: reading_change_sql, parameters: of_minutes });

/** Stores the new readings, in the order in which the changes lie. */
const reading_insert = statement({
  sql: `
    INSERT INTO reading BY NAME
    SELECT * EXCLUDE (op)
    FROM roll_reading_change
    WHERE op = 'insert'`,
});

const reading_merge = statement({ sql: reading_merge_sql, parameters: of_minutes });

const inverter_mark = statement({ sql: inverter_mark_sql });

/** Stores what differs; minutes get the write's stamp, and inverters' days their marks. */
export async function storeChanges(
  write: Write,
  found: { readonly counts: ReadonlyMap<TableName, ChangeCount>; readonly range: WorkRange },
): Promise<void> {
  const { connection, stamp_us } = write;
  const { minutes, days } = rangesOf(found.range);
  const stored: Readonly<Record<TableName, Change>> = {
    minute: {
      merge: () => connection.run(minute_merge, { ...minutes, stamp_us }),
      insert: () => connection.run(minute_insert, { stamp_us }),
    },
    reading: {
      merge: () => connection.run(reading_merge, minutes),
      insert: () => connection.run(reading_insert),
    },
    quarter: {
      merge: () => connection.run(quarter_merge, minutes),
      insert: () => connection.run(quarter_insert),
    },
    daily: {
      merge: () => connection.run(daily_merge, days),
      insert: () => connection.run(daily_insert),
    },
  };
  for (const name of table_names) {
    const count = found.counts.get(name);
    if (count?.other) await stored[name].merge();
    if (count?.fresh) await stored[name].insert();
  }
  await connection.run(inverter_mark);
}

type Change = { readonly merge: () => Promise<void>; readonly insert: () => Promise<void> };
