// GET /platform/v1/availability/timeline: the states of inverters, with the evidence of each span.
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
import { pageParams, project_param } from "../frame/param.ts";
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
      doc: "What /platform/v1/availability is made of: the states of each inverter over the " +
        "daylight of some days, and for each span what spoke for it. Spans come by inverter, " +
        "then time, and end with their day. Correct one with POST " +
        "/platform/v1/availability/overrides. States and evidences are explained in " +
        "/docs/availability.",
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
  project_param,
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
    doc: "Only these states; all when absent.",
  },
  ...pageParams("Spans"),
] as const satisfies readonly Param[];
