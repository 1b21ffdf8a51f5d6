// A request's body under its bounds: the bytes that its route takes, within the deadline.
import type { Effects } from "../base/effects.ts";
import { Fault } from "../base/fault.ts";
import { limits } from "../base/limits.ts";
import type { Route } from "./route.ts";

/** Throws a `Fault` (too_large) when the body says to be larger than the route takes. */
export function checkSize(route: Route, request: Request): void {
  const bytes = Number(request.headers.get("content-length") ?? 0);
  if (bytes > (route.body?.limit_bytes ?? limits.unread_body_bytes)) throw tooLarge(route);
}

/**
 * The request with its body bounded: reading it throws a `Fault` when it grows too large or does
 * not arrive whole within `limits.body_deadline_ms`. As it is on a route that takes no body.
 */
export function boundBody(
  route: Route,
  request: Request,
  effects: Pick<Effects, "sleep">,
): Request {
  if (route.body === undefined || request.body === null) return request;
  const pieces = readBounded(request.body, route, effects);
  return new Request(request.url, {
    method: request.method,
    headers: request.headers,
    signal: request.signal,
    body: ReadableStream.from(pieces),
  });
}

/** The body's bytes; a client that goes away in the middle leaves a body that broke off. */
export async function* bytesOf(request: Request): AsyncGenerator<Uint8Array, void> {
  try {
    if (request.body !== null) yield* request.body;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("invalid", "the body broke off before its end: nothing of it was stored");
  }
}

async function* readBounded(
  body: ReadableStream<Uint8Array>,
  route: Route,
  effects: Pick<Effects, "sleep">,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  const finished = new AbortController();
  const deadline = effects.sleep(limits.body_deadline_ms, finished.signal).then(() => undefined);
  let bytes = 0;
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), deadline]);
      if (read === undefined) throw tooSlow();
      if (read.done) return;
      bytes += read.value.length;
      if (bytes > route.body!.limit_bytes) throw tooLarge(route);
      yield read.value;
    }
  } finally {
    finished.abort();
    reader.cancel().catch(() => {});
  }
}

function tooLarge(route: Route): Fault {
  const limit = route.body?.limit_bytes ?? 0;
  return new Fault("too_large", `send a body of at most ${limit} bytes`);
}

function tooSlow(): Fault {
  const seconds = limits.body_deadline_ms / 1000;
  return new Fault("timeout", `the body did not arrive within ${seconds} s`);
}
