// What is due computed in temporary tables: minutes, readings, quarter-hours and days.
import daily_cover_mark_sql from "./daily_cover_mark.sql" with { type: "text" };
import daily_make_sql from "./daily_make.sql" with { type: "text" };
import minute_carry_sql from "./minute_carry.sql" with { type: "text" };
import minute_make_sql from "./minute_make.sql" with { type: "text" };
import measured_make_sql from "./measured_make.sql" with { type: "text" };
import now_find_sql from "./now_find.sql" with { type: "text" };
import reading_broken_mark_sql from "./reading_broken_mark.sql" with { type: "text" };
import reading_make_sql from "./reading_make.sql" with { type: "text" };
import scope_make_sql from "./scope_make.sql" with { type: "text" };
import single_read_sql from "./single_read.sql" with { type: "text" };
import sum_make_sql from "./sum_make.sql" with { type: "text" };
import { counter_limits } from "../../model/counters/limits.ts";
import type { PlainRow } from "../../model/data/row.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import { minute_us } from "../../model/time/series.ts";
import { day_minutes } from "../../model/time/zone.ts";
import type { Connection } from "../connection.ts";
import { makeModels } from "../expected/worktables.ts";
import {
  type Changes,
  findChanges,
  rangesOf,
  within_days,
  within_minutes,
  type WorkRange,
} from "./change.ts";
import type { PlantNeeds } from "./plant.ts";
import { makeCurbs } from "./setpoint.ts";
import { statement } from "../statement.ts";
import { keepMinutes } from "./kept.ts";
import type { TimeSpan } from "./stale.ts";
import { findNoWholes, findWholes } from "./whole_find.ts";

const daily_cover_mark = statement({ sql: daily_cover_mark_sql, parameters: within_days });

/** Whether any day has expected minutes of daylight that no value of its own stands for. */
const lack_find = statement({
  sql: `
    SELECT count(*) > 0 AS lacks
    FROM roll_daily
    WHERE light AND coalesce(matched_n, 0) < model_n`,
  row: { lacks: "bool" },
});

const daily_make = statement({ sql: daily_make_sql, parameters: within_days });

const minute_carry = statement({
  sql: minute_carry_sql,
  parameters: { over_minute: "int32" },
});

const of_samples = { from_us: "instant", to_us: "instant" } as const;

const several = `SEMI JOIN several AS q ON q.tag_no = scoped.tag_no AND q.quarter = minute // 15`;

/**
 * Two ways to the same minutes: all samples are grouped, or quarter-hours of a tag in which a
 * minute has several alone. To find these takes longer where most are such.
 */
export const minute_makes = {
  dense: statement({
    sql: minute_make_sql,
    names: { single: "", several: "" },
    reach: "time",
    parameters: of_samples,
  }),
  sparse: statement({
    sql: minute_make_sql,
    names: { single: single_read_sql, several },
    reach: "time",
    parameters: of_samples,
  }),
} as const;

/** How many samples lie in a span; those of tags that are not in scope are among them. */
const sample_count = statement({
  sql: `
    SELECT count(*)::BIGINT AS samples
    FROM sample
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT`,
  reach: "time",
  parameters: of_samples,
  row: { samples: "int64" },
});

const reading_make = statement({
  sql: reading_make_sql,
  parameters: { ...within_minutes, close: "int32", spread: "int32" },
});

const reading_broken_mark = statement({
  sql: reading_broken_mark_sql,
  parameters: { ...within_minutes, spread: "int32" },
});

/**
 * Quarter-hours of tags whose samples are read: those to be computed, those that values are carried
 * from, and those after them that an irradiance is judged by. Those to be computed have a `day`.
 */
const scope_make = statement({ sql: scope_make_sql, parameters: { over_minute: "int32" } });

/**
 * Working tables without rows, of what a count has told that there is none: a statement that finds
 * no row takes about as long to plan as one that finds many.
 */
const minute_none = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_minute AS
    SELECT 0 AS day, true AS fresh, * FROM roll_kept LIMIT 0`,
});

const reading_none = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_reading AS
    SELECT true AS fresh, * FROM reading LIMIT 0`,
});

