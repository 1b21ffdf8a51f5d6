// The demo's live part over HTTP: it goes on where the history ends, also after a restart.
import assert from "node:assert/strict";
import { Demo } from "../../../src/engine/demo/demo.ts";
import { rule_names } from "../../../src/engine/demo/rule.ts";
import type { DemoStory } from "../../../src/engine/demo/story.ts";
import { DemoStream } from "../../../src/engine/demo/stream.ts";
import { testService } from "../../help/service.ts";

const minute_us = 60_000_000;
const begin_us = Date.parse("2026-06-01T15:00:00Z") * 1000;
const story: DemoStory = { seed: 1, from_us: begin_us - 120 * minute_us };

/** Goes on from what is stored to the present second. */
async function liveOnce(demo: Demo): Promise<void> {
  const stop = new AbortController();
  const living = demo.live(stop.signal);
  stop.abort();
  await living;
}

/** The demo after its history, and how to ask it. */
async function openDemo() {
  const service = await testService({ at: new Date(begin_us / 1000).toISOString() });
  let kept = story;
  const keep = (told: DemoStory) => {
    kept = told;
    return Promise.resolve();
  };
  const open = () => Demo.open(service.services, kept, keep);
  const demo = await open();
  await demo.fill(() => {});
  const read = async (path: string, query: string): Promise<Record<string, unknown>[]> => {
    const asked = `/platform/v1/${path}?project_id=${demo.project.id}&${query}`;
    const response = await service.fetch(asked);
    assert.equal(response.status, 200, await response.clone().text());
    return await response.json();
  };
  return { ...service, demo, open, read, kept: () => kept };
}

Deno.test("demo: what is done before its live part is no silence of the plant", async () => {
  const { services, clock, demo, read, close } = await openDemo();
  for (let minute = 0; minute < 20; minute++) {
    clock.advance(60_000);
    services.evaluator.awaitSources();
    await services.evaluator.settle();
  }
  await liveOnce(demo);
  clock.advance(10_000);
  await services.evaluator.settle();
  const raised = (await read("alarms", "limit=100")).map(({ rule_name }) => rule_name);
  assert(!raised.includes(rule_names.no_meter));
  assert(!raised.includes(rule_names.silent));
  const times = new Set(
    (await read("signals", `from=2026-06-01T15:00:00Z&to=2026-06-01T16:00:00Z&${power}`))
      .map(({ ts }) => String(ts)),
  );
  // Twenty minutes, then the present second.
  assert.equal(times.size, 21);
  await close();
});

const raw = "lane=raw_signal&resolution=raw&limit=100000&format=json";
const power = `tag=MTR-01.P&${raw}`;

Deno.test("demo: a restart lives through its seconds again, so that counters go on", async () => {
  const { clock, demo, open, read, close, kept } = await openDemo();
  clock.advance(45_000);
  await liveOnce(demo);
  clock.advance(125_000);
  await liveOnce(demo);
  const again = await open();
  clock.advance(5 * 60_000);
  await again.fill(() => {});
  const spans = kept().live!.map(({ from_us, to_us }) =>
    [from_us, to_us].map((us) => (Number(us) - begin_us) / minute_us)
  );
  assert.deepEqual(spans, [[0, 1], [2, 3]]);
  // The same plant without a restart: seconds in the first and the third minute.
  const stream = new DemoStream(story);
  for (const _ of stream.history(begin_us));
  for (const _ of stream.live(begin_us + minute_us - 1_000_000));
  for (const _ of stream.history(begin_us + 2 * minute_us));
  for (const _ of stream.live(begin_us + 3 * minute_us - 1_000_000));
  const wanted = new Map<string, number>();
  for (const batch of stream.history(begin_us + 6 * minute_us)) {
    if (batch.lane === "forecast") continue;
    batch.tags.forEach((tag, t) => {
      if (!tag.endsWith("E_TOTAL")) return;
      batch.tag.forEach((it, i) => it === t && wanted.set(tag, Number(batch.value_int[i])));
    });
  }
  assert.equal(wanted.size, 20);
  for (const [tag, value] of wanted) {
    const rows = await read(
      "signals",
      `from=2026-06-01T14:00:00Z&to=2026-06-01T15:06:00Z&tag=${tag}&${raw}`,
    );
    const values = rows.map(({ value_int }) => Number(value_int));
    assert.equal(values.at(-1), value, tag);
    assert.deepEqual(values, values.toSorted((a, b) => a - b), tag);
  }
  await close();
});
