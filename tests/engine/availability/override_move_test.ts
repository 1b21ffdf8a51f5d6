// Overrides and site files: an operator's word is of an inverter, whichever sensor stands for it.
import { deepEqual } from "node:assert/strict";
import { applySite } from "../../../src/engine/site/site.ts";
import { addOverride } from "../../../src/engine/availability/override.ts";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { readOverrides } from "../../../src/store/availability/override.ts";
import { openSites, plain } from "../../help/site.ts";

const devices: SiteInput["devices"] = [
  { key: "I", type: "inverter" },
  { key: "J", type: "inverter" },
];
const status = (device: string) => ({
  tag: `${device}.st`,
  device,
  measure: "operating_status",
} as const);
const power = (tag: string) => ({ tag, device: "I", measure: "active_power" } as const);
const fileOf = (sensors: SiteInput["sensors"]): SiteInput => ({
  ...{ ...plain, devices, sensors },
  tags: [{ name: "p" }],
});

Deno.test("an override follows its inverter to whichever sensor stands for it", async () => {
  const sites = await openSites();
  const { database, catalog, effects } = sites;
  await sites.apply(fileOf([status("I"), status("J")]));
  const idOf = (tag: string) =>
    catalog.sensors.find(({ tag_no }) => catalog.findTag(1, "signal", tag)?.tag_no === tag_no)!
      .hierarchy_id;
  const word = {
    hierarchy_ids: [idOf("J.st"), idOf("I.st")],
    state: "forced_outage",
    from: "2026-05-01T08:00:00Z",
    to: "2026-05-01T09:00:00Z",
    reason: "fan",
  };
  const [project] = catalog.projects;
  const availability = { wake() {} };
  await addOverride({ database, catalog, availability, effects }, word, { project, author: "a" });
  const spoken = async () => {
    const query = { project_no: 1, from_us: 0, to_us: 2 ** 52, id: null, limit: 9, offset: 0 };
    const [{ hierarchy_ids }] = await database.read((it) => readOverrides(it, query));
    return hierarchy_ids;
  };
  // Its power becomes known, then comes by another tag, then is known no more.
  await sites.apply(fileOf([status("I"), status("J"), power("p")]));
  deepEqual(await spoken(), [idOf("J.st"), idOf("p")]);
  await sites.sample("p");
  const renamed = fileOf([status("I"), status("J"), power("q")]);
  await applySite(sites, renamed, { dry_run: false, remap: true });
  deepEqual(await spoken(), [idOf("J.st"), idOf("q")]);
  await sites.apply(fileOf([status("I"), status("J")]));
  deepEqual(await spoken(), [idOf("J.st"), idOf("I.st")]);
  await database.close();
});
