// How far the demo's history is, for its screens: a route that only the demo has.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { fill_jobs, type FillState } from "../../engine/service/fill.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const state_schema = z.strictObject({
  job: z.enum(Object.keys(fill_jobs)).nullable().describe("What is done now; null: all is done."),
  percent: z.number().describe("Of everything that there is to do."),
  left: z.number().describe("Of this job: hours to simulate, samples, days, minutes of rules."),
});

/** The progress of the demo's history. */
export function fillRoute({ fill }: Pick<Services, "fill">): Route {
  return route({
    name: "demo",
    method: "GET",
    path: "/platform/v1/demo",
    summary: "How far the demo's history is",
    doc: "While the demo makes its history, how far that is. Other services answer 404.",
    scope: "read",
    project: null,
    params: [],
    answer: { kind: "json", schema: () => z.toJSONSchema(state_schema) },
    handle: () => {
      if (fill.state === undefined) throw new Fault("not_found", "this service is not the demo");
      return Response.json(fill.state satisfies FillState);
    },
  });
}
