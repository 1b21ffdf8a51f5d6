// Memory is given back in quiet moments and now and then under load, once after each growth.
import { deepEqual } from "node:assert/strict";
import { restLoop } from "../../../src/engine/service/maintenance.ts";
import { service_limits } from "../../../src/engine/service/limits.ts";
import { fakeEffects } from "../../help/effects.ts";
import { aTurn } from "../../help/until.ts";

const { rest_look_ms, quiet_cpu_ms, kept_mb, busy_rest_ms } = service_limits;

Deno.test("memory is given back: all in quiet moments, some under load", async () => {
  const { effects, clock } = fakeEffects();
  const seen = { cpu_ms: 900, memory_mb: 200, committed_us: 0 };
  const done: string[] = [];
  const loop = restLoop({
    effects,
    database: {
      get committed_us() {
        return seen.committed_us;
      },
      dropCache: () => Promise.resolve(void done.push("cache")),
    },
    forget: () => void done.push("answers"),
    maintenance: { settle: () => Promise.resolve(void done.push("checkpoint")) },
    process: {
      cpu_ms: () => seen.cpu_ms,
      memory_mb: () => seen.memory_mb,
      collectGarbage: ({ and_shrinks }) =>
        void done.push(and_shrinks ? "garbage and room" : "garbage"),
      trim() {
        done.push("heap");
        seen.memory_mb = 100;
      },
    },
  });
  const stop = new AbortController();
  const ended = loop.run(stop.signal);
  const look = async (cpu_ms: number, memory_mb: number, passed_ms: number = rest_look_ms) => {
    seen.cpu_ms += cpu_ms;
    seen.memory_mb += memory_mb;
    clock.advance(passed_ms);
    for (let i = 0; i < 20; i++) await aTurn();
    return done.splice(0);
  };
  const all = ["answers", "garbage and room", "checkpoint", "cache", "heap"];
  deepEqual(await look(quiet_cpu_ms + 1, 0), [], "it works");
  deepEqual(await look(quiet_cpu_ms, 0), all, "it is quiet");
  deepEqual(await look(0, kept_mb), [], "it has hardly grown");
  deepEqual(await look(0, 1), all, "it has grown");
  deepEqual(await look(0, 0), [], "there is nothing new");
  const busy = quiet_cpu_ms + 1;
  deepEqual(await look(busy, kept_mb + 1), [], "it works, and has just given back");
  deepEqual(await look(busy, 0, busy_rest_ms), ["garbage", "heap"], "caches stay under load");
  deepEqual(await look(busy, kept_mb + 1), [], "not so soon again");
  seen.memory_mb = 500;
  deepEqual(await look(busy, 0, busy_rest_ms), ["garbage", "heap"], "and much is left");
  deepEqual(await look(0, kept_mb + 1), all, "that it was busy does not count when it is quiet");
  seen.committed_us++;
  deepEqual(
    await look(0, kept_mb + 1),
    all.filter((it) => it !== "checkpoint"),
    "nobody who stores something waits for a checkpoint",
  );
  deepEqual(await look(0, kept_mb + 1), all, "nothing is stored any more");
  stop.abort();
  await ended;
});
