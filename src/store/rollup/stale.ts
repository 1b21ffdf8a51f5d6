// The days of tags that are to be rolled up again: which they are, and those that a pass takes.
import stale_feed_sql from "./stale_feed_touch.sql" with { type: "text" };
import stale_mark_sql from "./stale_mark.sql" with { type: "text" };
import stale_project_list_sql from "./stale_project_list.sql" with { type: "text" };
import stale_touch_sql from "./stale_touch.sql" with { type: "text" };
import { minute_us } from "../../model/time/series.ts";
import { day_minutes } from "../../model/time/zone.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { keepFacts, readFact } from "../meta.ts";
import { statement } from "../statement.ts";
import { table } from "../table.ts";
import type { StampRange } from "./progress.ts";

const day_us = day_minutes * minute_us;

/** Days (UTC) of tags that must be rolled up again; some stand twice. */
table("stale", {
  tag_no: "int32",
  day: "int32",
});

/**
 * Takes the newest stale days out for this pass, each with all its tags: up to $days days of tags,
 * and at least one day.
 */
const stale_take = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_stale AS
    SELECT tag_no, day
    FROM (
      SELECT tag_no, day, count(*) OVER (ORDER BY day DESC RANGE UNBOUNDED PRECEDING) AS upto,
        max(day) OVER () AS newest
      FROM (SELECT DISTINCT tag_no, day FROM stale WHERE day <= $last_day)
    )
    WHERE upto <= $days OR day = newest`,
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

/** How many days of tags are stale, those from `last_day` on left out. */
export async function countStale(connection: Connection, last_day = 2 ** 31 - 1): Promise<number> {
  const [{ waiting }] = await connection.rows(stale_count, { last_day });
  return waiting;
}

const project_days_list = statement({
  sql: stale_project_list_sql,
  parameters: {
    ...{ project_nos: "int32[]", from_day: "int32", to_day: "int32" },
    ...{ lent_tags: "int32[]", borrowers: "int32[]" },
  },
  row: { project_no: "int32", day: "int32", tags: "int32" },
});

/** Tags of other projects that one borrows. */
export type LentTags = { readonly project_no: number; readonly tag_nos: readonly number[] };

/** The stale days (UTC) of some projects, both ends included, and how many marks each has. */
export function listProjectDays(
  connection: Connection,
  { lent, ...query }: {
    readonly project_nos: readonly number[];
    readonly from_day: number;
    readonly to_day: number;
    readonly lent: readonly LentTags[];
  },
) {
  const lent_tags = lent.flatMap(({ tag_nos }) => tag_nos);
  const borrowers = lent.flatMap(({ project_no, tag_nos }) => tag_nos.map(() => project_no));
  return connection.rows(project_days_list, { ...query, lent_tags, borrowers });
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

/** Marks the days of tags with newly stored samples before an instant. */
const older_mark = statement({
  reach: "near",
  sql: `
    INSERT INTO stale
    SELECT DISTINCT tag_no, (ts // 86400000000)::INTEGER FROM sample
    WHERE received_at > $from AND received_at <= $upto AND ts < $before_us`,
  parameters: { from: "int64", upto: "int64", before_us: "instant" },
});

/** Marks the days (UTC) of newly stored samples before an instant, which is the start of one. */
export function markOlder(
  { connection }: Write,
  older: StampRange & { readonly before_us: number },
): Promise<void> {
  return connection.run(older_mark, older);
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
    sql: `
      UPDATE whole_quarter
      SET sensor_no = NULL, sensor_day = NULL, scale = NULL, "offset" = NULL, light = NULL
      WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)`,
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
