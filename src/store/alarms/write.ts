// Stores occurrences and their events: whole sets at a time, in the transaction of a write.
import { assert } from "../../base/assert.ts";
import { alarm_event_table, type Occurrence, occurrence_table } from "../../model/alarms/alarm.ts";
import { omit, pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { assignmentsOf, namesOf, statement } from "../statement.ts";
import { rangeOf, stageRows, table, workTable } from "../table.ts";

/** `id_hash` is of the ID, which is found by it without reading texts. */
table("occurrence", { ...occurrence_table, id_hash: "int64" }, { written_by: "name" });
table("occurrence_event", alarm_event_table);

/** The highest numbers of occurrences and in the feed. */
const last_numbers_find = statement({
  sql: `
    SELECT
      coalesce((SELECT max(occurrence_no) FROM occurrence), 0)::BIGINT AS occurrence_no,
      coalesce((SELECT max(feed_no) FROM occurrence_event), 0)::BIGINT AS feed_no`,
  row: { occurrence_no: "int64", feed_no: "int64" },
});

/** The highest numbers given so far: of an occurrence, and of the feed. */
export type AlarmNumbers = { occurrence_no: number; feed_no: number };

/** The highest numbers of what is stored. */
export async function lastAlarmNumbers(connection: Connection): Promise<AlarmNumbers> {
  const [last] = await connection.rows(last_numbers_find);
  return last;
}

/** Events as a source sent them. */
const sent_stage = workTable("alarm_event_sent", {
  /** Its place in a list. */
  row_no: "int32",
  occurrence_no: "int64",
  event_id: "text",
});

/** An event as a source sent it: its place in a list, and what tells it from others. */
export type SentEvent = PlainRow<typeof sent_stage.columns>;

/** The row numbers of the events sent that are stored already; in no order. */
const stored_find = statement({
  sql: `
    SELECT s.row_no
    FROM alarm_event_sent AS s
    SEMI JOIN (
      SELECT occurrence_no, event_id
      FROM occurrence_event
      WHERE feed_no BETWEEN $from_feed_no::BIGINT AND $to_feed_no::BIGINT
    ) AS stored USING (occurrence_no, event_id)`,
  parameters: { from_feed_no: "int64", to_feed_no: "int64" },
  row: { row_no: "int32" },
});

/** A range of the feed, both ends within. */
export type FeedRange = { readonly from_feed_no: number; readonly to_feed_no: number };

/** Which of `events`, by their `row_no`, are stored already within a range of the feed. */
export async function findStoredEvents(
  connection: Connection,
  events: readonly SentEvent[],
  range: FeedRange,
): Promise<ReadonlySet<number>> {
  await stageRows(connection, sent_stage, events);
  const stored = await connection.rows(stored_find, range);
  return new Set(stored.map(({ row_no }) => row_no));
}

const event_stage = workTable("alarm_event_stage", omit(alarm_event_table, "feed_no"));

/** An event that has its place in time and in its occurrence, and gets one in the feed. */
export type StampedEvent = PlainRow<typeof event_stage.columns>;

/** Stores the staged events, numbered on in the order of the feed. */
const events_insert = statement({
  sql: `
    INSERT INTO occurrence_event BY NAME
    SELECT
      $last_feed_no::BIGINT + row_number() OVER (ORDER BY occurrence_no, event_id) AS feed_no,
      {columns}
    FROM alarm_event_stage
    ORDER BY feed_no`,
  parameters: { last_feed_no: "int64" },
  names: { columns: namesOf(event_stage.columns) },
});

/** Stores new events, numbered on in the order of the feed from the last number given. */
export async function insertEvents(
  connection: Connection,
  events: readonly StampedEvent[],
  { feed_no: last_feed_no }: AlarmNumbers,
): Promise<void> {
  if (events.length === 0) return;
  await stageRows(connection, event_stage, events);
  await connection.run(events_insert, { last_feed_no });
}

const occurrence_stage = workTable("occurrence_stage", occurrence_table);

/** Stores the staged occurrences as new ones; by name, as the stage has all columns but one. */
const staged_insert = statement({
  sql: `
    INSERT INTO occurrence BY NAME
    SELECT *, (md5_number_lower(occurrence_id) >> 1)::BIGINT AS id_hash
    FROM occurrence_stage
    ORDER BY occurrence_no`,
});

/** Stores new occurrences. */
export async function insertOccurrences(
  connection: Connection,
  occurrences: readonly Occurrence[],
): Promise<void> {
  if (occurrences.length === 0) return;
  await stageRows(connection, occurrence_stage, occurrences);
  await connection.run(staged_insert);
}

/** What an occurrence is by, which never changes. */
const identity = ["occurrence_no", "occurrence_id", "project_no", "origin"] as const;

/** Stores the changed occurrences in place. */
const staged_update = statement({
  sql: `
    UPDATE occurrence SET {changes}
    FROM occurrence_stage AS s
    WHERE
      occurrence.occurrence_no = s.occurrence_no
      AND occurrence.occurrence_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT`,
  parameters: { from_no: "int64", to_no: "int64" },
  names: { changes: assignmentsOf(omit(occurrence_table, ...identity), "s") },
});

/** Stores changed occurrences over what was stored of them. */
export async function updateOccurrences(
  connection: Connection,
  occurrences: readonly Occurrence[],
): Promise<void> {
  if (occurrences.length === 0) return;
  await stageRows(connection, occurrence_stage, occurrences);
  await connection.run(staged_update, rangeOf(occurrences.map((it) => it.occurrence_no)));
}

/** What changes where an occurrence gets an event and nothing else. */
const touched = pick(
  occurrence_table,
  "synced_at",
  "events_total",
  "first_feed_no",
  "last_feed_no",
);
const touch_stage = workTable("occurrence_touched", { occurrence_no: "int64", ...touched });

/** Stores that occurrences got events, and nothing else. */
const staged_touch = statement({
  sql: `
    UPDATE occurrence SET {changes}
    FROM occurrence_touched AS s
    WHERE
      occurrence.occurrence_no = s.occurrence_no
      AND occurrence.occurrence_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT`,
  parameters: { from_no: "int64", to_no: "int64" },
  names: { changes: assignmentsOf(touched, "s") },
});

/** Stores that occurrences got events, of which nothing else changed. */
export async function touchOccurrences(
  connection: Connection,
  occurrences: readonly Occurrence[],
): Promise<void> {
  if (occurrences.length === 0) return;
  await stageRows(connection, touch_stage, occurrences);
  await connection.run(staged_touch, rangeOf(occurrences.map((it) => it.occurrence_no)));
}

/** What the IDs of all occurrences are found by. */
const id_hashes_list = statement({
  sql: "SELECT id_hash FROM occurrence",
  row: { id_hash: "int64" },
});

/** The hash of each occurrence's ID, in pieces: 63 bits, half of the lower half of its MD5. */
export async function readIdHashes(connection: Connection): Promise<BigInt64Array[]> {
  const pieces = await connection.pieces(id_hashes_list);
  return Array.from(pieces, ({ vectors: [hashes] }) => {
    assert(hashes.kind === "int64", "hashes are 64-bit");
    return hashes.values;
  });
}
