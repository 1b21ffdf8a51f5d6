// The row of GET /platform/v1/availability/timeline: a span of one state with what spoke for it.
import { evidences, states } from "./availability.ts";
import type { Column } from "../data/column.ts";

/** The names of all states. */
export const state_names = Object.keys(states) as readonly (keyof typeof states)[];

/** Which inverter the row of a timeline is about. */
export const inverter_columns = [
  { name: "hierarchy_id", kind: "text", nullable: false, doc: "Inverter." },
  { name: "device_id", kind: "text", nullable: false, doc: "The inverter's device." },
  { name: "device_name", kind: "text", nullable: false, doc: "Name of the device." },
] as const satisfies readonly Column[];

/** The row of GET /platform/v1/availability/timeline. */
export const timeline_columns: readonly Column[] = [
  ...inverter_columns,
  { name: "from", kind: "instant", nullable: false, doc: "Start of the span, inclusive." },
  { name: "to", kind: "instant", nullable: false, doc: "End of the span, exclusive." },
  {
    name: "state",
    kind: "text",
    nullable: false,
    values: state_names,
    doc: "State by IEC TS 63019.",
  },
  {
    name: "evidence",
    kind: "text",
    nullable: false,
    values: evidences,
    doc: "Evidence for the state: the first one that was present.",
  },
  { name: "detail", kind: "text", nullable: true, doc: "Details of the evidence." },
  {
    name: "unavailable",
    kind: "float64",
    nullable: true,
    doc: "How much of the span counts as unavailable, 0 to 1. Null where the state is unknown.",
  },
  {
    name: "override_id",
    kind: "text",
    nullable: true,
    doc: "The override at the start of the span. Null if there is none.",
  },
  { name: "override_reason", kind: "text", nullable: true, doc: "Its reason." },
  {
    name: "override_author",
    kind: "text",
    nullable: true,
    doc: "Name of the token that made the override.",
  },
];
