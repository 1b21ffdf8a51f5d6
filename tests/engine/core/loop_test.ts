// A background loop: what wakes it, what it does about failures, and how it ends.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { openLog } from "../../../src/engine/core/log.ts";
import { Loop, type LoopOptions } from "../../../src/engine/core/loop.ts";
import { fakeEffects } from "../../help/effects.ts";

/** A loop that runs, and what happened to it; `turn` gets the number of the turn, from 1. */
function started(
  turn: (no: number, signal: AbortSignal) => number | Promise<number>,
  more: Partial<LoopOptions> = {},
) {
  const { effects, clock, printed } = fakeEffects();
  openLog({ log_level: "info", log_format: "pretty" }, effects);
  const sleeps: number[] = [];
  const sleep = (wait_ms: number, ...signals: AbortSignal[]) => {
    sleeps.push(wait_ms);
    return effects.sleep(wait_ms, ...signals);
  };
  let turns = 0;
  const loop = new Loop({
    name: "testing",
    effects: { sleep },
    retry_ms: 5_000,
    turn: async (signal) => await turn(++turns, signal),
    ...more,
  });
  const stop = new AbortController();
  const running = loop.run(stop.signal);
  return {
    loop,
    sleeps,
    running,
    turns: () => turns,
    stop: () => stop.abort(),
    logged: () => printed.err.replaceAll(/^\S+ +/gm, "").trim().split("\n").filter((it) => it),
    async advance(by_ms: number) {
      clock.advance(by_ms);
      await settled();
    },
    async end() {
      stop.abort();
      await running;
    },
  };
}

/** Lets everything that waits for nothing but its turn have it. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

Deno.test("a loop looks again when the time is up that its turn said", async () => {
  const it = started((no) => no * 1000);
  await settled();
  await it.advance(999);
  equal(it.turns(), 1);
  await it.advance(1);
  await it.advance(2_000);
  equal(it.turns(), 3);
  deepEqual(it.sleeps, [1000, 2000, 3000]);
  await it.end();
});

Deno.test("a loop that is woken asleep looks at once, one that nothing wakes never", async () => {
  const it = started(() => Infinity);
  await it.advance(86_400_000);
  deepEqual([it.turns(), it.sleeps], [1, []]);
  it.loop.wake();
  it.loop.wake();
  await settled();
  equal(it.turns(), 2);
  await it.end();
});

Deno.test("a loop that is woken before it waits or during a turn looks once more", async () => {
  const during = Promise.withResolvers<number>();
  const it = started((no) => no === 2 ? during.promise : Infinity);
  it.loop.wake();
  await settled();
  equal(it.turns(), 2);
  it.loop.wake();
  it.loop.wake();
  during.resolve(Infinity);
  await settled();
  equal(it.turns(), 3);
  await it.end();
});

Deno.test("a loop waits before its first turn and gathers when it wakes, if it is to", async () => {
  const it = started((no) => no === 1 ? 0 : Infinity, { first_ms: 300, gather_ms: 50 });
  await it.advance(299);
  equal(it.turns(), 0);
  await it.advance(1);
  equal(it.turns(), 2, "where more is due at once it gathers nothing");
  it.loop.wake();
  await settled();
  await it.advance(49);
  equal(it.turns(), 2);
  await it.advance(1);
  equal(it.turns(), 3);
  await it.end();
});

Deno.test("a turn that fails is tried again and logged, but not every time", async () => {
  const it = started((no) => {
    if (no <= 11) throw new Error(`no room for ${no}`);
    return Infinity;
  });
  await settled();
  it.loop.wake();
  await it.advance(4_999);
  deepEqual([it.turns(), it.loop.failures], [1, 1]);
  for (let failures = 2; failures <= 11; failures++) {
    await it.advance(5_000);
    equal(it.loop.failures, failures);
  }
  await it.advance(5_000);
  equal(it.loop.failures, 0);
  deepEqual(it.logged().filter((line) => /testing/.test(line) && !/^at /.test(line)), [
    "error   testing failed (1 in a row) and is tried again: no room for 1",
    "error   testing failed (10 in a row) and is tried again: no room for 10",
    "info    testing works again",
  ]);
  await it.end();
});

Deno.test("what fails again after it worked is logged again", async () => {
  const it = started((no) => {
    if (no % 2 === 1) throw new Error("no room");
    return 1000;
  });
  await settled();
  await it.advance(5_000);
  await it.advance(1_000);
  equal(it.loop.failures, 1);
  equal(it.logged().filter((line) => line.includes("no room") && /^error/.test(line)).length, 2);
  await it.end();
});

Deno.test("a loop ends at once asleep, after a failure, and before it begins", async () => {
  const failing = () => {
    throw new Error("no room");
  };
  for (const turn of [() => Infinity, () => 60_000, failing]) {
    const it = started(turn);
    await settled();
    await it.end();
    equal(it.turns(), 1);
  }
  const waiting = started(() => 0, { first_ms: 1000 });
  await waiting.end();
  equal(waiting.turns(), 0);
  await waiting.loop.run(AbortSignal.abort());
  equal(waiting.turns(), 0);
});

Deno.test("the end of a loop waits for the running turn, which is told of it", async () => {
  const during = Promise.withResolvers<number>();
  let told: AbortSignal | undefined;
  const it = started((_, signal) => {
    told = signal;
    return during.promise;
  });
  await settled();
  it.stop();
  let has_ended = false;
  it.running.then(() => has_ended = true);
  await settled();
  deepEqual([told!.aborted, has_ended], [true, false]);
  during.resolve(0);
  await it.running;
  equal(it.turns(), 1);
});

Deno.test("a loop that can't even sleep says that it has ended", async () => {
  const sleep = () => Promise.reject(new Error("no clock"));
  const it = started(() => 1000, { effects: { sleep } });
  await rejects(it.running, /no clock/);
  equal(it.loop.failures, 1);
  deepEqual(it.logged().filter((line) => /^error/.test(line)), [
    "error   testing has ended: no clock",
  ]);
});
