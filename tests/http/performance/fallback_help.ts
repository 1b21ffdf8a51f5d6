// Two sites of one organization at the same place: the north has weather to lend to the south.
import assert from "node:assert/strict";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { testService } from "../../help/service.ts";
import { params } from "../../engine/expected/model_help.ts";

const place = { latitude: 35.05, longitude: -106.54 };
const met = { key: "M", type: "met" } as const;
export const neighbour: SiteInput = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "north", name: "North", timezone: "UTC" },
  site: { key: "n", name: "N", ...place },
  devices: [met],
  sensors: [
    { tag: "n.poa", device: "M", measure: "poa_front" },
    { tag: "n.air", device: "M", measure: "ambient_temp" },
  ],
};
export const site: SiteInput = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "south", name: "South", timezone: "UTC" },
  site: { key: "s", name: "S", ...place },
  devices: [{ key: "I", type: "inverter", pv: params }, met],
  sensors: [
    { tag: "s.p", device: "I", measure: "active_power" },
    { tag: "s.poa", device: "M", measure: "poa_front" },
    { tag: "s.air", device: "M", measure: "ambient_temp" },
  ],
  fallbacks: [{ site: "n" }],
};

/** Where the sun is high, in minutes. */
export const noon = Date.parse("2026-06-01T18:00:00Z") / 60_000;

type Row = {
  readonly ts: string;
  readonly hierarchy_id: string | null;
  readonly model_value: number;
  readonly fallback_share?: number | null;
};

/** A service with nothing yet. */
export async function openSites() {
  const service = await testService({ at: "2026-06-02T08:00:00Z" });
  const apply = async (file: SiteInput, query = "", token = service.token) => {
    const response = await service.fetch(`/admin/v1/sites/${file.site.key}${query}`, {
      method: "PUT",
      body: JSON.stringify(file),
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: await response.json() };
  };
  const idOf = (key: string) => service.services.catalog.projects.find((it) => it.key === key)!.id;
  /** A token that reaches one project only. */
  const tokenOf = async (project: string) => {
    const { organization_id, id } = service.services.catalog.projects
      .find((it) => it.key === project)!;
    const asked = { name: project, organization_id, project_ids: [id], expires_at: null };
    return (await service.services.access.create({ ...asked, scopes: ["admin"] })).token;
  };
  const send = async (
    project: string,
    rows: readonly (readonly [string, number, number])[],
    lane = "signal",
  ) => {
    const response = await service.fetch(
      `/ingest/v1/signals?project_id=${idOf(project)}&lane=${lane}`,
      {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: rows.map(([tag, minute, value]) =>
          JSON.stringify({ tag, ts: new Date((noon + minute) * 60_000).toISOString(), value })
        ).join("\n"),
      },
    );
    assert.equal(response.status, 200, await response.text());
    await service.settle();
  };
  /** Rows of the south on that day, of inverters unless the query says otherwise. */
  const rows = async (time_interval: string, more: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      ...{ project_ids: idOf("south"), dt_start: "2026-06-01", format: "json" },
      ...{ dt_end: "2026-06-01", time_interval },
      ...{ component: "inverter", component_measure: "active_power", ...more },
    });
    const response = await service.fetch(`/platform/v1/performance-v2?${query}`);
    return await response.json() as Row[];
  };
  return { ...service, apply, idOf, tokenOf, send, rows };
}
