// Availability of inverters: its figure, states, overrides and losses, and the page about them.
import * as z from "zod";
import { availability_limits } from "../../model/availability/limits.ts";
import { availability_account } from "../../engine/availability/answer.ts";
import { addOverride, removeOverride } from "../../engine/availability/override.ts";
import { timelineAnswer } from "../../engine/availability/timeline.ts";
import { cause_columns, declared_parts, loss_columns } from "../../model/availability/loss.ts";
import { type Override, override_schema } from "../../model/availability/override.ts";
import {
  availability_columns,
  availability_definitions,
  availability_inclusions,
  availability_intervals,
  known_columns,
} from "../../model/availability/row.ts";
import { state_names, timeline_columns } from "../../model/availability/timeline.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import type { Project } from "../../model/plant/plant.ts";
import { instant_column, instant_inclusion } from "../../model/time/bucket.ts";
import { readOverrides } from "../../store/availability/override.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { chosenColumns, streamAnswer } from "../frame/answer.ts";
import { projectOf } from "../frame/auth.ts";
import { invalid } from "../frame/input.ts";
import { readData } from "../frame/json_body.ts";
import { include_param, instant_doc, pageParams, project_param } from "../frame/param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import {
  daysBetween,
  inverter_params,
  projectsOf,
  timezoneHeader,
  zonesOf,
} from "../performance/bucket_param.ts";
import { pendingHeader } from "../performance/pending.ts";
import {
  evidence_docs,
  type State,
  state_docs,
  states,
} from "../../model/availability/availability.ts";
import { documentPage } from "../page/document.ts";
import { code, row, table, wordRows } from "../page/html.ts";
import { answerInverters } from "./inverters.ts";
import { interval_param, lossRoutes, span_params } from "./loss.ts";
import guide from "./availability.md" with { type: "text" };

const overrides_path = "/platform/v1/availability/overrides";

/** The routes of availability: the figure, its states, what operators say of them, the losses. */
export function availabilityRoutes(services: Services): readonly Route[] {
  return [
    availabilityRoute(services),
    timelineRoute(services),
    ...overrideRoutes(services),
    ...lossRoutes(services),
  ];
}

/** The states of inverters, the evidence for them, and the columns of the loss account. */
export function availabilityPage(): Promise<string> {
  const named = Object.keys(states) as State[];
  const energies = [...loss_columns, ...cause_columns].filter(({ unit }) => unit === "Wh");
  return documentPage(guide, {
    states: table(
      ["state", "counts as", ""],
      named.map((name) => row([code(name), counted(name), state_docs[name]])),
    ),
    evidence: table(["evidence", ""], wordRows(evidence_docs)),
    losses: table(["column", ""], energies.map(({ name, doc }) => row([code(name), doc]))),
  });
}

function availabilityRoute(services: Services): Route {
  return route({
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
    params: availability_params,
    answer: {
      kind: "stream",
      row: "AvailabilityRow",
      columns: [...availability_columns, ...known_columns, instant_column],
    },
    noun: "availability",
    handle: (context) => {
      const { include } = context.values;
      const columns = chosenColumns(context, [
        ...availability_columns,
        ...(include.includes("known") ? known_columns : []),
        ...(include.includes(instant_inclusion) ? [instant_column] : []),
      ]);
      return answerInverters(services, context, { account: availability_account, columns });
    },
  });
}

function timelineRoute(services: Services): Route {
  return route({
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
    params: timeline_params,
    answer: { kind: "stream", row: "AvailabilityTimelineRow", columns: timeline_columns },
    noun: "availability",
    handle: async (context) => {
      const { project_id, dt_start, dt_end, state, ...values } = context.values;
      const [project] = projectsOf(services.catalog, [project_id]);
      const range = daysBetween({ dt_start, dt_end, timezones: zonesOf([project]) });
      const request = { ...values, project, range, states: state };
      const { signal } = context;
      const pending = await pendingHeader(services, { projects: [project], range, signal });
      const answer = await timelineAnswer(services, request, signal);
      return await streamAnswer(context, answer, { ...timezoneHeader(answer), ...pending });
    },
  });
}

