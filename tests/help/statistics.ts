// A service with a small plant in UTC, for tests of statistics: samples in, rows out.
import { equal } from "node:assert/strict";
import { testService } from "./service.ts";

/** A row as JSON prints it. */
export type StatisticsRow = Readonly<Record<string, string | number | boolean | null>>;

/** A sample to send: `quality` only where it is said. */
export type SentSample = {
  readonly tag: string;
  readonly at: number;
  readonly value?: number | boolean;
  readonly value_int?: number;
  readonly value_str?: string;
  readonly quality?: string;
};

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
  devices: [
    { key: "I1", type: "inverter" },
    { key: "I2", type: "inverter" },
  ],
  sensors: [
    { tag: "i1.p", device: "I1", measure: "active_power", scale: 1000 },
    { tag: "i1.p", device: "I1", measure: "energy", scale: 1000 },
    { tag: "i2.p", device: "I2", measure: "active_power", scale: 1000 },
    { tag: "i1.status", device: "I1", measure: "operating_status" },
    { tag: "i1.temp", device: "I1", measure: "internal_temp", scale: -1, offset: 10 },
  ],
};

/** Opens the plant; the clock stands at `at`. */
export async function openStatistics(at: string) {
  const service = await testService({ at });
  const put = await service.fetch("/admin/v1/sites/s", {
    method: "PUT",
    body: JSON.stringify(site),
    headers: { "content-type": "application/json" },
  });
  equal(put.status, 200, await put.text());
  const [{ id }] = service.services.catalog.projects;
  const get = (path: string) =>
    service.fetch(
      path.replace("?", `?${path.includes("signals") ? "project_id" : "project_ids"}=${id}&`),
    );
  return {
    ...service,
    get,
    /** Sends samples, whose `at` are milliseconds since 1970, and rolls them up. */
    async send(samples: readonly SentSample[]) {
      const response = await service.fetch(`/ingest/v1/signals?project_id=${id}`, {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: samples.map(({ at, ...sample }) =>
          JSON.stringify({ ...sample, ts: new Date(at).toISOString() })
        ).join("\n"),
      });
      const text = await response.text();
      equal(response.status, 200, text);
      equal(JSON.parse(text).rejected_count, 0, text);
      await service.settle();
    },
    /** The rows of an endpoint's query. */
    async rows(path: string): Promise<StatisticsRow[]> {
      const response = await get(`${path}&format=json`);
      const text = await response.text();
      equal(response.status, 200, text);
      return JSON.parse(text);
    },
  };
}
