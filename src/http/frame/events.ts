// Server-sent events: where a client's stream goes on, and the answer that sends them.
import type { Param } from "../../model/data/param.ts";
import { streamPieces } from "./answer.ts";
import { invalid } from "./input.ts";
import type { RouteContext } from "./route.ts";

/** The id of the last event, for who can't send it as a header. */
export const last_event_id_param = {
  name: "last_event_id",
  in: "query",
  kind: "text",
  required: false,
  doc: "id of the last event received, for clients that cannot send the header Last-Event-ID. " +
    "The header has priority.",
} as const satisfies Param;

type EventContext = RouteContext<readonly [typeof last_event_id_param]>;

/** The place after the last event that the request names, if it names one. */
export function placeAfter<Place>(
  { request, values }: Pick<EventContext, "request" | "values">,
  placeOf: (id: string) => Place | undefined,
): Place | undefined {
  const header = request.headers.get("last-event-id");
  const id = header || values.last_event_id;
  if (id === undefined) return undefined;
  const place = placeOf(id);
  if (place !== undefined) return place;
  throw invalid(header ? "Last-Event-ID" : "last_event_id", "give an id as it was received");
}

/** Sends events until the client leaves or the service closes, when `open`'s signal stops them. */
export async function streamEvents(
  context: Omit<EventContext, "values">,
  open: (signal: AbortSignal) => AsyncGenerator<Uint8Array>,
): Promise<Response> {
  const unwanted = new AbortController();
  const pieces = open(AbortSignal.any([context.signal, context.closing, unwanted.signal]));
  return await streamPieces(context, pieces, {
    headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
    onStop: () => unwanted.abort(),
  });
}
