// The newest values of tags: read from memory, and as server-sent events with alarms and work.
import * as z from "zod";
import {
  type LatestFilter,
  LatestReader,
  signalStream,
  streamPlaceOf,
} from "../../engine/signals/latest.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import { measure_names } from "../../model/plant/measure.ts";
import { sendJson } from "../frame/answer.ts";
import { projectOf } from "../frame/auth.ts";
import { last_event_id_param, placeAfter, streamEvents } from "../frame/events.ts";
import { request_limits } from "../frame/limits.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { unknown_header, unknownTags } from "./signal.ts";

/** The newest value of each tag, once and as it changes. */
export function latestRoutes(services: Services): readonly Route[] {
  const { catalog, effects, ingest: { latest } } = services;
  const parts = { ...services, latest, reader: new LatestReader({ catalog, effects, latest }) };
  const common = { method: "GET", scope: "read", project: "project_id" } as const;
  return [
    route({
      ...common,
      name: "signals_latest",
      path: "/platform/v1/signals/latest",
      summary: "Newest value of each tag",
      doc: "The newest sample of each tag of a project by its own time, ordered by tag: a late " +
        "sample never replaces a newer one. A tag that several sensors read has a row for each. " +
        "Values are in the unit of the measure where a sensor reads the tag, else as sent. After " +
        "a start, tags without a sample in the last day before the newest sample of all have no " +
        `row until the next one comes. The header ${unknown_header} names tags of the request ` +
        "that do not exist, as in /platform/v1/signals.",
      params: filter_params,
      answer: { kind: "json", streamed: true, schema: () => z.toJSONSchema(latest_schema) },
      handle: async (context) => {
        const filter = filterOf(services, context.values);
        const { project, sensor_tags: tags } = filter;
        const headers = unknownTags(services, { project, tags });
        return await sendJson(context, await parts.reader.document(filter), headers);
      },
    }),
    route({
      ...common,
      name: "signals_stream",
      path: "/platform/v1/signals/stream",
      summary: "Newest values, alarms and work as they come",
      doc: "Server-sent events for one connection that has everything. values: a JSON array of " +
        "rows as in /platform/v1/signals/latest, all of them first, then those that changed, " +
        "once a second at most; who reads slowly gets the newest. With include=alarms, alarm: an " +
        "event as in /platform/v1/alarms/events. With include=work, work: an object of type " +
        "(such as issue.updated) and data, as webhooks have them. reset: events of what it names " +
        "in `of` were missed: read it again. A client that connects again sends the last id as " +
        "Last-Event-ID, as browsers do, and misses no alarm. Heartbeats, ends and the limit of " +
        `${request_limits.events_per_token} streams a token are as in /platform/v1/alarms/stream.`,
      params: stream_params,
      answer: { kind: "events", schema: () => z.toJSONSchema(z.array(row_schema)) },
      handle: (context) => openStream(parts, context),
    }),
  ];
}

function manyOf<const N extends string>(name: N, doc: string) {
  return { name, in: "query", kind: "text", required: false, repeated: true, doc } as const;
}

const filter_params = [
  project_param,
  manyOf("sensor_tag", "Only these tags."),
  manyOf("hierarchy_id", "Only tags that these sensors read."),
  {
    ...manyOf("component_measure", "Only tags that sensors of these measures read."),
    values: measure_names,
  },
] as const satisfies readonly Param[];

const stream_params = [
  ...filter_params,
  {
    ...manyOf("include", "alarms: also events of alarms. work: also of issues and work orders."),
    values: ["alarms", "work"],
  },
  last_event_id_param,
] as const satisfies readonly Param[];

const row_schema = z.strictObject({
  sensor_tag: z.string(),
  hierarchy_id: z.string().nullable().describe("Null where no sensor reads the tag."),
  component_measure: z.string().nullable(),
  unit: z.string().nullable(),
  ts: z.string().describe("Sample time, UTC."),
  value: z.union([z.number(), z.string()]).nullable().describe("Null when quality is bad."),
  quality: z.string().nullable().describe("good, uncertain or bad; null if the source has none."),
  received_at: z.string().describe("When the service stored it, UTC."),
  age_s: z.number().describe("Seconds from ts to the answer."),
}).meta({ title: "LatestValue" });

const latest_schema = z.strictObject({ values: z.array(row_schema) });

function filterOf(
  services: Services,
  values: ParamValues<typeof filter_params>,
): LatestFilter {
  return {
    project: projectOf(services, values.project_id),
    sensor_tags: values.sensor_tag,
    hierarchy_ids: values.hierarchy_id,
    measures: values.component_measure,
  };
}

async function openStream(
  parts: Services & Parameters<typeof signalStream>[0],
  context: RouteContext<typeof stream_params>,
): Promise<Response> {
  const { values, isAllowed } = context;
  const after = placeAfter(context, streamPlaceOf);
  return await streamEvents(context, (signal) =>
    signalStream(parts, {
      filter: filterOf(parts, values),
      with_alarms: values.include.includes("alarms"),
      with_work: values.include.includes("work"),
      after,
      signal,
      isAllowed,
    }));
}
