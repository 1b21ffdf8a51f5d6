// What the endpoints of buckets and groups share: their parameters, and how these become values.
import type { Catalog } from "../../engine/catalog/catalog.ts";
import type { InverterRequest } from "../../engine/availability/answer.ts";
import type { DayRange, Interval } from "../../model/time/bucket.ts";
import { dayNumber, isDay } from "../../model/time/calendar.ts";
import { dayAt, dayStart, minutesAt } from "../../model/time/zone.ts";
import { asUtc, instantOf } from "../../wire/bytes/instant.ts";
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
    names: "project",
    doc: "Projects, by id or key, all of one organization.",
  },
  dt_start: {
    name: "dt_start",
    in: "query",
    kind: "time",
    required: true,
    example: "2026-06-01",
    doc: "First day, in the time zone of each site. Or a time, inclusive: local " +
      "(2026-06-01T06:00), or with an offset.",
  },
  dt_end: {
    name: "dt_end",
    in: "query",
    kind: "time",
    required: true,
    example: "2026-06-30",
    doc: "Last day, inclusive. Or a time, exclusive: local (2026-06-01T18:00), or with an offset.",
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

/** What a range is said by; days and local times are of each of the zones. */
type Said = {
  readonly dt_start: string;
  readonly dt_end: string;
  readonly timezones: readonly string[];
};

/**
 * The local days from `dt_start` to `dt_end`, and what is left of them where either is a time:
 * inclusive days, or from the first minute that starts at or after `dt_start` to before `dt_end`.
 * Throws a `Fault` when there is nothing between, or a local time is not one instant.
 */
export function rangeBetween({ dt_start, dt_end, timezones }: Said): DayRange {
  const zones = [...new Set(timezones)];
  const from = edgeOf({ path: "dt_start", text: dt_start, zones });
  const to = edgeOf({ path: "dt_end", text: dt_end, zones });
  const is_empty = from.is_day && to.is_day ? from.day >= to.day : from.minute >= to.minute;
  if (is_empty) {
    const hint = dt_end < dt_start ? "; are the two swapped?" : "";
    throw invalid("dt_end", `must not be before dt_start, ${dt_start}${hint}`);
  }
  const days = { from_day: from.day, to_day: to.day };
  if (from.is_day && to.is_day) return days;
  return { ...days, clip: { from_minute: from.minute, to_minute: to.minute } };
}

/** The same where figures are of whole days. Throws a `Fault` for a time within one. */
export function daysBetween(said: Said): DayRange {
  const { clip, ...days } = rangeBetween(said);
  if (clip === undefined) return days;
  const is_start = said.timezones.some((zone) => dayStart(zone, days.from_day) < clip.from_minute);
  const message = "these figures are of whole days: give a day such as 2026-06-01, or the time " +
    "at which one begins";
  throw invalid(is_start ? "dt_start" : "dt_end", message);
}

/** An end of a range, exclusive where it is the last: its local day and minute, if it is a day. */
type Edge = { readonly day: number; readonly minute: number; readonly is_day: boolean };

type Told = {
  readonly path: "dt_start" | "dt_end";
  readonly text: string;
  readonly zones: readonly string[];
};

function edgeOf({ path, text, zones }: Told): Edge {
  const [pick, is_end] = path === "dt_end" ? [Math.max, 1] : [Math.min, 0];
  if (isDay(text)) {
    const day = dayNumber(text) + is_end;
    return { day, minute: pick(...zones.map((zone) => dayStart(zone, day))), is_day: true };
  }
  const minute = minuteOf({ path, text, zones });
  const day = pick(...zones.map((zone) => dayAt(zone, minute - is_end) + is_end));
  return { day, minute, is_day: zones.every((zone) => dayStart(zone, day) === minute) };
}

/** The first minute that starts at or after a time, which is not a day. */
function minuteOf({ path, text, zones }: Told): number {
  const instant_us = instantOf(text);
  if (!Number.isNaN(instant_us)) return Math.ceil(instant_us / minute_us);
  const wall = Math.ceil(instantOf(asUtc(text)) / minute_us);
  const found = [...new Set(zones.flatMap((zone) => minutesAt(zone, wall)))];
  if (found.length === 1) return found[0];
  const why = zones.length > 1
    ? "the projects have several time zones"
    : found.length === 0
    ? `the clock of ${zones[0]} skips it`
    : `the clock of ${zones[0]} shows it twice`;
  throw invalid(path, `${text}: ${why}; give an offset, such as ${text.slice(0, 16)}:00Z`);
}

const minute_us = 60_000_000;

/** The checked request of an endpoint of inverters' days. */
export function inverterRequest(
  { catalog }: { readonly catalog: Catalog },
  values: ParamValues<typeof inverter_params> & { readonly time_interval: Interval },
  range?: DayRange,
): InverterRequest {
  const projects = projectsOf(catalog, values.project_ids);
  return {
    projects,
    range: range ?? daysBetween({ ...values, timezones: zonesOf(projects) }),
    interval: values.time_interval,
    sentinel_tag: values.sentinel_tag,
    hierarchy_ids: values.hierarchy_ids,
    block_ids: values.block_ids,
    group_by: values.group_by.length > 0 ? values.group_by : dimensions,
  };
}

/** The time zones of some projects. */
export function zonesOf(projects: readonly Project[]): readonly string[] {
  return projects.map(({ timezone }) => timezone);
}

/** The header that tells on which wall clocks the buckets of an answer are taken. */
export function timezoneHeader({ metadata }: Answer): Readonly<Record<string, string>> {
  return { "x-svc-site-timezone": metadata.site_timezone };
}
