// The row of GET /platform/v1/availability: its columns, once, and what it can be asked for.
import type { Column } from "../data/column.ts";
import { instant_inclusion, type Interval } from "../time/bucket.ts";

/** Bucket sizes of availability. */
export const availability_intervals = [
  "OneDay",
  "OneWeek",
  "OneMonth",
  "Full",
] as const satisfies readonly Interval[];

/** Definitions of the figure; those of contracts come with their contracts. */
export const availability_definitions = ["iec_time_based"] as const;

const text = { kind: "text", dictionary: true } as const;

/** What tells the rows of inverters apart: their bucket and group. */
export const inverter_key_columns = [
  {
    ...text,
    name: "bucket_start",
    nullable: false,
    doc: "First day of the bucket in the site's time zone, YYYY-MM-DD.",
  },
  {
    ...text,
    name: "project_id",
    nullable: true,
    doc: "Project. Null when group_by lacks project_id.",
  },
  {
    ...text,
    name: "svc_block_id",
    nullable: true,
    doc: "Block. Null when group_by lacks block_id.",
  },
  {
    ...text,
    name: "hierarchy_id",
    nullable: true,
    doc: "Inverter. Null when group_by lacks hierarchy_id.",
  },
  { ...text, name: "sentinel_tag", nullable: false, doc: "Data stream of the row." },
] as const satisfies readonly Column[];

/** The row of GET /platform/v1/availability. */
export const availability_columns: readonly Column[] = [
  ...inverter_key_columns,
  {
    name: "capacity_hours",
    kind: "float64",
    nullable: false,
    unit: "kWh",
    doc: "Rated power times the daylight hours with a known state. It can be summed over buckets " +
      "and groups.",
  },
  {
    name: "unavailable_capacity_hours",
    kind: "float64",
    nullable: false,
    unit: "kWh",
    doc: "The part of capacity_hours lost to unavailability. It can be summed likewise.",
  },
  {
    name: "availability",
    kind: "float64",
    nullable: true,
    doc: "1 - unavailable_capacity_hours / capacity_hours, within 0 to 1. Null, not 0, when " +
      "capacity_hours is 0.",
  },
  { name: "inverter_count", kind: "int32", nullable: false, doc: "Inverters in the row." },
  {
    name: "capacity_known_inverter_count",
    kind: "int32",
    nullable: false,
    doc: "Inverters with a known capacity; only these count toward the figure.",
  },
  {
    name: "is_partial",
    kind: "bool",
    nullable: false,
    doc: "True when some inverters have no known capacity.",
  },
];

/** What rows can have beside. */
export const availability_inclusions = ["known", instant_inclusion] as const;

/** What `include=known` adds to the row. */
export const known_columns: readonly Column[] = [
  {
    name: "known_capacity_hours",
    kind: "float64",
    nullable: false,
    optional: true,
    unit: "kWh",
    doc: "Rated power times the daylight hours with a known state, the same as capacity_hours. " +
      "With include=known.",
  },
  {
    name: "daylight_capacity_hours",
    kind: "float64",
    nullable: false,
    optional: true,
    unit: "kWh",
    doc: "Rated power times all daylight hours of the days that are computed. With " +
      "include=known.",
  },
];
