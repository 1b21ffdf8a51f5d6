// Applies a site file, shows what it would change, and gives the declaration that is in force.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { checkSiteFile } from "../../model/site/check.ts";
import { unitWarnings } from "../../model/site/derived.ts";
import type { SiteFile, SiteInput } from "../../model/site/file.ts";
import { type Grant, reaches } from "../../model/access/token.ts";
import { markInverterDays } from "../../store/availability/availability.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database, Write } from "../../store/database.ts";
import { moveOverrides } from "../../store/availability/override.ts";
import { readPlant } from "../../store/plant/plant.ts";
import { storeRules } from "../../store/rules/rule.ts";
import { listPulledSites, readSiteGateways } from "../../store/upstream/version.ts";
import {
  dropReadings,
  forgetDays,
  ownTags,
  putRows,
  readSiteState,
  removeRows,
  type SiteState,
  tagsWithData,
} from "../../store/site/site.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { movedStandIns } from "../catalog/inverter.ts";
import type { Follow } from "../rules/follow.ts";
import type { SiteChange, SiteRisk } from "./change.ts";
import { misfit, planSite, type SitePlan } from "./plan.ts";
import { declaredSite } from "./declared.ts";
import { idleText } from "./fallback.ts";
import type { NewIds } from "./rows.ts";

/** What a site is applied to. */
export type SiteParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly roll: {
    markStale(write: Write, tag_nos: readonly number[]): Promise<void>;
    wake(): void;
  };
  readonly follow: Follow;
  readonly effects: Pick<Effects, "now_us" | "random">;
} & Pick<NewIds, "organizationId">;

/** What was changed, or would be. */
export type SiteReport = {
  readonly site: string;
  readonly dry_run: boolean;
  readonly changes: readonly SiteChange[];
  /** What goes wrong elsewhere by them; absent where nothing does. */
  readonly warnings?: readonly string[];
};

/** What is stored with a site file, in the same transaction: how the plant was, and its place. */
export type SiteStored = {
  readonly before: SiteState;
  readonly site_no: number;
  readonly project_no: number;
};

/**
 * `grant` is whose token asks; absent for the operator of the machine. With `remap`, sensors that
 * hold data can be removed or mapped elsewhere: their readings end with them, every sample stays.
 */
type ApplyOptions = {
  readonly dry_run: boolean;
  readonly remap?: boolean;
  readonly grant?: Grant;
  /** Who the file is from: by default a person; `gateway` where a gateway reads its sources. */
  readonly origin?: "person" | "gateway" | "centre" | "before";
  /** Stores more in the same transaction, whether or not anything changes. */
  readonly also?: (write: Write, stored: SiteStored) => Promise<void>;
};

/**
 * Makes the plant what `file` (plain data) says, in one transaction: all of it or nothing, and
 * nothing at all on a dry run. Throws a `Fault`: invalid for a wrong file, forbidden where the
 * grant does not reach, conflict for what would move or orphan data.
 */
