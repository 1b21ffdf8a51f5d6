// GET /platform/v1/availability: how much of the inverters' capacity was there, and when.
import { availabilityAnswer } from "../../engine/availability/answer.ts";
import {
  availability_columns,
  availability_definitions,
  availability_intervals,
} from "../../model/availability/row.ts";
import type { Param } from "../../model/data/param.ts";
import { streamAnswer } from "../frame/answer.ts";
import { inverter_params, inverterRequest, timezoneHeader } from "../performance/bucket_param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The route of availability. */
export function availabilityRoutes(services: Services): readonly Route[] {
  return [
    route({
      name: "availability",
      method: "GET",
      path: "/platform/v1/availability",
      summary: "Availability per bucket and group",
      doc: "Time-based capacity availability of inverters by IEC TS 63019, computed by " +
        "quarter-hour, in daylight only. Derating and outages of the DC side count as available. " +
        "Every bucket of every group has a row, ordered by bucket, then key. Buckets are days in " +
        "the time zone of each site; weeks start on Monday. Buckets of several projects with the " +
        "same label are combined. Today counts up to the last complete quarter-hour. " +
        "/platform/v1/availability/timeline gives the states, /docs/availability explains them.",
      scope: "read",
      project: "project_ids",
      params,
      answer: { kind: "stream", columns: availability_columns },
      noun: "availability",
      handle: (context) => {
        const request = inverterRequest(services, context.values);
        const answer = availabilityAnswer(services, request, context.signal);
        return streamAnswer(context, answer, timezoneHeader(answer));
      },
    }),
  ];
}

const params = [
  ...inverter_params,
  {
    name: "time_interval",
    in: "query",
    kind: "text",
    required: false,
    default: "OneDay",
    values: availability_intervals,
    doc: "Bucket size. Full: the whole range is one bucket.",
  },
  {
    name: "definition",
    in: "query",
    kind: "text",
    required: false,
    default: "iec_time_based",
    values: availability_definitions,
    doc: "Definition of availability.",
  },
] as const satisfies readonly Param[];
