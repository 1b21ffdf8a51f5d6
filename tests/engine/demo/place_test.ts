// The demo's place: by day where it begins, and what goes wrong there once it is lived by seconds.
import assert from "node:assert/strict";
import { Demo } from "../../../src/engine/demo/demo.ts";
import type { Incident } from "../../../src/engine/demo/incident.ts";
import { demo_places, storyPlace, sunHeight } from "../../../src/engine/demo/place.ts";
import { rule_names } from "../../../src/engine/demo/rule.ts";
import { type DemoStory, incidentsUntil, newStory } from "../../../src/engine/demo/story.ts";
import { newestSample } from "../../../src/store/samples/sample.ts";
import { testService } from "../../help/service.ts";

const second_us = 1_000_000;
const minute_us = 60 * second_us;
const hour_us = 60 * minute_us;

for (const day of ["2026-06-21", "2026-12-21"]) {
  Deno.test(`demo: its plant is in daylight at every hour of ${day}`, () => {
    const begin_us = Date.parse(day) * 1000;
    for (let hour = 0; hour < 24; hour++) {
      const now_us = begin_us + hour * hour_us;
      const place = storyPlace(newStory({ seed: 1, days: 30 }, now_us));
      const height = sunHeight(place, now_us);
      assert(height > 10, `${hour} UTC: ${place.name} has the sun at ${height} degrees`);
    }
  });
}

Deno.test("demo: near Denver while the sun is well up there, elsewhere at other times", () => {
  const keyAt = (text: string) => newStory({ seed: 1, days: 1 }, Date.parse(text) * 1000).place;
  assert.equal(keyAt("2026-06-01T18:00:00Z"), "prairie-sun");
  assert.equal(keyAt("2026-12-21T18:00:00Z"), "prairie-sun");
  assert.equal(keyAt("2026-06-01T07:00:00Z"), "thar-surya");
  assert.equal(keyAt("2026-12-21T02:00:00Z"), "darling-plains");
});

Deno.test("demo: every place has a zone of its own, near its sun", () => {
  const at = Temporal.Instant.from("2026-01-15T00:00:00Z");
  for (const { timezone, longitude, key } of demo_places) {
    const offset_h = at.toZonedDateTimeISO(timezone).offsetNanoseconds / 3.6e12;
    assert(Math.abs(offset_h - longitude / 15) < 2, key);
  }
  assert.equal(new Set(demo_places.map(({ timezone }) => timezone)).size, demo_places.length);
});

Deno.test("demo: a restart at another hour is the same plant", async () => {
  const begin_us = Date.parse("2026-06-01T07:00:00Z") * 1000;
  const { services, clock, close } = await testService({ at: "2026-06-01T07:00:00Z" });
  let kept = newStory({ seed: 1, days: 1 }, begin_us);
  const keep = (told: DemoStory) => {
    kept = JSON.parse(JSON.stringify(told));
    return Promise.resolve();
  };
  const first = await Demo.open(services, kept, keep);
  assert.equal(first.project.timezone, "Asia/Kolkata");
  await first.fill(() => {});
  clock.advance(12 * 3_600_000);
  const again = await Demo.open(services, kept, keep);
  await again.fill(() => {});
  assert.deepEqual(again.project, first.project);
  assert.equal(services.catalog.projects.length, 1);
  assert.equal(services.catalog.sites[0].latitude, storyPlace(kept).latitude);
  await close();
});

/** What goes wrong in a live span by then, beside the daily round. */
function liveIncidentsOf(story: DemoStory, until_us: number): readonly Incident[] {
  const round = incidentsUntil({ ...story, live: [] }, until_us);
  return incidentsUntil(story, until_us).slice(round.length);
}

/** A story of one day, live from some instant on. */
function liveFrom(from_us: number, seed: number): DemoStory {
  return { ...newStory({ seed, days: 1 }, from_us), live: [{ from_us, to_us: null }] };
}

