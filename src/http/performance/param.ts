// The parameters of both performance endpoints.
import { component_names, measure_names } from "../../model/plant/measure.ts";
import type { Param } from "../../model/data/param.ts";
import { inclusions, intervals } from "../../model/performance/performance.ts";
import { bucket_params } from "./bucket_param.ts";

const sensor_params = [
  bucket_params.sentinel_tag,
  {
    name: "component",
    in: "query",
    kind: "text",
    required: true,
    values: component_names,
    example: "inverter",
    doc: "Component of the sensors.",
  },
  {
    name: "component_measure",
    in: "query",
    kind: "text",
    required: true,
    values: measure_names,
    example: "active_power",
    doc: "Measure of the sensors; /docs/measures explains each.",
  },
  bucket_params.hierarchy_ids,
] as const satisfies readonly Param[];

/** Parameters of the current endpoint. */
export const performance_params = [
  bucket_params.project_ids,
  bucket_params.dt_start,
  bucket_params.dt_end,
  {
    name: "time_interval",
    in: "query",
    kind: "text",
    required: true,
    values: intervals,
    example: "OneDay",
    doc: "Bucket size. Full: the whole range is one bucket.",
  },
  ...sensor_params,
  bucket_params.block_ids,
  bucket_params.group_by,
  {
    name: "use_solar_bounds",
    in: "query",
    kind: "flag",
    required: false,
    default: true,
    doc: "true: only daylight counts, and every daylight bucket has a row, even if it is empty.",
  },
  {
    name: "include",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    values: inclusions,
    doc: "forecast: also the latest forecast that was issued before each bucket.",
  },
  {
    name: "forecast_issued_before",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Only forecasts issued before this instant; with include=forecast.",
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
