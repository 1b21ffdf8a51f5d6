// The feed of alarm events: by pages that are resumed, and as server-sent events.
import type { Flaw } from "../../base/fault.ts";
import { request_limits } from "../frame/limits.ts";
import { startAt } from "../../engine/alarms/feed.ts";
import { alarmStream, placeOfCursor } from "../../engine/alarms/feed.ts";
import { refOf } from "../../model/alarms/alarm.ts";
import { event_columns } from "../../model/alarms/shape.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param } from "../../model/data/param.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { afterOf, needs, nextLink, site_param, skip_doc, sourceOf } from "./param.ts";
import { streamJson } from "../frame/answer.ts";
import { last_event_id_param, placeAfter, streamEvents } from "../frame/events.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The feed of alarm events, by pages and as a stream. */
export function alarmFeedRoutes(services: Services): readonly Route[] {
  const common = { method: "GET", scope: "read", project: "project_id" } as const;
  return [
    route({
      ...common,
      name: "alarm_events",
      path: "/platform/v1/alarms/events",
      summary: "Feed of alarm events",
      doc: "The events of a project's alarms in the order in which they were stored: by " +
        "synced_at, then svc_occurrence_ref, then event_id. To resume, set updated_since, after " +
        "and after_event_id to the last row's synced_at, svc_occurrence_ref and event_id, or " +
        "follow the Link of a full page. A page with fewer than limit rows is the last one. " +
        "/platform/v1/alarms/stream sends new events as they are stored.",
      params: feed_params,
      answer: {
        kind: "json",
        streamed: true,
        schema: { type: "array", items: rowSchema(event_columns) },
      },
      handle: (context) => readFeed(services, context),
    }),
    route({
      ...common,
      name: "alarm_stream",
      path: "/platform/v1/alarms/stream",
      summary: "Alarm events as they are stored",
      doc: "The feed of /platform/v1/alarms/events as server-sent events: event is the type of " +
        "the event, data the event, id a cursor. A client that connects again sends the last " +
        "cursor as Last-Event-ID, as browsers do, and misses nothing. A comment every 15 seconds " +
        "shows that the stream is alive. The stream ends when the service stops, when the token " +
        "is revoked, or when the client does not read for 30 seconds. A token has up to " +
        `${request_limits.events_per_token} streams; more get 429.`,
      params: stream_params,
      answer: { kind: "events", schema: rowSchema(event_columns) },
      handle: (context) => openStream(services, context),
    }),
  ];
}

const feed_params = [
  project_param,
  site_param,
  {
    name: "updated_since",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Replay watermark: events stored at or after this time, by synced_at.",
  },
  {
    name: "after",
    in: "query",
    kind: "text",
    required: false,
    doc: "svc_occurrence_ref of the last event received. Requires updated_since and " +
      "after_event_id.",
  },
  {
    name: "after_event_id",
    in: "query",
    kind: "text",
    required: false,
    doc: "event_id of the last event received. Requires updated_since and after.",
  },
  ...pageParams("Events", { skip: skip_doc }),
] as const satisfies readonly Param[];

const stream_params = [
  project_param,
  site_param,
  last_event_id_param,
  {
    name: "updated_since",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Without a cursor: start with the events stored at or after this time. Without cursor " +
      "and time, the stream starts now.",
  },
] as const satisfies readonly Param[];

async function readFeed(
  services: Services,
  context: RouteContext<typeof feed_params>,
): Promise<Response> {
  const { values } = context;
  const source = sourceOf(services, values);
  const { updated_since = 0, after_event_id, limit, offset } = values;
  const after_no = afterOf(values.after, [...missing(values)]);
  const after = after_no === undefined || after_event_id === undefined
    ? startAt(updated_since)
    : { synced_at: updated_since, occurrence_no: after_no, event_id: after_event_id };
  const { pieces, next } = await services.alarm_pages.read(source, { after, limit, offset });
  const link = next && nextLink(context.request, {
    updated_since: instantText(next.synced_at),
    after: refOf(next.occurrence_no),
    after_event_id: next.event_id,
  });
  return await streamJson(context, pieces, link);
}

/** The three words of a watermark that are not there beside those that are. */
function* missing(
  { updated_since, after, after_event_id }: {
    readonly updated_since: number | undefined;
    readonly after: string | undefined;
    readonly after_event_id: string | undefined;
  },
): Generator<Flaw> {
  const given = after === undefined ? "after_event_id" : "after";
  if (after === undefined && after_event_id === undefined) return;
  if (updated_since === undefined) yield needs("updated_since", { given, column: "synced_at" });
  if (after === undefined) yield needs("after", { given, column: "svc_occurrence_ref" });
  if (after_event_id === undefined) yield needs("after_event_id", { given, column: "event_id" });
}

async function openStream(
  services: Services,
  context: RouteContext<typeof stream_params>,
): Promise<Response> {
  const { alarm_feed: feed, effects } = services;
  const { values, isAllowed } = context;
  const source = sourceOf(services, values);
  const after = placeAfter(context, placeOfCursor) ??
    (values.updated_since === undefined ? feed.now : startAt(values.updated_since));
  return await streamEvents(
    context,
    (signal) => alarmStream({ feed, effects }, { source, after, signal, isAllowed }),
  );
}
