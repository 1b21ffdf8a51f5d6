// Flawed counters of inverters at several spacings: a service with them, and what it says of them.
import { equal } from "node:assert/strict";
import { type TestService, testService } from "./service.ts";

export type Json = Record<string, unknown>;
type Case = {
  readonly name: string;
  readonly values: readonly number[];
  readonly more?: Json;
  readonly kwh: number;
  readonly events: readonly string[];
};

/** Readings of inverters of 1 MW in kWh, one each spacing. */
const cases: readonly Case[] = [
  {
    name: "spike_up",
    values: [110, 112, 4294967295, 116, 118],
    kwh: 8,
    events: ["suspect 4294967295"],
  },
  { name: "glitch_down", values: [110, 112, 3, 116, 118], kwh: 8, events: ["suspect 3"] },
  {
    name: "replaced_higher",
    values: [110, 112, 70000, 70002, 70004],
    kwh: 6,
    events: ["new_track 70000"],
  },
  { name: "replaced_lower", values: [5000, 5002, 2, 4, 6], kwh: 6, events: ["new_track 2"] },
  { name: "to_zero_16", values: [59996, 60000, 0, 2, 4], kwh: 8, events: ["new_track 0"] },
  { name: "to_zero_32", values: [4.1e9 - 4, 4.1e9, 0, 2, 4], kwh: 8, events: ["new_track 0"] },
  {
    name: "zeros_and_return",
    values: [100, 110, 0, 0, 0, 120, 130],
    kwh: 30,
    events: ["suspect 0"],
  },
  { name: "six_digits", values: [999997, 999999, 5, 7, 9], kwh: 6, events: ["new_track 5"] },
  {
    name: "six_digits_declared",
    values: [999997, 999999, 5, 7, 9],
    more: { register_modulus: 1_000_000 },
    kwh: 12,
    events: ["wrap 5"],
  },
  {
    name: "bits_declared",
    values: [65530, 65534, 2, 4],
    more: { register_bits: 16 },
    kwh: 10,
    events: ["wrap 2"],
  },
  { name: "sound", values: [100, 101, 103, 103, 110], kwh: 10, events: [] },
];
export const spacings = [1, 5, 15] as const;
export const tagged = cases.flatMap((it) => spacings.map((spacing) => ({ ...it, spacing })))
  .map((it) => ({ ...it, tag: `${it.name}_${it.spacing}` }));

const first_ms = Date.parse("2026-06-01T10:00:00Z");

type Sample = { readonly tag: string; readonly ts: string; readonly value: number };

export function samplesOf({ tag, values, spacing }: typeof tagged[number]): Sample[] {
  return values.map((value, i) => ({ tag, ts: at(i * spacing), value }));
}

export function at(minute: number): string {
  return new Date(first_ms + minute * 60_000).toISOString();
}

export async function openCounters(now = "2026-06-01T15:00:00Z", more: Json = {}) {
  const service = await testService({ at: now });
  const counters = Object.groupBy(tagged, ({ tag }) => tag);
  const site = {
    version: 1,
    organization: { key: "o", name: "O" },
    project: { key: "p", name: "P", timezone: "UTC" },
    site: { key: "s", name: "S", latitude: 40, longitude: 0 },
    devices: Object.keys(counters).map((key) => ({ key, type: "inverter" })),
    sensors: tagged.map(({ tag, more }) => ({
      ...{ tag, device: tag, measure: "energy", accumulation: "counter" },
      ...{ scale: 1000, capacity: 1e6, ...more },
    })),
  };
  const call = async (method: string, path: string, body?: unknown): Promise<[number, Json]> => {
    const headers = { "content-type": "application/json" };
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await service.fetch(path, init);
    return [response.status, await response.json()];
  };
  const apply = (more: Json) => call("PUT", "/admin/v1/sites/s", { ...site, ...more });
  equal((await apply(more))[0], 200);
  const [{ id }] = service.services.catalog.projects;
  const send = async (samples: readonly Sample[]) => {
    const response = await service.fetch(`/ingest/v1/signals?project_id=${id}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: samples.map((sample) => JSON.stringify(sample)).join("\n"),
    });
    equal(response.status, 200, await response.text());
  };
  const list = async (more = "") => {
    const [status, rows] = await call(
      "GET",
      `/platform/v1/counters/resets?project_id=${id}${more}`,
    );
    equal(status, 200);
    return rows as unknown as Json[];
  };
  return { ...service, id, call, apply, send, list };
}

/** What each tag counted on the day, in kWh. */
export async function energies(
  { fetch, services, id }: Pick<TestService, "fetch" | "services"> & { readonly id: string },
): Promise<Map<string, number>> {
  const query = new URLSearchParams({
    ...{ project_ids: id, dt_start: "2026-06-01", dt_end: "2026-06-01", format: "json" },
    ...{ time_interval: "OneDay", component: "inverter", component_measure: "energy" },
    ...{ group_by: "hierarchy_id", use_solar_bounds: "false" },
  });
  const rows: Json[] = await (await fetch(`/platform/v1/performance-v2?${query}`)).json();
  const { catalog } = services;
  const tags = new Map(
    catalog.sensors.map((it) => [it.hierarchy_id, catalog.tag(it.tag_no)!.sensor_tag]),
  );
  return new Map(
    rows.map((
      row,
    ) => [tags.get(String(row.hierarchy_id))!, Math.round(Number(row.sensor_value)) / 1000]),
  );
}
