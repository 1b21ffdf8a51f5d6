// What the roll-up has to do: its progress, newly stored samples, and days that went stale.
import stale_feed_sql from "./stale_feed_touch.sql" with { type: "text" };
import stale_mark_sql from "./stale_mark.sql" with { type: "text" };
import stale_touch_sql from "./stale_touch.sql" with { type: "text" };
import { measure_names, measures, power_setpoints, rate_of } from "../../model/plant/measure.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import { minute_us } from "../../model/time/series.ts";
import { day_minutes } from "../../model/time/zone.ts";
import type { Connection } from "../connection.ts";
import type { Database, Write } from "../database.ts";
import { installPv } from "../expected/pv.ts";
import { keepFacts, readFact } from "../meta.ts";
import { statement } from "../statement.ts";
import { appendRows, table, workTable } from "../table.ts";

/** Minutes at a quarter-hour's start that can contradict setpoints of the one before. */
export const early_minutes = rollup_limits.contradiction_minutes - 1;

/**
 * Quarter-hours of tags (quarters since 1970 UTC), one beside the other, and whether early minutes
 * are among those that are touched.
 */
export type TagQuarters = {
  readonly tag_no: number[];
  readonly quarter: number[];
  readonly is_early: boolean[];
};

/** Stored samples between two stamps, (from, upto]. */
export type StampRange = { readonly from: number; readonly upto: number };

const day_us = day_minutes * minute_us;

/** Local days of tags that must be rolled up again. */
table("stale", {
  tag_no: "int32",
  day: "int32",
});

/** How far the roll-up is: everything stored up to `to_us` and every minute before `minute`. */
export type Progress = { readonly to_us: number; readonly minute: number };

/** By more than rounding; sums of what no device measures can be infinite, before and after. */
const differs_make = statement({
  sql: `
    CREATE OR REPLACE TEMP MACRO roll_differs(a, b) AS
      (a IS NULL) <> (b IS NULL)
      OR coalesce(a <> b AND NOT abs(a - b) <= 1e-12 * least(abs(a), abs(b)), false)`,
});

/** What is to be done with a stored row; of a name, a byte for each row that differs. */
const op_type_make = statement({
  sql: "CREATE OR REPLACE TEMP TYPE roll_op_type AS ENUM ('insert', 'update', 'delete')",
});

/** The same by something that a row as stored has, and something that one as computed has. */
const op_make = statement({
  sql: `
    CREATE OR REPLACE TEMP MACRO roll_op(stored, computed) AS CASE
      WHEN stored IS NULL THEN 'insert'::roll_op_type
      WHEN computed IS NULL THEN 'delete'::roll_op_type
      ELSE 'update'::roll_op_type
    END`,
});

/** The measures as statements see them. */
const measure_table = workTable("roll_measure", {
  measure: "text",
  over_time: "text",
  rate: "text",
  is_setpoint: "bool",
  is_energy: "bool",
});

/** The units of what a power comes to over time. */
const energy_units: readonly string[] = ["Wh", "VAh", "varh"];

/** A connection of the roll-up's own, whose temporary tables hold its work. Close it at the end. */
export async function openRollSession(database: Database): Promise<Connection> {
  const session = await database.session();
  for (const make of [differs_make, op_type_make, op_make]) await session.run(make);
  await installPv(session);
  await session.run(measure_table.make);
  const rows = measure_names.map((measure) => ({
    measure,
    over_time: measures.get(measure)!.over_time,
    rate: rate_of.get(measure) ?? measure,
    is_setpoint: power_setpoints.includes(measure),
    is_energy: energy_units.includes(measures.get(measure)!.unit),
  }));
  await appendRows(session, measure_table, rows);
  return session;
}

/** The progress as last saved; from the beginning of time when nothing was rolled up yet. */
export async function readProgress(connection: Connection): Promise<Progress> {
  return {
    to_us: Number(await readFact(connection, "rolled_to") ?? 0),
    minute: Number(await readFact(connection, "rolled_minute") ?? 0),
  };
}

/** Saves the progress in the transaction of `write`. */
export async function saveProgress(write: Write, progress: Progress): Promise<void> {
  const { to_us, minute } = progress;
  await keepFacts(write.connection, { rolled_to: to_us, rolled_minute: minute });
}

/** The stamps of the writes after $after, and how many samples each stored. */
const stamp_list = statement({
  reach: "near",
  sql: `
    SELECT received_at, count(*)::INTEGER AS rows
    FROM sample
    WHERE received_at > $after
    GROUP BY received_at
    ORDER BY received_at`,
  parameters: { after: "int64" },
  row: { received_at: "instant", rows: "int32" },
});

/** The stamps of the writes after `after`, rising, and how many samples each stored. */
export function listStamps(
  connection: Connection,
  after: number,
): Promise<{ received_at: number; rows: number }[]> {
  return connection.rows(stamp_list, { after });
}

