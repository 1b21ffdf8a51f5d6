// The site that a request is about: by its parameter, or the only one of its project.
import { meant } from "../../base/did_you_mean.ts";
import { limits } from "../../base/limits.ts";
import type { Param } from "../../model/data/param.ts";
import type { Site } from "../../model/plant/plant.ts";
import { projectOf } from "./auth.ts";
import { invalid } from "./input.ts";
import type { Services } from "./services.ts";

/** Which site of the project. */
export const one_site_param = {
  name: "site",
  in: "query",
  kind: "text",
  required: false,
  names: "site",
  doc: "Key or id of the site; not needed if the project has only one.",
} as const satisfies Param;

/** The site that is meant, which must be one of the project. */
export function siteOf(
  services: Pick<Services, "catalog">,
  { project_id, site: key }: { readonly project_id: string; readonly site?: string },
): Site {
  const { project_no } = projectOf(services, project_id);
  const sites = services.catalog.sites.filter((it) => it.project_no === project_no);
  if (key === undefined && sites.length === 1) return sites[0];
  const keys = sites.map((it) => it.key);
  if (key === undefined) {
    const shown = keys.slice(0, limits.flaws_shown).join(", ");
    throw invalid("site", `is missing: the project has ${shown || "no site"}`);
  }
  const site = sites.find((it) => it.key === key);
  if (site !== undefined) return site;
  throw invalid("site", `the project has no site ${key}${meant(key, keys)}`);
}
