// A plant of four inverters under a clear sun, sent over HTTP at any spacing, faults included.
import assert from "node:assert/strict";
import { testService } from "./service.ts";

const minute_ms = 60_000;
const first_ms = Date.parse("2026-05-31T00:00:00Z");
const last_ms = Date.parse("2026-06-03T00:00:00Z");
const place = { timezone: "Europe/Madrid", latitude: 40, longitude: -3 };

/** What is sent at an instant, by what is measured: W, Wh and W/m²; undefined for nothing. */
export type Sent = (at_ms: number, made: Made) => number | undefined;

/** What an inverter makes and has made. */
type Made = { readonly power_w: number; readonly counter_wh: number };

/** An inverter of 1 MW; without a word it makes what the sun gives, and says so. */
export type Faults = {
  /** What share of what it could make it makes. */
  readonly works?: (at_ms: number) => number;
  readonly power?: Sent;
  /** Null for one without a counter. */
  readonly counter?: Sent | null;
};

type Plan = {
  readonly inverters: Readonly<Record<string, Faults>>;
  /** Minutes between two samples, and how many the first is late. */
  readonly spacing: number;
  readonly offset?: number;
  /** More devices, sensors and samples. */
  readonly devices?: readonly object[];
  readonly sensors?: readonly object[];
  /** By tag, of what the inverters have made by then. */
  readonly more?: (
    at_ms: number,
    counters: Readonly<Record<string, number>>,
  ) => readonly (readonly [string, number])[];
  /** Whether the source sends what it expects: what an inverter makes that works. */
  readonly expects?: boolean;
  readonly parents?: Readonly<Record<string, string>>;
};

/** The instant of a clock on the day in question, UTC. */
export const at = (clock: string) => Date.parse(`2026-06-01T${clock}:00Z`);

/** Whether an instant lies in `[from, to)` of the day in question. */
export const within = (from: string, to: string) => (ms: number) => at(from) <= ms && ms < at(to);

/** Irradiance in W/m²: half a sine from 05:00 to 19:30 UTC. */
export function sunAt(ms: number): number {
  const hour = ms % 86_400_000 / 3_600_000;
  return hour < 5 || hour > 19.5 ? 0 : 900 * Math.sin(Math.PI * (hour - 5) / 14.5);
}

/** A service with the plant's samples of three days, rolled up; the second is in question. */
export async function sunnyService(plan: Plan) {
  const service = await testService({ at: "2026-06-03T12:00:00Z" });
  const site = {
    version: 1,
    organization: { key: "o", name: "O" },
    project: { key: "p", name: "P", timezone: place.timezone },
    site: { key: "s", name: "S", latitude: place.latitude, longitude: place.longitude },
    devices: [
      { key: "met", type: "met" },
      ...plan.devices ?? [],
      ...Object.keys(plan.inverters).map((key) => (
        { key, type: "inverter", parent: plan.parents?.[key] }
      )),
    ],
    sensors: [
      { tag: "poa", device: "met", measure: "poa_front" },
      ...plan.sensors ?? [],
      ...Object.entries(plan.inverters).flatMap(([key, { counter }]) => [
        { tag: `${key}.p`, device: key, measure: "active_power", capacity: 1e6 },
        ...counter === null ? [] : [{
          ...{ tag: `${key}.e`, device: key, measure: "energy", capacity: 1e6 },
          accumulation: "counter",
        }],
      ]),
    ],
  };
  const put = await service.fetch("/admin/v1/sites/s", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(site),
  });
  assert.equal(put.status, 200, await put.text());
  const [{ id: project_id }] = service.services.catalog.projects;
  const lanes = { signal: samplesOf(plan), model: plan.expects ? expectedOf(plan) : [] };
  for (const [lane, samples] of Object.entries(lanes)) {
    const post = await service.fetch(`/ingest/v1/signals?project_id=${project_id}&lane=${lane}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: samples.map((row) => JSON.stringify(row)).join("\n"),
    });
    assert.equal(post.status, 200, await post.clone().text());
    assert.deepEqual((await post.json()).rejected, []);
  }
  await service.settle();
  const rows = async (path: string): Promise<Record<string, number | string | null>[]> => {
    const response = await service.fetch(
      `/platform/v1/${path}${path.includes("?") ? "&" : "?"}format=json` +
        `&project_id${/^(availability|losses)(\?|$)/.test(path) ? "s" : ""}=${project_id}` +
        "&dt_start=2026-06-01&dt_end=2026-06-01",
    );
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  };
  return { ...service, project_id, rows, of: ofDevice(service.services.catalog) };
}

type Sensors = { readonly sensors: readonly SensorName[]; readonly devices: readonly DeviceName[] };
type SensorName = {
  readonly hierarchy_id: string;
  readonly device_id: string | null;
  readonly measure: string;
};
type DeviceName = { readonly id: string; readonly key: string };

/** The hierarchy_id that stands for the inverter of a key. */
function ofDevice(catalog: Sensors): (key: string) => string {
  return (key) => {
    const device = catalog.devices.find((it) => it.key === key)!;
    return catalog.sensors.find((it) =>
      it.device_id === device.id && it.measure === "active_power"
    )!.hierarchy_id;
  };
}

/** What works gives under this sun, in W. */
const fullPower = (ms: number) => sunAt(ms) * 1000 * 0.9;

/** What is expected, every minute. */
function expectedOf({ inverters }: Plan): object[] {
  return Object.keys(inverters).flatMap((key) =>
    Array.from({ length: (last_ms - first_ms) / minute_ms }, (_, i) => {
      const ms = first_ms + i * minute_ms;
      return { tag: `${key}.p`, ts: new Date(ms).toISOString(), value: fullPower(ms) };
    })
  );
}

/** The energy that works gives from one clock to another, in Wh. */
export function fullEnergy(from: string, to: string): number {
  let energy_wh = 0;
  for (let ms = at(from); ms < at(to); ms += minute_ms) energy_wh += fullPower(ms) / 60;
  return energy_wh;
}

function samplesOf({ inverters, spacing, offset = 0, more }: Plan): object[] {
  const rows: object[] = [];
  const counters = Object.fromEntries(Object.keys(inverters).map((key) => [key, 5e6]));
  for (let ms = first_ms; ms < last_ms; ms += minute_ms) {
    const is_sent = (ms / minute_ms - offset) % spacing === 0;
    const ts = new Date(ms).toISOString();
    const send = (tag: string, value: number | undefined) => {
      if (is_sent && value !== undefined) rows.push({ tag, ts, value });
    };
    send("poa", sunAt(ms));
    for (const [tag, value] of more?.(ms, counters) ?? []) send(tag, value);
    for (const [key, { works, power, counter }] of Object.entries(inverters)) {
      const rate = fullPower(ms) * (works?.(ms) ?? 1);
      const made = { power_w: rate, counter_wh: counters[key] };
      send(`${key}.p`, power ? power(ms, made) : rate);
      if (counter !== null) send(`${key}.e`, counter ? counter(ms, made) : counters[key]);
      counters[key] += rate / 60;
    }
  }
  return rows;
}
