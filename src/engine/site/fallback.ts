// Weather of other sites that stands in where a site's own sensors tell nothing, as it is declared.
import { meant } from "../../base/did_you_mean.ts";
import type { Flaw } from "../../base/fault.ts";
import type { Fallback } from "../../model/plant/plant.ts";
import type { SiteFile } from "../../model/site/file.ts";
import type { Plant } from "../../store/plant/plant.ts";
import type { PlantRows } from "../../store/site/site.ts";
import { isWeather } from "../expected/weather.ts";

/** What stands in for the site's weather; entries that name nothing are left out. */
export function fallbackRows(
  { sites, tags, fallbacks }: Plant,
  { file, new_id, site_no }: {
    readonly file: SiteFile;
    readonly new_id: () => string;
    readonly site_no: number;
  },
): Fallback[] {
  return file.fallbacks.flatMap((entry) => {
    const from = sites.find((it) => it.key === entry.site);
    if (from === undefined) return [];
    const tag = tags.find((it) =>
      it.project_no === from.project_no && it.lane === "signal" && it.sensor_tag === entry.tag
    );
    const row = { site_no, from_site_no: from.site_no, tag_no: tag?.tag_no ?? null };
    const old = fallbacks.find((it) =>
      it.site_no === site_no && it.from_site_no === row.from_site_no && it.tag_no === row.tag_no
    );
    return [{ id: old?.id ?? new_id(), ...row }];
  });
}

/** Weather is borrowed from another site of the organization, which has it. */
export function fallbackFlaws(
  plant: Plant,
  file: SiteFile,
  { project: [{ organization_id }] }: Pick<PlantRows, "project">,
): Flaw[] {
  const projects = new Set(
    plant.projects.filter((it) => it.organization_id === organization_id)
      .map((it) => it.project_no),
  );
  const sites = plant.sites.filter((it) => it.key !== file.site.key && projects.has(it.project_no));
  const seen = new Set<string>();
  return file.fallbacks.flatMap(({ site, tag }, i): Flaw[] => {
    const path = `fallbacks[${i}]`;
    const from = sites.find((it) => it.key === site);
    if (from === undefined) {
      const message = `there is no other site ${JSON.stringify(site)} in the organization` +
        meant(site, sites.map(({ key }) => key));
      return [{ path: `${path}.site`, message }];
    }
    const name = JSON.stringify([site, tag]);
    if (seen.has(name)) return [{ path, message: "is already listed" }];
    seen.add(name);
    const told = plant.sensors.filter((it) => it.site_no === from.site_no && isWeather(it));
    const tags = told.map((it) => plant.tags.find((own) => own.tag_no === it.tag_no)!.sensor_tag);
    if (tag === undefined ? tags.length > 0 : tags.includes(tag)) return [];
    const message = `site ${site} has no weather sensor` +
      (tag === undefined ? "" : ` of tag ${JSON.stringify(tag)}${meant(tag, tags)}`);
    return [{ path: tag === undefined ? `${path}.site` : `${path}.tag`, message }];
  });
}

/** What a site file says of them. */
export function fallbackEntries(
  { sites, tags, fallbacks }: Plant,
  site_no: number,
): SiteFile["fallbacks"] {
  return fallbacks.filter((it) => it.site_no === site_no).map(({ from_site_no, tag_no }) => {
    const site = sites.find((it) => it.site_no === from_site_no)!.key;
    const tag = tags.find((it) => it.tag_no === tag_no)?.sensor_tag;
    return tag === undefined ? { site } : { site, tag };
  });
}