export async function applySite(
  parts: SiteParts,
  file: unknown,
  { dry_run, remap = false, grant, origin = "person", also }: ApplyOptions,
): Promise<SiteReport> {
  const checked = checkSiteFile(file);
  const new_id = () => newId(parts.effects);
  const { organizationId } = parts;
  const plan = async (connection: Connection) => {
    const before = await readSiteState(connection);
    refuseUnreached(before, checked, { grant, organizationId });
    const { wanted, told } = await sourcesOf(connection, { file: checked, origin });
    const made = planSite(before, wanted, { new_id, grant, organizationId });
    const risks = made.risks.filter((risk) => !(remap && risk.remaps))
      // What a version brought may go with it: samples stay with their tags.
      .filter(({ removes }) => !(origin === "before" && removes));
    await refuseOrphans(connection, risks);
    const { plant } = before;
    const warnings = [
      ...told,
      ...unitWarnings(wanted),
      ...made.idle_fallbacks.map((it) => idleText(plant, it, { grant })),
    ];
    return { ...made, before, warnings };
  };
  const { changes, warnings } = dry_run
    ? await parts.database.read(plan)
    : await store(parts, { plan, also, author: grant?.name ?? null });
  return {
    ...{ site: checked.site.key, dry_run, changes },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** The file as it is applied here: of a site whose sources a gateway reads, without them. */
async function sourcesOf(
  connection: Connection,
  { file, origin }: { readonly file: SiteFile; readonly origin: ApplyOptions["origin"] },
): Promise<{ readonly wanted: SiteFile; readonly told: readonly string[] }> {
  const { key } = file.site;
  const without = { ...file, sources: [] };
  if (origin === "gateway") return { wanted: without, told: [] };
  const gateways = await readSiteGateways(connection);
  if (gateways.some(({ site_key }) => site_key === key)) {
    const told = `a gateway reads the sources of ${key}: they are left out here; ` +
      "`wattkeeper gateway site publish` gives them to the gateway";
    return { wanted: without, told: file.sources.length > 0 ? [told] : [] };
  }
  const is_pulled = origin === "person" && (await listPulledSites(connection)).includes(key);
  const told = `the centre publishes the site ${key}: its next version takes the place of this ` +
    "file; `wattkeeper upstream hold` keeps it";
  return { wanted: file, told: is_pulled ? [told] : [] };
}

/** The declaration of a site as a site file; undefined when there is none that `grant` reaches. */
export async function showSite(
  { database }: Pick<SiteParts, "database">,
  key: string,
  { grant }: { readonly grant?: Grant } = {},
): Promise<SiteInput | undefined> {
  const state = await database.read(readSiteState);
  const site = state.plant.sites.find((it) => it.key === key);
  const project = state.plant.projects.find((it) => it.project_no === site?.project_no);
  if (!site || !project || (grant && !reaches(grant, project))) return undefined;
  return declaredSite(state, site);
}

type WarnedPlan = SitePlan & {
  readonly before: SiteState;
  readonly warnings: readonly string[];
};

/** Plans and stores under the one writer's lock, so that nothing changes in between. */
async function store(
  parts: SiteParts,
  { plan, author, also }: {
    readonly plan: (connection: Connection) => Promise<WarnedPlan>;
    readonly author: string | null;
  } & Pick<ApplyOptions, "also">,
): Promise<WarnedPlan> {
  const { database, catalog, roll } = parts;
  const { made, plant, followed } = await database.write(async (write) => {
    const made = await plan(write.connection);
    if (made.changes.length === 0) {
      await also?.(write, made);
      return { made };
    }
    await carryOut(write, made);
    const { site_no, rules } = made;
    await storeRules(write, { site_no, origin: "site_file", author, ...rules });
    await roll.markStale(write, made.stale_tags);
    await also?.(write, made);
    const plant = await readPlant(write.connection);
    // Operators spoke of inverters, whichever of their sensors stood for them.
    await moveOverrides(write.connection, movedStandIns(catalog.sensors, plant.sensors));
    return { made, plant, followed: await parts.follow(write, plant) };
  });
  if (plant === undefined) return made;
  // Read in the transaction and swapped in at once: no request sees the commit and an old catalog.
  catalog.replace(plant);
  const settled = followed();
  roll.wake();
  await settled;
  return made;
}

async function carryOut(write: Write, plan: SitePlan): Promise<void> {
  const { connection } = write;
  const { site_no, puts, removes } = plan;
  // First, for the days are found by what goes below.
  for (const site of plan.judged_sites) await markInverterDays(write, site);
  // A removed tag stays, undeclared: samples for it may be on their way.
  const undeclared = removes.tag.map((tag) => ({ ...tag, declared: false }));
  await removeRows(connection, { ...removes, tag: [] });
  await dropReadings(connection, removes.sensor.map((sensor) => sensor.sensor_no));
  await putRows(connection, { ...puts, tag: [...puts.tag, ...undeclared] });
  await ownTags(connection, { site_no, tag_nos: puts.tag.map((tag) => tag.tag_no) });
  await ownTags(connection, { site_no: null, tag_nos: removes.tag.map((tag) => tag.tag_no) });
  await forgetDays(connection, plan.moved_sites);
}

async function refuseOrphans(
  connection: Connection,
  risks: readonly SiteRisk[],
): Promise<void> {
  const at_risk = [...new Set(risks.flatMap((risk) => risk.tag_nos))];
  const held = await tagsWithData(connection, at_risk);
  const real = risks.filter((risk) => risk.tag_nos.some((tag_no) => held.has(tag_no)));
  if (real.length > 0) throw misfit(real.map((risk) => risk.flaw));
}

/**
 * Only an installation's token makes organizations; one bound to projects makes no project. An
 * organization that a fleet has elsewhere has its identifier by its key.
 */
function refuseUnreached(
  { plant }: SiteState,
  file: SiteFile,
  { grant, organizationId = () => "" }:
    & Pick<ApplyOptions, "grant">
    & Pick<NewIds, "organizationId">,
): void {
  if (grant === undefined) return;
  const { key } = file.organization;
  const organization_id = plant.organizations.find((it) => it.key === key)?.id ??
    organizationId(key);
  const project = plant.projects.find((it) =>
    it.organization_id === organization_id && it.key === file.project.key
  );
  const site = plant.sites.find((it) => it.key === file.site.key);
  const owner = plant.projects.find((it) => it.project_no === site?.project_no);
  const targets = [project ?? { id: "", organization_id }, ...(owner ? [owner] : [])];
  if (targets.every((target) => reaches(grant, target))) return;
  throw new Fault("forbidden", "the token does not reach this site's organization or project");
}
