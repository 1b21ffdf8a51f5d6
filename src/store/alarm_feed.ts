// Reads the feed of alarm events: printed as JSON, place by place.
import alarm_feed_mark from "./sql/alarm_feed_mark.sql" with { type: "text" };
import alarm_feed_nth from "./sql/alarm_feed_nth.sql" with { type: "text" };
import alarm_feed_piece from "./sql/alarm_feed_piece.sql" with { type: "text" };
import type { AlarmEvent } from "../model/alarm.ts";
import type { Connection } from "./connection.ts";

/** An event's place in the feed: everything after it is greater, by these in this order. */
export type FeedPlace = Pick<AlarmEvent, "synced_at" | "occurrence_no" | "event_id">;

/** What is read of the feed: a project's events, or those of one of its sites, after a place. */
export type FeedStretch = {
  readonly project_no: number;
  readonly site_no: number | null;
  readonly after: FeedPlace;
  /** No event before this number is after the place. */
  readonly from_no: number;
};

/** Some events as JSON with a comma between two, and which was the last of them. */
export type FeedPiece = FeedPlace & Pick<AlarmEvent, "feed_no" | "type"> & {
  readonly text: string;
  readonly rows: number;
};

/**
 * The first events of a stretch up to number `to_no`, in pieces of up to `group` events. A user's
 * address shows where the user is of `organization_id`.
 */
export function readFeedPieces(
  connection: Connection,
  stretch: FeedStretch,
  bounds: {
    readonly to_no: number;
    readonly limit: number;
    readonly group: number;
    readonly organization_id: string;
  },
): Promise<FeedPiece[]> {
  return connection.rows<FeedPiece>(alarm_feed_piece, { ...parametersOf(stretch), ...bounds });
}

/** The place of the event that `skip` others of a stretch precede; undefined: it has none. */
export async function findFeedPlace(
  connection: Connection,
  stretch: FeedStretch,
  skip: number,
): Promise<(FeedPlace & Pick<AlarmEvent, "feed_no">) | undefined> {
  type Row = FeedPlace & Pick<AlarmEvent, "feed_no">;
  const rows = await connection.rows<Row>(alarm_feed_nth, { ...parametersOf(stretch), skip });
  return rows[0];
}

/** When an event of the feed was stored. */
export type FeedMark = Pick<AlarmEvent, "feed_no" | "synced_at">;

/** Every `spread`th event of the whole feed, and the last one, by number. */
export function readFeedMarks(connection: Connection, spread: number): Promise<FeedMark[]> {
  return connection.rows<FeedMark>(alarm_feed_mark, { spread });
}

function parametersOf({ project_no, site_no, after, from_no }: FeedStretch) {
  const { synced_at: since_us, occurrence_no: after_no, event_id: after_event_id } = after;
  return { project_no, site_no, from_no, since_us, after_no, after_event_id };
}