/** Tags and minutes of newly stored samples whose minute is not over yet. */
const pending_find = statement({
  reach: "near",
  sql: `
    SELECT tag_no, (ts // 60000000)::INTEGER AS minute, min(received_at)::BIGINT AS received_at,
      count(*)::INTEGER AS rows
    FROM sample
    WHERE received_at > $from AND received_at <= $upto AND ts >= $over_us AND ts < $ahead_us
    GROUP BY tag_no, minute
    ORDER BY tag_no, minute`,
  parameters: { from: "int64", upto: "int64", over_us: "instant", ahead_us: "instant" },
  row: { tag_no: "int32", minute: "int32", received_at: "instant", rows: "int32" },
});

/**
 * Newly stored samples before `ahead_us` whose minute is not over: tags, minutes, the first stamp,
 * their number.
 */
export function findPending(
  connection: Connection,
  range: StampRange & { readonly over_us: number; readonly ahead_us: number },
): Promise<{ tag_no: number; minute: number; received_at: number; rows: number }[]> {
  return connection.rows(pending_find, range);
}

/** The last minute of each tag with newly stored samples in [$since_us, $ahead_us). */
const alive_find = statement({
  reach: "near",
  sql: `
    SELECT tag_no, max(ts // 60000000)::INTEGER AS minute
    FROM sample
    WHERE received_at > $from AND received_at <= $upto AND ts >= $since_us AND ts < $ahead_us
    GROUP BY tag_no
    ORDER BY tag_no`,
  parameters: { from: "int64", upto: "int64", since_us: "instant", ahead_us: "instant" },
  row: { tag_no: "int32", minute: "int32" },
});

/** The last minute of each tag that has newly stored samples in `[since_us, ahead_us)`. */
export function findAlive(
  connection: Connection,
  range: StampRange & { readonly since_us: number; readonly ahead_us: number },
): Promise<{ tag_no: number; minute: number }[]> {
  return connection.rows(alive_find, range);
}

/**
 * What newly stored samples touch: quarter-hours of a tag, of minutes that are over. `is_early`:
 * minutes so early in it that they can tell of setpoints in the quarter-hour before.
 */
