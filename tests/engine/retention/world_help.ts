// A small plant with weeks of samples, sent and asked over HTTP, for tests of what is kept where.
import { deepEqual, equal } from "node:assert/strict";
import { type TestService, testService } from "../../help/service.ts";

export const day_ms = 86_400_000;
export const first_ms = Date.parse("2026-03-01T00:00:00Z");
export const days = 56;
export const end_ms = first_ms + days * day_ms;

export const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "Europe/Madrid" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
  devices: [
    { key: "met", type: "met" },
    {
      ...{ key: "i", type: "inverter" },
      pv: { rated_dc_w: 1_200_000, rated_ac_w: 1_000_000, tilt: 20, azimuth: 180 },
    },
  ],
  sensors: [
    { tag: "poa", device: "met", measure: "poa_front" },
    { tag: "p", device: "i", measure: "active_power", capacity: 1e6 },
    { tag: "e", device: "i", measure: "energy", capacity: 1e6, accumulation: "counter" },
  ],
} as const;

/** A sample each hour: power from a sun of half a sine, and a counter of it. */
function samplesOf(from_ms: number, to_ms: number) {
  const rows: { tag: string; ts: string; value: number }[] = [];
  for (let ms = from_ms; ms < to_ms; ms += 3_600_000) {
    const hour = ms % day_ms / 3_600_000;
    const sun = hour < 5 || hour > 19 ? 0 : Math.sin(Math.PI * (hour - 5) / 14);
    const ts = new Date(ms).toISOString();
    rows.push({ tag: "poa", ts, value: 900 * sun });
    rows.push({ tag: "p", ts, value: 750_000 * sun });
    rows.push({ tag: "e", ts, value: Math.round((ms - first_ms) / 3600) });
  }
  return rows;
}

/** Sends samples. */
export function post(service: TestService, rows: readonly object[]): Promise<Response> {
  const { project_id } = projectOf(service);
  return service.fetch(`/ingest/v1/signals?project_id=${project_id}`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: rows.map((row) => JSON.stringify(row)).join("\n"),
  });
}

/** Sends samples, and gives what became of them. */
export async function send(service: TestService, rows: readonly object[]) {
  const answer = await post(service, rows);
  equal(answer.status, 200);
  return await answer.json();
}

/** The parameter that names the project. */
export function projectOf(service: TestService) {
  const [project] = service.services.catalog.projects;
  return { project_id: project.id };
}

/** Applies a site file. */
export async function apply(service: TestService, file: object) {
  const answer = await service.fetch("/admin/v1/sites/s", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(file),
  });
  equal(answer.status, 200, await answer.clone().text());
}

/** A service with the samples of the whole time, rolled up. */
export async function filled(settings: object): Promise<TestService> {
  const service = await testService({ at: new Date(end_ms).toISOString(), settings });
  await apply(service, site);
  await send(service, samplesOf(first_ms, end_ms));
  await service.services.roll.settle();
  return service;
}

/** An answer of performance: its status, and its text without what names the request. */
export async function ask(
  service: TestService,
  interval: string,
  search: Record<string, string> = {},
) {
  const { project_id } = projectOf(service);
  const query = new URLSearchParams({
    ...{ project_ids: project_id, dt_start: "2026-03-01", dt_end: "2026-04-25" },
    ...{ time_interval: interval, component: "inverter", component_measure: "active_power" },
    ...{ use_solar_bounds: "false", format: "csv", group_by: "hierarchy_id" },
    ...search,
  });
  const answer = await service.fetch(`/platform/v1/performance-v2?${query}`);
  return { status: answer.status, text: await answer.text() };
}

/** Both give the same samples, statistics and figures. */
export async function compare(tiered: TestService, twin: TestService): Promise<void> {
  const range = { from: "2026-03-04T00:00:00Z", to: "2026-03-30T00:00:00Z" };
  const searches: readonly Record<string, string>[] = [
    { ...range },
    { ...range, resolution: "raw", tag: "p", offset: "400" },
    { received_since: "2026-03-01T00:00:00Z" },
    { at: "2026-03-08T11:10:00Z" },
    { from: "2026-03-19T00:00:00Z", to: "2026-03-24T00:00:00Z", every: "7h" },
  ];
  for (const search of searches) {
    const [one, other] = [await signals(tiered, search), await signals(twin, search)];
    equal(one, other);
  }
  const sql = "SELECT count(*) AS rows, sum(value::HUGEINT) AS sum FROM main.sample";
  equal(await query(tiered, sql), await query(twin, sql));
  const sums: readonly Record<string, string>[] = [{}, { include: "stats" }, {
    component_measure: "energy",
  }];
  for (const search of sums) {
    deepEqual(await ask(tiered, "OneDay", search), await ask(twin, "OneDay", search));
  }
}

async function query(service: TestService, sql: string): Promise<string> {
  const body = JSON.stringify({ sql, json: true });
  const headers = { "content-type": "application/json" };
  return await (await service.fetch("/admin/v1/query", { method: "POST", headers, body })).text();
}

async function signals(service: TestService, search: Record<string, string>): Promise<string> {
  const query = new URLSearchParams({ ...projectOf(service), format: "csv", ...search });
  const answer = await service.fetch(`/platform/v1/signals?${query}`);
  equal(answer.status, 200);
  // Moving days are writes too, so that later ones have other stamps.
  return (await answer.text()).replaceAll(/2026-04-26T00:00:00\.\d+Z/g, "stamp");
}
