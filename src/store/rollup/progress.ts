// What the roll-up has to do: its progress, newly stored samples, and days that went stale.
import alive_find from "./alive_find.sql" with { type: "text" };
import pending_find from "./pending_find.sql" with { type: "text" };
import stamp_list from "./stamp_list.sql" with { type: "text" };
import stale_delete from "./stale_delete.sql" with { type: "text" };
import stale_feed from "./stale_feed.sql" with { type: "text" };
import stale_mark from "./stale_mark.sql" with { type: "text" };
import stale_take from "./stale_take.sql" with { type: "text" };
import stale_touch from "./stale_touch.sql" with { type: "text" };
import touch_make from "./touch_make.sql" with { type: "text" };
import { measure_names, measures, power_setpoints, rate_of } from "../../model/plant/measure.ts";
import { wordsOf } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import type { Database, Write } from "../database.ts";
import { installPv } from "../expected/pv.ts";

/** Quarter-hours of tags (quarters since 1970 UTC), one beside the other. */
export type TagQuarters = { readonly tag_no: number[]; readonly quarter: number[] };

/** Stored samples between two stamps, (from, upto]. */
export type StampRange = { readonly from: number; readonly upto: number };

/** How far the roll-up is: everything stored up to `to_us` and every minute before `minute`. */
export type Progress = { readonly to_us: number; readonly minute: number };

/** By more than rounding; sums of what no device measures can be infinite, before and after. */
const differs = `CREATE OR REPLACE TEMP MACRO roll_differs(a, b) AS
  (a IS NULL) <> (b IS NULL)
  OR coalesce(a <> b AND NOT abs(a - b) <= 1e-12 * least(abs(a), abs(b)), false)`;

/** A connection of the roll-up's own, whose temporary tables hold its work. Close it at the end. */
export async function openRollSession(database: Database): Promise<Connection> {
  const session = await database.session();
  await session.run(differs);
  await installPv(session);
  await session.run(
    "CREATE TEMP TABLE roll_measure " +
      "(measure VARCHAR, over_time VARCHAR, rate VARCHAR, is_setpoint BOOLEAN)",
  );
  const words = (texts: readonly string[]) => ({ kind: "text", words: wordsOf(texts) }) as const;
  await session.append("roll_measure", {
    rows: measures.size,
    vectors: [
      words(measure_names),
      words([...measures.values()].map((measure) => measure.over_time)),
      words(measure_names.map((name) => rate_of.get(name) ?? name)),
      {
        kind: "bool",
        values: Uint8Array.from(measure_names, (name) => power_setpoints.includes(name) ? 1 : 0),
      },
    ],
  });
  return session;
}

/** The progress as last saved; from the beginning of time when nothing was rolled up yet. */
export async function readProgress(connection: Connection): Promise<Progress> {
  const rows = await connection.rows<{ name: string; value: string }>(
    "SELECT name, value FROM meta WHERE name IN ('rolled_to', 'rolled_minute') ORDER BY name",
  );
  const saved = new Map(rows.map((row) => [row.name, Number(row.value)]));
  return { to_us: saved.get("rolled_to") ?? 0, minute: saved.get("rolled_minute") ?? 0 };
}

/** Saves the progress in the transaction of `write`. */
export async function saveProgress(write: Write, progress: Progress): Promise<void> {
  await write.connection.run("DELETE FROM meta WHERE name IN ('rolled_to', 'rolled_minute')");
  await write.connection.run(
    "INSERT INTO meta VALUES ('rolled_to', $to_us::BIGINT::VARCHAR), " +
      "('rolled_minute', $minute::BIGINT::VARCHAR)",
    progress,
  );
}

/** The stamps of the writes after `after`, rising, and how many samples each stored. */
export function listStamps(
  connection: Connection,
  after: number,
): Promise<{ received_at: number; rows: number }[]> {
  return connection.rows(stamp_list, { after });
}

/** Newly stored samples whose minute is not over: their tags and minutes, and the first stamp. */
export function findPending(
  connection: Connection,
  range: StampRange & { readonly over_us: number },
): Promise<{ tag_no: number; minute: number; received_at: number }[]> {
  return connection.rows(pending_find, range);
}

/** The last minute of each tag that has newly stored samples at or after `since_us`. */
export function findAlive(
  connection: Connection,
  range: StampRange & { readonly since_us: number },
): Promise<{ tag_no: number; minute: number }[]> {
  return connection.rows(alive_find, range);
}

/** Starts the list of touched quarter-hours with what newly stored samples touch. */
export function touchStored(
  connection: Connection,
  range: StampRange & { readonly over_us: number },
): Promise<void> {
  return connection.run(touch_make, range);
}

/** Adds quarter-hours to the list of touched ones. */
export function touchQuarters(connection: Connection, touched: TagQuarters): Promise<void> {
  return connection.append("roll_touch", {
    rows: touched.tag_no.length,
    vectors: [
      { kind: "int32", values: Int32Array.from(touched.tag_no) },
      { kind: "int32", values: Int32Array.from(touched.quarter) },
      { kind: "bool", values: new Uint8Array(touched.quarter.length) },
    ],
  });
}

/**
 * Takes whole stale days, up to `days` days of tags but at least one, touches what they hold, and
 * gives how many there were.
 */
export async function touchStale(
  connection: Connection,
  take: { readonly days: number; readonly over_us: number },
): Promise<number> {
  const [{ waiting }] = await connection.rows<{ waiting: number }>(
    "SELECT count(*)::BIGINT AS waiting FROM stale",
  );
  if (waiting === 0) return 0;
  await connection.run(stale_take, { days: take.days });
  await connection.run(stale_touch, { over_us: take.over_us });
  return waiting;
}

/** Touches also what the families of the stale days' sensors hang on. */
export function touchFeeds(
  connection: Connection,
  over: { readonly over_us: number },
): Promise<void> {
  return connection.run(stale_feed, over);
}

/** Forgets the stale days that were taken, and what was rolled up of sensors that are no more. */
export async function clearStale(write: Write): Promise<void> {
  await write.connection.run(stale_delete);
  // Whatever a sensor has, it has days, which are few.
  const [{ orphans }] = await write.connection.rows<{ orphans: number }>(
    "SELECT count(*)::INTEGER AS orphans FROM daily " +
      "WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)",
  );
  if (orphans === 0) return;
  for (const table of ["reading", "quarter", "daily"] as const) {
    await write.connection.run(orphan_deletes[table]);
  }
}

const orphan_deletes = {
  reading: "DELETE FROM reading WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)",
  quarter: "DELETE FROM quarter WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)",
  daily: "DELETE FROM daily WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)",
} as const;

/** A range of time, [from_us, to_us). */
export type TimeSpan = { readonly from_us: number; readonly to_us: number };

const always: TimeSpan = { from_us: 0, to_us: Number.MAX_SAFE_INTEGER };

/** Marks days of some tags as stale, all of them or those of a span: they are rolled up anew. */
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
  const [run] = await connection.rows<{ value: string }>(
    "SELECT value FROM meta WHERE name = 'stale_run' AND EXISTS (SELECT 1 FROM stale)",
  );
  return run?.value;
}

/** Notes that a run over the past begins; with null, that it ended. */
export async function noteStaleRun(write: Write, run: string | null): Promise<void> {
  await write.connection.run("DELETE FROM meta WHERE name = 'stale_run'");
  if (run !== null) {
    await write.connection.run("INSERT INTO meta VALUES ('stale_run', $run)", { run });
  }
}