const touch_make = statement({
  reach: "near",
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_touch AS
    SELECT tag_no, (ts // 900000000)::INTEGER AS quarter, false AS anew,
      bool_or(ts % 900000000 < $early_us) AS is_early
    FROM sample
    WHERE received_at > $from AND received_at <= $upto AND ts < $over_us
    GROUP BY tag_no, quarter`,
  parameters: { from: "int64", upto: "int64", over_us: "instant", early_us: "instant" },
});

/** Starts the list of touched quarter-hours with what newly stored samples touch. */
export function touchStored(
  connection: Connection,
  range: StampRange & { readonly over_us: number },
): Promise<void> {
  return connection.run(touch_make, { ...range, early_us: early_minutes * minute_us });
}

/** Adds quarter-hours to the list of touched ones. */
export function touchQuarters(connection: Connection, touched: TagQuarters): Promise<void> {
  return connection.append("roll_touch", {
    rows: touched.tag_no.length,
    vectors: [
      { kind: "int32", values: Int32Array.from(touched.tag_no) },
      { kind: "int32", values: Int32Array.from(touched.quarter) },
      { kind: "bool", values: new Uint8Array(touched.quarter.length) },
      { kind: "bool", values: Uint8Array.from(touched.is_early, Number) },
    ],
  });
}

/**
 * Takes the oldest stale days out for this pass, each with all its tags: up to $days days of tags,
 * and at least one day.
 */
const stale_take = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_stale AS
    SELECT tag_no, day
    FROM (
      SELECT tag_no, day, count(*) OVER (ORDER BY day RANGE UNBOUNDED PRECEDING) AS upto,
        min(day) OVER () AS oldest
      FROM (SELECT DISTINCT tag_no, day FROM stale WHERE day <= $last_day)
    )
    WHERE upto <= $days OR day = oldest`,
  parameters: { days: "int64", last_day: "int32" },
});

/** The whole time of the days that were taken. */
const stale_span = statement({
  sql: `
    SELECT min(day) * 86400000000 AS from_us, (max(day) + 1) * 86400000000 AS to_us
    FROM roll_stale`,
  row: { from_us: "instant", to_us: "instant" },
});
type Over = { readonly over_us: number };
const of_stale = { over_us: "instant", from_us: "instant", to_us: "instant" } as const;

const stale_touch = statement({ sql: stale_touch_sql, reach: "time", parameters: of_stale });

/** How many quarter-hours of tags are in the list. */
const touched_count = statement({
  sql: "SELECT count(*)::INTEGER AS touched FROM roll_touch",
  row: { touched: "int32" },
});

/** How many quarter-hours are touched. */
export async function countTouched(connection: Connection): Promise<number> {
  const [{ touched }] = await connection.rows(touched_count);
  return touched;
}

/** How many days of tags are stale. */
const stale_count = statement({
  sql: "SELECT count(*)::BIGINT AS waiting FROM stale WHERE day <= $last_day",
  parameters: { last_day: "int32" },
  row: { waiting: "int64" },
});

/**
 * Takes whole stale days, up to `days` days of tags but at least one, touches what they hold, and
 * gives how many there were. A day in which samples from `ahead_us` on lie waits until it is over.
 */
export async function touchStale(
  connection: Connection,
  take: Over & { readonly days: number; readonly ahead_us: number },
): Promise<number> {
  if (await countStale(connection) === 0) return 0;
  const tomorrow = Math.floor(take.over_us / day_us) + 1;
  const rest = { from_us: take.ahead_us, to_us: tomorrow * day_us };
  const last_day = await hasSamples(connection, rest) ? tomorrow - 2 : tomorrow;
  const waiting = await countStale(connection, last_day);
  if (waiting === 0) return 0;
  await connection.run(stale_take, { days: take.days, last_day });
  const [span] = await connection.rows(stale_span);
  await connection.run(stale_touch, { over_us: take.over_us, ...span });
  return waiting;
}

async function countStale(connection: Connection, last_day = 2 ** 31 - 1): Promise<number> {
  const [{ waiting }] = await connection.rows(stale_count, { last_day });
  return waiting;
}

const samples_find = statement({
  reach: "time",
  sql: `
    SELECT EXISTS (
      SELECT 1 FROM sample WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
    ) AS found`,
  parameters: { from_us: "instant", to_us: "instant" },
  row: { found: "bool" },
});

/** Whether any sample lies in a span. */
export async function hasSamples(connection: Connection, span: TimeSpan): Promise<boolean> {
  const [{ found }] = await connection.rows(samples_find, span);
  return found;
}

/** Marks the days of tags with samples from an instant on. */
const ahead_mark = statement({
  reach: "near",
  sql: `
    INSERT INTO stale
    SELECT DISTINCT tag_no, (ts // 86400000000)::INTEGER FROM sample
    WHERE ts >= $ahead_us::BIGINT`,
  parameters: { ahead_us: "instant" },
});

/** Marks what a clock that was ahead stored: it is rolled up again when its days are over. */
export function markAhead({ connection }: Write, ahead_us: number): Promise<void> {
  return connection.run(ahead_mark, { ahead_us });
}

const stale_feed = statement({ sql: stale_feed_sql, reach: "time", parameters: of_stale });

/** Touches also what the families of the stale days' sensors depend on. */
export async function touchFeeds(connection: Connection, over: Over): Promise<void> {
  const [span] = await connection.rows(stale_span);
  await connection.run(stale_feed, { ...over, ...span });
}

/** Forgets the stale days that were taken. */
const stale_delete = statement({
  sql: `
    DELETE FROM stale
    WHERE EXISTS (
      SELECT 1 FROM roll_stale WHERE roll_stale.tag_no = stale.tag_no AND roll_stale.day = stale.day
    )`,
});

/** Forgets the stale days that were taken, and what was rolled up of sensors that are no more. */
export async function clearStale(write: Write): Promise<void> {
  await write.connection.run(stale_delete);
  // Whatever a sensor has, it has days, which are few.
  const [{ orphans }] = await write.connection.rows(orphans_count);
  if (orphans === 0) return;
  for (const deletion of orphan_deletions) await write.connection.run(deletion);
}

/** How many days there are of sensors that are no more. */
const orphans_count = statement({
  sql: `
    SELECT count(*)::INTEGER AS orphans
    FROM daily
    WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)`,
  row: { orphans: "int32" },
});

const orphan_deletions = [
  statement({
    sql: "DELETE FROM reading WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)",
  }),
  statement({
    sql: "DELETE FROM quarter WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)",
  }),
  statement({
    sql: "DELETE FROM daily WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)",
  }),
  statement({
    sql: "DELETE FROM counter_event WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)",
  }),
  statement({
    sql: "DELETE FROM lent_quarter WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)",
  }),
];

/** A range of time, [from_us, to_us). */
export type TimeSpan = { readonly from_us: number; readonly to_us: number };

const always: TimeSpan = { from_us: 0, to_us: Number.MAX_SAFE_INTEGER };

const stale_mark = statement({
  sql: stale_mark_sql,
  reach: "time",
  parameters: { tag_nos: "int32[]", from_us: "instant", to_us: "instant" },
});

/** Marks days of some tags as stale, all of them or those of a span: they are rolled up again. */
export function markTagsStale(
  write: Write,
  tag_nos: readonly number[],
  span: TimeSpan = always,
): Promise<void> {
  if (tag_nos.length === 0) return Promise.resolve();
  return write.connection.run(stale_mark, { tag_nos, ...span });
}

/** Which run over the past was begun and not ended, while some of its stale days are left. */
export async function readStaleRun(connection: Connection): Promise<string | undefined> {
  const waiting = await countStale(connection);
  return waiting === 0 ? undefined : await readFact(connection, "stale_run");
}

/** Notes that a run over the past begins; with null, that it ended. */
export async function noteStaleRun(write: Write, run: string | null): Promise<void> {
  await keepFacts(write.connection, { stale_run: run });
}
