// The row of GET /platform/v1/losses: its columns, once.
import { inverter_key_columns } from "./row.ts";
import { inverter_columns } from "./timeline.ts";
import { type Evidence, evidences } from "./availability.ts";
import type { Column } from "../data/column.ts";
import type { TimeSpan } from "../time/daylight.ts";
import { instant_inclusion, type Interval } from "../time/bucket.ts";

/** Bucket sizes of the loss account. */
export const loss_intervals = [
  "OneDay",
  "OneWeek",
  "OneMonth",
  "OneYear",
  "Full",
] as const satisfies readonly Interval[];

/** What the account of an inverter's day is kept as. */
export type DayPart =
  | "expected"
  | "produced"
  | "unavailable"
  | "curtailed"
  | "clipped"
  | "grid"
  | "dc"
  | "derate"
  | "snow"
  | "soiling"
  | "unmeasured";

/** What expected energy can go to, and be shown with its evidence. */
export const loss_parts = [
  "unavailability",
  "curtailment",
  "clipping",
  "grid",
  "dc",
  "derate",
  "snow",
  "soiling",
  "unmeasured",
] as const;
export type LossPart = typeof loss_parts[number];

/** Those that operators declare, in the order in which they take of what is missing. */
export const declared_parts = ["snow", "soiling"] as const;
export type DeclaredPart = typeof declared_parts[number];

/** What can tell of a loss beside the evidence for a state. */
export const loss_evidences = ["setpoint", "rating", "strings", "declared"] as const;

/** A stretch in which energy was lost to one part, and what tells of it. */
export type LossSpan = TimeSpan & {
  readonly part: LossPart;
  readonly energy_wh: number;
  readonly evidence: Evidence | typeof loss_evidences[number];
  readonly detail: string | null;
};

const energy = { kind: "float64", nullable: true, unit: "Wh" } as const;

/** The row of GET /platform/v1/losses. */
export const loss_columns: readonly Column[] = [
  ...inverter_key_columns,
  {
    ...energy,
    name: "expected_energy",
    doc: "Energy that the inverters could have produced in daylight from their modules: the " +
      "model of their power before it is limited to the inverter's rating. Time without a model, " +
      "or without a measurement of what was produced, is not in any sum. Null when no inverter " +
      "has an account.",
  },
  { ...energy, name: "produced_energy", doc: "Energy that they produced in daylight." },
  {
    ...energy,
    name: "unavailability_loss",
    doc: "Lost while unavailable: the expected energy of the unavailable share of each " +
      "quarter-hour, at most the missing energy.",
  },
  {
    ...energy,
    name: "curtailment_loss",
    doc: "Lost to setpoints while available: the model minus the model with the setpoint.",
  },
  {
    ...energy,
    name: "clipping_loss",
    doc: "Lost to the inverter's rating while available: the energy of the modules above the " +
      "rating.",
  },
  {
    ...energy,
    name: "other_loss",
    doc: "Other losses: expected_energy minus all of the above. Grid outages, derating, DC " +
      "faults, soiling, snow, the error of the model; include=causes splits it. Negative if more " +
      "was produced than expected.",
  },
  { name: "inverter_count", kind: "int32", nullable: false, doc: "Inverters in the row." },
  {
    name: "is_partial",
    kind: "bool",
    nullable: false,
    doc:
      "True when an inverter has no account for a day of the bucket because there is no model, " +
      "or nothing tells what it produced. Such days are not in any sum.",
  },
];

/** What rows can have beside. */
export const loss_inclusions = ["causes", instant_inclusion] as const;

const cause = { ...energy, optional: true } as const;

/** What `include=causes` adds to the row: what other_loss is made of, and what is in no sum. */
export const cause_columns: readonly Column[] = [
  { ...cause, name: "grid_loss", doc: "Lost to grid outages. With include=causes." },
  {
    ...cause,
    name: "dc_loss",
    doc:
      "Lost on the DC side: in DC-side outages, and by strings whose current is far below that " +
      "of the others of the inverter. With include=causes.",
  },
  {
    ...cause,
    name: "derate_loss",
    doc: "Lost while derated: by the inverter's status, or where it makes less of what is " +
      "expected than its peers do. With include=causes.",
  },
  { ...cause, name: "snow_loss", doc: "Lost to snow, as declared. With include=causes." },
  { ...cause, name: "soiling_loss", doc: "Lost to soiling, as declared. With include=causes." },
  {
    ...cause,
    name: "unknown_loss",
    doc: "other_loss minus the five above: nothing tells why. Negative if more was produced than " +
      "expected. With include=causes.",
  },
  {
    ...cause,
    name: "unmeasured_energy",
    doc: "Expected energy of time in which nothing tells what was produced. It is in no other " +
      "sum. With include=causes.",
  },
];

/** The row of GET /platform/v1/losses/timeline. */
export const loss_timeline_columns: readonly Column[] = [
  ...inverter_columns,
  { name: "from", kind: "instant", nullable: false, doc: "Start of the span, inclusive." },
  { name: "to", kind: "instant", nullable: false, doc: "End of the span, exclusive." },
  {
    name: "part",
    kind: "text",
    nullable: false,
    values: loss_parts,
    doc: "Where the energy went: to which loss, or unmeasured.",
  },
  { name: "energy", kind: "float64", nullable: false, unit: "Wh", doc: "The energy." },
  {
    name: "evidence",
    kind: "text",
    nullable: false,
    values: [...evidences, ...loss_evidences],
    doc: "Evidence for it: that of the state, or setpoint (a power limit), rating (the " +
      "inverter's), strings (their currents), declared (by an operator).",
  },
  {
    name: "detail",
    kind: "text",
    nullable: true,
    doc: "Details of the evidence. Of a setpoint: the tag that limits most, and to what at least.",
  },
];
