// Reads alarms: occurrences by number, ID or filter, how often they came, and their events.
import { sample_limits } from "../../model/samples/limits.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import event_list_sql from "./event_list.sql" with { type: "text" };
import nuisance_raise_list_sql from "./nuisance_raise_list.sql" with { type: "text" };
import occurrence_get_sql from "./occurrence_get.sql" with { type: "text" };
import occurrence_list_sql from "./occurrence_list.sql" with { type: "text" };
import occurrence_read_sql from "./occurrence_read.sql" with { type: "text" };
import timeline_print_sql from "./timeline_print.sql" with { type: "text" };
import {
  alarm_event_table,
  alarm_severities,
  type AlarmEvent,
  type AlarmStatus,
  type Occurrence,
  occurrence_table,
} from "../../model/alarms/alarm.ts";
import { pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { namesOf, statement } from "../statement.ts";
import { rangeOf } from "../table.ts";

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

/** One text a row: an occurrence has twenty, and each would cost a call. */
const as_json = { json: "text" } as const;

/** The columns of an occurrence, with what is plain data as such. */
const columns = namesOf(occurrence_table)
  .replace(`"decoded_labels"`, "decoded_labels::JSON AS decoded_labels");

/** An occurrence by its source's ID. */
const occurrence_get = statement({
  sql: occurrence_get_sql,
  parameters: { project_no: "int32", occurrence_id: "text" },
  row: as_json,
  names: { columns },
});

/** An occurrence of a project by its source's ID. */
export async function readOccurrence(
  connection: Connection,
  { project_no, occurrence_id }: Pick<Occurrence, "project_no" | "occurrence_id">,
): Promise<Occurrence | undefined> {
  const [found] = await connection.rows(occurrence_get, { project_no, occurrence_id });
  return found && JSON.parse(found.json);
}

/** The numbers of occurrences by their source's IDs. */
const occurrences_find = statement({
  sql: `
    SELECT o.occurrence_no
    FROM occurrence AS o
    JOIN (
      SELECT occurrence_id, (md5_number_lower(occurrence_id) >> 1)::BIGINT AS id_hash
      FROM (SELECT unnest($ids::VARCHAR[]) AS occurrence_id)
    ) AS wanted USING (id_hash)
    WHERE o.project_no = $project_no::INTEGER AND o.occurrence_id = wanted.occurrence_id
    ORDER BY o.occurrence_no`,
  parameters: { project_no: "int32", ids: "text[]" },
  row: { occurrence_no: "int64" },
});

/** Occurrences of a project by their source's IDs, in no order; unknown ones are left out. */
export async function findOccurrences(
  connection: Connection,
  { project_no, ids }: { readonly project_no: number; readonly ids: readonly string[] },
): Promise<Occurrence[]> {
  if (ids.length === 0) return [];
  const rows = await connection.rows(occurrences_find, { project_no, ids });
  return await readOccurrences(connection, rows.map(({ occurrence_no }) => occurrence_no));
}

/** Occurrences by their numbers. */
const occurrences_read = statement({
  sql: occurrence_read_sql,
  parameters: { nos: "text", from_no: "int64", to_no: "int64" },
  row: as_json,
  names: { columns },
});

/** Occurrences by their numbers, in the order (synced_at, occurrence_no). */
export async function readOccurrences(
  connection: Connection,
  nos: readonly number[],
): Promise<Occurrence[]> {
  if (nos.length === 0) return [];
  const rows = await connection.rows(occurrences_read, { nos: nos.join(" "), ...rangeOf(nos) });
  return rows.map(({ json }) => JSON.parse(json));
}

const filter_parameters = {
  project_no: "int32?",
  site_no: "int32?",
  statuses: "text[]?",
  severities: "text[]?",
  kinds: "text[]?",
  alarm_classes: "text[]?",
  device_ids: "text[]?",
  rule_nos: "int32[]?",
  rule_names: "text[]?",
  source_tags: "text[]?",
  active: "bool?",
  ended: "bool?",
  from_us: "instant?",
  to_us: "instant?",
  since_us: "instant",
  after_no: "int64",
  limit: "int64",
  offset: "int64",
} as const;

const version_columns = pick(occurrence_table, "occurrence_no", "synced_at");

/** The occurrences that pass every filter that is not null, as last stored. */
const occurrences_list = statement({
  sql: occurrence_list_sql,
  parameters: filter_parameters,
  row: version_columns,
  names: {
    after: "(synced_at > $since_us::BIGINT OR occurrence_no > $after_no::BIGINT)",
    order: "synced_at, occurrence_no",
  },
});

/** A severity's place among the usual ones, from 0 on; others come last. */
const rank = `coalesce(list_position($severity_order::VARCHAR[], severity), 1000)`;

/** The same by priority, behind one of them. */
const occurrences_rank = statement({
  sql: occurrence_list_sql,
  parameters: {
    ...filter_parameters,
    severity_order: "text[]",
    after_severity: "text",
    after_raised_at: "instant",
  },
  row: version_columns,
  names: {
    after: `($after_no::BIGINT < 0 OR (${rank}, -raised_at, -occurrence_no) > (` +
      `${rank.replace("severity)", "$after_severity::VARCHAR)")}, ` +
      "-$after_raised_at::BIGINT, -$after_no::BIGINT))",
    order: `${rank}, raised_at DESC, occurrence_no DESC`,
  },
});

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

/** An occurrence at one time: whatever changes of it, it is stored at a later instant then. */
export type Version = PlainRow<typeof version_columns>;

/** Gives what is known of an occurrence at that very time, which is not read then. */
export type KnownVersion = (version: Version) => Occurrence | undefined;

const nothing: KnownVersion = () => undefined;

/**
 * The occurrences that pass a filter, in the order (synced_at, occurrence_no). Two statements: on
 * a reader, call it within a transaction for one snapshot of them and of what is read beside.
 */
export async function listOccurrences(
  connection: Connection,
  filter: OccurrenceFilter,
  known = nothing,
): Promise<Occurrence[]> {
  return await readVersions(connection, await listVersions(connection, filter), known);
}

/**
 * The same outside of a transaction, whose begin and end would each wait for another thread;
 * undefined where an occurrence changed or went between the two statements.
 */
export async function listUnchanged(
  connection: Connection,
  filter: OccurrenceFilter,
  known = nothing,
): Promise<Occurrence[] | undefined> {
  const versions = await listVersions(connection, filter);
  const found: (Occurrence | undefined)[] = await readVersions(connection, versions, known);
  const isAsListed = found.every((it, i) => it?.synced_at === versions[i].synced_at);
  return isAsListed ? found as Occurrence[] : undefined;
}

function listVersions(connection: Connection, filter: OccurrenceFilter): Promise<Version[]> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return connection.rows(occurrences_list, { ...no_filter, ...Object.fromEntries(given) });
}

