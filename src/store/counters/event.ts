// Keeps what happened to counters: set against what is stored, stored, counted.
import event_change_sql from "./event_change.sql" with { type: "text" };
import event_list_sql from "./event_list.sql" with { type: "text" };
import { counter_event_table, type CounterEvent } from "../../model/counters/event.ts";
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { statement, type ValuesOf } from "../statement.ts";
import { appendRows, table, workTable } from "../table.ts";

table("counter_event", counter_event_table);

/** What was found by a piece of the roll-up's work. */
const found_table = workTable("roll_counter_event", counter_event_table);

const change_table = workTable("roll_counter_event_change", { op: "text", ...counter_event_table });

/** Empties what a piece of work finds. */
export async function clearEvents(connection: Connection): Promise<void> {
  await connection.run(found_table.make);
  await connection.run(change_table.make);
}

/** Takes the events that were found in the quarter-hours that are computed. */
export function putEvents(connection: Connection, events: readonly CounterEvent[]): Promise<void> {
  return appendRows(connection, found_table, events);
}

const event_change = statement({
  sql: event_change_sql,
  parameters: { from_minute: "int64", to_minute: "int64" },
});

const change_count = statement({
  sql: "SELECT count(*)::INTEGER AS changes FROM roll_counter_event_change",
  row: { changes: "int32" },
});

/** Sets the events found in the minutes of a range against the stored ones; how many differ? */
export async function changeEvents(
  connection: Connection,
  range: { readonly from_minute: number; readonly to_minute: number },
): Promise<number> {
  const { from_minute, to_minute } = range;
  await connection.run(event_change, { from_minute, to_minute });
  const [{ changes }] = await connection.rows(change_count);
  return changes;
}

const event_delete = statement({
  sql: `
    DELETE FROM counter_event AS e
    USING roll_counter_event_change AS c
    WHERE c.op = 'delete' AND e.sensor_no = c.sensor_no AND e.ts = c.ts AND e.kind = c.kind`,
});

const event_insert = statement({
  sql: `
    INSERT INTO counter_event
    SELECT * EXCLUDE (op)
    FROM roll_counter_event_change
    WHERE op = 'insert'
    ORDER BY ts, sensor_no`,
});

/** Stores what differs. */
export async function storeEvents({ connection }: Write): Promise<void> {
  await connection.run(event_delete);
  await connection.run(event_insert);
}

const event_list = statement({
  sql: event_list_sql,
  parameters: {
    project_no: "int32",
    from_us: "instant",
    to_us: "instant",
    hierarchy_ids: "text[]?",
    kinds: "text[]?",
    limit: "int64",
    offset: "int64",
  },
  row: {
    kind: counter_event_table.kind,
    hierarchy_id: "text",
    sensor_tag: "text",
    ts: "instant",
    value: "float64?",
    before_ts: "instant?",
    before_value: "float64?",
    readings: "int32",
    counted: "float64?",
    most: "float64?",
    reset_id: "text?",
    reset_at: "instant?",
    last_value: "float64?",
    first_value: "float64?",
    author: "text?",
    applied: "bool?",
  },
});

/** An event as it is read for a list. */
export type ListedEvent = PlainRow<typeof event_list.row>;

/** The events and declared resets of a project that a query wants, by time. */
export function listCounterEvents(
  connection: Connection,
  query: ValuesOf<typeof event_list.parameters>,
): Promise<ListedEvent[]> {
  return connection.rows(event_list, query);
}

const event_count = statement({
  sql: "SELECT kind, count(*)::INTEGER AS events FROM counter_event GROUP BY kind ORDER BY kind",
  row: { kind: counter_event_table.kind, events: "int32" },
});

/** How many events of each kind are stored. */
export async function countEvents(
  connection: Connection,
): Promise<Partial<Record<CounterEvent["kind"], number>>> {
  const rows = await connection.rows(event_count);
  return Object.fromEntries(rows.map(({ kind, events }) => [kind, events]));
}
