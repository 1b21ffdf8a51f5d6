// Flawed counters through HTTP: what a day comes to, and what is told of it.
import { deepEqual, equal, match } from "node:assert/strict";
import { at, energies, openCounters, samplesOf, spacings, tagged } from "../../help/counter.ts";

async function assertCases(service: Awaited<ReturnType<typeof openCounters>>): Promise<void> {
  const found = await energies(service);
  const events = Map.groupBy(await service.list(), ({ sensor_tag }) => String(sensor_tag));
  for (const { tag, kwh, events: told } of tagged) {
    equal(found.get(tag), kwh, tag);
    deepEqual((events.get(tag) ?? []).map(({ kind, value }) => `${kind} ${value}`), told, tag);
  }
}

Deno.test("flawed counters count what is possible, in one import", async () => {
  const service = await openCounters();
  await service.send(tagged.flatMap(samplesOf));
  await service.settle();
  await assertCases(service);
  const text = await (await service.fetch("/metrics")).text();
  match(text, /wattkeeper_counter_events{of="wrap"} 6/);
  match(text, /wattkeeper_counter_events{of="new_track"} 15/);
  await service.close();
});

Deno.test("flawed counters count the same late and out of order", async () => {
  const service = await openCounters();
  const all = tagged.flatMap(samplesOf);
  for (const part of [3, 1, 4, 0, 2]) {
    await service.send(all.filter((_, i) => i % 5 === part).reverse());
    await service.settle();
  }
  await assertCases(service);
  await service.close();
});

Deno.test("flawed counters count the same live", async () => {
  const service = await openCounters("2026-06-01T09:59:30Z");
  const by_minute = Map.groupBy(tagged.flatMap(samplesOf), ({ ts }) => ts);
  let now = -0.5;
  const minutes = Array.from({ length: 7 }, (_, i) => spacings.map((it) => i * it)).flat();
  for (const minute of [...new Set(minutes), 120].sort((a, b) => a - b)) {
    service.clock.advance((minute + 0.5 - now) * 60_000);
    now = minute + 0.5;
    const due = by_minute.get(at(minute));
    if (due) await service.send(due);
    await service.settle();
  }
  await assertCases(service);
  await service.close();
});

Deno.test("an event has its readings, and lists have filters and pages", async () => {
  const service = await openCounters();
  await service.send(tagged.flatMap(samplesOf));
  await service.settle();
  const sensor = service.services.catalog.sensors.find(({ tag_no }) =>
    service.services.catalog.tag(tag_no)!.sensor_tag === "spike_up_5"
  )!;
  deepEqual(await service.list(`&hierarchy_id=${sensor.hierarchy_id}`), [{
    kind: "suspect",
    hierarchy_id: sensor.hierarchy_id,
    sensor_tag: "spike_up_5",
    ts: "2026-06-01T10:10:00.000000Z",
    value: 4294967295,
    before_ts: "2026-06-01T10:05:00.000000Z",
    before_value: 112,
    readings: 1,
    counted: null,
    most: 125,
    reset_id: null,
    reset_at: null,
    last_value: null,
    first_value: null,
    author: null,
    applied: null,
    fit: null,
  }]);
  const all = await service.list();
  equal(all.length, 30);
  deepEqual(all.map(({ ts }) => ts), all.map(({ ts }) => ts).sort());
  const wraps = await service.list("&kind=wrap");
  deepEqual(wraps, all.filter(({ kind }) => kind === "wrap"));
  deepEqual(await service.list("&kind=wrap&limit=2&offset=1"), wraps.slice(1, 3));
  equal((await service.list("&kind=wrap&kind=suspect")).length, 15);
  const range = "&from=2026-06-01T10:10:00Z&to=2026-06-01T10:30:00Z";
  deepEqual(
    await service.list(range),
    all.filter(({ ts }) => String(ts) >= "2026-06-01T10:10" && String(ts) < "2026-06-01T10:30"),
  );
  const path = `/platform/v1/counters/resets?project_id=${service.id}`;
  equal((await service.call("GET", `${path}&kind=none`))[0], 400);
  equal(
    (await service.call("GET", `${path}&from=2026-06-02T00:00:00Z&to=2026-06-01T00:00:00Z`))[0],
    400,
  );
  await service.close();
});