/**
 * Those that pass a filter by priority: the most urgent first, of one severity the newest first;
 * behind the occurrence `after_no` as it stands. Several statements, as `listOccurrences`.
 */
export async function listByPriority(
  connection: Connection,
  filter: OccurrenceFilter,
  known = nothing,
): Promise<Occurrence[]> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const [last] = await readOccurrences(
    connection,
    filter.after_no === undefined ? [] : [filter.after_no],
  );
  const rows = await connection.rows(occurrences_rank, {
    ...no_filter,
    ...Object.fromEntries(given),
    severity_order: alarm_severities,
    after_severity: last?.severity ?? "",
    after_raised_at: last?.raised_at ?? 0,
  });
  return await readVersions(connection, rows, known);
}

/** The occurrences of some versions, in their order; those that are not known are read. */
async function readVersions(
  connection: Connection,
  versions: readonly Version[],
  known: KnownVersion,
): Promise<Occurrence[]> {
  const found = versions.map(known);
  const unknown = versions.filter((_, i) => found[i] === undefined);
  const read = await readOccurrences(connection, unknown.map((it) => it.occurrence_no));
  const by_no = new Map(read.map((it) => [it.occurrence_no, it]));
  return versions.map(({ occurrence_no }, i) => found[i] ?? by_no.get(occurrence_no)!);
}

/** The occurrences that another one keeps out of the queue. */
const inhibited_list = statement({
  sql: `
    SELECT occurrence_no
    FROM occurrence
    WHERE inhibited_by IS NOT NULL
    ORDER BY occurrence_no`,
  row: { occurrence_no: "int64" },
});

