// Reads what a gateway and its centre have to tell each other of alarms, and keeps how far that is.
import centre_event_list_sql from "./centre_event_list.sql" with { type: "text" };
import own_event_list_sql from "./own_event_list.sql" with { type: "text" };
import { alarm_event_table, type AlarmEvent } from "../../model/alarms/alarm.ts";
import { centre_prefix } from "../../model/alarms/merge.ts";
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { namesOf, statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const cursor_table = table("upstream_alarm", {
  project_no: "int32",
  /** The last of its own events that the centre has. */
  sent_no: "int64",
  /** The last of the centre's that is here, as the centre counts. */
  heard_no: "int64",
});

/** How far a gateway and its centre have told each other of a project's alarms. */
export type AlarmCursor = PlainRow<typeof cursor_table.columns>;

const cursors_list = statement({
  sql: "SELECT {row} FROM upstream_alarm ORDER BY project_no",
  row: cursor_table.columns,
});

/** How far it is, by project. */
export async function readAlarmCursors(
  connection: Connection,
): Promise<ReadonlyMap<number, AlarmCursor>> {
  const rows = await connection.rows(cursors_list);
  return new Map(rows.map((row) => [row.project_no, row]));
}

const cursor_delete = statement({
  sql: "DELETE FROM upstream_alarm WHERE project_no = $project_no::INTEGER",
  parameters: { project_no: "int32" },
});

/** Keeps how far it is. */
export async function storeAlarmCursor(connection: Connection, row: AlarmCursor): Promise<void> {
  await connection.run(cursor_delete, { project_no: row.project_no });
  await appendRows(connection, cursor_table, [row]);
}

const all_forgotten = ["upstream_alarm", "upstream_alarm_aside"].map((name) =>
  statement({ sql: "DELETE FROM {name}", names: { name } })
);

/** Forgets how far it is: another centre has nothing. */
export async function forgetAlarmCursors(connection: Connection): Promise<void> {
  for (const forgotten of all_forgotten) await connection.run(forgotten);
}

const aside_table = table("upstream_alarm_aside", {
  project_no: "int32",
  occurrence_no: "int64",
  /** What the centre says; null where it only lacks earlier events. */
  reason: "text?",
  changed_at: "instant",
});

/** An alarm that the centre does not take, or has only a part of. */
export type AlarmAside = PlainRow<typeof aside_table.columns>;

const asides_list = statement({
  sql: "SELECT {row} FROM upstream_alarm_aside ORDER BY project_no, occurrence_no",
  row: aside_table.columns,
});

/** All of them. */
export function readAlarmAsides(connection: Connection): Promise<AlarmAside[]> {
  return connection.rows(asides_list);
}

const asides_delete = statement({
  sql: `
    DELETE FROM upstream_alarm_aside
    WHERE occurrence_no IN (SELECT unnest(string_split($nos::VARCHAR, ' ')::BIGINT[]))`,
  parameters: { nos: "text" },
});

/** Keeps `asides`, and of the alarms `nos` no other. */
export async function storeAlarmAsides(
  connection: Connection,
  { nos, asides }: { readonly nos: readonly number[]; readonly asides: readonly AlarmAside[] },
): Promise<void> {
  if (nos.length > 0) await connection.run(asides_delete, { nos: nos.join(" ") });
  await appendRows(connection, aside_table, asides);
}

const as_json = { json: "text" } as const;
const columns = namesOf(alarm_event_table);

/** A gateway's own events, after one of them, of alarms that its centre is told of. */
const own_list = statement({
  sql: own_event_list_sql,
  parameters: { project_no: "int32", after_no: "int64", prefix: "text", limit: "int64" },
  row: as_json,
  names: { columns },
});

/** Some events of a project after one, in the order of the feed. */
export type EventsAfter = {
  readonly project_no: number;
  readonly after_no: number;
  readonly limit: number;
};

/** The gateway's own events of alarms that its centre is told of. */
export async function readOwnEvents(
  connection: Connection,
  ask: EventsAfter,
): Promise<AlarmEvent[]> {
  const rows = await connection.rows(own_list, { ...ask, prefix: centre_prefix });
  return rows.map(({ json }) => JSON.parse(json));
}

/** What a centre's people did with alarms that gateways judge. */
const centre_list = statement({
  sql: centre_event_list_sql,
  parameters: { project_no: "int32", after_no: "int64", prefix: "text", limit: "int64" },
  row: as_json,
  names: { columns },
});

/** The centre's own events of alarms that a gateway judges. */
export async function readCentreEvents(
  connection: Connection,
  ask: EventsAfter,
): Promise<AlarmEvent[]> {
  const rows = await connection.rows(centre_list, { ...ask, prefix: centre_prefix });
  return rows.map(({ json }) => JSON.parse(json));
}

const last_find = statement({
  sql: "SELECT coalesce(max(feed_no), 0)::BIGINT AS last_no FROM occurrence_event",
  row: { last_no: "int64" },
});

/** The number of the last event in the feed; 0 for none. */
export async function lastFeedNo(connection: Connection): Promise<number> {
  const [{ last_no }] = await connection.rows(last_find);
  return last_no;
}
