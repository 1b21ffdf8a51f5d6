// A plant of two inverters and a battery, which a test sends what it wants, in a real browser.
import { deepEqual, equal } from "node:assert/strict";
import type { Browser } from "playwright-core";
import { testService } from "../help/service.ts";
import { type ScreenWorld, serveScreens } from "./browser.ts";

/** A value of a tag. */
type Sample = { readonly tag: string; readonly ts: string; readonly value: number };

/** A plant in Denver's time; so far south that on none of the tests' days the sun sets. */
export function smallSite(nameOf: (key: string) => string = (key) => key) {
  const device = (key: string, type: string) => ({ key, type, name: nameOf(key) });
  return {
    version: 1,
    organization: { key: "o", name: nameOf("O") },
    project: { key: "p", name: nameOf("P"), timezone: "America/Denver" },
    site: { key: "s", name: nameOf("S"), latitude: -89, longitude: -105 },
    blocks: [{ key: "b", name: nameOf("B") }],
    devices: [
      { ...device("met", "met"), block: "b" },
      { ...device("bess", "bess"), block: "b" },
      { ...device("INV-1", "inverter"), block: "b" },
      { ...device("INV-2", "inverter"), block: "b" },
    ],
    sensors: [
      { tag: "poa", device: "met", measure: "poa_front" },
      { tag: "soc", device: "bess", measure: "soc" },
      { tag: "flow", device: "bess", measure: "active_power" },
      { tag: "INV-1.p", device: "INV-1", measure: "active_power", capacity: 1e6 },
      { tag: "INV-2.p", device: "INV-2", measure: "active_power", capacity: 1e6 },
    ],
  };
}

/** Opens the screens of a plant at `at`, once it has what was sent until then. */
export async function openSmallPlant(
  browser: Browser,
  { at, site, samples }: {
    readonly at: string;
    readonly site: object;
    readonly samples: readonly Sample[];
  },
): Promise<ScreenWorld> {
  const service = await testService({ at });
  const put = await service.fetch("/admin/v1/sites/s", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(site),
  });
  equal(put.status, 200, await put.text());
  const [{ id: project_id }] = service.services.catalog.projects;
  const sent = await service.fetch(`/ingest/v1/signals?project_id=${project_id}`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: samples.map((it) => JSON.stringify(it)).join("\n"),
  });
  deepEqual((await sent.json()).rejected, []);
  await service.settle();
  return serveScreens(browser, { service, project_id });
}

/** Steady values of every tag, every five minutes of a span. */
export function steadySamples(
  { from_ms, to_ms }: { readonly from_ms: number; readonly to_ms: number },
): readonly Sample[] {
  const values = { poa: 500, soc: 60, flow: -2e5, "INV-1.p": 6e5, "INV-2.p": 6e5 };
  const samples: Sample[] = [];
  for (let ms = from_ms; ms < to_ms; ms += 300_000) {
    const ts = new Date(ms).toISOString();
    for (const [tag, value] of Object.entries(values)) samples.push({ tag, ts, value });
  }
  return samples;
}
