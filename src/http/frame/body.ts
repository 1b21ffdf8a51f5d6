// A request's body under its bounds: the bytes that its route takes, within the deadline.
import type { Meter } from "../../base/budget.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { request_limits } from "./limits.ts";
import type { Route, RouteBody } from "./route.ts";

/** Throws a `Fault` (too_large) when the body says to be larger than the route takes. */
export function checkSize(route: Route, request: Request): void {
  const bytes = Number(request.headers.get("content-length") ?? 0);
  const limit_bytes = route.body?.limit_bytes ?? request_limits.unread_body_bytes;
  if (bytes > limit_bytes) throw tooLarge(route.body?.limit_bytes ?? 0);
}

type Bounded = Pick<RouteBody, "limit_bytes" | "streamed" | "deadline_ms">;

/** What a body is read within: time, memory, and until when somebody reads it. */
export type BodyBounds = {
  readonly effects: Pick<Effects, "sleep">;
  readonly meter: Meter;
  readonly ended: AbortSignal;
};

/**
 * The request with its body bounded: reading it throws a `Fault` when it grows too large, when its
 * meter has no room for it, or when it does not arrive whole within its deadline. As it is on a
 * route that takes no body.
 */
export function boundBody(route: Route, request: Request, bounds: BodyBounds): Request {
  if (route.body === undefined || request.body === null) return request;
  const pieces = readBounded(request.body, route.body, bounds);
  const bounded = new Request(request.url, {
    method: request.method,
    headers: request.headers,
    signal: request.signal,
    body: ReadableStream.from(pieces),
  });
  pieces_of.set(bounded, pieces);
  return bounded;
}

/** What bodies of requests are made from, which is read with less ado than the body is. */
const pieces_of = new WeakMap<Request, AsyncGenerator<Uint8Array, void>>();

/** The body's bytes; a client that goes away in the middle leaves a body that broke off. */
export async function* bytesOf(request: Request): AsyncGenerator<Uint8Array, void> {
  try {
    const { body } = request;
    const pieces = body?.locked ? undefined : pieces_of.get(request);
    // Nobody else reads it.
    if (pieces) body!.getReader();
    if (body !== null) yield* pieces ?? body;
  } catch (error) {
    throw brokenOff(error);
  }
}

/** What is said where a body can't be read to its end. */
export function brokenOff(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault("invalid", "the body broke off before its end: nothing of it was stored");
}

/** The pieces of a body under its bounds; throws likewise. */
export async function* readBounded(
  body: ReadableStream<Uint8Array>,
  { limit_bytes, streamed, deadline_ms = request_limits.body_deadline_ms }: Bounded,
  { effects, meter, ended }: BodyBounds,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  const finished = new AbortController();
  const over = AbortSignal.any([finished.signal, ended]);
  let is_over = false;
  // Not a race with each read: a promise that lasts would hold all that were raced with it.
  void effects.sleep(deadline_ms, over).then(() => {
    is_over = true;
    reader.cancel().catch(() => {});
  });
  let bytes = 0;
  try {
    for (;;) {
      const read = await reader.read();
      if (is_over) throw tooSlow(deadline_ms);
      if (read.done) return;
      bytes += read.value.length;
      if (bytes > limit_bytes) throw tooLarge(limit_bytes);
      if (!streamed) meter.take(request_limits.held_whole_factor * read.value.length);
      yield read.value;
    }
  } finally {
    finished.abort();
    reader.cancel().catch(() => {});
  }
}

function tooLarge(limit_bytes: number): Fault {
  return new Fault("too_large", `send a body of at most ${limit_bytes} bytes`);
}

function tooSlow(deadline_ms: number): Fault {
  return new Fault("timeout", `the body did not arrive within ${deadline_ms / 1000} s`);
}
