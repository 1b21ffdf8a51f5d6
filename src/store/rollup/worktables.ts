// What is due computed in temporary tables: minutes, readings, quarter-hours and days.
import daily_cover_mark_sql from "./daily_cover_mark.sql" with { type: "text" };
import daily_make_sql from "./daily_make.sql" with { type: "text" };
import minute_carry_sql from "./minute_carry.sql" with { type: "text" };
import minute_make_sql from "./minute_make.sql" with { type: "text" };
import measured_make_sql from "./measured_make.sql" with { type: "text" };
import reading_broken_mark_sql from "./reading_broken_mark.sql" with { type: "text" };
import reading_make_sql from "./reading_make.sql" with { type: "text" };
import scope_make_sql from "./scope_make.sql" with { type: "text" };
import sum_make_sql from "./sum_make.sql" with { type: "text" };
import whole_make_sql from "./whole_make.sql" with { type: "text" };
import whole_minute_make_sql from "./whole_minute_make.sql" with { type: "text" };
import { counter_limits } from "../../model/counters/limits.ts";
import { minute_us } from "../../model/time/series.ts";
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

const of_samples = { from_us: "instant", to_us: "instant" } as const;

const minute_carry = statement({
  sql: minute_carry_sql,
  parameters: { over_minute: "int32" },
});

const minute_make = statement({
  sql: minute_make_sql,
  reach: "time",
  parameters: of_samples,
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
const scope_make = statement({ sql: scope_make_sql });

const whole_make = statement({ sql: whole_make_sql, reach: "time", parameters: of_samples });

const whole_minute_make = statement({
  sql: whole_minute_make_sql,
  reach: "time",
  parameters: { ...of_samples, from_minute: "int32", part_minutes: "int32" },
});

/** How many quarter-hours of tags or sensors there are to be computed: those of which are more. */
const work_size = statement({
  sql: `
    SELECT greatest(
      (SELECT count(*) FROM roll_slot), (SELECT count(*) FROM roll_unit)
    )::INTEGER AS quarters`,
  row: { quarters: "int32" },
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

/** The readings of whole quarter-hours. */
const whole_reading_make = statement({
  sql: `
    CREATE OR REPLACE TEMP VIEW roll_whole_reading AS
    SELECT u.day, u.sensor_no, m.minute, (u.light >> (m.minute % 15)) & 1 = 1 AS light,
      m.mean * u.scale + u."offset" AS value
    FROM roll_whole_minute AS m
    JOIN roll_unit AS u ON u.plain_tag_no = m.tag_no AND u.quarter = m.minute // 15
    WHERE isfinite(m.mean * u.scale + u."offset")`,
});

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

/**
 * Computes minutes, readings, quarter-hours, days, and what differs from the stored ones: how much,
 * and in parts of how many minutes it lies, each of about `rows_per_write` rows of a table.
 */
export async function workOut(
  connection: Connection,
  over: {
    readonly over_minute: number;
    readonly range: WorkRange;
    readonly kind: PlantNeeds;
    readonly rows_per_write: number;
  },
): Promise<Pick<Changes, "counts" | "part_minutes">> {
  const part_minutes = await makeWhole(connection, over);
  await connection.run(scope_make);
  const [{ from_us, to_us }] = await connection.rows(scope_span);
  const over_us = over.over_minute * minute_us;
  await connection.run(minute_make, { from_us, to_us: Math.min(to_us, over_us) });
  await connection.run(minute_carry, { over_minute: over.over_minute });
  for (const make of [made_make, measured_make, simple_make, whole_reading_make]) {
    await connection.run(make);
  }
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
  return { counts: await findChanges(connection, over.range), part_minutes };
}

/** Makes the minutes of whole quarter-hours; gives how many minutes make a part of them. */
async function makeWhole(
  connection: Connection,
  { range: { from_minute, to_minute }, over_minute, rows_per_write }: {
    readonly range: WorkRange;
    readonly over_minute: number;
    readonly rows_per_write: number;
  },
): Promise<number> {
  const [{ quarters }] = await connection.rows(work_size);
  const parts = Math.ceil(quarters * 15 / rows_per_write);
  const part_minutes = 15 * Math.ceil((to_minute + 1 - from_minute) / 15 / Math.max(parts, 1));
  const from_us = from_minute * minute_us;
  const to_us = Math.min(to_minute + 1, over_minute) * minute_us;
  await connection.run(whole_make, { from_us, to_us });
  await connection.run(whole_minute_make, { from_us, to_us, from_minute, part_minutes });
  return part_minutes;
}

/** Where values come seldom, lets them stand for the minutes until the next one. */
async function markCovered(
  connection: Connection,
  days: Pick<WorkRange, "from_day" | "to_day">,
): Promise<void> {
  const [{ lacks }] = await connection.rows(lack_find);
  if (lacks) await connection.run(daily_cover_mark, days);
}
