// What happened to a counter beside its climbing: as it is kept and as it is shown.
import { type Column, fieldOf, type RowOf } from "../data/column.ts";
import { oneOf, type PlainRow } from "../data/row.ts";
import { reset_fits } from "./reset.ts";

/** What happens to counters, with what it means for their energy. */
export const event_docs = {
  suspect: "A reading that can't be right: more than the device can have counted, or less than " +
    "before. It adds nothing. The reading before it stays the reference.",
  new_track: "Readings in a row agree on another level, as after a replacement of the meter. " +
    "Counting goes on from there. The step itself is lost.",
  wrap: "The register reached its end and started again at 0. The difference is counted.",
  reset: "A declared reset. The step is settled exactly.",
} as const;

export type CounterEventKind = keyof typeof event_docs;
export const event_kinds = Object.keys(event_docs) as [CounterEventKind, ...CounterEventKind[]];

/** An event of a counter sensor; values are the register's own, as they were sent. */
export const counter_event_table = {
  sensor_no: "int32",
  kind: oneOf(event_kinds),
  /** The reading that it is about: the first of the suspect ones or of the new track. */
  ts: "instant",
  value: "float64",
  /** The reference before it. */
  before_ts: "instant",
  before_value: "float64",
  /** How many readings in a row are suspect, or made the new track. */
  readings: "int32",
  /** What was counted over the step; null where that is nothing. */
  counted: "float64?",
  /** The most that would have been possible; null where nothing says. */
  most: "float64?",
  /** The instant of the declared reset. */
  reset_us: "instant?",
} as const;

/** An event of a counter sensor. */
export type CounterEvent = PlainRow<typeof counter_event_table>;

const field = fieldOf(counter_event_table);

/** The fields of an event as it is listed. */
export const counter_event_columns = [
  field("kind", "What happened."),
  { name: "hierarchy_id", kind: "text", nullable: false, doc: "The counter." },
  { name: "sensor_tag", kind: "text", nullable: false, doc: "Its tag." },
  {
    ...field("ts", "Time of the first reading after the step; of a reset without one, its time."),
    nullable: false,
  },
  {
    name: "value",
    kind: "float64",
    nullable: true,
    doc: "The first reading after the step, as it was sent. Null if there is none yet.",
  },
  {
    name: "before_ts",
    kind: "instant",
    nullable: true,
    doc: "Time of the last reading before the step.",
  },
  {
    name: "before_value",
    kind: "float64",
    nullable: true,
    doc: "The last reading before the step, as it was sent.",
  },
  {
    name: "readings",
    kind: "int32",
    nullable: false,
    doc: "How many readings in a row are suspect, or how many made the new level a track.",
  },
  field("counted", "What was counted over the step, in the register's unit. Null: nothing."),
  field("most", "The most that is physically possible over the step. Null: not known."),
  {
    name: "reset_id",
    kind: "text",
    nullable: true,
    doc: "ID of the declared reset.",
  },
  {
    name: "reset_at",
    kind: "instant",
    nullable: true,
    doc: "Time of the declared reset.",
  },
  {
    name: "last_value",
    kind: "float64",
    nullable: true,
    doc: "Declared: the last value before the reset.",
  },
  {
    name: "first_value",
    kind: "float64",
    nullable: true,
    doc: "Declared: the first value after the reset.",
  },
  {
    name: "author",
    kind: "text",
    nullable: true,
    doc: "Name of the token that declared the reset. Null if a site file declares it.",
  },
  {
    name: "applied",
    kind: "bool",
    nullable: true,
    doc: "Whether the declared reset settles a step between the two readings. Null: no reset.",
  },
  {
    name: "fit",
    kind: "text",
    nullable: true,
    values: reset_fits,
    doc: "How the declared reset fits the two readings. Null: no reset.",
  },
] as const satisfies readonly Column[];

/** An event as JSON has it. */
export type CounterEventRow = RowOf<typeof counter_event_columns>;
