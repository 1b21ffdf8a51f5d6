// Events that a source sent before their occurrence: kept until it arrives.
import waiting_find from "./waiting_find.sql" with { type: "text" };
import waiting_list from "./waiting_list.sql" with { type: "text" };
import waiting_sum from "./waiting_sum.sql" with { type: "text" };
import waiting_take from "./waiting_take.sql" with { type: "text" };
import { limits } from "../../base/limits.ts";
import type { AlarmEvent } from "../../model/alarms/alarm.ts";
import { chunkOf } from "./row.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";

/** An event without its occurrence; `detail` is JSON. */
export type WaitingEvent =
  & Omit<AlarmEvent, "feed_no" | "synced_at" | "project_no" | "site_no" | "occurrence_no">
  & { readonly occurrence_id: string; readonly received_at: number };

/** An event before it waits. */
export type WaitingDraft = Omit<WaitingEvent, "received_at">;

/** Some occurrences of a project by their source's IDs. */
export type WaitingIds = { readonly project_no: number; readonly ids: readonly string[] };

const columns = {
  project_no: "int32",
  occurrence_id: "text",
  received_at: "int64",
  event_id: "text",
  type: "text",
  kind: "text",
  created_at: "int64",
  body: "text",
  user_id: "text",
  user_email: "text",
  external_user_id: "text",
  detail: "text",
} as const;

/** What more of a project may wait: events, and characters of their texts. */
export type WaitingRoom = { readonly events: number; readonly length: number };

/** How much more of a project may wait: when its occurrence comes, all of it is read at once. */
export async function waitingRoom(
  connection: Connection,
  project_no: number,
): Promise<WaitingRoom> {
  const [{ events, length }] = await connection.rows<WaitingRoom>(waiting_sum, { project_no });
  return { events: limits.waiting_events - events, length: limits.waiting_length - length };
}

/** The characters of an event's texts that count against the room. */
export function waitingLength({ body, detail }: Pick<WaitingEvent, "body" | "detail">): number {
  return (body?.length ?? 0) + (detail?.length ?? 0);
}

/** Lets events of a project wait, unless they do already, and gives those that are new. */
export async function addWaiting(
  { connection, stamp_us }: Write,
  project_no: number,
  events: readonly WaitingDraft[],
): Promise<WaitingDraft[]> {
  const known = await findWaiting(connection, {
    project_no,
    ids: [...new Set(events.map(({ occurrence_id }) => occurrence_id))],
  });
  const fresh = events.filter(({ occurrence_id, event_id }) => {
    const key = JSON.stringify([occurrence_id, event_id]);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
  const rows = fresh.map((event) => ({ ...event, project_no, received_at: stamp_us }));
  await connection.append("waiting_event", chunkOf(columns, rows));
  return fresh;
}

/** Takes out the events that wait for some occurrences, by their time. */
export async function takeWaiting(
  { connection }: Write,
  { project_no, ids }: WaitingIds,
): Promise<WaitingEvent[]> {
  if (ids.length === 0 || await countWaiting(connection, project_no) === 0) return [];
  const taken = await connection.rows<WaitingEvent>(waiting_take, { project_no, ids });
  return taken.sort((a, b) => a.created_at - b.created_at || a.received_at - b.received_at);
}

/** An event that waits, as a list shows it. */
export type ListedWaiting = Pick<
  WaitingEvent,
  "occurrence_id" | "received_at" | "event_id" | "type" | "kind" | "created_at"
>;

/** A page of the events of a project that wait, the longest waiting first. */
export function listWaiting(
  connection: Connection,
  page: { readonly project_no: number; readonly limit: number; readonly offset: number },
): Promise<ListedWaiting[]> {
  return connection.rows<ListedWaiting>(waiting_list, page);
}

async function countWaiting(connection: Connection, project_no: number): Promise<number> {
  const [{ waiting }] = await connection.rows<{ waiting: number }>(
    "SELECT count(*)::BIGINT AS waiting FROM waiting_event WHERE project_no = $project_no::INTEGER",
    { project_no },
  );
  return waiting;
}

async function findWaiting(connection: Connection, ids: WaitingIds): Promise<Set<string>> {
  type Row = { readonly occurrence_id: string; readonly event_id: string };
  const rows = await connection.rows<Row>(waiting_find, ids);
  return new Set(rows.map((row) => JSON.stringify([row.occurrence_id, row.event_id])));
}
