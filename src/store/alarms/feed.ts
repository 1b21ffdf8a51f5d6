// Reads the feed of alarm events, place by place.
import feed_nth_sql from "./feed_nth_find.sql" with { type: "text" };
import feed_list_sql from "./feed_list.sql" with { type: "text" };
import { alarm_event_table, type AlarmEvent } from "../../model/alarms/alarm.ts";
import { type Chunk, takeRows, type Vector, wordAt } from "../../model/data/chunk.ts";
import { pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

/** An event's place in the feed: everything after it is greater, by these in this order. */
export type FeedPlace = Pick<AlarmEvent, "synced_at" | "occurrence_no" | "event_id">;

/** The same with the event's number. */
export type NumberedPlace = FeedPlace & Pick<AlarmEvent, "feed_no">;

/** What is read of the feed: a project's events, or those of one of its sites, after a place. */
export type FeedStretch = {
  readonly project_no: number;
  readonly site_no: number | null;
  readonly after: FeedPlace;
  /** The numbers among which to look, both inclusive; no event before them is after the place. */
  readonly from_no: number;
  readonly to_no: number;
};

const stretch_parameters = {
  project_no: "int32",
  site_no: "int32?",
  since_us: "instant",
  after_no: "int64",
  after_event_id: "text",
  from_no: "int64",
  to_no: "int64",
} as const;

const place_columns = pick(alarm_event_table, "feed_no", "synced_at", "occurrence_no", "event_id");

/** The columns of an event as it is read for answers: those of its place are the first. */
export const feed_columns = {
  ...place_columns,
  ...pick(alarm_event_table, "occurrence_id", "type", "kind", "created_at", "body", "user_id"),
  ...pick(alarm_event_table, "user_email", "external_user_id", "detail"),
  /** Bytes of its body and its detail, where these are left out. */
  left_out: "int64",
} as const;

/** Without an order: sorting texts takes as long as reading them, and most come sorted. */
const events_list = statement({
  sql: feed_list_sql,
  parameters: { ...stretch_parameters, most_bytes: "int64" },
  row: feed_columns,
});

/** Events to be shown. */
export type FeedPart = FeedStretch & {
  /** The body and the detail of an event are left out where they have more bytes together. */
  readonly most_bytes?: number;
};

/** The events of a stretch in order, by `feed_columns`. */
export async function readFeedEvents(connection: Connection, part: FeedPart): Promise<Chunk> {
  const most_bytes = part.most_bytes ?? Number.MAX_SAFE_INTEGER;
  const chunk = await connection.chunk(events_list, { ...parametersOf(part), most_bytes });
  const [{ values: nos }] = chunk.vectors as [Extract<Vector, { kind: "int64" }>];
  if (nos.every((no, i) => i === 0 || no > nos[i - 1])) return chunk;
  const places = Uint32Array.from(nos.keys()).sort((a, b) => nos[a] < nos[b] ? -1 : 1);
  return { ...chunk, vectors: chunk.vectors.map((vector) => takeRows(vector, places)) };
}

/** The bytes that are left out of each event of such a chunk; undefined where nothing is. */
export function leftOut({ vectors }: Chunk): readonly number[] | undefined {
  const { values } = vectors[left_out_at] as Extract<Vector, { kind: "int64" }>;
  return values.some((bytes) => bytes > 0n) ? Array.from(values, Number) : undefined;
}

const left_out_at = Object.keys(feed_columns).indexOf("left_out");

/** Where an event of such a chunk lies. */
export function placeIn({ vectors }: Chunk, row: number): NumberedPlace {
  const [feed_no, synced_at, occurrence_no] = vectors.map((vector) =>
    vector.kind === "int64" ? Number(vector.values[row]) : NaN
  );
  const { words } = vectors[3] as Extract<Vector, { kind: "text" }>;
  return { feed_no, synced_at, occurrence_no, event_id: wordAt(words, row) };
}

/** The place of one event in a stretch, so many behind the stretch's first. */
const nth_find = statement({
  sql: feed_nth_sql,
  parameters: { ...stretch_parameters, skip: "int64" },
  row: place_columns,
});

/** The place of the event that `skip` others of a stretch precede; undefined: it has none. */
export async function findFeedPlace(
  connection: Connection,
  stretch: FeedStretch & { readonly skip: number },
): Promise<NumberedPlace | undefined> {
  const [place] = await connection.rows(nth_find, parametersOf(stretch));
  return place;
}

/** When each event of so many was stored, and the last one. */
const marks_list = statement({
  sql: `
    SELECT {row}
    FROM occurrence_event
    WHERE feed_no % $spread::BIGINT = 0 OR feed_no = (SELECT max(feed_no) FROM occurrence_event)
    ORDER BY feed_no`,
  parameters: { spread: "int64" },
  row: pick(alarm_event_table, "feed_no", "synced_at"),
});

/** When an event of the feed was stored. */
export type FeedMark = PlainRow<typeof marks_list.row>;

/** Every `spread`th event of the whole feed, and the last one, by number. */
export function readFeedMarks(connection: Connection, spread: number): Promise<FeedMark[]> {
  return connection.rows(marks_list, { spread });
}

function parametersOf<S extends FeedStretch>({ after, ...stretch }: S) {
  const { synced_at: since_us, occurrence_no: after_no, event_id: after_event_id } = after;
  return { ...stretch, since_us, after_no, after_event_id };
}
