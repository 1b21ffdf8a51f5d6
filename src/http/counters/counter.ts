// What happened to counters, resets that are declared, and the page about both.
import * as z from "zod";
import { declareReset, type PlacedReset, removeReset } from "../../engine/counters/reset.ts";
import type { Catalog } from "../../engine/catalog/catalog.ts";
import {
  counter_event_columns,
  type CounterEventRow,
  event_docs,
  event_kinds,
} from "../../model/counters/event.ts";
import { counter_limits } from "../../model/counters/limits.ts";
import { fitOf, reset_fit_docs, reset_fits, reset_form } from "../../model/counters/reset.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import { listCounterEvents, type ListedEvent } from "../../store/counters/event.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { invalid } from "../frame/input.ts";
import { readData } from "../frame/json_body.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { documentPage } from "../page/document.ts";
import { table, wordRows } from "../page/html.ts";
import guide from "./counters.md" with { type: "text" };

const path = "/platform/v1/counters/resets";

/** What happened to counters, and declaring their resets. */
export function counterRoutes(services: Services): readonly Route[] {
  return [listRoute(services), postRoute(services), deleteRoute(services)];
}

/** How counters are counted, and what can happen to them. */
export function counterPage(): Promise<string> {
  return documentPage(guide, {
    kinds: table(["kind", ""], wordRows(event_docs)),
    fits: table(["fit", ""], wordRows(reset_fit_docs)),
  });
}

function listRoute(services: Services): Route {
  return route({
    name: "counter_events",
    method: "GET",
    path,
    summary: "What happened to counters",
    doc: "Every suspect difference, new track, wrap and declared reset of the counters of a " +
      "project, with its readings, ordered by time. They are computed from the samples: a late " +
      "sample can change them. A declared reset is listed at once; its readings follow within " +
      "seconds. /docs/counters explains the kinds.",
    scope: "read",
    project: "project_id",
    params: list_params,
    answer: {
      kind: "json",
      schema: { type: "array", items: rowSchema(counter_event_columns, "CounterEvent") },
    },
    handle: async ({ values }) => Response.json(await list(services, values)),
  });
}

function postRoute(services: Services): Route {
  return route({
    name: "counter_reset_post",
    method: "POST",
    path,
    summary: "Declare a reset of a counter",
    doc: "Says what a counter showed before and after a step, such as the replacement of a " +
      "meter. The difference over the step is then counted exactly, if it is physically " +
      "possible. What it changes is computed again within seconds. The answer has the readings " +
      "on both sides and how the reset fits to them; the list says later whether it is possible " +
      "and `applied`. 409 if a request or a site file has declared a reset of the counter at " +
      "this time, and beyond " +
      `${counter_limits.resets_per_counter} resets of a counter or ` +
      `${counter_limits.resets_per_project} of a project by requests. ` +
      "The author is the name of the token.",
    scope: "manage",
    project: "project_id",
    params: [own_project],
    body: {
      media_types: ["application/json"],
      limit_bytes: counter_limits.reset_body_bytes,
      doc: "The tag, the time and the two values.",
      schema: () => z.toJSONSchema(reset_form, { io: "input" }),
    },
    answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(shown_schema) },
    handle: (context) => post(services, context),
  });
}

function deleteRoute(services: Services): Route {
  return route({
    name: "counter_reset_delete",
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Take a declared reset back",
    doc: "What the reset changed is computed again within seconds. 409 if a site file declares " +
      "it. The answer is the removed reset.",
    scope: "manage",
    project: "project_id",
    params: [
      { name: "id", in: "path", kind: "text", required: true, doc: "The reset's id." },
      own_project,
    ],
    answer: { kind: "json", schema: () => z.toJSONSchema(shown_schema) },
    handle: async ({ values }) => {
      const project = projectOf(services, values.project_id);
      const reset = await removeReset(services, { project, id: values.id });
      return Response.json(shown(reset, services.catalog));
    },
  });
}

const own_project = { ...project_param, doc: "Project of the counters." } as const;

const list_params = [
  own_project,
  {
    name: "hierarchy_id",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    doc: "Only these counters; all by default.",
  },
  {
    name: "kind",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    values: event_kinds,
    doc: "Only these kinds; all by default.",
  },
  {
    name: "from",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Start of the range of ts, inclusive. By default the range has no start.",
  },
  {
    name: "to",
    in: "query",
    kind: "instant",
    required: false,
    doc: "End of the range of ts, exclusive. By default the range has no end.",
  },
  ...pageParams("Rows"),
] as const satisfies readonly Param[];

const shown_schema = z.strictObject({
  reset_id: z.string(),
  sensor_tag: z.string().describe("The counter's tag."),
  at: z.string().describe("ISO 8601, UTC."),
  last_value: z.number(),
  first_value: z.number(),
  author: z.string().nullable().describe("Name of the token that declared it."),
  before_ts: z.string().nullable().describe("Time of the last usable reading before it."),
  before_value: z.number().nullable().describe("That reading, as it was sent."),
  ts: z.string().nullable().describe("Time of the first usable reading from it on."),
  value: z.number().nullable().describe("That reading, as it was sent."),
  fit: z.enum(reset_fits).describe("How it fits the two readings."),
}).meta({ title: "CounterReset" });

async function list(
  { catalog, database }: Services,
  values: ParamValues<typeof list_params>,
): Promise<readonly CounterEventRow[]> {
  const { project_no } = projectOf({ catalog }, values.project_id);
  const { from: from_us = 0, to: to_us = Number.MAX_SAFE_INTEGER, limit, offset } = values;
  if (to_us <= from_us) throw invalid("to", "must be later than from");
  const some = <T>(given: readonly T[]) => given.length > 0 ? given : null;
  const chosen = { hierarchy_ids: some(values.hierarchy_id), kinds: some(values.kind) };
  const query = { project_no, from_us, to_us, ...chosen, limit, offset };
  return (await database.read((it) => listCounterEvents(it, query))).map(rowOf);
}

function rowOf({ ts, before_ts, reset_at, ...event }: ListedEvent): CounterEventRow {
  const { applied, last_value, first_value } = event;
  const reset = last_value === null || first_value === null ? null : { last_value, first_value };
  return {
    ...event,
    ts: instantText(ts),
    before_ts: textOf(before_ts),
    reset_at: textOf(reset_at),
    fit: reset && fitOf(reset, { ...event, is_possible: applied === true }),
  };
}

function textOf(instant_us: number | null): string | null {
  return instant_us === null ? null : instantText(instant_us);
}

async function post(
  services: Services,
  { request, values, grant }: RouteContext<readonly [typeof own_project]>,
): Promise<Response> {
  const project = projectOf(services, values.project_id);
  const data = await readData(request);
  const reset = await declareReset(services, data, { project, author: grant!.name });
  return Response.json(shown(reset, services.catalog), { status: 201 });
}

function shown(reset: PlacedReset, catalog: Catalog): z.input<typeof shown_schema> {
  const { id, tag_no, at_us, last_value, first_value, author, ...around } = reset;
  return {
    reset_id: id,
    sensor_tag: catalog.tag(tag_no)!.sensor_tag,
    at: instantText(at_us),
    last_value,
    first_value,
    author,
    before_ts: textOf(around.before_ts),
    before_value: around.before_value,
    ts: textOf(around.ts),
    value: around.value,
    fit: fitOf(reset, { ...around, is_possible: true }),
  };
}
