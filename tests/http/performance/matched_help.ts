// A perfect inverter: whatever light it has, it gives what is expected of it, and says so in three
// ways. Samples can be taken out before they are sent.
import assert from "node:assert/strict";
import { daylightOf } from "../../../src/model/time/daylight.ts";
import type { TestRow } from "../../help/reading.ts";
import { testService } from "../../help/service.ts";

/** Its site file. */
export const site = `version = 1
[organization]
key = "o"
name = "O"
[project]
key = "p"
name = "P"
timezone = "Europe/Madrid"
[site]
key = "s"
name = "S"
latitude = 39.3
longitude = -3.1
[[devices]]
key = "MET"
type = "met"
[[devices]]
key = "INV"
type = "inverter"
[devices.pv]
rated_dc_w = 120e3
rated_ac_w = 100e3
gamma = 0
losses = 0
efficiency = 0.96
tilt = 20
azimuth = 180
[[sensors]]
tag = "poa"
device = "MET"
measure = "poa_front"
[[sensors]]
tag = "module"
device = "MET"
measure = "module_temp_back"
[[sensors]]
tag = "power"
device = "INV"
measure = "active_power"
capacity = 100e3
[[sensors]]
tag = "counter"
device = "INV"
measure = "energy"
accumulation = "counter"
`;

export const tags = ["poa", "module", "power", "counter"] as const;
export type Tag = typeof tags[number];

/** 2026-06-01 in Spain: the sun is up from 04:46 to 19:36 UTC. */
const day_ms = Date.parse("2026-06-01T00:00:00Z");

/** W/m2 at a minute of the day. */
function lightAt(minute: number): number {
  const part = (minute - 286) / (1176 - 286);
  return part > 0 && part < 1 ? 900 * Math.sin(Math.PI * part) ** 1.2 : 0;
}

/** PVWatts' inverter: W for some W/m2. */
export function powerAt(minute: number): number {
  const dc = lightAt(minute) / 1000 * 120e3;
  const rated_dc = 100e3 / 0.96;
  if (dc === 0) return 0;
  const load = dc / rated_dc;
  const efficiency = 0.96 / 0.9637 * (-0.0162 * load - 0.0059 / load + 0.9858);
  return Math.min(Math.max(efficiency * dc, 0), 100e3);
}

/** What its register shows, Wh, at a minute of the day. */
export const registerAt = Array.from({ length: 1441 }).reduce<number[]>(
  (sums, _, minute) => [...sums, sums[minute] + powerAt(minute) / 60],
  [5e6],
);

const values: Readonly<Record<Tag, (minute: number) => number>> = {
  poa: lightAt,
  module: () => 25,
  power: powerAt,
  counter: (minute) => registerAt[minute],
};

/** Says of a tag's sample at a minute of the day whether it is kept. */
export type Keep = (tag: Tag, minute: number) => boolean;

/**
 * A service that got a day of the inverter, a sample each `spacing` minutes; `change` makes another
 * site file of its.
 */
export async function perfectDay(
  spacing: number,
  keep: Keep = () => true,
  change = (toml: string) => toml,
) {
  const service = await testService({ at: "2026-06-02T12:00:00Z" });
  const put = async (body: string) => {
    const headers = { "content-type": "application/toml" };
    const answer = await service.fetch("/admin/v1/sites/s", { method: "PUT", body, headers });
    assert.equal(answer.status, 200, await answer.text());
    await service.settle();
  };
  await put(change(site));
  const [{ id }] = service.services.catalog.projects;
  const send = async (wanted: Keep) => {
    const lines = tags.flatMap((tag) =>
      Array.from({ length: 1440 / spacing }, (_, i) => i * spacing)
        .filter((minute) => wanted(tag, minute))
        .map((minute) =>
          JSON.stringify({
            tag,
            ts: new Date(day_ms + minute * 60_000).toISOString(),
            value: values[tag](minute),
          })
        )
    );
    if (lines.length === 0) return;
    const response = await service.fetch(`/ingest/v1/signals?project_id=${id}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: lines.join("\n"),
    });
    assert.equal(response.status, 200, await response.text());
    await service.settle();
  };
  await send(keep);
  const rows = async (interval: string, measure: string): Promise<TestRow[]> => {
    const query = new URLSearchParams({
      ...{ project_ids: id, dt_start: "2026-06-01", dt_end: "2026-06-01", format: "json" },
      ...{ time_interval: interval, component: "inverter", component_measure: measure },
      include: "matched",
    });
    const response = await service.fetch(`/platform/v1/performance-v2?${query}`);
    assert.equal(response.status, 200, await response.clone().text());
    return await response.json();
  };
  const place = { latitude: 39.3, longitude: -3.1, timezone: "Europe/Madrid" };
  const [{ from_minute, to_minute }] = daylightOf(place, day_ms / 86_400_000);
  /** The day's minutes of light. */
  const lit = Array.from({ length: to_minute - from_minute }, (_, i) => from_minute + i);
  return { ...service, put, send, rows, lit };
}
