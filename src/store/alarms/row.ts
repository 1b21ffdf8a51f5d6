// Occurrences and their events as rows by column, for the appender, and back.
import type { AlarmEvent, Occurrence } from "../../model/alarms/alarm.ts";
import {
  type Chunk,
  noneValid,
  setValid,
  type Validity,
  type Vector,
  wordsOf,
} from "../../model/data/chunk.ts";
import { arrayOf } from "../value.ts";

/** A column's kind; `unique` is a text that each row has of its own, `list` texts as JSON. */
type ColumnKind = "int32" | "int64" | "float64" | "bool" | "text" | "unique" | "list";
type Cell = string | number | boolean | null | readonly string[];

/** The columns of the table `occurrence`, in its order. */
const occurrence_columns = {
  occurrence_no: "int64",
  occurrence_id: "text",
  project_no: "int32",
  site_no: "int32",
  origin: "text",
  source: "text",
  rule_no: "int32",
  rule_name: "text",
  rule_version: "float64",
  rule_description: "text",
  kind: "text",
  severity: "text",
  alarm_class: "text",
  is_nerc: "bool",
  status: "text",
  resumes: "text",
  shelved_until: "int64",
  claimed_by: "text",
  resolution_policy: "text",
  resolution: "text",
  raised_at: "int64",
  source_ts: "int64",
  updated_at: "int64",
  sent_at: "int64",
  synced_at: "int64",
  cleared_at: "int64",
  raised_value: "float64",
  last_value: "float64",
  peak_value: "float64",
  peak_at: "int64",
  recovered_value: "float64",
  source_tag: "text",
  measure: "text",
  device_id: "text",
  decoded_labels: "list",
  point_key: "text",
  params: "text",
  is_late: "bool",
  is_flood: "bool",
  is_chattering: "bool",
  inhibited_by: "int64",
  events_total: "int32",
  first_feed_no: "int64",
  last_feed_no: "int64",
} as const satisfies Record<keyof Occurrence, ColumnKind>;

/** The columns that change where an occurrence gets an event and nothing else. */
const touched_columns = {
  occurrence_no: "int64",
  synced_at: "int64",
  events_total: "int32",
  first_feed_no: "int64",
  last_feed_no: "int64",
} as const satisfies Partial<Record<keyof Occurrence, ColumnKind>>;

/** The columns of the table `occurrence_event` but `feed_no`, in its order. */
const event_columns = {
  synced_at: "int64",
  project_no: "int32",
  site_no: "int32",
  occurrence_no: "int64",
  occurrence_id: "text",
  event_id: "text",
  type: "text",
  kind: "text",
  created_at: "int64",
  body: "text",
  user_id: "text",
  user_email: "text",
  external_user_id: "text",
  detail: "text",
} as const satisfies Record<keyof Omit<AlarmEvent, "feed_no">, ColumnKind>;

/** An event that has its place in time and in its occurrence, and gets one in the feed. */
export type StampedEvent = Omit<AlarmEvent, "feed_no">;

/** Occurrences in the columns of their table, but for `id_hash`. */
export function occurrenceChunk(occurrences: readonly Occurrence[]): Chunk {
  return chunkOf(occurrence_columns, occurrences);
}

/** Of occurrences that got events only what that changes. */
export function touchedChunk(occurrences: readonly Occurrence[]): Chunk {
  return chunkOf(touched_columns, occurrences);
}

/** Events in the columns of their table, but for `feed_no`. */
export function eventChunk(events: readonly StampedEvent[]): Chunk {
  return chunkOf(event_columns, events);
}

/** The least and the greatest of some numbers of occurrences. */
export function rangeOf(nos: readonly number[]): {
  readonly from_no: number;
  readonly to_no: number;
} {
  return {
    from_no: nos.reduce((least, no) => Math.min(least, no), Infinity),
    to_no: nos.reduce((most, no) => Math.max(most, no), -Infinity),
  };
}

/** Rows by column: one vector for each of `columns`, in that order. */
export function chunkOf<Name extends string>(
  columns: Readonly<Record<Name, ColumnKind>>,
  rows: readonly Readonly<Record<NoInfer<Name>, Cell>>[],
): Chunk {
  const names = Object.keys(columns) as Name[];
  return {
    rows: rows.length,
    vectors: names.map((name) => vectorOf(columns[name], rows.map((row) => row[name]))),
  };
}

function vectorOf(kind: ColumnKind, cells: readonly Cell[]): Vector {
  if (kind === "list") return textsOf(cells.map((cell) => JSON.stringify(cell)));
  if (kind === "text") return textsOf(cells);
  if (kind === "unique") return { kind: "text", words: wordsOf(cells as readonly string[]) };
  const valid = validityOf(cells);
  if (kind === "int64") {
    const values = new BigInt64Array(cells.length);
    cells.forEach((cell, i) => values[i] = BigInt(cell as number | null ?? 0));
    return { kind, values, valid };
  }
  const values = arrayOf(kind, cells.length);
  cells.forEach((cell, i) => values[i] = Number(cell));
  return { kind, values, valid } as Vector;
}

/** Each text once, as most columns say the same of many rows. */
function textsOf(cells: readonly Cell[]): Vector {
  const known = new Map<Cell, number>([[null, 0]]);
  const codes = new Int32Array(cells.length);
  cells.forEach((cell, i) => {
    const code = known.get(cell) ?? known.size;
    if (code === known.size) known.set(cell, code);
    codes[i] = code;
  });
  const words = wordsOf(Array.from(known.keys(), (cell) => `${cell ?? ""}`));
  return { kind: "text", words, codes, valid: validityOf(cells) };
}

/** Absent where every cell has a value. */
function validityOf(cells: readonly Cell[]): Validity | undefined {
  if (!cells.includes(null)) return undefined;
  const valid = noneValid(cells.length);
  cells.forEach((cell, i) => cell !== null && setValid(valid, i));
  return valid;
}
