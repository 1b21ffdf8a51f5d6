// Weather of other sites that stands in where a site's own sensors tell nothing, as it is declared.
import { meant } from "../../base/did_you_mean.ts";
import type { Flaw } from "../../base/fault.ts";
import { type Grant, reaches } from "../../model/access/token.ts";
import type { Fallback, Sensor } from "../../model/plant/plant.ts";
import type { SiteFile } from "../../model/site/file.ts";
import type { Plant } from "../../store/plant/plant.ts";
import type { PlantRows } from "../../store/site/site.ts";
import { lendersOf } from "../expected/weather.ts";

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

/**
 * Weather is borrowed from another site of the organization, which has it. What `grant` does not
 * reach is not there for it, but for an entry that is in force.
 */
export function fallbackFlaws(
  plant: Plant,
  file: SiteFile,
  { project: [{ organization_id }], site: [{ site_no }], grant }: Borrower,
): Flaw[] {
  const projects = plant.projects.filter((it) => it.organization_id === organization_id);
  const reached = new Set(
    projects.filter((it) => !grant || reaches(grant, it)).map(({ project_no }) => project_no),
  );
  const others = plant.sites.filter((it) =>
    it.key !== file.site.key && projects.some(({ project_no }) => project_no === it.project_no)
  );
  const known = others.filter((it) => reached.has(it.project_no));
  const in_force = new Set(fallbackEntries(plant, site_no).map(nameOf));
  const seen = new Set<string>();
  return file.fallbacks.flatMap((entry, i): Flaw[] => {
    const { site, tag } = entry;
    const path = `fallbacks[${i}]`;
    const name = nameOf(entry);
    const from = (in_force.has(name) ? others : known).find((it) => it.key === site);
    if (from === undefined) {
      const where = "in the organization" + (grant ? ", or the token does not reach it" : "");
      const message = `there is no other site ${JSON.stringify(site)} ${where}` +
        meant(site, known.map(({ key }) => key));
      return [{ path: `${path}.site`, message }];
    }
    if (seen.has(name)) return [{ path, message: "is already listed" }];
    seen.add(name);
    const told = lendersOf(plant.sensors, { from_site_no: from.site_no, tag_no: null });
    const tags = told.map((it) => plant.tags.find((own) => own.tag_no === it.tag_no)!.sensor_tag);
    if (tag === undefined ? tags.length > 0 : tags.includes(tag)) return [];
    const message = `site ${site} has no weather sensor` +
      (tag === undefined
        ? ""
        : ` of tag ${JSON.stringify(tag)}${meant(tag, reached.has(from.project_no) ? tags : [])}`);
    return [{ path: tag === undefined ? `${path}.site` : `${path}.tag`, message }];
  });
}

/** Whose file it is, and whose token asks. */
type Borrower = Pick<PlantRows, "project" | "site"> & { readonly grant?: Grant };

function nameOf({ site, tag }: SiteFile["fallbacks"][number]): string {
  return JSON.stringify([site, tag]);
}

/** The fallbacks that lend nothing with the sensors given. */
export function idleFallbacks(
  { fallbacks }: Pick<Plant, "fallbacks">,
  sensors: readonly Sensor[],
): readonly Fallback[] {
  return fallbacks.filter((it) => lendersOf(sensors, it).length === 0);
}

/** What is said of one; to a token that does not reach the site that borrows, without its name. */
export function idleText(
  { projects, sites, tags }: Pick<Plant, "projects" | "sites" | "tags">,
  { site_no, from_site_no, tag_no }: Fallback,
  { grant }: { readonly grant?: Grant } = {},
): string {
  const site = sites.find((it) => it.site_no === site_no)!;
  const project = projects.find((it) => it.project_no === site.project_no)!;
  const borrower = !grant || reaches(grant, project) ? `site ${site.key}` : "another site";
  const from = sites.find((it) => it.site_no === from_site_no)!.key;
  const tag = tags.find((it) => it.tag_no === tag_no)?.sensor_tag;
  return `${borrower} has a fallback that lends nothing: site ${from} has no weather sensor` +
    (tag === undefined ? "" : ` of tag ${JSON.stringify(tag)}`);
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
