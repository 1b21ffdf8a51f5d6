// The performance row of both endpoints: its columns, once.
import type { Column } from "../data/column.ts";
import { instant_inclusion } from "../time/bucket.ts";
import { statistics_columns, statistics_inclusion } from "../statistics/statistic.ts";

/** What rows can be grouped by. */
export const dimensions = ["project_id", "block_id", "hierarchy_id"] as const;
export type Dimension = typeof dimensions[number];

const text = { kind: "text", dictionary: true } as const;
const constant = { kind: "text", dictionary: "constant" } as const;

const columns = {
  ts: {
    ...text,
    name: "ts",
    nullable: false,
    doc: "Bucket start in the site's time zone, YYYY-MM-DD HH:MM:SS.",
  },
  project_id: {
    ...text,
    name: "project_id",
    nullable: true,
    doc: "Project. Null when group_by lacks project_id.",
  },
  svc_block_id: {
    ...text,
    name: "svc_block_id",
    nullable: true,
    doc: "Block. Null when group_by lacks block_id.",
  },
  hierarchy_id: {
    ...text,
    name: "hierarchy_id",
    nullable: true,
    doc: "Sensor. Null when group_by lacks hierarchy_id.",
  },
  sensor_tag: {
    ...text,
    name: "sensor_tag",
    nullable: true,
    doc: "SCADA sensor tag. Null when group_by lacks hierarchy_id.",
  },
  sentinel_tag: {
    ...constant,
    name: "sentinel_tag",
    nullable: false,
    doc: "Deployment tag of the row.",
  },
  portfolio: {
    ...text,
    name: "portfolio",
    nullable: true,
    doc: "Portfolio of the project. Null when it is in none, or when the group's differ.",
  },
  component: { ...constant, name: "component", nullable: false, doc: "Component of the request." },
  component_measure: {
    ...constant,
    name: "component_measure",
    nullable: false,
    doc: "Measure of the request.",
  },
  sensor_value: {
    name: "sensor_value",
    kind: "float64",
    nullable: true,
    doc: "Measured value aggregated over the bucket. Null without finite samples.",
  },
  model_value: {
    name: "model_value",
    kind: "float64",
    nullable: false,
    doc: "Expected value aggregated over the bucket. 0 when no model covers it.",
  },
  sensor_value_setpoint: {
    name: "sensor_value_setpoint",
    kind: "float64",
    nullable: true,
    doc: "Measured value adjusted for the active setpoint. Null without finite samples.",
  },
  model_value_setpoint: {
    name: "model_value_setpoint",
    kind: "float64",
    nullable: false,
    doc: "Expected value adjusted for the active setpoint. 0 when no model covers the bucket.",
  },
  performance_index: {
    name: "performance_index",
    kind: "float64",
    nullable: true,
    doc: "sensor_value / model_value. Null when model_value is 0 or there is no measured value.",
  },
  performance_index_setpoint: {
    name: "performance_index_setpoint",
    kind: "float64",
    nullable: true,
    doc: "sensor_value / model_value_setpoint: curtailment is not underperformance.",
  },
} as const satisfies Record<string, Column>;

/** What `include=matched` adds to the row. */
const matched_columns: readonly Column[] = [
  {
    name: "sensor_value_matched",
    kind: "float64",
    nullable: true,
    optional: true,
    doc:
      "Measured value over the minutes that have both a measured and an expected value, without " +
      "storage. With include=matched.",
  },
  {
    name: "model_value_matched",
    kind: "float64",
    nullable: true,
    optional: true,
    doc: "Expected value over the same minutes, without storage. Null if there are none. With " +
      "include=matched.",
  },
  {
    name: "performance_index_matched",
    kind: "float64",
    nullable: true,
    optional: true,
    doc: "sensor_value_matched / model_value_matched: what is missing on either side does not " +
      "change it. With include=matched.",
  },
  {
    name: "performance_index_setpoint_matched",
    kind: "float64",
    nullable: true,
    optional: true,
    doc: "The same with the expected value adjusted for the active setpoint. With include=matched.",
  },
  {
    name: "coverage",
    kind: "float64",
    nullable: true,
    optional: true,
    doc: "Share of the bucket's daylight minutes of all sensors that is matched, 0 to 1. Null " +
      "without daylight. With include=matched.",
  },
];

/** What `include=evidence` adds to the row. */
const evidence_columns: readonly Column[] = [
  {
    name: "fallback_share",
    kind: "float64",
    nullable: true,
    optional: true,
    doc: "Share of the bucket's daylight minutes of all sensors, 0 to 1, whose expected value is " +
      "computed from another site's weather. Null without daylight. With include=evidence.",
  },
];

/** What `include=forecast` adds to the row. */
const forecast_columns: readonly Column[] = [
  {
    name: "forecast_value",
    kind: "float64",
    nullable: true,
    optional: true,
    doc: "Forecast aggregated over the bucket, within the grid limit, without curtailment. Null " +
      "if no forecast covers it. With include=forecast.",
  },
  {
    name: "forecast_issued_at",
    kind: "instant",
    nullable: true,
    optional: true,
    doc: "Issue time of the latest forecast that was issued before the bucket starts. With " +
      "include=forecast.",
  },
  {
    name: "forecast_lead_time_minutes",
    kind: "int32",
    nullable: true,
    optional: true,
    unit: "min",
    doc: "From that issue to the bucket's start. With include=forecast.",
  },
];

/** What rows can have beside, and the columns that each adds. */
export const included_columns = {
  forecast: forecast_columns,
  matched: matched_columns,
  evidence: evidence_columns,
  [statistics_inclusion]: statistics_columns,
};
export type Inclusion = keyof typeof included_columns;
export const inclusions = [
  ...Object.keys(included_columns) as readonly Inclusion[],
  instant_inclusion,
] as const;

/** The row of GET /platform/v1/performance-v2. */
export const performance_columns = Object.values(columns) as readonly Column[];

/** The row of the deprecated GET /platform/v1/performance. */
export const deprecated_performance_columns: readonly Column[] = [
  columns.project_id,
  columns.svc_block_id,
  columns.hierarchy_id,
  columns.sensor_tag,
  columns.sentinel_tag,
  columns.portfolio,
  columns.component,
  columns.component_measure,
  columns.ts,
  columns.sensor_value,
  columns.model_value,
];
