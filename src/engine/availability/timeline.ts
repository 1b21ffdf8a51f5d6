// Timelines of inverters: their states, and where their energy went, each with its evidence.
import { loss_timeline_columns } from "../../model/availability/loss.ts";
import { timeline_columns } from "../../model/availability/timeline.ts";
import type { Answer } from "../../model/data/chunk.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { DayRange } from "../../model/time/bucket.ts";
import { dayStart } from "../../model/time/zone.ts";
import { readLossTimeline, readTimeline } from "../../store/availability/timeline.ts";
import type { Database } from "../../store/database.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { selectInverters } from "./answer.ts";

/** A checked request; empty filters mean all. */
type SpanRequest = {
  readonly project: Project;
  readonly range: DayRange;
  readonly sentinel_tag: string;
  readonly hierarchy_ids: readonly string[];
  readonly block_ids: readonly string[];
  readonly limit: number;
  readonly offset: number;
};

type Parts = { readonly database: Database; readonly catalog: Catalog };

/** The states by inverter, then time. Reading stops, and throws, when `signal` aborts. */
export async function timelineAnswer(
  { database, catalog }: Parts,
  request: SpanRequest & { readonly states: readonly string[] },
  signal: AbortSignal,
): Promise<Answer> {
  const { project, range, states } = request;
  const query = {
    ...inverterQuery(catalog, request),
    project_no: project.project_no,
    from_us: dayStart(project.timezone, range.from_day) * 60_000_000,
    to_us: dayStart(project.timezone, range.to_day) * 60_000_000,
    states,
  };
  return {
    columns: timeline_columns,
    metadata: { site_timezone: project.timezone },
    chunks: await database.read((connection) => readTimeline(connection, query), signal),
  };
}

/** The losses by inverter, then time. Reading stops, and throws, when `signal` aborts. */
export async function lossTimelineAnswer(
  { database, catalog }: Parts,
  request: SpanRequest & { readonly parts: readonly string[] },
  signal: AbortSignal,
): Promise<Answer> {
  const query = { ...inverterQuery(catalog, request), parts: request.parts };
  return {
    columns: loss_timeline_columns,
    metadata: { site_timezone: request.project.timezone },
    chunks: await database.read((connection) => readLossTimeline(connection, query), signal),
  };
}

function inverterQuery(catalog: Catalog, request: SpanRequest) {
  const { inverters, sensors } = selectInverters(catalog, {
    ...request,
    projects: [request.project],
    interval: "Full",
    group_by: [],
  });
  return {
    sensors,
    hierarchy_ids: inverters.map(({ sensor }) => sensor.hierarchy_id),
    device_ids: inverters.map(({ device }) => device.id),
    device_names: inverters.map(({ device }) => device.name),
    ...request.range,
    limit: request.limit,
    offset: request.offset,
  };
}
