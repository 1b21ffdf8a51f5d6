// Events that a source sent before their occurrence: kept until it arrives.
import { alarm_limits } from "../../model/alarms/limits.ts";
import { alarm_event_table } from "../../model/alarms/alarm.ts";
import { omit, pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const waiting_table = table("waiting_event", {
  project_no: "int32",
  occurrence_id: "text",
  received_at: "instant",
  ...pick(alarm_event_table, "event_id", "type", "kind", "created_at", "body"),
  ...pick(alarm_event_table, "user_id", "user_email", "external_user_id", "detail"),
});

const waiting_columns = omit(waiting_table.columns, "project_no");

/** An event without its occurrence; `detail` is JSON. */
export type WaitingEvent = PlainRow<typeof waiting_columns>;

/** An event before it waits. */
export type WaitingDraft = Omit<WaitingEvent, "received_at">;

/** Some occurrences of a project by their source's IDs. */
export type WaitingIds = { readonly project_no: number; readonly ids: readonly string[] };

/** How many events of a project wait for their occurrence, and the characters of their texts. */
const waiting_sum = statement({
  sql: `
    SELECT
      count(*)::BIGINT AS events,
      coalesce(sum(length(coalesce(body, '')) + length(coalesce(detail, ''))), 0)::BIGINT AS length
    FROM waiting_event
    WHERE project_no = $project_no::INTEGER`,
  parameters: { project_no: "int32" },
  row: { events: "int64", length: "int64" },
});

/** What more of a project may wait: events, and characters of their texts. */
export type WaitingRoom = PlainRow<typeof waiting_sum.row>;

/** How much more of a project may wait: when its occurrence comes, all of it is read at once. */
export async function waitingRoom(
  connection: Connection,
  project_no: number,
): Promise<WaitingRoom> {
  const [{ events, length }] = await connection.rows(waiting_sum, { project_no });
  return {
    events: alarm_limits.waiting_events - events,
    length: alarm_limits.waiting_length - length,
  };
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
  await appendRows(connection, waiting_table, rows);
  return fresh;
}

/** Takes out the waiting events of occurrences, in no order. */
const waiting_take = statement({
  sql: `
    DELETE FROM waiting_event
    WHERE
      project_no = $project_no::INTEGER
      AND occurrence_id IN (SELECT unnest($ids::VARCHAR[]))
    RETURNING {row}`,
  parameters: { project_no: "int32", ids: "text[]" },
  row: waiting_columns,
});

/** Takes out the events that wait for some occurrences, by their time. */
export async function takeWaiting(
  { connection }: Write,
  { project_no, ids }: WaitingIds,
): Promise<WaitingEvent[]> {
  if (ids.length === 0 || await countWaiting(connection, project_no) === 0) return [];
  const taken = await connection.rows(waiting_take, { project_no, ids });
  return taken.sort((a, b) => a.created_at - b.created_at || a.received_at - b.received_at);
}

/** The events of a project that wait for their occurrence. */
const waiting_list = statement({
  sql: `
    SELECT {row}
    FROM waiting_event
    WHERE project_no = $project_no::INTEGER
    ORDER BY received_at, occurrence_id, event_id
    LIMIT $limit::BIGINT OFFSET $offset::BIGINT`,
  parameters: { project_no: "int32", limit: "int64", offset: "int64" },
  row: omit(waiting_columns, "body", "user_id", "user_email", "external_user_id", "detail"),
});

/** An event that waits, as a list shows it. */
export type ListedWaiting = PlainRow<typeof waiting_list.row>;

/** A page of the events of a project that wait, the longest waiting first. */
export function listWaiting(
  connection: Connection,
  page: { readonly project_no: number; readonly limit: number; readonly offset: number },
): Promise<ListedWaiting[]> {
  return connection.rows(waiting_list, page);
}

/** How many events of a project wait. */
const waiting_count = statement({
  sql: `
    SELECT count(*)::BIGINT AS waiting
    FROM waiting_event
    WHERE project_no = $project_no::INTEGER`,
  parameters: { project_no: "int32" },
  row: { waiting: "int64" },
});

async function countWaiting(connection: Connection, project_no: number): Promise<number> {
  const [{ waiting }] = await connection.rows(waiting_count, { project_no });
  return waiting;
}

/** The events that wait for some occurrences of a project, in no order. */
const waiting_find = statement({
  sql: `
    SELECT occurrence_id, event_id
    FROM waiting_event
    SEMI JOIN (SELECT unnest($ids::VARCHAR[]) AS occurrence_id) AS wanted USING (occurrence_id)
    WHERE project_no = $project_no::INTEGER`,
  parameters: { project_no: "int32", ids: "text[]" },
  row: { occurrence_id: "text", event_id: "text" },
});

async function findWaiting(connection: Connection, ids: WaitingIds): Promise<Set<string>> {
  const rows = await connection.rows(waiting_find, ids);
  return new Set(rows.map((row) => JSON.stringify([row.occurrence_id, row.event_id])));
}
