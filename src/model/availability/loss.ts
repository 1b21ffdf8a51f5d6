// The row of GET /platform/v1/losses: its columns, once.
import { inverter_key_columns } from "./row.ts";
import type { Column } from "../data/column.ts";
import type { Interval } from "../time/bucket.ts";

/** Bucket sizes of the loss account. */
export const loss_intervals = [
  "OneDay",
  "OneWeek",
  "OneMonth",
  "OneYear",
  "Full",
] as const satisfies readonly Interval[];

const energy = { kind: "float64", nullable: true, unit: "Wh" } as const;

/** The row of GET /platform/v1/losses. */
export const loss_columns: readonly Column[] = [
  ...inverter_key_columns,
  {
    ...energy,
    name: "expected_energy",
    doc: "What the inverters would have given by daylight from the modules' side: the model of " +
      "their power before the inverter's rating cuts it. Quarter-hours without a model are in " +
      "no sum. Null when no inverter has an account.",
  },
  { ...energy, name: "produced_energy", doc: "What they gave by daylight." },
  {
    ...energy,
    name: "unavailability_loss",
    doc: "Lost while unavailable: the expected energy of that share of each quarter-hour, at " +
      "most what is missing in it.",
  },
  {
    ...energy,
    name: "curtailment_loss",
    doc: "Lost to setpoints while available: the model less the model under the setpoint.",
  },
  {
    ...energy,
    name: "clipping_loss",
    doc: "Lost to the inverter's rating while available: what the modules give beyond it.",
  },
  {
    ...energy,
    name: "other_loss",
    doc: "The rest: expected_energy less all of the above. Derates, soiling, faults on the DC " +
      "side, what was not measured, the model's error; negative when more came than expected.",
  },
  { name: "inverter_count", kind: "int32", nullable: false, doc: "Inverters in the row." },
  {
    name: "is_partial",
    kind: "bool",
    nullable: false,
    doc:
      "True when some inverter has no account for some day of the bucket, for want of a model. " +
      "Such days are in none of the sums.",
  },
];