const now_find = statement({
  sql: now_find_sql,
  parameters: { over_minute: "int32" },
  row: { has_gaps: "bool", has_several: "bool" },
});

/** How many quarter-hours of tags and sensors there are to be computed, and what of them holds. */
const work_size = statement({
  sql: `
    SELECT *
    FROM (
      SELECT count(*)::INTEGER AS slots, count_if(fresh)::INTEGER AS fresh_slots,
        count_if(is_marked)::INTEGER AS marked_slots FROM roll_slot
    ), (
      SELECT count(*)::INTEGER AS units, count_if(fresh)::INTEGER AS fresh_units,
        count_if(simple AND fresh)::INTEGER AS simple_units FROM roll_unit
    )`,
  row: {
    ...{ slots: "int32", fresh_slots: "int32", marked_slots: "int32" },
    ...{ units: "int32", fresh_units: "int32", simple_units: "int32" },
  },
});
type WorkSize = PlainRow<typeof work_size.row>;

/** How many quarter-hours of tags are whole, and how many of them were known as such. */
const whole_size = statement({
  sql: `
    SELECT count(*)::INTEGER AS slots, count_if(is_marked)::INTEGER AS marked FROM roll_whole`,
  row: { slots: "int32", marked: "int32" },
});

/**
 * Leaves out known ones that are whole no more: whoever stored another sample meanwhile has
 * unfolded them. The next pass, which that sample touches, finds their minutes stored.
 */
const leave_unit = statement({
  sql: `
    DELETE FROM roll_unit
    USING roll_slot AS q
    WHERE q.fresh AND q.is_marked AND q.tag_no = roll_unit.plain_tag_no
      AND q.quarter = roll_unit.quarter
      AND (q.tag_no, q.quarter) NOT IN (SELECT tag_no, quarter FROM roll_whole)`,
});
const leave_slot = statement({
  sql: `
    DELETE FROM roll_slot
    WHERE fresh AND is_marked
      AND (tag_no, quarter) NOT IN (SELECT tag_no, quarter FROM roll_whole)`,
});

/** The time that those quarter-hours span, from the first sample that is to be read. */
const scope_span = statement({
  sql: `
    SELECT (coalesce(max(quarter), 0)::BIGINT + 1) * 900000000 AS to_us,
      coalesce(min(from_minute) FILTER (from_minute // 15 = quarter)::BIGINT * 60000000, to_us)
        AS from_us,
      coalesce(sum(greatest(least(quarter * 15 + 15, $over_minute) - from_minute, 0)), 0)::BIGINT
        AS minutes
    FROM roll_scope`,
  parameters: { over_minute: "int32" },
  row: { to_us: "instant", from_us: "instant", minutes: "int64" },
});

/**
 * The computed minutes as they are to be stored, and whether they are of a fresh quarter-hour. A
 * minimum or maximum that the value is itself is left out.
 */
const made_make = statement({
  sql: `
    CREATE OR REPLACE TEMP VIEW roll_made AS
    SELECT fresh, day, tag_no, minute, if(value_int IS NULL, mean, NULL) AS value, value_int,
      value_str, if(value_int IS NULL, nullif(minimum, mean), NULL) AS minimum,
      if(value_int IS NULL, nullif(maximum, mean), NULL) AS maximum, quality, status_code, carried,
      good_count, uncertain_count, bad_count
    FROM roll_minute
    WHERE day IS NOT NULL`,
});

const measured_make = statement({ sql: measured_make_sql });

/**
 * The readings of simple quarter-hours that are not whole: nothing is expected of them, none of
 * them is stored.
 */
const simple_make = statement({
  sql: `
    CREATE OR REPLACE TEMP VIEW roll_simple AS
    SELECT day, sensor_no, minute, light, value
    FROM roll_measured
    WHERE simple`,
});

const sum_make = statement({ sql: sum_make_sql });

/** What is to be computed. */
type Work = {
  readonly over_minute: number;
  readonly range: WorkRange;
  readonly kind: PlantNeeds;
  readonly rows_per_write: number;
  /** Whether all is to be computed from samples alone, by nothing that a session knows. */
  readonly looks_all: boolean;
};

