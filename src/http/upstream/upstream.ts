// /platform/v1/upstream: how a gateway's forwarding goes, and the rows that its centre won't take.
import * as z from "zod";
import { refusal } from "../../base/fault.ts";
import { join_form } from "../../engine/upstream/enrol.ts";
import { endOf, type ProjectState } from "../../engine/upstream/state.ts";
import { reaches } from "../../model/access/token.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import type { Param } from "../../model/data/param.ts";
import { dayNumber, dayText, isDay } from "../../model/time/calendar.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { forwarded_kinds, upstream_lanes } from "../../model/upstream/upstream.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { known, type Metrics, type Readings, recent } from "../frame/metrics.ts";
import { invalid } from "../frame/input.ts";
import { formBody, readData } from "../frame/json_body.ts";
import { projectOf, requireWholeReach } from "../frame/auth.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { pulled_schema, pulledRoutes, shownSites } from "./pulled.ts";

const path = "/platform/v1/upstream";

/** How it goes; what is set aside, and sending that again. */
export function upstreamRoutes(services: Services): readonly Route[] {
  return [
    stateRoute(services),
    asideRoute(services),
    retryRoute(services),
    verifyRoute(services),
    ...joinRoutes(services),
    ...pulledRoutes(services),
  ];
}

function joinRoutes({ upstream }: Services): readonly Route[] {
  const common = {
    path: "/admin/v1/upstream",
    scope: "admin",
    project: null,
    params: [],
    faults: ["conflict"],
    answer: { kind: "json", schema: () => z.toJSONSchema(joined_schema) },
  } as const;
  return [
    route({
      ...common,
      name: "upstream_join",
      method: "POST",
      summary: "Join a centre by a code",
      doc: "Uses a code that the centre made, and forwards to it from now on: its address and " +
        "the token that it gives are kept in the database, sealed. 409 if the setting " +
        "upstream_url names a centre, 403 for a code that is not valid, 503 if the centre does " +
        "not answer.",
      body: formBody(join_form, {
        doc: "Where the centre is, and the code.",
        limit_bytes: upstream_limits.enrol_bytes,
      }),
      handle: async ({ request, grant, signal }) => {
        requireWholeReach(grant!);
        const data = await readData(request);
        const asked = parseForm(join_form, data, {
          refuse: (flaws) => refusal("no centre can be joined", flaws),
        });
        await upstream.join(asked, { signal });
        return Response.json({ url: asked.url });
      },
    }),
    route({
      ...common,
      name: "upstream_leave",
      method: "DELETE",
      summary: "Leave the centre",
      doc: "Forgets the centre that was joined by a code. What is not forwarded goes on waiting.",
      handle: async ({ grant }) => {
        requireWholeReach(grant!);
        await upstream.leave();
        return Response.json({ url: null });
      },
    }),
  ];
}

const day_param = {
  name: "day",
  in: "query",
  kind: "text",
  required: false,
  doc: "The day (UTC), YYYY-MM-DD. By default the newest that has rows.",
} as const satisfies Param;

function verifyRoute({ upstream, catalog }: Services): Route {
  return route({
    name: "upstream_verify",
    method: "POST",
    path: `${path}/verify`,
    summary: "Compare a day with the centre",
    doc: "Compares the rows of a day (UTC) with the centre's: their number and a digest of each " +
      "tag and hour. What differs is sent again. The answer names the day before it that has " +
      "rows. 409 if no centre is set, 503 if it does not answer.",
    scope: "operate",
    project: "project_id",
    params: [project_param, day_param],
    faults: ["conflict"],
    answer: { kind: "json", schema: () => z.toJSONSchema(comparison_schema) },
    handle: async ({ values, signal }) => {
      const project = projectOf({ catalog }, values.project_id);
      if (values.day !== undefined && !isDay(values.day)) {
        throw invalid("day", `must be a day, YYYY-MM-DD, not ${values.day}`);
      }
      const { day, next_day, ...sums } = await upstream.verify(project, {
        day: values.day === undefined ? undefined : dayNumber(values.day),
        signal,
      });
      const textOf = (number: number | null) => number === null ? null : dayText(number);
      const answer: z.input<typeof comparison_schema> = {
        ...{ day: textOf(day), next_day: textOf(next_day), ...sums },
      };
      return Response.json(answer);
    },
  });
}

