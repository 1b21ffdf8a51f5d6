// Reads alarms: occurrences by number, ID or filter, and the events of their lives.
import alarm_event_list from "./event_list.sql" with { type: "text" };
import alarm_timeline_print from "./timeline_print.sql" with { type: "text" };
import occurrence_find from "./occurrence_find.sql" with { type: "text" };
import occurrence_get from "./occurrence_get.sql" with { type: "text" };
import occurrence_list from "./occurrence_list.sql" with { type: "text" };
import occurrence_read from "./occurrence_read.sql" with { type: "text" };
import type { AlarmEvent, AlarmStatus, Occurrence } from "../../model/alarms/alarm.ts";
import { rangeOf } from "./row.ts";
import type { Connection } from "../connection.ts";
import type { Parameters } from "../value.ts";

/** Which occurrences: those that pass every filter that is given. */
export type OccurrenceFilter = {
  readonly project_no?: number;
  readonly site_no?: number;
  readonly statuses?: readonly AlarmStatus[];
  readonly severities?: readonly string[];
  readonly kinds?: readonly string[];
  readonly alarm_classes?: readonly string[];
  readonly device_ids?: readonly string[];
  readonly rule_nos?: readonly number[];
  readonly rule_names?: readonly string[];
  readonly source_tags?: readonly string[];
  /** Whether the condition holds: there is no `cleared_at`. */
  readonly active?: boolean;
  /** Whether it has ended by its policy, as `hasEnded` says. */
  readonly ended?: boolean;
  /** Only those that were active at some time in `[from_us, to_us)`. */
  readonly from_us?: number;
  readonly to_us?: number;
  /** Stored at or after this instant; with `after_no`, after that one of those stored at it. */
  readonly since_us?: number;
  readonly after_no?: number;
  readonly limit?: number;
  readonly offset?: number;
};

/** An occurrence of a project by its source's ID. */
export async function readOccurrence(
  connection: Connection,
  { project_no, occurrence_id }: Pick<Occurrence, "project_no" | "occurrence_id">,
): Promise<Occurrence | undefined> {
  const get = { project_no, occurrence_id };
  const [found] = await readJson<Occurrence>(connection, occurrence_get, get);
  return found;
}

/** Occurrences of a project by their source's IDs, in no order; unknown ones are left out. */
export async function findOccurrences(
  connection: Connection,
  { project_no, ids }: { readonly project_no: number; readonly ids: readonly string[] },
): Promise<Occurrence[]> {
  if (ids.length === 0) return [];
  type Row = { readonly occurrence_no: number };
  const rows = await connection.rows<Row>(occurrence_find, { project_no, ids });
  return await readOccurrences(connection, rows.map(({ occurrence_no }) => occurrence_no));
}

/** Occurrences by their numbers, in the order (synced_at, occurrence_no). */
export async function readOccurrences(
  connection: Connection,
  nos: readonly number[],
): Promise<Occurrence[]> {
  if (nos.length === 0) return [];
  return await readJson<Occurrence>(connection, occurrence_read, {
    nos: nos.join(" "),
    ...rangeOf(nos),
  });
}

/**
 * The occurrences that pass a filter, in the order (synced_at, occurrence_no). Two statements: on
 * a reader, call it within a transaction for one snapshot of them and of what is read beside.
 */
export async function listOccurrences(
  connection: Connection,
  filter: OccurrenceFilter,
): Promise<Occurrence[]> {
  type Row = { readonly occurrence_no: number };
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const parameters = { ...no_filter, ...Object.fromEntries(given) };
  const rows = await connection.rows<Row>(occurrence_list, parameters);
  return await readOccurrences(connection, rows.map(({ occurrence_no }) => occurrence_no));
}

const no_filter = {
  project_no: null,
  site_no: null,
  statuses: null,
  severities: null,
  kinds: null,
  alarm_classes: null,
  device_ids: null,
  rule_nos: null,
  rule_names: null,
  source_tags: null,
  active: null,
  ended: null,
  from_us: null,
  to_us: null,
  since_us: 0,
  after_no: -1,
  limit: Number.MAX_SAFE_INTEGER,
  offset: 0,
};

/** How many events of an occurrence are read at most, the newest; all of them if not said. */
export type TimelineBound = { readonly newest?: number };

/** The events of each of some occurrences, by occurrence, the oldest first. */
export async function readTimelines(
  connection: Connection,
  occurrences: readonly Occurrence[],
  { newest = Number.MAX_SAFE_INTEGER }: TimelineBound = {},
): Promise<AlarmEvent[]> {
  if (occurrences.length === 0) return [];
  const which = timelineRange(occurrences);
  return await readJson<AlarmEvent>(connection, alarm_event_list, { ...which, newest });
}

/**
 * The newest events of each of some occurrences as a JSON list, by the occurrence's number, the
 * oldest first. A user's address shows where the user is of the project's organization.
 */
export async function printTimelines(
  connection: Connection,
  { occurrences, newest }: { readonly occurrences: readonly Occurrence[]; readonly newest: number },
): Promise<ReadonlyMap<number, string>> {
  type Row = { readonly occurrence_no: number; readonly events: string };
  const which = timelineRange(occurrences);
  const rows = await connection.rows<Row>(alarm_timeline_print, { ...which, newest });
  return new Map(rows.map(({ occurrence_no, events }) => [occurrence_no, events]));
}

function timelineRange(occurrences: readonly Occurrence[]) {
  return {
    nos: occurrences.map(({ occurrence_no }) => occurrence_no).join(" "),
    from_feed_no: rangeOf(occurrences.map(({ first_feed_no }) => first_feed_no)).from_no,
    to_feed_no: rangeOf(occurrences.map(({ last_feed_no }) => last_feed_no)).to_no,
  };
}

/** One text a row: the binding takes a microsecond for each, and an occurrence has twenty. */
async function readJson<Row>(
  connection: Connection,
  sql: string,
  parameters: Parameters,
): Promise<Row[]> {
  const rows = await connection.rows<{ json: string }>(sql, parameters);
  return rows.map(({ json }) => JSON.parse(json));
}
