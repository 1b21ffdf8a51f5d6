// GET /platform/v1/alarms/stream: the feed of alarm events as server-sent events.
import { limits } from "../../base/limits.ts";
import { startAt } from "../../engine/alarms/feed.ts";
import { alarmStream, placeOf } from "../../engine/alarms/stream.ts";
import { event_columns } from "../../model/alarms/shape.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param } from "../../model/data/param.ts";
import type { FeedPlace } from "../../store/alarms/feed.ts";
import { alarm_params, sourceOf } from "./param.ts";
import { streamPieces } from "../frame/answer.ts";
import { invalid } from "../performance/bucket_param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The stream of alarm events. */
export function alarmStreamRoutes(services: Services): readonly Route[] {
  return [
    route({
      name: "alarm_stream",
      method: "GET",
      path: "/platform/v1/alarms/stream",
      summary: "Alarm events as they are stored",
      doc: "The feed of /platform/v1/alarms/events as server-sent events: event is the type of " +
        "the event, data the event, id a cursor. A client that connects again sends the last " +
        "cursor as Last-Event-ID, as browsers do, and misses nothing. A comment every 15 seconds " +
        "shows that the stream is alive. The stream ends when the service stops, when the token " +
        "is revoked, or when the client does not read for 30 seconds. A token has up to " +
        `${limits.events_per_token} streams; more get 429.`,
      scope: "read",
      project: "project_id",
      params,
      answer: { kind: "events", schema: rowSchema(event_columns) },
      handle: (context) => openStream(services, context),
    }),
  ];
}

const params = [
  alarm_params.project_id,
  alarm_params.site,
  {
    name: "last_event_id",
    in: "query",
    kind: "text",
    required: false,
    doc: "Cursor of the last event received, for clients that cannot send the header " +
      "Last-Event-ID. The header has priority.",
  },
  {
    name: "updated_since",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Without a cursor: start with the events stored at or after this time. Without cursor " +
      "and time, the stream starts now.",
  },
] as const satisfies readonly Param[];

async function openStream(
  services: Services,
  context: RouteContext<typeof params>,
): Promise<Response> {
  const { alarm_feed: feed, effects } = services;
  const { values, signal, closing, isAllowed } = context;
  const source = sourceOf(services, values);
  const after = cursorAfter(context) ??
    (values.updated_since === undefined ? feed.now : startAt(values.updated_since));
  const unwanted = new AbortController();
  const pieces = alarmStream({ feed, effects }, {
    source,
    after,
    signal: AbortSignal.any([signal, closing, unwanted.signal]),
    isAllowed,
  });
  return await streamPieces(context, pieces, {
    headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
    onStop: () => unwanted.abort(),
  });
}

/** The place that the request's cursor names, if it has one. */
function cursorAfter(
  { request, values }: RouteContext<typeof params>,
): FeedPlace | undefined {
  const header = request.headers.get("last-event-id");
  const cursor = header || values.last_event_id;
  if (cursor === undefined) return undefined;
  const place = placeOf(cursor);
  if (place) return place;
  throw invalid(header ? "Last-Event-ID" : "last_event_id", "give a cursor as it was received");
}