function stateRoute(services: Services): Route {
  const { upstream, effects } = services;
  return route({
    name: "upstream",
    method: "GET",
    path,
    summary: "State of forwarding",
    doc: "Whether this service forwards to a centre, what keeps it from that and what to do, how " +
      "far behind it is, what waits, and what a day costs. Only projects in reach of the token " +
      "are listed. The count of waiting rows can be up to a minute old.",
    scope: "read",
    project: null,
    params: [],
    answer: { kind: "json", schema: () => z.toJSONSchema(state_schema) },
    handle: async ({ grant }) => {
      const state = await upstream.state();
      if (state === null) return Response.json(no_upstream);
      const { trouble_since_us, next_try_ms, ...plain } = state;
      const projects = state.projects.filter(({ project }) => reaches(grant!, project));
      const answer: z.input<typeof state_schema> = {
        ...plain,
        is_set: true,
        trouble_since: trouble_since_us === null ? null : instantText(trouble_since_us),
        next_try_at: next_try_ms === null
          ? null
          : instantText(Math.round(effects.now_us() + next_try_ms * 1000)),
        rows_per_s: Math.round(state.rows_per_s),
        projects: projects.map(shown),
        sites: await shownSites(services, grant!),
        days: state.days.map(({ day, bytes, rows }) => ({ day: dayText(day), bytes, rows })),
      };
      // What is said of all names the others, too.
      const others = { reason: answer.reason && trouble_of_all, rows_per_s: 0, days: [] };
      const is_all = projects.length === state.projects.length;
      return Response.json(is_all ? answer : { ...answer, ...others });
    },
  });
}

function asideRoute({ upstream, catalog }: Services): Route {
  return route({
    name: "upstream_set_aside",
    method: "GET",
    path: `${path}/set-aside`,
    summary: "Rows that the centre does not take",
    doc: "Rows that were forwarded and rejected, one entry a tag and lane, with the centre's " +
      "reason for the last of them. They stay here, and hold up nothing.",
    scope: "read",
    project: "project_id",
    params: [project_param, ...pageParams("Entries")],
    answer: { kind: "json", schema: () => z.toJSONSchema(z.array(aside_schema)) },
    handle: async ({ values: { project_id, limit, offset } }) => {
      const { project_no } = projectOf({ catalog }, project_id);
      const asides = await upstream.setAside(project_no);
      const answer: z.input<typeof aside_schema>[] = asides.slice(offset, offset + limit)
        .map(({ tag_no, first_ts, last_ts, changed_at, lane, rows, reason }) => ({
          tag: catalog.tag(tag_no)!.sensor_tag,
          ...{ lane, rows, reason },
          first_ts: instantText(first_ts),
          last_ts: instantText(last_ts),
          changed_at: instantText(changed_at),
        }));
      return Response.json(answer);
    },
  });
}

function retryRoute({ upstream, catalog }: Services): Route {
  return route({
    name: "upstream_set_aside_retry",
    method: "POST",
    path: `${path}/set-aside/retry`,
    summary: "Send rows again that the centre did not take",
    doc: "Forgets what was set aside of a project, and sends everything again that was stored " +
      "with it: after the reason was mended at the centre. What the centre has counts there as " +
      "a duplicate. 409 if no centre is set.",
    scope: "operate",
    project: "project_id",
    params: [project_param],
    faults: ["conflict"],
    answer: { kind: "json", schema: () => z.toJSONSchema(retry_schema) },
    handle: async ({ values }) => {
      const { project_no } = projectOf({ catalog }, values.project_id);
      const answer: z.input<typeof retry_schema> = {
        rows: await upstream.retrySetAside(project_no),
      };
      return Response.json(answer);
    },
  });
}

/** How forwarding to a centre goes; nothing where none is set. */
export function addUpstreamGauges(
  { upstream, gateways, effects }: Services,
  metrics: Metrics,
): void {
  const state = recent(() => upstream.state(), { age_ms: 0, effects });
  const of_projects = async (figure: (state: ProjectState) => number) => {
    const projects = (await state())?.projects ?? [];
    return Object.fromEntries(projects.map((it) => [it.project.id, figure(it)]));
  };
  metrics.gauge("upstream_connected", "1 if the centre took the last it was sent, else 0.", () => {
    return state().then((it): Readings => it === null ? {} : { "": it.connected ? 1 : 0 });
  });
  metrics.gauge(
    "gateway_heard_time_seconds",
    "When each gateway was heard last.",
    () => Object.fromEntries(gateways.list().map(({ name, heard_us }) => [name, heard_us / 1e6])),
  );
  metrics.gauge(
    "upstream_lag_seconds",
    "Age of the oldest live row that waits, by project.",
    () => of_projects(({ lag_us }) => lag_us / 1e6),
  );
  metrics.gauge(
    "upstream_waiting_rows",
    "Rows to be forwarded, by project.",
    () => of_projects(({ waiting_rows }) => waiting_rows),
  );
  metrics.gauge(
    "upstream_set_aside_rows",
    "Rows that the centre does not take, by project.",
    () => of_projects(({ set_aside_rows }) => set_aside_rows),
  );
  metrics.gauge(
    "upstream_sent_bytes",
    "Sent to the centre on the last day of sending.",
    () => state().then((it) => known({ "": it?.days.at(0)?.bytes ?? null })),
  );
}

