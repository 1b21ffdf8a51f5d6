// Destinations under /platform/v1/destinations: listed with how they do, put, removed, tried again.
import * as z from "zod";
import {
  findDestination,
  putDestination,
  removeDestination,
} from "../../engine/destinations/change.ts";
import type { Destination } from "../../model/destinations/destination.ts";
import {
  destination_form,
  destination_kinds,
  parseDestination,
} from "../../model/destinations/form.ts";
import { destination_limits } from "../../model/destinations/limits.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import { dayText } from "../../model/time/calendar.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { data_media_types, keyedBody, readData } from "../frame/json_body.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { type Metrics, recent } from "../frame/metrics.ts";

const path = "/platform/v1/destinations";

/** Listing, making and removing destinations; what they do not take. */
export function destinationRoutes(services: Services): readonly Route[] {
  return [
    listRoute(services),
    putRoute(services),
    deleteRoute(services),
    asideRoute(services),
    retryRoute(services),
  ];
}

const one_params = [
  { name: "key", in: "path", kind: "text", required: true, doc: "The destination's key." },
  { ...project_param, doc: "Project whose samples are sent." },
] as const satisfies readonly Param[];

function targetOf(services: Services, { key, project_id }: ParamValues<typeof one_params>) {
  return { project: projectOf(services, project_id), key };
}

function listRoute(services: Services): Route {
  return route({
    name: "destinations",
    method: "GET",
    path,
    summary: "Destinations and how they do",
    doc: "Where a project's samples are sent beside a centre, by key: what keeps each back and " +
      "what to do, how far behind it is, what waits, was set aside, sent and lost.",
    scope: "read",
    project: "project_id",
    params: [project_param],
    answer: { kind: "json", schema: () => z.toJSONSchema(z.array(destination_schema)) },
    handle: async ({ values }) => {
      const { project_no } = projectOf(services, values.project_id);
      const all = services.destinations.list(project_no);
      return Response.json(await Promise.all(all.map((it) => shown(services, it))));
    },
  });
}

function putRoute(services: Services): Route {
  return route({
    name: "destination_put",
    method: "PUT",
    path: `${path}/{key}`,
    summary: "Make or change a destination",
    doc: "Makes or replaces a destination; it is sent to from now on. Secrets are sealed and " +
      "never answered; one that is left out stays as long as the destination leads to the same " +
      "place. 409 where the project has too many. Kinds: " +
      "`parquet_folder` and `parquet_s3` (Parquet files in a folder, or in a store as S3), " +
      "`remote_write` (Prometheus, VictoriaMetrics), `mqtt` (a broker) and `sparkplug` (an edge " +
      "node of Sparkplug B).",
    scope: "admin",
    project: "project_id",
    params: one_params,
    body: keyedBody(destination_form, {
      doc: "The destination as JSON or TOML; its key may be left out.",
      limit_bytes: destination_limits.body_bytes,
    }),
    answer: { kind: "json", also: 201, schema: () => z.toJSONSchema(put_schema) },
    handle: async ({ request, values, grant }) => {
      const data = await readData(request, data_media_types);
      const target = { ...targetOf(services, values), author: grant!.name };
      const { destination, result } = await putDestination(services, data, target);
      const status = result === "created" ? 201 : 200;
      return Response.json({ result, ...await shown(services, destination) }, { status });
    },
  });
}

function deleteRoute(services: Services): Route {
  return route({
    name: "destination_delete",
    method: "DELETE",
    path: `${path}/{key}`,
    summary: "Remove a destination",
    doc: "Nothing is sent there any more, and what waits for it is forgotten. What it has stays.",
    scope: "admin",
    project: "project_id",
    params: one_params,
    answer: { kind: "json", schema: () => z.toJSONSchema(removed_schema) },
    handle: async ({ values }) => {
      const { key } = await removeDestination(services, targetOf(services, values));
      return Response.json({ key });
    },
  });
}

function asideRoute(services: Services): Route {
  const { destinations, catalog } = services;
  return route({
    name: "destination_set_aside",
    method: "GET",
    path: `${path}/{key}/set-aside`,
    summary: "Rows that a destination does not take",
    doc: "Rows that were sent and refused, one entry a tag, with the destination's reason for " +
      "the last of them. They stay here, and hold up nothing.",
    scope: "read",
    project: "project_id",
    params: [...one_params, ...pageParams("Entries")],
    answer: { kind: "json", schema: () => z.toJSONSchema(z.array(aside_schema)) },
    handle: async ({ values: { limit, offset, ...values } }) => {
      const { asides } = await destinations.stateOf(
        findDestination(destinations, targetOf(services, values)),
      );
      return Response.json(
        asides.slice(offset, offset + limit).map((it): z.input<typeof aside_schema> => ({
          ...{ tag: catalog.tag(it.tag_no)!.sensor_tag, rows: it.rows, reason: it.reason },
          first_ts: instantText(it.first_ts),
          last_ts: instantText(it.last_ts),
          changed_at: instantText(it.changed_at),
        })),
      );
    },
  });
}

