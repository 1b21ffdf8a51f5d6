// The loss account of inverters, and the evidence for each of its parts.
import { loss_account } from "../../engine/availability/answer.ts";
import { lossTimelineAnswer } from "../../engine/availability/timeline.ts";
import {
  cause_columns,
  loss_columns,
  loss_inclusions,
  loss_intervals,
  loss_parts,
  loss_timeline_columns,
} from "../../model/availability/loss.ts";
import type { Param } from "../../model/data/param.ts";
import { instant_column, instant_inclusion } from "../../model/time/bucket.ts";
import { chosenColumns, streamAnswer } from "../frame/answer.ts";
import { include_param, instant_doc, pageParams, project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import {
  bucket_params,
  daysBetween,
  inverter_params,
  projectsOf,
  timezoneHeader,
  zonesOf,
} from "../performance/bucket_param.ts";
import { pendingHeader } from "../performance/pending.ts";
import { answerInverters } from "./inverters.ts";

/** The account by bucket and group, and its timeline. */
export function lossRoutes(services: Services): readonly Route[] {
  return [lossRoute(services), lossTimelineRoute(services)];
}

/** Bucket sizes of inverters' days. */
export const interval_param = {
  name: "time_interval",
  in: "query",
  kind: "text",
  required: false,
  default: "OneDay",
  doc: "Bucket size. Full: the whole range is one bucket.",
} as const;

/** The parameters that choose the inverters and days of a timeline. */
export const span_params = [
  project_param,
  bucket_params.dt_start,
  bucket_params.dt_end,
  bucket_params.sentinel_tag,
  bucket_params.hierarchy_ids,
  bucket_params.block_ids,
] as const satisfies readonly Param[];

const loss_params = [
  ...inverter_params,
  { ...interval_param, values: loss_intervals },
  {
    ...include_param,
    values: loss_inclusions,
    doc: "causes: also what the other losses are made of, and what nothing was measured of. " +
      instant_doc,
  },
] as const satisfies readonly Param[];

const loss_timeline_params = [
  ...span_params,
  {
    name: "part",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    values: loss_parts,
    doc: "Only these parts; all by default.",
  },
  ...pageParams("Spans"),
] as const satisfies readonly Param[];

function lossRoute(services: Services): Route {
  return route({
    name: "losses",
    method: "GET",
    path: "/platform/v1/losses",
    summary: "Loss account per bucket and group",
    doc: "The expected energy of inverters, split into produced energy, losses by " +
      "unavailability, curtailment and clipping, and other losses. The parts add up to the " +
      "expected energy. Only time in which both are known is compared. Computed by quarter-hour, " +
      "in daylight only. Every bucket of every group " +
      "has a row, ordered by bucket, then key, as in /platform/v1/availability. " +
      "/docs/availability explains the columns.",
    scope: "read",
    project: "project_ids",
    params: loss_params,
    answer: {
      kind: "stream",
      row: "LossRow",
      columns: [...loss_columns, ...cause_columns, instant_column],
    },
    handle: (context) => {
      const { include } = context.values;
      const columns = chosenColumns(context, [
        ...loss_columns,
        ...(include.includes("causes") ? cause_columns : []),
        ...(include.includes(instant_inclusion) ? [instant_column] : []),
      ]);
      return answerInverters(services, context, { account: loss_account, columns });
    },
  });
}

function lossTimelineRoute(services: Services): Route {
  return route({
    name: "losses_timeline",
    method: "GET",
    path: "/platform/v1/losses/timeline",
    summary: "Losses of inverters with their evidence",
    doc: "The data behind /platform/v1/losses: the energy that each inverter lost, by its cause, " +
      "with the evidence for each time span of quarter-hours. Spans are ordered by inverter, " +
      "then time. What is not in any span has no known cause. A span ends at the end of its day " +
      "at the latest. To declare soiling or snow, use POST /platform/v1/availability/overrides.",
    scope: "read",
    project: "project_id",
    params: loss_timeline_params,
    answer: { kind: "stream", row: "LossTimelineRow", columns: loss_timeline_columns },
    handle: async (context) => {
      const { project_id, dt_start, dt_end, part, ...values } = context.values;
      const [project] = projectsOf(services.catalog, [project_id]);
      const range = daysBetween({ dt_start, dt_end, timezones: zonesOf([project]) });
      const request = { ...values, project, range, parts: part };
      const { signal } = context;
      const pending = await pendingHeader(services, { projects: [project], range, signal });
      const answer = await lossTimelineAnswer(services, request, signal);
      return await streamAnswer(context, answer, { ...timezoneHeader(answer), ...pending });
    },
  });
}
