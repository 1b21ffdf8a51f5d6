// GET /platform/v1/alarms/report: figures of a project's alarms, site by site.
import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { alarmReport } from "../../engine/alarms/report.ts";
import { report_schema } from "../../model/alarms/report_form.ts";
import type { Param } from "../../model/data/param.ts";
import { alarm_params, sourceOf } from "./param.ts";
import { invalid } from "../performance/bucket_param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The route of the report on alarms. */
export function alarmReportRoutes(services: Services): readonly Route[] {
  return [
    route({
      name: "alarm_report",
      method: "GET",
      path: "/platform/v1/alarms/report",
      summary: "Figures of alarms per site",
      doc: "Alarm performance of each site in the terms of ANSI/ISA-18.2: rates and floods; " +
        "chattering, fleeting, stale and standing alarms; the ten most frequent alarms; how many " +
        "there are of each severity and class; how long it takes until they are claimed and " +
        "until they clear.",
      scope: "read",
      project: "project_id",
      params,
      answer: { kind: "json", schema: z.toJSONSchema(report_schema) },
      handle: (context) => getReport(services, context),
    }),
  ];
}

const days = limits.report_us / 86_400_000_000;
const default_hours = limits.report_default_us / 3_600_000_000;

const params = [
  alarm_params.project_id,
  alarm_params.site,
  {
    name: "from",
    in: "query",
    kind: "instant",
    required: false,
    doc: `Start of the range, inclusive; ${default_hours} hours before its end by default.`,
  },
  {
    name: "to",
    in: "query",
    kind: "instant",
    required: false,
    doc: `End of the range, exclusive, at most ${days} days after its start; by default now, ` +
      "and now at the latest.",
  },
] as const satisfies readonly Param[];

async function getReport(
  services: Services,
  { values, signal }: RouteContext<typeof params>,
): Promise<Response> {
  const now_us = services.effects.now_us();
  const { project_id, site, from, to = now_us } = values;
  const source = sourceOf(services, { project_id, site });
  const from_us = from ?? Math.min(to, now_us) - limits.report_default_us;
  if (to < from_us) throw invalid("to", "must not be before from");
  if (to - from_us > limits.report_us) throw invalid("to", `give at most ${days} days`);
  const to_us = Math.max(from_us, Math.min(to, now_us));
  return Response.json(await alarmReport(services, { ...source, from_us, to_us, signal }));
}
