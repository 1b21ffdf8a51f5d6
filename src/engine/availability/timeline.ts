// Timelines: the states of a project's inverters over some days, with the evidence of each span.
import type { DayRange } from "../../model/time/bucket.ts";
import type { Answer } from "../../model/data/chunk.ts";
import type { Project } from "../../model/plant/plant.ts";
import { timeline_columns } from "../../model/availability/timeline.ts";
import { dayStart } from "../../model/time/zone.ts";
import type { Database } from "../../store/database.ts";
import { readTimeline } from "../../store/availability/timeline.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { selectInverters } from "./answer.ts";

/** A checked request; empty filters mean all. */
type TimelineRequest = {
  readonly project: Project;
  readonly range: DayRange;
  readonly sentinel_tag: string;
  readonly hierarchy_ids: readonly string[];
  readonly block_ids: readonly string[];
  readonly states: readonly string[];
  readonly limit: number;
  readonly offset: number;
};

/** The spans by inverter, then time. Reading stops, and throws, when `signal` aborts. */
export async function timelineAnswer(
  { database, catalog }: { readonly database: Database; readonly catalog: Catalog },
  request: TimelineRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { project, range, states, limit, offset } = request;
  const { inverters, sensors } = selectInverters(catalog, {
    ...request,
    projects: [project],
    interval: "Full",
    group_by: [],
  });
  const query = {
    project_no: project.project_no,
    sensors,
    hierarchy_ids: inverters.map(({ sensor }) => sensor.hierarchy_id),
    device_ids: inverters.map(({ device }) => device.id),
    device_names: inverters.map(({ device }) => device.name),
    from_day: range.from_day,
    to_day: range.to_day,
    from_us: dayStart(project.timezone, range.from_day) * 60_000_000,
    to_us: dayStart(project.timezone, range.to_day) * 60_000_000,
    states,
    limit,
    offset,
  };
  return {
    columns: timeline_columns,
    metadata: { site_timezone: project.timezone },
    chunks: await database.read((connection) => readTimeline(connection, query), signal),
  };
}
