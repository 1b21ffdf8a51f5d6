// What the endpoints of buckets and groups share: their parameters, and how these become values.
import type { Catalog } from "../../engine/catalog/catalog.ts";
import type { InverterRequest } from "../../engine/availability/answer.ts";
import type { DayRange, Interval } from "../../model/time/bucket.ts";
import { dayNumber } from "../../model/time/calendar.ts";
import type { Answer } from "../../model/data/chunk.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import { dimensions } from "../../model/performance/performance.ts";
import type { Project } from "../../model/plant/plant.ts";
import { invalid } from "../frame/input.ts";

/** The parameters that choose projects, days, sensors and groups. */
export const bucket_params = {
  project_ids: {
    name: "project_ids",
    in: "query",
    kind: "text",
    required: true,
    repeated: true,
    doc: "Projects, all of one organization.",
  },
  dt_start: {
    name: "dt_start",
    in: "query",
    kind: "date",
    required: true,
    example: "2026-06-01",
    doc: "First day, in the time zone of each site.",
  },
  dt_end: {
    name: "dt_end",
    in: "query",
    kind: "date",
    required: true,
    example: "2026-06-30",
    doc: "Last day, inclusive.",
  },
  sentinel_tag: {
    name: "sentinel_tag",
    in: "query",
    kind: "text",
    required: false,
    default: "default",
    doc: "Deployment tag.",
  },
  hierarchy_ids: {
    name: "hierarchy_ids",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    doc: "Only these sensors; all by default.",
  },
  block_ids: {
    name: "block_ids",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    doc: "Only these blocks; all by default.",
  },
  group_by: {
    name: "group_by",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    values: dimensions,
    doc: "Columns to group by. Columns that are left out are combined, and null in the answer. " +
      "All by default.",
  },
} as const satisfies Record<string, Param>;

/** The same for inverters: their parameters beside the bucket's size. */
export const inverter_params = [
  bucket_params.project_ids,
  bucket_params.dt_start,
  bucket_params.dt_end,
  bucket_params.sentinel_tag,
  {
    ...bucket_params.hierarchy_ids,
    doc: "Only these inverters, by the hierarchy_id of their power, energy or status; all by " +
      "default.",
  },
  bucket_params.block_ids,
  bucket_params.group_by,
] as const satisfies readonly Param[];

/** The projects of some identifiers. Throws a `Fault` when they are of several organizations. */
export function projectsOf(catalog: Catalog, project_ids: readonly string[]): readonly Project[] {
  const projects = [...new Set(project_ids)].map((id) => catalog.project(id)!);
  if (new Set(projects.map((project) => project.organization_id)).size > 1) {
    throw invalid("project_ids", "give projects of one organization");
  }
  return projects;
}

/** The local days from `dt_start` to `dt_end`, inclusive. Throws a `Fault` when there are none. */
export function daysBetween(dt_start: string, dt_end: string): DayRange {
  const range = { from_day: dayNumber(dt_start), to_day: dayNumber(dt_end) + 1 };
  if (range.from_day < range.to_day) return range;
  throw invalid("dt_end", `must not be before dt_start, ${dt_start}`);
}

/** The checked request of an endpoint of inverters' days. */
export function inverterRequest(
  { catalog }: { readonly catalog: Catalog },
  values: ParamValues<typeof inverter_params> & { readonly time_interval: Interval },
): InverterRequest {
  return {
    projects: projectsOf(catalog, values.project_ids),
    range: daysBetween(values.dt_start, values.dt_end),
    interval: values.time_interval,
    sentinel_tag: values.sentinel_tag,
    hierarchy_ids: values.hierarchy_ids,
    block_ids: values.block_ids,
    group_by: values.group_by.length > 0 ? values.group_by : dimensions,
  };
}

/** The header that tells on which wall clocks the buckets of an answer are taken. */
export function timezoneHeader({ metadata }: Answer): Readonly<Record<string, string>> {
  return { "x-svc-site-timezone": metadata.site_timezone };
}
