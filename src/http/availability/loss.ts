// GET /platform/v1/losses: where the expected energy of inverters went, by bucket and group.
import { lossAnswer } from "../../engine/availability/loss.ts";
import { loss_columns, loss_intervals } from "../../model/availability/loss.ts";
import type { Param } from "../../model/data/param.ts";
import { streamAnswer } from "../frame/answer.ts";
import { inverter_params, inverterRequest, timezoneHeader } from "../performance/bucket_param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The route of the loss account. */
export function lossRoutes(services: Services): readonly Route[] {
  return [
    route({
      name: "losses",
      method: "GET",
      path: "/platform/v1/losses",
      summary: "Loss account per bucket and group",
      doc: "The expected energy of inverters, split into produced energy, losses by " +
        "unavailability, curtailment and clipping, and other losses. The parts add up to the " +
        "expected energy. Computed by quarter-hour, in daylight only. Every bucket of every " +
        "group has a row, ordered by bucket, then key, as in /platform/v1/availability. " +
        "/docs/availability explains the columns.",
      scope: "read",
      project: "project_ids",
      params,
      answer: { kind: "stream", columns: loss_columns },
      handle: (context) => {
        const request = inverterRequest(services, context.values);
        const answer = lossAnswer(services, request, context.signal);
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
    values: loss_intervals,
    doc: "Bucket size. Full: the whole range is one bucket.",
  },
] as const satisfies readonly Param[];
