// GET /platform/v1/availability/timeline: the states of inverters, with the evidence of each span.
import { limits } from "../../base/limits.ts";
import { timelineAnswer } from "../../engine/availability/timeline.ts";
import type { Param } from "../../model/data/param.ts";
import { state_names, timeline_columns } from "../../model/availability/timeline.ts";
import { streamAnswer } from "../frame/answer.ts";
import {
  bucket_params,
  daysBetween,
  projectsOf,
  timezoneHeader,
} from "../performance/bucket_param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The route of timelines. */
export function timelineRoutes(services: Services): readonly Route[] {
  return [
    route({
      name: "availability_timeline",
      method: "GET",
      path: "/platform/v1/availability/timeline",
      summary: "States of inverters with their evidence",
      doc: "The data behind /platform/v1/availability: the states of each inverter in daylight, " +
        "with the evidence for each time span. Spans are ordered by inverter, then time. A span " +
        "ends at the end of its day at the latest. To correct a state, use POST " +
        "/platform/v1/availability/overrides. /docs/availability explains states and evidence.",
      scope: "read",
      project: "project_id",
      params,
      answer: { kind: "stream", columns: timeline_columns },
      noun: "availability",
      handle: async (context) => {
        const { project_id, dt_start, dt_end, state, ...values } = context.values;
        const [project] = projectsOf(services.catalog, [project_id]);
        const range = daysBetween(dt_start, dt_end);
        const request = { ...values, project, range, states: state };
        const answer = await timelineAnswer(services, request, context.signal);
        return await streamAnswer(context, answer, timezoneHeader(answer));
      },
    }),
  ];
}

const params = [
  { name: "project_id", in: "query", kind: "text", required: true, doc: "Project." },
  bucket_params.dt_start,
  bucket_params.dt_end,
  bucket_params.sentinel_tag,
  bucket_params.hierarchy_ids,
  bucket_params.block_ids,
  {
    name: "state",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    values: state_names,
    doc: "Only these states; all by default.",
  },
  {
    name: "limit",
    in: "query",
    kind: "integer",
    required: false,
    minimum: 1,
    maximum: limits.page_rows,
    default: limits.page_rows_default,
    doc: "Largest number of time spans on the page.",
  },
  {
    name: "offset",
    in: "query",
    kind: "integer",
    required: false,
    minimum: 0,
    default: 0,
    doc: "Time spans to skip.",
  },
] as const satisfies readonly Param[];