/**
 * Computes minutes, readings, quarter-hours, days, and what differs from the stored ones: how much,
 * and in parts of how many minutes it lies, each of about `rows_per_write` rows of a table.
 */
export async function workOut(
  connection: Connection,
  over: Work,
): Promise<Pick<Changes, "counts" | "part_minutes">> {
  const [size] = await connection.rows(work_size);
  const wholes = await makeWhole(connection, size, over);
  if (wholes < size.slots) await makeMinutes(connection, over);
  else await connection.run(minute_none);
  for (const make of [made_make, measured_make, simple_make]) await connection.run(make);
  if (over.kind.has_models) await makeModels(connection, over);
  if (over.kind.has_setpoints) await makeCurbs(connection);
  const { minutes, days } = rangesOf(over.range);
  const spread = counter_limits.span_minutes;
  const close = counter_limits.close_minutes;
  if (size.simple_units < size.units) {
    await connection.run(reading_make, { ...minutes, spread, close });
  } else await connection.run(reading_none);
  if (over.kind.has_spans) await connection.run(reading_broken_mark, { ...minutes, spread });
  await connection.run(sum_make);
  await connection.run(daily_make, days);
  if (over.kind.has_models) await markCovered(connection, days);
  const fresh = {
    slots: size.fresh_slots === size.slots,
    units: size.fresh_units === size.units,
    wholes: wholes === 0 && size.marked_slots === 0,
  };
  const counts = await findChanges(connection, over.range, fresh);
  return { counts, part_minutes: partMinutes(over, size) };
}

/** How many minutes make a part of what is to be stored. */
function partMinutes({ range, rows_per_write }: Work, { slots, units }: WorkSize): number {
  const parts = Math.ceil(Math.max(slots, units) * 15 / rows_per_write);
  const quarters = (range.to_minute + 1 - range.from_minute) / 15;
  return 15 * Math.ceil(quarters / Math.max(parts, 1));
}

/** The time of the samples that minutes are made of, over ones alone. */
function samplesOf({ range: { from_minute, to_minute }, over_minute }: Work): TimeSpan {
  return {
    from_us: from_minute * minute_us,
    to_us: Math.min(to_minute + 1, over_minute) * minute_us,
  };
}

/** Finds the whole quarter-hours; gives how many there are. */
async function makeWhole(
  connection: Connection,
  { fresh_slots, marked_slots }: WorkSize,
  over: Work,
): Promise<number> {
  const today = over.over_minute - over.over_minute % day_minutes;
  const is_any = marked_slots > 0 || fresh_slots > 0 && over.range.from_minute < today;
  if (is_any) await findWholes(connection, { ...samplesOf(over), end_quarter: today / 15 });
  else await findNoWholes(connection);
  const [{ slots, marked }] = await connection.rows(whole_size);
  if (marked < marked_slots) {
    for (const leave of [leave_unit, leave_slot]) await connection.run(leave);
  }
  return slots;
}

/** Makes the other minutes, those too that repeat a value, where there can be any. */
async function makeMinutes(
  connection: Connection,
  { over_minute, looks_all }: Work,
): Promise<void> {
  await connection.run(scope_make, { over_minute });
  const [{ from_us, to_us, minutes }] = await connection.rows(scope_span, { over_minute });
  const over_us = over_minute * minute_us;
  const span = { from_us, to_us: Math.min(to_us, over_us) };
  const [{ samples }] = await connection.rows(sample_count, span);
  const density = samples > minutes * rollup_limits.dense_samples ? "dense" : "sparse";
  await connection.run(minute_makes[density], span);
  // What ends before now is carried on: only in what is of now, there may be no gap.
  const [{ has_gaps, has_several }] = to_us < over_us
    ? [{ has_gaps: true, has_several: false }]
    : await connection.rows(now_find, { over_minute });
  if (has_several && !looks_all) await keepMinutes(connection, over_minute);
  if (has_gaps) await connection.run(minute_carry, { over_minute });
}

/** Where values come seldom, lets them stand for the minutes until the next one. */
async function markCovered(
  connection: Connection,
  days: Pick<WorkRange, "from_day" | "to_day">,
): Promise<void> {
  const [{ lacks }] = await connection.rows(lack_find);
  if (lacks) await connection.run(daily_cover_mark, days);
}
