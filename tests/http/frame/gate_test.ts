// Tests how much runs at once: shares of a token and of all, the queue, events beside downloads.
import { deepEqual, equal, match } from "node:assert/strict";
import { limits } from "../../../src/base/limits.ts";
import { request_limits } from "../../../src/http/frame/limits.ts";
import type { Route } from "../../../src/http/frame/route.ts";
import { openFrame, testRoute } from "../../help/frame.ts";

const short = "/test?project_id=project-1";
const long = "/long?project_id=project-1";
const events = "/events?project_id=project-1";

/** A frame whose routes answer when `finish` says so, and tokens beside the administrator's. */
async function openHeld() {
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  const handle = async () => {
    await promise;
    return new Response("done");
  };
  const routeOf = (name: string, answer: Route["answer"]) =>
    testRoute({ name, path: `/${name}`, answer, handle });
  const frame = await openFrame(() => [
    routeOf("test", { kind: "json", schema: {} }),
    routeOf("long", { kind: "stream", row: "Row", columns: [] }),
    routeOf("list", { kind: "json", streamed: true, schema: {} }),
    routeOf("events", { kind: "events", schema: {} }),
  ]);
  const tokens: string[] = [];
  for (let i = 0; i < 20; i++) tokens.push(await frame.token({}));
  const get = (path: string, token: string) =>
    frame.fetch(path, { headers: { authorization: `Bearer ${token}` } });
  return {
    ...frame,
    tokens,
    finish,
    get,
    /** So many calls of a token; each gives its status. */
    many: (count: number, path: string, token: string) =>
      Array.from({ length: count }, () => get(path, token).then(statusOf)),
  };
}

async function statusOf(answer: Response): Promise<number> {
  await answer.body?.cancel();
  return answer.status;
}

/** How many there are of each status. */
function countOf(statuses: readonly number[]): Readonly<Record<number, number>> {
  const groups = Map.groupBy(statuses, (status) => status);
  return Object.fromEntries([...groups].map(([status, all]) => [status, all.length]));
}

Deno.test("what is over a token's share waits, then gets 429 with Retry-After", async () => {
  const { get, many, tokens: [token, other], clock, finish, fetch, close } = await openHeld();
  const { requests_per_token, queued_per_token } = request_limits;
  const calls = many(requests_per_token + queued_per_token, short, token);
  const refused = await get(short, token);
  equal(refused.status, 429);
  equal(refused.headers.get("retry-after"), String(limits.retry_after_s));
  match((await refused.json()).detail, /this token/);
  equal((await fetch("/healthz")).status, 200);
  const beside = many(1, short, other);
  clock.advance(request_limits.queue_wait_ms);
  finish();
  deepEqual(countOf(await Promise.all(calls)), {
    200: requests_per_token,
    429: queued_per_token,
  });
  deepEqual(await Promise.all(beside), [200]);
  equal(await get(short, token).then(statusOf), 200);
  const metrics = await (await fetch("/metrics")).text();
  match(metrics, new RegExp(`refused_requests\\{of="request_token"\\} ${queued_per_token + 1}\n`));
  match(metrics, /refused_requests\{of="request_service"\} 0\n/);
  await close();
});

Deno.test("what finds the service full waits, then gets 503 with Retry-After", async () => {
  const { get, many, tokens, clock, finish, fetch, close } = await openHeld();
  const { streams_in_flight, streams_per_token } = request_limits;
  const full = streams_in_flight / streams_per_token;
  const running = tokens.slice(0, full).flatMap((token) => many(streams_per_token, long, token));
  const waiting = many(3, long, tokens[full]);
  const over_share = many(2, long, tokens[0]);
  clock.advance(request_limits.queue_wait_ms);
  deepEqual(await Promise.all(waiting), [503, 503, 503]);
  deepEqual(await Promise.all(over_share), [429, 429]);
  const late = get(long, tokens[full]);
  clock.advance(request_limits.queue_wait_ms);
  equal((await late).headers.get("retry-after"), String(limits.retry_after_s));
  finish();
  deepEqual(countOf(await Promise.all(running)), { 200: streams_in_flight });
  const metrics = await (await fetch("/metrics")).text();
  match(metrics, /refused_requests\{of="stream_service"\} 4\n/);
  match(metrics, /refused_requests\{of="stream_token"\} 2\n/);
  await close();
});

Deno.test("a token that waits leaves room in the queue for others", async () => {
  const { many, tokens, clock, finish, close } = await openHeld();
  const { streams_in_flight, streams_per_token, queued, queued_per_token } = request_limits;
  const full = streams_in_flight / streams_per_token;
  const running = tokens.slice(0, full).flatMap((token) => many(streams_per_token, long, token));
  const greedy = many(queued + 1, long, tokens[full]);
  const modest = many(1, long, tokens[full + 1]);
  finish();
  deepEqual(countOf(await Promise.all(greedy)), {
    200: queued_per_token,
    503: queued + 1 - queued_per_token,
  });
  deepEqual(await Promise.all(modest), [200]);
  await Promise.all(running);
  clock.advance(request_limits.queue_wait_ms);
  await close();
});

Deno.test("a waiting request runs when a slot comes free", async () => {
  const { many, tokens: [token], finish, close } = await openHeld();
  const calls = many(request_limits.requests_per_token + 10, short, token);
  finish();
  deepEqual(countOf(await Promise.all(calls)), { 200: request_limits.requests_per_token + 10 });
  await close();
});

Deno.test("streams of events have shares of their own, and nobody waits for one", async () => {
  const { get, many, tokens, finish, fetch, close } = await openHeld();
  const { events_in_flight, events_per_token, streams_per_token } = request_limits;
  const full = events_in_flight / events_per_token;
  const [first] = tokens;
  const open = many(events_per_token, events, first);
  const own = await get(events, first);
  equal(own.status, 429);
  equal(own.headers.get("retry-after"), String(limits.retry_after_s));
  for (const token of tokens.slice(1, full)) open.push(...many(events_per_token, events, token));
  const late = await get(events, tokens[full]);
  equal(late.status, 503);
  equal(late.headers.get("retry-after"), String(limits.retry_after_s));
  const metrics = await (await fetch("/metrics")).text();
  match(metrics, new RegExp(`in_flight\\{of="events"\\} ${events_in_flight}\n`));
  match(metrics, /in_flight\{of="stream"\} 0\n/);
  const downloads = many(streams_per_token, long, first);
  finish();
  deepEqual(countOf(await Promise.all(downloads)), { 200: streams_per_token });
  deepEqual(countOf(await Promise.all(open)), { 200: events_in_flight });
  await close();
});

Deno.test("a list that is streamed is a download", async () => {
  const { many, tokens: [token], finish, fetch, turn, close } = await openHeld();
  const calls = many(3, "/list?project_id=project-1", token);
  await turn();
  match(await (await fetch("/metrics")).text(), /in_flight\{of="stream"\} 3\n/);
  finish();
  deepEqual(await Promise.all(calls), [200, 200, 200]);
  await close();
});
