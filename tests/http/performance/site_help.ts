// A small site behind the API: its file applied, samples sent by minute of a day, rows read.
import assert from "node:assert/strict";
import type { TestRow } from "../../help/reading.ts";
import { testService } from "../../help/service.ts";

const day = "2026-06-01";

/** A site of a test, its clock at the end of the day that samples are of. */
export type Site = Awaited<ReturnType<typeof siteOf>>;

/** A value at a minute of the site's day. */
export type Point = readonly [minute: number, value: number];

/** What is asked of a component on that day; its active power if not said otherwise. */
export type Asked = {
  readonly interval: string;
  readonly component: string;
  readonly measure?: string;
  readonly by?: string;
  readonly bounds?: boolean;
};

/** Opens a service with one site in the far south of Spain, in UTC. */
export async function siteOf(
  { devices, sensors }: {
    readonly devices: readonly object[];
    readonly sensors: readonly object[];
  },
) {
  const service = await testService({ at: `${day}T23:30:00Z` });
  const put = await service.fetch("/admin/v1/sites/site", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      version: 1,
      organization: { key: "org", name: "Org" },
      project: { key: "project", name: "Project", timezone: "UTC" },
      site: { key: "site", name: "Site", latitude: 37, longitude: -4 },
      devices,
      sensors,
    }),
  });
  assert.equal(put.status, 200, await put.text());
  const [{ id }] = service.services.catalog.projects;
  return {
    settle: service.settle,
    close: service.close,
    /** Sends a tag's values. */
    async send(lane: "signal" | "model", tag: string, points: readonly Point[]): Promise<void> {
      const response = await service.fetch(`/ingest/v1/signals?project_id=${id}&lane=${lane}`, {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: points.map(([minute, value]) =>
          JSON.stringify({
            tag,
            ts: new Date(Date.parse(day) + minute * 60_000).toISOString(),
            value,
          })
        ).join("\n"),
      });
      assert.equal(response.status, 200, await response.text());
    },
    /** The rows of the day. */
    async rows({ interval, component, measure, by, bounds }: Asked): Promise<readonly TestRow[]> {
      const query = new URLSearchParams({
        ...{ project_ids: id, dt_start: day, dt_end: day, format: "json" },
        ...{ time_interval: interval, component, use_solar_bounds: `${bounds ?? true}` },
        ...{ component_measure: measure ?? "active_power", group_by: by ?? "project_id" },
      });
      const response = await service.fetch(`/platform/v1/performance-v2?${query}`);
      assert.equal(response.status, 200);
      return await response.json();
    },
  };
}