function retryRoute(services: Services): Route {
  const { destinations } = services;
  return route({
    name: "destination_retry",
    method: "POST",
    path: `${path}/{key}/set-aside/retry`,
    summary: "Send a destination again what it did not take",
    doc: "Once the reason is mended there: all that is set aside waits once more.",
    scope: "operate",
    project: "project_id",
    params: one_params,
    answer: { kind: "json", schema: () => z.toJSONSchema(retry_schema) },
    handle: async ({ values }) => {
      const destination = findDestination(destinations, targetOf(services, values));
      return Response.json({ rows: await destinations.retryAsides(destination) });
    },
  });
}

/** How far behind each destination is, and what waits. */
export function addDestinationGauges(
  { destinations, effects }: Services,
  metrics: Metrics,
): void {
  const states = recent(
    () =>
      Promise.all(destinations.all.map(async (it) => ({
        ...{ id: it.id, state: await destinations.stateOf(it) },
      }))),
    { age_ms: 0, effects },
  );
  type State = Awaited<ReturnType<typeof states>>[number]["state"];
  const gauge = (name: string, doc: string, figure: (state: State) => number) =>
    metrics.gauge(
      `destination_${name}`,
      `${doc}, by destination.`,
      async () => Object.fromEntries((await states()).map(({ id, state }) => [id, figure(state)])),
    );
  gauge("connected", "0 if something keeps it back, else 1", (it) => it.reason === null ? 1 : 0);
  gauge("lag_seconds", "Age of the oldest live row that waits", (it) => it.lag_us / 1e6);
  gauge("waiting_rows", "Rows to be sent", (it) => it.waiting_rows);
  gauge("set_aside_rows", "Rows that it does not take", (it) => sumOf(it.asides));
}

const sumOf = (all: readonly { readonly rows: number }[]) =>
  all.reduce((sum, { rows }) => sum + rows, 0);

const instant = z.string().describe("ISO 8601, UTC.");

const state_schema = z.strictObject({
  connected: z.boolean().nullable()
    .describe("Whether it took the last that it was sent; null as long as nothing was."),
  reason: z.string().nullable().describe("What is wrong, and what to do; null: nothing is."),
  trouble_since: instant.nullable(),
  next_try_at: instant.nullable(),
  notes: z.array(z.string()).describe("What else you should know."),
  rows_per_s: z.int().describe("Rows taken, a second of the last minute."),
  lag_s: z.number().describe("Age of the oldest live row that waits; 0: none does."),
  waiting_rows: z.int().describe(
    "Rows that wait, of all the project's tags; counted within the last minute.",
  ),
  spans: z.int().describe("Spans of storing time that the waiting rows are told by."),
  set_aside_rows: z.int().describe("Rows that it does not take: see /set-aside."),
  lost: z.array(z.strictObject({
    day: z.string().describe("YYYY-MM-DD (UTC), of the rows."),
    rows: z.int(),
    lost_at: instant,
  })).describe("What the disk had no room for until it was sent, the last first."),
  days: z.array(z.strictObject({
    day: z.string().describe("YYYY-MM-DD (UTC)."),
    bytes: z.int().describe("Sent."),
    rows: z.int().describe("Taken by the destination."),
  })).describe("The newest first."),
});

const destination_schema = z.strictObject({
  key: z.string(),
  kind: z.enum(destination_kinds),
  author: z.string().describe("Name of the token that it was made with."),
  state: state_schema,
  // Written out once is enough: its form is long.
  definition: z.record(z.string(), z.unknown())
    .describe("The destination without its secrets, as a body for PUT."),
}).meta({ title: "Destination" });

const put_schema = destination_schema.extend({
  result: z.enum(["created", "updated"]).describe("What became of the destination."),
}).meta({ title: "PutDestination" });

const removed_schema = z.strictObject({ key: z.string() });
const retry_schema = z.strictObject({ rows: z.int().describe("How many were set aside.") });

const aside_schema = z.strictObject({
  tag: z.string(),
  rows: z.int(),
  first_ts: instant,
  last_ts: instant,
  reason: z.string().describe("What the destination says of the last of them."),
  changed_at: instant,
}).meta({ title: "DestinationSetAside" });

async function shown(
  { destinations, effects }: Services,
  destination: Destination,
): Promise<z.input<typeof destination_schema>> {
  const { asides, ...state } = await destinations.stateOf(destination);
  const entry = parseDestination(destination.definition);
  const { trouble_since_us, next_try_ms } = state;
  const next_us = Math.round(effects.now_us() + (next_try_ms ?? 0) * 1000);
  return {
    ...{ key: destination.key, kind: entry.kind, author: destination.author },
    state: {
      ...{ connected: state.connected, reason: state.reason, notes: [...state.notes] },
      trouble_since: trouble_since_us === null ? null : instantText(trouble_since_us),
      next_try_at: next_try_ms === null ? null : instantText(next_us),
      rows_per_s: Math.round(state.rows_per_s),
      lag_s: Math.round(state.lag_us / 100_000) / 10,
      ...{ waiting_rows: state.waiting_rows, spans: state.spans.length },
      set_aside_rows: sumOf(asides),
      lost: state.lost.map(({ day, rows, lost_at }) => (
        { day: dayText(day), rows, lost_at: instantText(lost_at) }
      )),
      days: state.days.map(({ day, bytes, rows }) => ({ day: dayText(day), bytes, rows })),
    },
    definition: entry,
  };
}
