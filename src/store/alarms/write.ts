// Stores occurrences and their events: whole sets at a time, in the transaction of a write.
import alarm_event_insert from "./event_insert.sql" with { type: "text" };
import alarm_event_settle from "./event_settle.sql" with { type: "text" };
import occurrence_insert from "./occurrence_insert.sql" with { type: "text" };
import occurrence_touch from "./occurrence_touch.sql" with { type: "text" };
import occurrence_update from "./occurrence_update.sql" with { type: "text" };
import type { Occurrence } from "../../model/alarms/alarm.ts";
import {
  chunkOf,
  eventChunk,
  occurrenceChunk,
  rangeOf,
  type StampedEvent,
  touchedChunk,
} from "./row.ts";
import type { Connection } from "../connection.ts";

/** An event as a source sent it: its place in a list, and what tells it from others. */
export type SentEvent = {
  readonly row_no: number;
  readonly occurrence_no: number;
  readonly event_id: string;
};

/** A range of the feed, both ends within. */
export type FeedRange = { readonly from_feed_no: number; readonly to_feed_no: number };

/** The highest numbers given so far: of an occurrence, and of the feed. */
export type AlarmNumbers = { occurrence_no: number; feed_no: number };

/** The highest numbers of what is stored. */
export async function lastAlarmNumbers(connection: Connection): Promise<AlarmNumbers> {
  const [last] = await connection.rows<AlarmNumbers>(
    "SELECT coalesce((SELECT max(occurrence_no) FROM occurrence), 0)::BIGINT AS occurrence_no, " +
      "coalesce((SELECT max(feed_no) FROM occurrence_event), 0)::BIGINT AS feed_no",
  );
  return last;
}

/** Which of `events`, by their `row_no`, are stored already within a range of the feed. */
export async function findStoredEvents(
  connection: Connection,
  events: readonly SentEvent[],
  range: FeedRange,
): Promise<ReadonlySet<number>> {
  await connection.run(
    "CREATE TEMP TABLE IF NOT EXISTS alarm_event_sent " +
      "(row_no INTEGER, occurrence_no BIGINT, event_id VARCHAR)",
  );
  const columns = { row_no: "int32", occurrence_no: "int64", event_id: "text" } as const;
  await connection.append("alarm_event_sent", chunkOf(columns, events));
  const stored = await connection.rows<{ row_no: number }>(alarm_event_settle, range);
  await connection.run("DELETE FROM alarm_event_sent");
  return new Set(stored.map(({ row_no }) => row_no));
}

/** Stores new events, numbered on in the order of the feed from the last number given. */
export async function insertEvents(
  connection: Connection,
  events: readonly StampedEvent[],
  { feed_no: last_feed_no }: AlarmNumbers,
): Promise<void> {
  if (events.length === 0) return;
  await connection.run(
    "CREATE TEMP TABLE IF NOT EXISTS alarm_event_stage AS " +
      "SELECT * EXCLUDE (feed_no) FROM occurrence_event LIMIT 0",
  );
  await connection.append("alarm_event_stage", eventChunk(events));
  await connection.run(alarm_event_insert, { last_feed_no });
  await connection.run("DELETE FROM alarm_event_stage");
}

/** Stores new occurrences. */
export async function insertOccurrences(
  connection: Connection,
  occurrences: readonly Occurrence[],
): Promise<void> {
  await withStaged(connection, occurrences, () => connection.run(occurrence_insert));
}

/** Stores changed occurrences over what was stored of them. */
export async function updateOccurrences(
  connection: Connection,
  occurrences: readonly Occurrence[],
): Promise<void> {
  const nos = occurrences.map(({ occurrence_no }) => occurrence_no);
  await withStaged(
    connection,
    occurrences,
    () => connection.run(occurrence_update, rangeOf(nos)),
  );
}

/** Stores that occurrences got events, of which nothing else changed. */
export async function touchOccurrences(
  connection: Connection,
  occurrences: readonly Occurrence[],
): Promise<void> {
  if (occurrences.length === 0) return;
  await connection.run(
    "CREATE TEMP TABLE IF NOT EXISTS occurrence_touched (occurrence_no BIGINT, " +
      "synced_at BIGINT, events_total INTEGER, first_feed_no BIGINT, last_feed_no BIGINT)",
  );
  await connection.append("occurrence_touched", touchedChunk(occurrences));
  const nos = occurrences.map(({ occurrence_no }) => occurrence_no);
  await connection.run(occurrence_touch, rangeOf(nos));
  await connection.run("DELETE FROM occurrence_touched");
}

async function withStaged(
  connection: Connection,
  occurrences: readonly Occurrence[],
  work: () => Promise<void>,
): Promise<void> {
  if (occurrences.length === 0) return;
  await connection.run(
    "CREATE TEMP TABLE IF NOT EXISTS occurrence_stage AS " +
      "SELECT * EXCLUDE (id_hash) FROM occurrence LIMIT 0",
  );
  await connection.append("occurrence_stage", occurrenceChunk(occurrences));
  await work();
  await connection.run("DELETE FROM occurrence_stage");
}