Deno.test("demo: an inverter without trouble trips 60 to 90 s after the live part begins", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const from_us = Date.parse("2026-06-01T00:00:00Z") * 1000 + seed * 25 * minute_us;
    const story = liveFrom(from_us, seed);
    const [first, ...more] = liveIncidentsOf(story, from_us + 3 * hour_us);
    const { kind, target, from_s, to_s } = first;
    const wait_s = from_s - from_us / second_us;
    assert.equal(kind, "trip");
    assert(wait_s >= 60 && wait_s < 90, `${wait_s} s`);
    assert(to_s - from_s >= 240 && to_s - from_s <= 480);
    const others = incidentsUntil({ ...story, live: [] }, from_us)
      .filter((it) => it.kind === "trip" && it.target === target);
    assert(!others.some((it) => it.from_s < to_s && from_s < it.to_s));
    assert.deepEqual(liveIncidentsOf(story, from_us + 3 * hour_us), [first, ...more]);
    assert.notDeepEqual(liveIncidentsOf(liveFrom(from_us, seed + 1), from_us + hour_us), [first]);
    assert(more.length <= 15);
  }
});

Deno.test("demo: what goes wrong live is five incidents an hour by day, none by night", () => {
  const from_us = Date.parse("2026-06-01T15:00:00Z") * 1000;
  const place = demo_places[0];
  const incidents = liveIncidentsOf(liveFrom(from_us, 1), from_us + 24 * hour_us);
  const by_hour = (hour: number) =>
    incidents.filter(({ from_s }) => Math.floor((from_s * 1e6 - from_us) / hour_us) === hour);
  for (let hour = 0; hour < 9; hour++) assert.equal(by_hour(hour).length, 5);
  for (const { from_s } of incidents) assert(sunHeight(place, from_s * 1e6) >= 5);
  // 04 to 10 UTC is night there.
  assert.equal(by_hour(15).length, 0);
  assert(new Set(incidents.map(({ kind }) => kind)).size >= 4);
});

Deno.test("demo: an ended live span has no incident that begins later", () => {
  const from_us = Date.parse("2026-06-01T15:00:00Z") * 1000;
  const live = [{ from_us, to_us: from_us + minute_us }];
  assert.deepEqual(liveIncidentsOf({ ...liveFrom(from_us, 1), live }, from_us + hour_us), []);
});

Deno.test("demo: two minutes after going live an alarm is raised, and it returns", async () => {
  const at = "2026-06-01T15:00:00Z";
  const begin_us = Date.parse(at) * 1000;
  const { services, clock, fetch, close } = await testService({ at });
  const story = { seed: 1, from_us: begin_us - hour_us };
  const demo = await Demo.open(services, story);
  await demo.fill(() => {});
  const stop = new AbortController();
  const living = demo.live(stop.signal);
  const liveUntil = async (until_us: number) => {
    let newest_us = 0;
    for (let i = 0; i < 5000 && newest_us < until_us; i++) {
      clock.advance(1000);
      newest_us = await services.database.read(newestSample) ?? 0;
    }
    assert(newest_us >= until_us);
    await services.evaluator.settle();
  };
  const trips = async () => {
    const query = `project_id=${demo.project.id}&limit=1000`;
    const rows = await (await fetch(`/platform/v1/alarms?${query}`)).json();
    return rows.filter((it: Record<string, string>) =>
      it.rule_name === rule_names.trip && Date.parse(it.raised_at) * 1000 >= begin_us
    );
  };
  await liveUntil(begin_us + 120 * second_us);
  const [raised] = await trips();
  const wait_s = (Date.parse(raised.raised_at) * 1000 - begin_us) / second_us;
  assert(wait_s >= 60 && wait_s <= 120, `${wait_s} s`);
  await liveUntil(begin_us + 11 * minute_us);
  const over = (await trips())
    .find((it: Record<string, string>) => it.occurrence_id === raised.occurrence_id);
  assert(over.cleared_at > raised.raised_at, JSON.stringify(over));
  stop.abort();
  await living;
  await close();
});
