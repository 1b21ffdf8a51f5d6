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
    doc: "Energy that the inverters could have produced in daylight from their modules: the " +
      "model of their power before it is limited to the inverter's rating. Quarter-hours without " +
      "a model are not in any sum. Null when no inverter has an account.",
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
    doc: "Other losses: expected_energy minus all of the above. Derating, soiling, DC faults, " +
      "missing measurements, the error of the model. Negative if more was produced than expected.",
  },
  { name: "inverter_count", kind: "int32", nullable: false, doc: "Inverters in the row." },
  {
    name: "is_partial",
    kind: "bool",
    nullable: false,
    doc:
      "True when an inverter has no account for a day of the bucket because there is no model. " +
      "Such days are not in any sum.",
  },
];