/** The occurrences that another one keeps out of the queue, in the same order. */
async function listInhibited(connection: Connection): Promise<Occurrence[]> {
  const rows = await connection.rows(inhibited_list);
  return await readOccurrences(connection, rows.map(({ occurrence_no }) => occurrence_no));
}

/** The times that occurrences came up in the window before the newest of their site. */
const raises_list = statement({
  sql: nuisance_raise_list_sql,
  parameters: { latest_us: "instant", window_us: "int64" },
  row: {
    site_no: "int32",
    occurrence_no: "int64",
    at_us: "instant",
    ...pick(occurrence_table, "rule_no", "rule_name", "source_tag"),
    /** A flood counts it. */
    counts: "bool",
  },
});

/** One time that an occurrence came up; `counts`: a flood counts it. */
export type RaiseRow = PlainRow<typeof raises_list.row>;

/** The state of nuisance as the stored alarms leave it at `now_us`. */
export async function readNuisance(
  connection: Connection,
  { now_us, classes }: { readonly now_us: number; readonly classes: readonly string[] },
): Promise<{
  readonly raises: readonly RaiseRow[];
  readonly inhibitors: readonly Occurrence[];
  readonly inhibited: readonly Occurrence[];
}> {
  return {
    raises: await connection.rows(raises_list, {
      latest_us: now_us + sample_limits.future_us,
      window_us: alarm_limits.flood_window_us,
    }),
    inhibitors: await listOccurrences(connection, {
      alarm_classes: classes,
      active: true,
      ended: false,
    }),
    inhibited: await listInhibited(connection),
  };
}

/** Shelved occurrences that return by themselves. */
const shelves_list = statement({
  sql: `
    SELECT occurrence_no, shelved_until
    FROM occurrence
    WHERE shelved_until IS NOT NULL
    ORDER BY shelved_until, occurrence_no`,
  row: { occurrence_no: "int64", shelved_until: "instant" },
});

/** A shelved occurrence, and when it returns: microseconds since 1970 UTC. */
export type Shelf = PlainRow<typeof shelves_list.row>;

/** Every shelf that has an end, the first to end first. */
export function readShelves(connection: Connection): Promise<Shelf[]> {
  return connection.rows(shelves_list);
}

const timeline_parameters = {
  nos: "text",
  from_feed_no: "int64",
  to_feed_no: "int64",
  newest: "int64",
} as const;

/** The newest events of some occurrences. */
const events_list = statement({
  sql: event_list_sql,
  parameters: timeline_parameters,
  row: as_json,
  names: { columns: namesOf(alarm_event_table) },
});

/** How many events of an occurrence are read at most, the newest; all of them if not said. */
export type TimelineBound = { readonly newest?: number };

/** The events of each of some occurrences, by occurrence, the oldest first. */
export async function readTimelines(
  connection: Connection,
  occurrences: readonly Occurrence[],
  { newest = Number.MAX_SAFE_INTEGER }: TimelineBound = {},
): Promise<AlarmEvent[]> {
  if (occurrences.length === 0) return [];
  const rows = await connection.rows(events_list, { ...timelineRange(occurrences), newest });
  return rows.map(({ json }) => JSON.parse(json));
}

/** The newest events of some occurrences, each occurrence's as one JSON list. */
const timelines_print = statement({
  sql: timeline_print_sql,
  parameters: timeline_parameters,
  row: { occurrence_no: "int64", events: "text" },
});

/**
 * The newest events of each of some occurrences as a JSON list, by the occurrence's number, the
 * oldest first. A user's address shows where the user is of the project's organization.
 */
export async function printTimelines(
  connection: Connection,
  { occurrences, newest }: { readonly occurrences: readonly Occurrence[]; readonly newest: number },
): Promise<ReadonlyMap<number, string>> {
  const rows = await connection.rows(timelines_print, { ...timelineRange(occurrences), newest });
  return new Map(rows.map(({ occurrence_no, events }) => [occurrence_no, events]));
}

function timelineRange(occurrences: readonly Occurrence[]) {
  return {
    nos: occurrences.map(({ occurrence_no }) => occurrence_no).join(" "),
    from_feed_no: rangeOf(occurrences.map(({ first_feed_no }) => first_feed_no)).from_no,
    to_feed_no: rangeOf(occurrences.map(({ last_feed_no }) => last_feed_no)).to_no,
  };
}
