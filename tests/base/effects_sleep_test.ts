// Sleeps of many at once: how many timers they take, and that none is left.
import { deepEqual, equal, ok } from "node:assert/strict";
import { sleep } from "../../src/base/effects_sleep.ts";

/** What `work` sets, as the waits of its timers; they go on as they do. */
function timersOf(work: () => void): readonly number[] {
  const { setTimeout } = globalThis;
  const waits: number[] = [];
  const watched = (call: () => void, wait_ms?: number) => {
    waits.push(wait_ms ?? 0);
    return setTimeout(call, wait_ms);
  };
  globalThis.setTimeout = watched as typeof setTimeout;
  try {
    work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  return waits;
}

const hour_ms = 3_600_000;

Deno.test("sleeps that end at about one instant share a timer that is not too early", async () => {
  const stop = new AbortController();
  const sleeping: Promise<void>[] = [];
  const from_ms = performance.now();
  const waits = timersOf(() => {
    // As many that asked for one instant, however long it takes to ask.
    for (let i = 0; i < 200; i++) {
      sleeping.push(sleep(from_ms + hour_ms - performance.now(), stop.signal));
    }
  });
  ok(waits.length <= 2, `${waits.length} timers`);
  ok(waits.every((wait_ms) => performance.now() + wait_ms >= from_ms + hour_ms));
  stop.abort();
  await Promise.all(sleeping);
});

Deno.test("one who is woken leaves the others of a timer asleep, until theirs aborts", async () => {
  const [one, both] = [new AbortController(), new AbortController()];
  const woken: string[] = [];
  const timers = timersOf(() => {
    const asleep = (name: string, ...signals: AbortSignal[]) =>
      void sleep(hour_ms, ...signals).then(() => woken.push(name));
    asleep("a", one.signal, both.signal);
    asleep("b", both.signal);
  });
  ok(timers.length <= 2);
  one.abort();
  await Promise.resolve();
  await Promise.resolve();
  deepEqual(woken, ["a"]);
  both.abort();
  await Promise.resolve();
  await Promise.resolve();
  deepEqual(woken, ["a", "b"]);
});

Deno.test("a short sleep has a timer of its own, and an ended signal none", async () => {
  let sleeping: Promise<unknown> | undefined;
  deepEqual(timersOf(() => sleeping = Promise.all([sleep(1), sleep(1)])), [1, 1]);
  await sleeping;
  equal(timersOf(() => sleeping = sleep(hour_ms, AbortSignal.abort())).length, 0);
  await sleeping;
});
