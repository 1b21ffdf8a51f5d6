// A service with one site, and samples sent to it as bytes of any format.
import assert from "node:assert/strict";
import type { SiteInput } from "../../src/model/site/file.ts";
import type { IngestAnswer } from "../../src/model/samples/sample.ts";
import { testService } from "./service.ts";

/** A row of an answer, by column. */
export type AnswerRow = Readonly<Record<string, string | number | boolean | null>>;

/** How a body is sent: NDJSON as samples if nothing is said. */
type Way = { readonly type?: string; readonly lane?: string; readonly path?: string };

/** Opens a service at noon of 2026-06-01 UTC with a site, in the zone UTC if none is said. */
export async function openSite(
  site: Partial<SiteInput>,
  { at = "2026-06-01T12:00:00Z" }: { readonly at?: string } = {},
) {
  const service = await testService({ at });
  const apply = async (parts: Partial<SiteInput>) => {
    const put = await service.fetch("/admin/v1/sites/s", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        version: 1,
        organization: { key: "o", name: "O" },
        project: { key: "p", name: "P", timezone: "UTC" },
        site: { key: "s", name: "S", latitude: 40, longitude: 0 },
        ...parts,
      }),
    });
    return { status: put.status, text: await put.text() };
  };
  const { status, text } = await apply(site);
  assert.equal(status, 200, text);
  const [{ id }] = service.services.catalog.projects;
  const ask = async (path: string, query: Record<string, string>): Promise<AnswerRow[]> => {
    const response = await service.fetch(
      `/platform/v1/${path}?${new URLSearchParams({ format: "json", ...query })}`,
    );
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  };
  const day = { dt_start: "2026-06-01", dt_end: "2026-06-01", use_solar_bounds: "false" };
  return {
    ...service,
    apply,
    /** Sends a body. */
    async send(body: string | Uint8Array<ArrayBuffer>, way: Way = {}): Promise<IngestAnswer> {
      const { type = "application/x-ndjson", lane, path = "signals" } = way;
      const query = new URLSearchParams({ project_id: id, ...(lane ? { lane } : {}) });
      const response = await service.fetch(`/ingest/v1/${path}?${query}`, {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return JSON.parse(text);
    },
    /** Rows of the day's signals. */
    signals: (query: Record<string, string>) =>
      ask("signals", {
        ...{ project_id: id, from: "2026-06-01T00:00:00Z", to: "2026-06-02T00:00:00Z" },
        ...query,
      }),
    /** Rows of a measure of the day, by sensor. */
    performance: (component: string, component_measure: string, time_interval: string) =>
      ask("performance-v2", {
        ...{ project_ids: id, component, component_measure, time_interval, ...day },
      }),
  };
}

/** NDJSON of a tag's values, one each `step_min` minutes from 06:00 on. */
export function series(tag: string, step_min: number, values: readonly unknown[]): string {
  const first_ms = Date.parse("2026-06-01T06:00:00Z");
  return values.map((value, i) =>
    JSON.stringify({ tag, ts: new Date(first_ms + i * step_min * 60_000).toISOString(), value })
  ).join("\n");
}
