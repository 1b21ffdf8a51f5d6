// Figures of alarms: how many there are by state, and how they behave per site.
import * as z from "zod";
import { alarmReport } from "../../engine/alarms/report.ts";
import { alarm_severities, type AlarmStatus } from "../../model/alarms/alarm.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import { report_schema } from "../../model/alarms/report_form.ts";
import type { Param } from "../../model/data/param.ts";
import { countOccurrences } from "../../store/alarms/report.ts";
import { site_param, sourceOf } from "./param.ts";
import { invalid } from "../frame/input.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The report and the counts. */
export function alarmFigureRoutes(services: Services): readonly Route[] {
  const common = { method: "GET", scope: "read", project: "project_id" } as const;
  return [
    route({
      ...common,
      name: "alarm_report",
      path: "/platform/v1/alarms/report",
      summary: "Figures of alarms per site",
      doc: "Alarm performance of each site in the terms of ANSI/ISA-18.2: rates and floods; " +
        "chattering, fleeting, stale and standing alarms; the ten most frequent alarms; how many " +
        "there are of each severity and class; how long it takes until they are claimed and " +
        "until they clear.",
      params: report_params,
      answer: { kind: "json", schema: () => z.toJSONSchema(report_schema) },
      handle: (context) => getReport(services, context),
    }),
    route({
      ...common,
      name: "alarm_counts",
      path: "/platform/v1/alarms/counts",
      summary: "How many alarms there are",
      doc: "How many alarms of a project have not ended, in all and by severity, the most urgent " +
        "first, each by its state: unattended (open, the condition is present), attended " +
        "(claimed), returned (open or claimed, the condition has gone, to be resolved), shelved, " +
        "resolved (the condition is still present).",
      params: [project_param, site_param],
      answer: { kind: "json", schema: () => z.toJSONSchema(counts_schema) },
      handle: ({ values }) => countAlarms(services, values),
    }),
  ];
}

const alarm_states = ["unattended", "attended", "returned", "shelved", "resolved"] as const;
type AlarmState = typeof alarm_states[number];

const state_counts = {
  total: z.int(),
  ...Object.fromEntries(alarm_states.map((state) => [state, z.int()])) as Record<
    AlarmState,
    z.ZodInt
  >,
};

const counts_schema = z.strictObject({
  ...state_counts,
  by_severity: z.array(z.strictObject({ severity: z.string(), ...state_counts })),
});

const days = alarm_limits.report_us / 86_400_000_000;
const default_hours = alarm_limits.report_default_us / 3_600_000_000;

const report_params = [
  project_param,
  site_param,
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
    doc: `End of the range, exclusive, at most ${days} days after its start; now by default ` +
      "and at the latest.",
  },
] as const satisfies readonly Param[];

async function getReport(
  services: Services,
  { values, signal }: RouteContext<typeof report_params>,
): Promise<Response> {
  const now_us = services.effects.now_us();
  const { project_id, site, from, to = now_us } = values;
  const source = sourceOf(services, { project_id, site });
  const from_us = from ?? Math.min(to, now_us) - alarm_limits.report_default_us;
  if (to < from_us) throw invalid("to", "must not be before from");
  if (to - from_us > alarm_limits.report_us) throw invalid("to", `give at most ${days} days`);
  const to_us = Math.max(from_us, Math.min(to, now_us));
  return Response.json(await alarmReport(services, { ...source, from_us, to_us, signal }));
}

async function countAlarms(
  services: Services,
  values: { readonly project_id: string; readonly site: string | undefined },
): Promise<Response> {
  const { project: { project_no }, site_no } = sourceOf(services, values);
  const rows = await services.database.read((it) => countOccurrences(it, { project_no, site_no }));
  const count = (severity?: string) => {
    const of = rows.filter((row) => severity === undefined || row.severity === severity);
    const sum = (state?: AlarmState) =>
      of.filter((row) => state === undefined || stateOf(row) === state)
        .reduce((total, row) => total + row.count, 0);
    const by_state = Object.fromEntries(alarm_states.map((state) => [state, sum(state)]));
    return { total: sum(), ...by_state as Record<AlarmState, number> };
  };
  const found = new Set(rows.map(({ severity }) => severity));
  const usual = new Set<string>(alarm_severities);
  const severities = [...usual, ...[...found].filter((severity) => !usual.has(severity))];
  const by_severity = severities.map((severity) => ({ severity, ...count(severity) }));
  return Response.json({ ...count(), by_severity });
}

/** The state of occurrences that have not ended. */
function stateOf({ status, active }: { readonly status: AlarmStatus; readonly active: boolean }) {
  if (status === "shelved" || status === "resolved") return status;
  if (!active) return "returned";
  return status === "claimed" ? "attended" : "unattended";
}
