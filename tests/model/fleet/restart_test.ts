// Pauses between the starts of a shard's process that ends at once.
import { deepEqual, equal } from "node:assert/strict";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import { failedOnceMore, type Failing, isStuck } from "../../../src/model/fleet/restart.ts";

const { restart_ms, restart_most_ms, steady_ms, stuck_ms } = fleet_limits;

Deno.test("what ends at once waits longer each time, then another node has its turn", () => {
  let failing: Failing | undefined;
  let now_ms = 0;
  const pauses: number[] = [];
  const starts: number[] = [];
  while (failing === undefined || !isStuck(failing, now_ms)) {
    failing = failedOnceMore(failing, { now_ms, begun_ms: now_ms, up_ms: undefined });
    pauses.push((failing.again_ms - now_ms) / restart_ms);
    starts.push(now_ms);
    now_ms = failing.again_ms;
  }
  deepEqual(pauses.slice(0, 5), [1, 2, 4, 8, 16]);
  equal(starts.length, 5, `within ${stuck_ms} ms`);
  for (let i = 0; i < 2_000; i++) {
    failing = failedOnceMore(failing, { now_ms, begun_ms: now_ms, up_ms: now_ms });
  }
  equal(failing.again_ms, now_ms + restart_most_ms);
});

Deno.test("what answered for long is started again at once, however it ended before", () => {
  const before = { count: 9, since_ms: 0, again_ms: 0 };
  const now_ms = 100 * steady_ms;
  const first = failedOnceMore(before, { now_ms, begun_ms: 0, up_ms: now_ms - steady_ms });
  deepEqual(first, { count: 0, since_ms: now_ms, again_ms: now_ms });
  const second = failedOnceMore(first, { now_ms, begun_ms: now_ms, up_ms: now_ms - 1 });
  equal(second.again_ms, now_ms + restart_ms);
});

Deno.test("what took long and never answered is another node's at once", () => {
  const failing = failedOnceMore(undefined, { now_ms: stuck_ms, begun_ms: 0, up_ms: undefined });
  equal(isStuck(failing, stuck_ms), true);
});
