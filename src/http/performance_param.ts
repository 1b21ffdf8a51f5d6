// The parameters of both performance endpoints.
import { component_names, measure_names } from "../model/measure.ts";
import type { Param } from "../model/param.ts";
import { dimensions, intervals } from "../model/performance.ts";

const sensor_params = [
  {
    name: "sentinel_tag",
    in: "query",
    kind: "text",
    required: false,
    default: "default",
    doc: "Deployment tag.",
  },
  {
    name: "component",
    in: "query",
    kind: "text",
    required: true,
    values: component_names,
    example: "inverter",
    doc: "Component that the sensors sit on.",
  },
  {
    name: "component_measure",
    in: "query",
    kind: "text",
    required: true,
    values: measure_names,
    example: "active_power",
    doc: "Measure of the sensors.",
  },
  {
    name: "hierarchy_ids",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    doc: "Only these sensors; all when absent.",
  },
] as const satisfies readonly Param[];

/** Parameters of the current endpoint. */
export const performance_params = [
  {
    name: "project_ids",
    in: "query",
    kind: "text",
    required: true,
    repeated: true,
    doc: "Projects, all of one organization.",
  },
  {
    name: "dt_start",
    in: "query",
    kind: "date",
    required: true,
    example: "2026-06-01",
    doc: "First day, on each site's wall clock.",
  },
  {
    name: "dt_end",
    in: "query",
    kind: "date",
    required: true,
    example: "2026-06-30",
    doc: "Last day, inclusive.",
  },
  {
    name: "time_interval",
    in: "query",
    kind: "text",
    required: true,
    values: intervals,
    example: "OneDay",
    doc: "Bucket size; Full is the whole range as one bucket.",
  },
  ...sensor_params,
  {
    name: "block_ids",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    doc: "Only these blocks; all when absent.",
  },
  {
    name: "group_by",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    values: dimensions,
    doc: "What rows are told apart by; what is left out is rolled up and null. All when absent.",
  },
  {
    name: "use_solar_bounds",
    in: "query",
    kind: "flag",
    required: false,
    default: true,
    doc: "Whether only daylight counts and each daylight bucket is present, even when empty.",
  },
] as const satisfies readonly Param[];

/** Parameters of the deprecated endpoint. */
export const deprecated_performance_params = [
  {
    name: "project_id",
    in: "query",
    kind: "text",
    required: true,
    doc: "Project.",
  },
  {
    name: "interval",
    in: "query",
    kind: "text",
    required: true,
    values: intervals.filter((interval) => interval !== "Full"),
    example: "OneDay",
    doc: "Bucket size.",
  },
  {
    name: "dt_start",
    in: "query",
    kind: "text",
    required: true,
    example: "2026-06-01",
    doc: "First day, or an ISO 8601 instant with an offset, inclusive.",
  },
  {
    name: "dt_end",
    in: "query",
    kind: "text",
    required: true,
    example: "2026-06-30",
    doc: "Last day, inclusive, or an ISO 8601 instant with an offset, exclusive.",
  },
  ...sensor_params,
  {
    name: "block_id",
    in: "query",
    kind: "text",
    required: false,
    doc: "Only this block.",
  },
] as const satisfies readonly Param[];
