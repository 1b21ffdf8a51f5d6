// The deadline of a body: its own where a route has one, and never a body that looks whole.
import { equal, match, rejects } from "node:assert/strict";
import { unmetered } from "../../../src/base/budget.ts";
import { Fault } from "../../../src/base/fault.ts";
import { boundBody, bytesOf } from "../../../src/http/frame/body.ts";
import { request_limits } from "../../../src/http/frame/limits.ts";
import { type Route, route } from "../../../src/http/frame/route.ts";
import { fakeEffects } from "../../help/effects.ts";

function routeWith(deadline_ms: number | undefined): Route {
  return route({
    ...{ name: "a", method: "POST", path: "/a", summary: "", doc: "", scope: null, project: null },
    params: [],
    body: { media_types: [], limit_bytes: 100, doc: "", deadline_ms },
    answer: { kind: "nothing" },
    handle: () => new Response(),
  });
}

/** A body of one piece that never ends, as its reader gets it. */
function open(deadline_ms: number | undefined) {
  const { effects, clock } = fakeEffects();
  const ended = new AbortController();
  const body = new ReadableStream({ start: (to) => to.enqueue(Uint8Array.of(1, 2, 3)) });
  const request = new Request("http://localhost/a", { method: "POST", body });
  const bounds = { effects, meter: unmetered, ended: ended.signal };
  const pieces = bytesOf(boundBody(routeWith(deadline_ms), request, bounds));
  return { clock, ended, pieces };
}

for (const own_ms of [undefined, 3_600_000]) {
  Deno.test(`a body that stalls ends at its deadline, ${own_ms ?? "the usual one"}`, async () => {
    const deadline_ms = own_ms ?? request_limits.body_deadline_ms;
    const { clock, pieces } = open(own_ms);
    equal((await pieces.next()).value?.length, 3);
    let is_over = false;
    const next = pieces.next().finally(() => is_over = true);
    next.catch(() => {});
    clock.advance(deadline_ms - 1);
    await Promise.resolve();
    equal(is_over, false);
    clock.advance(1);
    await rejects(next, (error: Fault) => {
      equal(error.code, "timeout");
      match(error.message, new RegExp(`within ${deadline_ms / 1000} s`));
      return true;
    });
  });
}

Deno.test("a body that nobody waits for any more fails, and does not end", async () => {
  const { ended, pieces } = open(undefined);
  await pieces.next();
  const next = pieces.next();
  ended.abort();
  await rejects(next, Fault);
});

Deno.test("a bounded body is read once, by piece or whole, and let go of halfway", async () => {
  const sent = () => {
    const state = { is_cancelled: false };
    const body = new ReadableStream({
      pull: (to) => to.enqueue(Uint8Array.of(1, 2, 3)),
      cancel: () => void (state.is_cancelled = true),
    });
    const request = new Request("http://localhost/a", { method: "POST", body });
    const { effects } = fakeEffects();
    const bounds = { effects, meter: unmetered, ended: new AbortController().signal };
    return { state, bounded: boundBody(routeWith(undefined), request, bounds) };
  };
  const { state, bounded } = sent();
  for await (const piece of bytesOf(bounded)) {
    equal(piece.length, 3);
    break;
  }
  equal(state.is_cancelled, true);
  await rejects(Array.fromAsync(bytesOf(bounded)), Fault);
  await rejects(sent().bounded.text(), { code: "too_large" });
  await rejects(Array.fromAsync(bytesOf(sent().bounded)), { code: "too_large" });
});
