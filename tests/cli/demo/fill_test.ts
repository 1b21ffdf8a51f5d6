// The demo's history while it is made: its route tells how far that is, from 0 until all is done.
import assert from "node:assert/strict";
import { fillDemo } from "../../../src/cli/demo/fill.ts";
import { Demo } from "../../../src/engine/demo/demo.ts";
import { fill_jobs } from "../../../src/engine/service/fill.ts";
import { newestSample } from "../../../src/store/samples/sample.ts";
import { testService } from "../../help/service.ts";

const path = "/platform/v1/demo";
const at = "2026-06-01T18:00:00Z";
const story = { seed: 1, from_us: Date.parse("2026-06-01T12:00:00Z") * 1000 };

type State = { readonly job: string | null; readonly percent: number; readonly left: number };

Deno.test("demo: its route tells how far its history is, from 0 until done", async () => {
  const service = await testService({ at });
  const { services, fetch, close } = service;
  assert.equal((await fetch(path)).status, 404);
  services.fill.show("simulate", { done: 0, left: 6 });
  assert.equal((await service.ask(path)).status, 401);
  const look = async (): Promise<State> => (await fetch(path)).json();
  const seen = [await look()];
  const demo = await Demo.open(services, story);
  const { signal } = new AbortController();
  let is_over = false;
  const filled = fillDemo(demo, { parts: services, effects: services.effects, signal })
    .finally(() => is_over = true);
  while (!is_over) {
    seen.push(await look());
    // The database's turn: a request that needs none of it leaves it no time.
    await services.database.read(newestSample);
  }
  await filled;
  seen.push(await look());
  assert.deepEqual(seen[0], { job: "simulate", percent: 0, left: 6 });
  assert.deepEqual(seen.at(-1), { job: null, percent: 100, left: 0 });
  const order = [...Object.keys(fill_jobs), null];
  for (let i = 1; i < seen.length; i++) {
    assert(seen[i].percent >= seen[i - 1].percent);
    assert(order.indexOf(seen[i].job) >= order.indexOf(seen[i - 1].job));
  }
  assert(seen.some(({ job, percent }) => job === "roll_up" && percent >= fill_jobs.simulate));
  await close();
});

Deno.test("demo: its history ends early where told to, and goes on next time", async () => {
  const { services, fetch, close } = await testService({ at });
  const demo = await Demo.open(services, { ...story, from_us: story.from_us - 2 * 86_400e6 });
  const filling = { parts: services, effects: services.effects };
  await fillDemo(demo, { ...filling, signal: AbortSignal.abort() });
  const early: State = await (await fetch(path)).json();
  assert(early.job === "simulate" && early.left > 0, JSON.stringify(early));
  await fillDemo(demo, { ...filling, signal: new AbortController().signal });
  assert.equal((await (await fetch(path)).json()).job, null);
  await close();
});

Deno.test("demo: turns of the roll-up wait until its last day is rolled up", async () => {
  const { services, close } = await testService({ at });
  const { loop, state } = services.roll;
  const before = loop.goesAfter;
  const demo = await Demo.open(services, { ...story, from_us: story.from_us - 2 * 86_400e6 });
  const { signal } = new AbortController();
  const filled = fillDemo(demo, { parts: services, effects: services.effects, signal });
  assert.notEqual(loop.goesAfter, before);
  const turn = loop.goesAfter!(signal).then(() => services.roll.state.rolled_to_us);
  await filled;
  assert.equal(loop.goesAfter, before);
  assert(await turn > state.rolled_to_us, "what waited went on once that day was rolled up");
  await close();
});
