// What requests for alarms have in common: project and site, where to resume, the next page.
import { nearest } from "../../base/did_you_mean.ts";
import type { Flaw } from "../../base/fault.ts";
import type { FeedSource } from "../../engine/alarms/feed.ts";
import { occurrenceNoOf } from "../../model/alarms/alarm.ts";
import type { Param } from "../../model/data/param.ts";
import { projectOf } from "../frame/auth.ts";
import { inputRefusal, invalid } from "../frame/input.ts";
import type { Services } from "../frame/services.ts";

/** A site of the project. */
export const site_param = {
  name: "site",
  in: "query",
  kind: "text",
  required: false,
  names: "site",
  doc: "Key or id of a site of the project; all of its sites by default.",
} as const satisfies Param;

/** What is said of an offset where rows come in the order of their changes. */
export const skip_doc = "Rows to skip. To follow changes, use updated_since and after instead: " +
  "with an offset, rows can be missed or repeated when they change between two pages.";

/** The project and the site that a request names. Throws a `Fault` where there is no such site. */
export function sourceOf(
  services: Pick<Services, "catalog">,
  { project_id, site }: { readonly project_id: string; readonly site: string | undefined },
): FeedSource {
  const project = projectOf(services, project_id);
  if (site === undefined) return { project, site_no: null };
  const sites = services.catalog.sites.filter(({ project_no }) =>
    project_no === project.project_no
  );
  const found = sites.find(({ key }) => key === site);
  if (found) return { project, site_no: found.site_no };
  const near = nearest(site, sites.map(({ key }) => key));
  const message = `the project has no such site${near ? `; meant ${near}?` : ""}`;
  throw invalid("site", message);
}

/** What a place to resume from lacks, where it was given in part. */
export function needs(
  path: string,
  { given, column }: { readonly given: string; readonly column: string },
): Flaw {
  return { path, message: `is required with ${given}: give the last row's ${column}` };
}

/**
 * The number of the occurrence that `after` names. Throws a `Fault` with `flaws`, and where it
 * names none.
 */
export function afterOf(after: string | undefined, flaws: readonly Flaw[]): number | undefined {
  const occurrence_no = after === undefined ? undefined : occurrenceNoOf(after);
  const message = "give a svc_occurrence_ref as it was received, such as occ-000000000001";
  const isWrong = after !== undefined && occurrence_no === undefined;
  const all = isWrong ? [...flaws, { path: "after", message }] : flaws;
  if (all.length > 0) throw inputRefusal(all);
  return occurrence_no;
}

/** The header that names the next page: the request again, from `resume` on. */
export function nextLink(
  { url }: Request,
  resume: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { pathname, searchParams } = new URL(url);
  searchParams.delete("offset");
  for (const [name, value] of Object.entries(resume)) searchParams.set(name, value);
  return { link: `<${pathname}?${searchParams}>; rel="next"` };
}
