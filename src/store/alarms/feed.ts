// Reads the feed of alarm events: printed as JSON, place by place.
import alarm_feed_mark from "./feed_mark.sql" with { type: "text" };
import alarm_feed_nth from "./feed_nth.sql" with { type: "text" };
import alarm_feed_piece from "./feed_piece.sql" with { type: "text" };
import type { AlarmEvent } from "../../model/alarms/alarm.ts";
import type { Connection } from "../connection.ts";

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

/** Some events as JSON with a comma between two, and which was the last of them. */
export type FeedPiece = NumberedPlace & Pick<AlarmEvent, "type"> & {
  readonly text: string;
  readonly rows: number;
};

/**
 * The events of a stretch in pieces of up to `group` events. A user's address shows where the user
 * is of `organization_id`.
 */
export function readFeedPieces(
  connection: Connection,
  stretch: FeedStretch & { readonly group: number; readonly organization_id: string },
): Promise<FeedPiece[]> {
  return connection.rows<FeedPiece>(alarm_feed_piece, parametersOf(stretch));
}

/** The place of the event that `skip` others of a stretch precede; undefined: it has none. */
export async function findFeedPlace(
  connection: Connection,
  stretch: FeedStretch & { readonly skip: number },
): Promise<NumberedPlace | undefined> {
  const rows = await connection.rows<NumberedPlace>(alarm_feed_nth, parametersOf(stretch));
  return rows[0];
}

/** When an event of the feed was stored. */
export type FeedMark = Pick<AlarmEvent, "feed_no" | "synced_at">;

/** Every `spread`th event of the whole feed, and the last one, by number. */
export function readFeedMarks(connection: Connection, spread: number): Promise<FeedMark[]> {
  return connection.rows<FeedMark>(alarm_feed_mark, { spread });
}

function parametersOf<S extends FeedStretch>({ after, ...stretch }: S) {
  const { synced_at: since_us, occurrence_no: after_no, event_id: after_event_id } = after;
  return { ...stretch, since_us, after_no, after_event_id };
}
