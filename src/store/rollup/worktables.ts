// What is due computed in temporary tables: minutes, readings, quarter-hours and days.
import daily_cover_mark_sql from "./daily_cover_mark.sql" with { type: "text" };
import daily_make_sql from "./daily_make.sql" with { type: "text" };
import minute_carry_sql from "./minute_carry.sql" with { type: "text" };
import minute_make_sql from "./minute_make.sql" with { type: "text" };
import measured_make_sql from "./measured_make.sql" with { type: "text" };
import reading_broken_mark_sql from "./reading_broken_mark.sql" with { type: "text" };
import reading_make_sql from "./reading_make.sql" with { type: "text" };
import sum_make_sql from "./sum_make.sql" with { type: "text" };
import { counter_limits } from "../../model/counters/limits.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../connection.ts";
import { makeModels } from "../expected/worktables.ts";
import {
  type ChangeCount,
  findChanges,
  rangesOf,
  type TableName,
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
  parameters: { ...within_minutes, close: "int32", spread: "int32" },
});

const reading_broken_mark = statement({
  sql: reading_broken_mark_sql,
  parameters: { ...within_minutes, spread: "int32" },
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

/**
 * The computed minutes as they are to be stored, and whether they are of a fresh quarter-hour. A
 * minimum or maximum that the value is itself is left out.
 */
const made_make = statement({
  sql: `
    CREATE OR REPLACE TEMP VIEW roll_made AS
    SELECT q.fresh, q.day, m.tag_no, m.minute, if(m.value_int IS NULL, m.mean, NULL) AS value,
      m.value_int, m.value_str, if(m.value_int IS NULL, nullif(m.minimum, m.mean), NULL) AS minimum,
      if(m.value_int IS NULL, nullif(m.maximum, m.mean), NULL) AS maximum, m.quality,
      m.status_code, m.carried, m.good_count, m.uncertain_count, m.bad_count
    FROM roll_minute AS m
    JOIN roll_slot AS q ON q.tag_no = m.tag_no AND q.quarter = m.minute // 15`,
});

const measured_make = statement({ sql: measured_make_sql });

/** The readings of simple quarter-hours: nothing is expected of them, none of them is stored. */
const simple_make = statement({
  sql: `
    CREATE OR REPLACE TEMP VIEW roll_simple AS
    SELECT u.day, m.sensor_no, m.minute, (u.light >> (m.minute % 15)) & 1 = 1 AS light, m.value
    FROM roll_measured AS m
    JOIN roll_unit AS u ON u.sensor_no = m.sensor_no AND u.quarter = m.minute // 15
    WHERE u.simple`,
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
  for (const make of [made_make, measured_make, simple_make]) await connection.run(make);
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
  return await findChanges(connection, over.range);
}

/** Where values come seldom, lets them stand for the minutes until the next one. */
async function markCovered(
  connection: Connection,
  days: Pick<WorkRange, "from_day" | "to_day">,
): Promise<void> {
  const [{ lacks }] = await connection.rows(lack_find);
  if (lacks) await connection.run(daily_cover_mark, days);
}