function shown({ project, spans, lag_us, ...state }: ProjectState) {
  const newest = spans.toReversed().slice(0, upstream_limits.shown_spans);
  return {
    ...{ project_id: project.id, key: project.key },
    at_centre: state.is_known,
    lag_s: Math.round(lag_us / 100_000) / 10,
    waiting_rows: state.waiting_rows,
    set_aside_rows: state.set_aside_rows,
    lost: state.lost.map(({ kept, day, rows, lost_at }) => ({
      ...{ kept, rows },
      day: dayText(day),
      lost_at: instantText(lost_at),
    })),
    spans: spans.length,
    waiting: newest.map((span) => {
      const end_us = endOf(span);
      return {
        from: instantText(span.from_us),
        to: end_us === null ? null : instantText(end_us),
      };
    }),
  };
}

const trouble_of_all = "something keeps it back: who administers the service sees what";

const no_upstream: z.input<typeof state_schema> = {
  ...{ is_set: false, url: null, connected: false, reason: null, trouble_since: null },
  ...{ next_try_at: null, max_kbit: 0, rows_per_s: 0, projects: [], sites: [], days: [] },
};

const instant = z.string().describe("ISO 8601, UTC.");

const project_schema = z.strictObject({
  project_id: z.string(),
  key: z.string().describe("The same at the centre."),
  at_centre: z.boolean().nullable()
    .describe("Whether the centre has it in reach of the token; null: not known yet."),
  lag_s: z.number().describe("Age of the oldest live row that waits; 0: none does."),
  waiting_rows: z.int(),
  set_aside_rows: z.int().describe("Rows that the centre does not take: see /set-aside."),
  lost: z.array(z.strictObject({
    kept: z.enum(forwarded_kinds),
    day: z.string().describe("YYYY-MM-DD (UTC), of the rows."),
    rows: z.int(),
    lost_at: instant,
  })).describe("What the disk had no room for until it was forwarded, the last first."),
  spans: z.int().describe("Spans of storing time that the waiting rows are told by."),
  waiting: z.array(z.strictObject({
    from: instant,
    to: instant.nullable().describe("Exclusive; null: all from then on, which is live."),
  })).describe(`The newest ${upstream_limits.shown_spans} of them.`),
});

const day_schema = z.strictObject({
  day: z.string().describe("YYYY-MM-DD (UTC)."),
  bytes: z.int().describe("Sent, compressed, also what had to be sent again."),
  rows: z.int().describe("Taken by the centre."),
});

const state_schema = z.strictObject({
  is_set: z.boolean().describe("Whether there is a centre: the setting upstream_url."),
  url: z.string().nullable(),
  connected: z.boolean().describe("Whether the centre took the last that it was sent."),
  reason: z.string().nullable().describe("What is wrong, and what to do; null: nothing is."),
  trouble_since: instant.nullable(),
  next_try_at: instant.nullable(),
  max_kbit: z.int().describe("The most that is sent, kbit/s; 0: no limit."),
  rows_per_s: z.int().describe("Rows taken, a second of the last minute."),
  projects: z.array(project_schema),
  sites: z.array(pulled_schema).describe("Sites whose file comes from the centre."),
  days: z.array(day_schema).describe("The newest first."),
}).meta({ title: "Upstream" });

const aside_schema = z.strictObject({
  tag: z.string(),
  lane: z.enum(upstream_lanes),
  rows: z.int(),
  first_ts: instant,
  last_ts: instant,
  reason: z.string().describe("What the centre says of the last of them."),
  changed_at: instant,
}).meta({ title: "SetAside" });

const retry_schema = z.strictObject({ rows: z.int().describe("How many were set aside.") });

const comparison_schema = z.strictObject({
  day: z.string().nullable().describe("YYYY-MM-DD (UTC); null: there are no rows at all."),
  next_day: z.string().nullable().describe("The day before it that has rows."),
  hours: z.int().describe("Hours of tags that were compared."),
  rows: z.int().describe("Rows that they have here."),
  differing: z.int().describe("Hours of tags that differ."),
  sent_again: z.int().describe("Rows of these hours, which wait now to be sent again."),
  waiting: z.int().describe("Hours with rows that were not forwarded yet."),
  set_aside: z.int().describe("Hours with rows that the centre does not take."),
  more: z.int().describe("Hours of which the centre has more rows: others send there, too."),
}).meta({ title: "UpstreamComparison" });

const joined_schema = z.strictObject({ url: z.string().nullable() });
