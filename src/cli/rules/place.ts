// The sites that rules can be tried on, here or at a running service, and the range on their clock.
import type { Effects } from "../../base/effects.ts";
import { Fault, type Flaw } from "../../base/fault.ts";
import { meant } from "../../base/did_you_mean.ts";
import type { Catalog } from "../../engine/catalog/catalog.ts";
import { dayNumber, isDay } from "../../model/time/calendar.ts";
import { dayStart } from "../../model/time/zone.ts";
import { instant_form, instantOf } from "../../wire/bytes/instant.ts";
import { askService, type Remote } from "../frame/remote.ts";

/** A site with what is needed to ask about it. */
export type RulePlace = {
  readonly site: string;
  readonly project_id: string;
  readonly project_key: string;
  readonly timezone: string;
};

/** The sites of this machine's directory. */
export function placesHere(catalog: Catalog): readonly RulePlace[] {
  return catalog.sites.map(({ key, project_no }) => {
    const { id, key: project_key, timezone } = catalog.projectByNo(project_no)!;
    return { site: key, project_id: id, project_key, timezone };
  });
}

/** The sites that a service's token reaches. */
export async function placesThere(
  effects: Pick<Effects, "request" | "sleep">,
  remote: Remote,
): Promise<readonly RulePlace[]> {
  type Answer = {
    readonly projects: readonly {
      readonly project_id: string;
      readonly key: string;
      readonly timezone: string;
      readonly sites: readonly { readonly key: string }[];
    }[];
  };
  const { projects } = await askService<Answer>(effects, remote, {
    path: "/platform/v1/meta/projects",
  });
  return projects.flatMap(({ project_id, key, timezone, sites }) =>
    sites.map((site) => ({ site: site.key, project_id, project_key: key, timezone }))
  );
}

/** The site that is meant: the one named, or else the only one. */
export function placeOf(places: readonly RulePlace[], wanted: string | undefined): RulePlace {
  const keys = places.map(({ site }) => site);
  if (wanted === undefined && places.length === 1) return places[0];
  if (wanted === undefined) {
    const known = keys.join(", ") || "there is none: apply a site file first";
    throw new Fault("invalid", `say which site with --site: ${known}`);
  }
  const found = places.find(({ site }) => site === wanted);
  if (found !== undefined) return found;
  throw new Fault("not_found", `there is no site ${wanted}${meant(wanted, keys)}`);
}

/** The range that two flags mean: instants, or days on the site's clock, the last one included. */
export function rangeOf(
  { from, to }: { readonly from: string; readonly to: string },
  { timezone }: Pick<RulePlace, "timezone">,
): { readonly from_us: number; readonly to_us: number } {
  const startOf = (text: string, days = 0) =>
    isDay(text) ? dayStart(timezone, dayNumber(text) + days) * 60_000_000 : instantOf(text);
  const [from_us, to_us] = [startOf(from), startOf(to, 1)];
  const flaws: Flaw[] = [];
  const wrong = (path: string, text: string) => {
    flaws.push({ path, message: `give a day as YYYY-MM-DD, or ${instant_form}, not ${text}` });
  };
  if (Number.isNaN(from_us)) wrong("--from", from);
  if (Number.isNaN(to_us)) wrong("--to", to);
  else if (to_us <= from_us) flaws.push({ path: "--to", message: `must be later than ${from}` });
  if (flaws.length > 0) throw new Fault("invalid", "this range can't be tried", { flaws });
  return { from_us, to_us };
}
