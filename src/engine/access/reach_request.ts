// What a maker's words for an organization and projects mean, and whether the maker reaches that.
import { meant } from "../../base/did_you_mean.ts";
import type { Fault, Flaw } from "../../base/fault.ts";
import { covers, type Grant } from "../../model/access/token.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** An organization (null: every one) and some projects of it (null: all). */
type Reach = Pick<Grant, "organization_id" | "project_ids">;

/** Who asks; `grant` is absent for the operator of the machine. */
type ReachMaker = {
  readonly catalog: Catalog;
  readonly grant?: Grant;
  /** How what is asked for is refused. */
  readonly refuse: {
    readonly invalid: (flaws: readonly Flaw[]) => Fault;
    readonly forbidden: () => Fault;
  };
};

/**
 * The reach that is meant, by ids or keys; what is not said is what the maker is limited to. Throws
 * the maker's refusal.
 */
export function resolveReach(
  { organization, projects }: { readonly organization?: string; readonly projects?: string[] },
  maker: ReachMaker,
): Reach {
  const { catalog, grant, refuse } = maker;
  const named = catalog.organizations.find((it) =>
    it.id === organization || it.key === organization
  );
  if (organization !== undefined && !named) throw unknown("organization", organization, maker);
  const organization_id = named?.id ?? grant?.organization_id ?? null;
  if (projects === undefined) {
    return { organization_id, project_ids: grant?.project_ids ?? null };
  }
  const found = projects.map((word, i) => {
    const matches = catalog.projects.filter((it) =>
      (it.id === word || it.key === word) &&
      (organization_id === null || it.organization_id === organization_id)
    );
    if (matches.length === 1) return matches[0];
    if (matches.length === 0) throw unknown(`projects[${i}]`, word, maker);
    throw refuse.invalid([{
      path: `projects[${i}]`,
      message: "say of which organization, or give its id",
    }]);
  });
  if (new Set(found.map((it) => it.organization_id)).size > 1) {
    throw refuse.invalid([{ path: "projects", message: "give projects of one organization" }]);
  }
  const project_ids = [...new Set(found.map((it) => it.id))];
  return { organization_id: found[0].organization_id, project_ids };
}

/** Throws the maker's refusal where it does not reach all of `reach`. */
export function requireReach(reach: Reach, { grant, refuse }: ReachMaker): void {
  if (grant && !covers(grant, reach)) throw refuse.forbidden();
}

/** A limited maker must not learn what else exists: to it the unknown is the forbidden. */
function unknown(path: string, word: string, { catalog, grant, refuse }: ReachMaker): Fault {
  if (grant?.organization_id || grant?.project_ids) return refuse.forbidden();
  const known = path === "organization" ? catalog.organizations : catalog.projects;
  const keys = known.map(({ key }) => key);
  const hint = meant(word, keys) || `; known are ${keys.slice(0, 10).join(", ") || "none"}`;
  return refuse.invalid([{ path, message: `there is no ${JSON.stringify(word)}${hint}` }]);
}
