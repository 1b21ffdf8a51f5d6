// The projects of a centre that a gateway's token can send to, and which of its own they are.
import * as z from "zod";
import type { Project } from "../../model/plant/plant.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { jsonIn } from "../../model/upstream/upstream.ts";
import { offer_form, type SiteOffer } from "../../model/upstream/version.ts";
import type { Line } from "./line.ts";

/** The projects that the gateway's token can send to, and the sites that it is to read. */
export const targets_form = z.object({
  projects: z.array(z.object({ project_id: z.string(), key: z.string() })),
  sites: z.array(offer_form).max(upstream_limits.offers).optional()
    .describe("The newest version of each site file that is published for the gateway."),
});

/** A project of the centre by its key; null where several in reach have it. */
export type Targets = ReadonlyMap<string, string | null>;

/** The projects in a centre's answer, and the sites that it offers; undefined where it is none. */
export function targetsIn(
  text: string,
): { readonly targets: Targets; readonly offers: readonly SiteOffer[] } | undefined {
  const said = targets_form.safeParse(jsonIn(text)).data;
  if (said === undefined) return undefined;
  const by_key = Map.groupBy(said.projects, ({ key }) => key);
  const targets = new Map(Array.from(by_key, ([key, [first, ...others]]) => [
    key,
    others.length > 0 ? null : first.project_id,
  ]));
  return { targets, offers: said.sites ?? [] };
}

/** Takes what a centre offers of site files, over the line that it was met by. */
export type OnOffers = (
  offers: readonly SiteOffer[],
  exchange: { readonly line: Line; readonly signal: AbortSignal },
) => Promise<void>;

/** The centre's id of a project: none where it has none, null where its key is not enough. */
export function targetOf(
  targets: Targets,
  projects: readonly Project[],
  { key }: Project,
): string | null | undefined {
  const alike = projects.filter((it) => it.key === key);
  return alike.length > 1 ? null : targets.get(key);
}

/** Which projects the centre does not have, in words; null where it has all. */
export function unknownReason(targets: Targets, projects: readonly Project[]): string | null {
  const unknown = projects.filter((it) => !targetOf(targets, projects, it));
  if (unknown.length === 0) return null;
  const double = unknown.filter((it) => targetOf(targets, projects, it) === null);
  if (double.length > 0) {
    return `several organizations have a project ${listed(double)}, here or in reach of the ` +
      "token, and it is not forwarded: give the token one organization, and this gateway too";
  }
  return `the centre has no project ${listed(unknown)} in reach of the token, it has ` +
    `${listed([...targets.keys()].map((key) => ({ key })))}: project keys are the same on both ` +
    "sides. Apply the site file there, or make a token for that project";
}

/** The first keys of some projects. */
function listed(projects: readonly Pick<Project, "key">[]): string {
  const keys = [...new Set(projects.map(({ key }) => key))];
  const shown = keys.slice(0, upstream_limits.shown_spans).join(", ");
  return keys.length > upstream_limits.shown_spans ? `${shown}, …` : shown || "none";
}