function overrideRoutes(services: Services): readonly Route[] {
  const common = { project: "project_id", noun: "availability" } as const;
  return [
    route({
      ...common,
      name: "override_post",
      faults: ["gone"],
      method: "POST",
      path: overrides_path,
      summary: "Override a state, or declare a loss",
      doc: "Sets the state of some inverters for a time span; it has priority over all other " +
        "evidence. Or declares what share of their expected energy soiling or snow takes. The " +
        "days that it affects are computed again within seconds. 409 if another override of a " +
        "state, or of the same loss, of one of the inverters overlaps this time. The author is " +
        "the name of the token.",
      scope: "operate",
      params: [own_project],
      body: {
        media_types: ["application/json"],
        limit_bytes: availability_limits.override_body_bytes,
        doc: "The inverters, the state or the loss with its share, the time span and the reason.",
        schema: () => z.toJSONSchema(override_schema),
      },
      answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(shown_schema) },
      handle: (context) => postOverride(services, context),
    }),
    route({
      ...common,
      name: "overrides",
      method: "GET",
      path: overrides_path,
      summary: "Overrides",
      doc: "The overrides of a project that overlap a time range, ordered by their start.",
      scope: "read",
      params: list_params,
      answer: { kind: "json", schema: () => z.toJSONSchema(z.array(shown_schema)) },
      handle: ({ values }) => listOverrides(services, values),
    }),
    route({
      ...common,
      name: "override_delete",
      method: "DELETE",
      path: `${overrides_path}/{id}`,
      summary: "Remove an override",
      doc: "The other evidence counts again. The days that the override affected are computed " +
        "again within seconds. The answer is the removed override.",
      scope: "operate",
      params: [
        { name: "id", in: "path", kind: "text", required: true, doc: "The override's id." },
        own_project,
      ],
      answer: { kind: "json", schema: () => z.toJSONSchema(shown_schema) },
      handle: async ({ values }) => {
        const project = projectOf(services, values.project_id);
        const removed = await removeOverride(services, { project, id: values.id });
        return Response.json(shown(removed, project));
      },
    }),
  ];
}

const availability_params = [
  ...inverter_params,
  { ...interval_param, values: availability_intervals },
  {
    name: "definition",
    in: "query",
    kind: "text",
    required: false,
    default: "iec_time_based",
    values: availability_definitions,
    doc: "Definition of availability.",
  },
  {
    ...include_param,
    values: availability_inclusions,
    doc: `known: also how much of the daylight has a known state. ${instant_doc}`,
  },
] as const satisfies readonly Param[];

const timeline_params = [
  ...span_params,
  {
    name: "state",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    values: state_names,
    doc: "Only these states; all by default.",
  },
  ...pageParams("Spans"),
] as const satisfies readonly Param[];

const own_project = { ...project_param, doc: "Project of the inverters." } as const;

const list_params = [
  own_project,
  {
    name: "from",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Start of the range, inclusive. By default the range has no start.",
  },
  {
    name: "to",
    in: "query",
    kind: "instant",
    required: false,
    doc: "End of the range, exclusive. By default the range has no end.",
  },
  ...pageParams("Overrides"),
] as const satisfies readonly Param[];

const shown_schema = z.strictObject({
  override_id: z.string(),
  project_id: z.string(),
  hierarchy_ids: z.array(z.string()).describe("hierarchy_id, as in the rows of availability."),
  state: z.enum(state_names).nullable().describe("Null where it declares a loss."),
  loss: z.enum(declared_parts).nullable().describe("What it declares lost, else null."),
  share: z.number().nullable().describe("How much of the expected energy that is, else null."),
  from: z.string().describe("ISO 8601, UTC, inclusive."),
  to: z.string().describe("ISO 8601, UTC, exclusive."),
  reason: z.string(),
  author: z.string().describe("Name of the token that made the override."),
  created_at: z.string().describe("ISO 8601, UTC."),
}).meta({ title: "AvailabilityOverride" });

async function postOverride(
  services: Services,
  { request, values, grant }: RouteContext<readonly [typeof own_project]>,
): Promise<Response> {
  const project = projectOf(services, values.project_id);
  const data = await readData(request);
  const override = await addOverride(services, data, { project, author: grant!.name });
  return Response.json(shown(override, project), { status: 201 });
}

async function listOverrides(
  services: Services,
  values: ParamValues<typeof list_params>,
): Promise<Response> {
  const project = projectOf(services, values.project_id);
  const { from: from_us = 0, to: to_us = Number.MAX_SAFE_INTEGER, limit, offset } = values;
  if (to_us <= from_us) throw invalid("to", "must be later than from");
  const { project_no } = project;
  const query = { project_no, from_us, to_us, id: null, limit, offset };
  const overrides = await services.database.read((it) => readOverrides(it, query));
  return Response.json(overrides.map((override) => shown(override, project)));
}

function shown(override: Override, { id: project_id }: Project): z.input<typeof shown_schema> {
  const { id, hierarchy_ids, state, loss, share, reason, author } = override;
  const { from_us, to_us, created_at } = override;
  return {
    override_id: id,
    project_id,
    hierarchy_ids: [...hierarchy_ids],
    state,
    loss,
    share,
    from: instantText(from_us),
    to: instantText(to_us),
    reason,
    author,
    created_at: instantText(created_at),
  };
}

function counted(state: State): string {
  if (states[state] === null) return "neither";
  return states[state] ? "unavailable" : "available";
}
