// A November at 68 degrees north, and days of a stuck sensor, against what pvlib expects.
import assert from "node:assert/strict";
import { testService } from "../../help/service.ts";

/** Minutes since 1970 with the light that a sensor told (whole W/m2) and pvlib's power. */
type Minute = { readonly minute: number; readonly poa: number; readonly ac_w: number };

const packed = await Deno.readFile(new URL("../../data/pvlib/november.csv.gz", import.meta.url));
const text = await new Response(
  new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")),
).text();
const november: readonly Minute[] = text.trim().split("\n").slice(1).map((line) => {
  const [minute, poa, ac_w] = line.split(",").map(Number);
  return { minute, poa, ac_w };
});
const day_minutes = 1440;
const days = [...new Set(november.map(({ minute }) => Math.floor(minute / day_minutes)))];

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 68, longitude: 20 },
  devices: [{
    key: "I",
    type: "inverter",
    pv: { rated_dc_w: 1200, rated_ac_w: 1000, gamma: -0.004, losses: 0.1, efficiency: 0.96 },
  }, { key: "M", type: "met" }],
  tags: [{ name: "air", carry_s: 86_400 }, { name: "wind", carry_s: 86_400 }],
  sensors: [
    { tag: "power", device: "I", measure: "active_power" },
    { tag: "poa", device: "M", measure: "poa_front" },
    { tag: "air", device: "M", measure: "ambient_temp" },
    { tag: "wind", device: "M", measure: "windspeed" },
  ],
};

function row(tag: string, minute: number, value: number): string {
  return JSON.stringify({ tag, ts: new Date(minute * 60_000).toISOString(), value });
}

/** The expected power of each minute of daylight, 0 where there is none. */
async function expected(
  told: readonly Minute[],
  spacing: number,
): Promise<ReadonlyMap<number, number>> {
  const service = await testService({ at: "2026-12-02T00:00:00Z" });
  const put = await service.fetch("/admin/v1/sites/s", {
    method: "PUT",
    body: JSON.stringify(site),
    headers: { "content-type": "application/json" },
  });
  assert.equal(put.status, 200, await put.text());
  const [{ id }] = service.services.catalog.projects;
  const sent = await service.fetch(`/ingest/v1/signals?project_id=${id}`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: [
      ...told.filter(({ minute }) => minute % spacing === 0)
        .map(({ minute, poa }) => row("poa", minute, poa)),
      ...days.flatMap((day) => [
        row("air", day * day_minutes, -8),
        row("wind", day * day_minutes, 2),
      ]),
    ].join("\n"),
  });
  assert.equal(sent.status, 200, await sent.text());
  await service.settle();
  const query = new URLSearchParams({
    ...{ project_ids: id, dt_start: "2026-11-01", dt_end: "2026-11-30", format: "json" },
    ...{ time_interval: "OneMinute", component: "inverter", component_measure: "active_power" },
  });
  const answer = await service.fetch(`/platform/v1/performance-v2?${query}`);
  const rows: { ts: string; model_value: number }[] = await answer.json();
  await service.close();
  return new Map(rows.map((it) => [Date.parse(`${it.ts}Z`) / 60_000, it.model_value]));
}

/** How far the mean of what is expected is from pvlib's, over minutes of both. */
function difference(found: ReadonlyMap<number, number>, wanted: readonly Minute[]): number {
  const both = wanted.filter(({ minute }) => found.has(minute));
  const sum = both.reduce((power, { minute }) => power + found.get(minute)!, 0);
  return sum / both.reduce((power, { ac_w }) => power + ac_w, 0) - 1;
}

for (const spacing of [1, 5, 15]) {
  Deno.test(`each ${spacing} minutes, a November at 68 degrees north is pvlib's`, async () => {
    const found = await expected(november, spacing);
    assert.ok(found.size > 8900, `${found.size} minutes of light`);
    const off = difference(found, november);
    assert.ok(Math.abs(off) < 0.005, `off by ${off}`);
  });

  Deno.test(`each ${spacing} minutes, days of a stuck sensor are pvlib's where known`, async () => {
    const bright = november.filter(({ minute, poa }) => minute % 1440 === 600 && poa > 120);
    assert.ok(bright.length > 2);
    const held = new Map(bright.map(({ minute, poa }) => [Math.floor(minute / 1440), poa]));
    const isHeld = ({ minute }: Minute) =>
      held.has(Math.floor(minute / 1440)) && minute % 1440 >= 600 && minute % 1440 <= 690;
    const told = november.map((it) =>
      isHeld(it) ? { ...it, poa: held.get(Math.floor(it.minute / 1440))! } : it
    );
    const found = await expected(told, spacing);
    assert.ok(november.filter(isHeld).every(({ minute }) => found.get(minute) === 0));
    const off = difference(found, november.filter(({ minute }) => found.get(minute) !== 0));
    assert.ok(Math.abs(off) < 0.005, `off by ${off}`);
  });
}
