// Compares a site file with the plant as it stands: what to create, update and remove. Pure.
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import type { Grant } from "../../model/access/token.ts";
import type { Fallback } from "../../model/plant/plant.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { SiteFile } from "../../model/site/file.ts";
import {
  plant_keys,
  plant_kinds,
  plant_tables,
  type PlantKind,
  type PlantRows,
  type SiteState,
} from "../../store/site/site.ts";
import {
  changeOf,
  type Diff,
  movedSites,
  risksOf,
  sceneOf,
  type SiteChange,
  type SiteRisk,
  staleTags,
  touchesModels,
  touchesStates,
} from "./change.ts";
import { originFlaws, planRules, type RuleChange, type RulePlan } from "../rules/change.ts";
import { tooManySources } from "../sources/change.ts";
import { fallbackFlaws, idleFallbacks } from "./fallback.ts";
import { type NewIds, wantedRows } from "./rows.ts";

/** What applying a file does. */
export type SitePlan = {
  readonly changes: readonly SiteChange[];
  readonly site_no: number;
  readonly project_no: number;
  /** Rows to store, new or in place of those with the same identity. */
  readonly puts: PlantRows;
  readonly removes: PlantRows;
  readonly rules: Pick<RulePlan, "begun" | "ended">;
  readonly risks: readonly SiteRisk[];
  /** Tags whose roll-up no longer holds. */
  readonly stale_tags: readonly number[];
  /** Sites whose local days and daylight no longer hold. */
  readonly moved_sites: readonly number[];
  /** Sites whose inverters' states and losses no longer hold. */
  readonly judged_sites: readonly number[];
  /** Other sites' fallbacks that lend nothing any more. */
  readonly idle_fallbacks: readonly Fallback[];
};

/**
 * The plan that makes `state` what `file` says. Identifiers and numbers of what exists stay.
 * Throws a `Fault` (conflict) when the site would move to another project, or when a device, a tag
 * or a rule is declared elsewhere.
 */
export function planSite(
  state: SiteState,
  file: SiteFile,
  options: NewIds & { readonly grant?: Grant },
): SitePlan {
  refuseMove(state, file);
  const wanted = wantedRows(state, file, options);
  refuseForeign(state, file, { ...wanted, grant: options.grant });
  const scene = sceneOf(state, wanted);
  const [{ site_no, project_no }] = wanted.site;
  const rules = planRules(file.rules, { site_no, rules: state.rules });
  const present = presentRows(state, wanted);
  const diffs = plant_kinds.flatMap((kind) => diffsOf(kind, present[kind], wanted[kind]));
  const moved_sites = diffs.flatMap((it) => movedSites(it, scene));
  const modelled = diffs.some(touchesModels) ? scene.model_tags : [];
  const judged = scene.judged && diffs.some(touchesStates);
  return {
    changes: [...diffs.map((it) => changeOf(it, scene)), ...rules.changes.map(ruleChangeOf)],
    ...{ site_no, project_no },
    puts: rowsOf(diffs.filter((it) => it.action !== "remove")),
    removes: rowsOf(diffs.filter((it) => it.action === "remove")),
    rules,
    risks: diffs.flatMap((it) => risksOf(it, scene)),
    stale_tags: [...new Set(diffs.flatMap((it) => staleTags(it, scene)).concat(modelled))],
    moved_sites,
    judged_sites: [...new Set([...moved_sites, ...(judged ? [site_no] : [])])],
    idle_fallbacks: newlyIdle(state, wanted),
  };
}

/** What a file takes from those who borrow its site's weather. */
function newlyIdle({ plant }: SiteState, wanted: PlantRows): readonly Fallback[] {
  const [{ site_no }] = wanted.site;
  const others = plant.sensors.filter((it) => it.site_no !== site_no);
  const before = new Set(idleFallbacks(plant, plant.sensors));
  return idleFallbacks(plant, [...others, ...wanted.sensor])
    .filter((it) => it.site_no !== site_no && !before.has(it));
}

function ruleChangeOf({ action, key, fields }: RuleChange): SiteChange {
  return { action, kind: "rule", key, fields, history: false };
}

function refuseMove({ plant }: SiteState, file: SiteFile): void {
  const site = plant.sites.find((it) => it.key === file.site.key);
  if (site === undefined) return;
  const project = plant.projects.find((it) => it.project_no === site.project_no)!;
  const organization = plant.organizations.find((it) => it.id === project.organization_id)!;
  const message = (noun: string) => `site ${site.key} belongs to another ${noun}: it can't move`;
  if (organization.key !== file.organization.key) {
    throw misfit([{ path: "organization.key", message: message("organization") }]);
  }
  if (project.key !== file.project.key) {
    throw misfit([{ path: "project.key", message: message("project") }]);
  }
}

function refuseForeign(
  { plant, owners, rules, resets }: SiteState,
  file: SiteFile,
  wanted: PlantRows & { readonly grant?: Grant },
): void {
  const [{ site_no, project_no }] = wanted.site;
  const others = plant.sites.filter((it) => it.project_no === project_no && it.site_no !== site_no);
  const other_keys = new Map(others.map((site) => [site.site_no, site.key]));
  const foreign_devices = new Map(
    plant.devices.filter((it) => other_keys.has(it.site_no)).map((it) => [it.key, it.site_no]),
  );
  const flaws: Flaw[] = file.devices.flatMap(({ key }, i) => {
    const message = `belongs to site ${other_keys.get(foreign_devices.get(key) ?? 0)}`;
    return foreign_devices.has(key) ? [{ path: `devices[${i}].key`, message }] : [];
  });
  for (const { tag_no, sensor_tag } of wanted.tag) {
    const owner = owners.get(tag_no);
    if (owner === undefined || owner === site_no) continue;
    flaws.push({
      path: tagPath(file, sensor_tag),
      message: `belongs to site ${other_keys.get(owner)}`,
    });
  }
  const known = new Set(plant.tags.map((tag) => tag.tag_no));
  const tags = plant.tags.filter((tag) => tag.project_no === project_no).length +
    wanted.tag.filter((tag) => !known.has(tag.tag_no)).length;
  if (tags > sample_limits.tags_per_project) {
    const message =
      `the project would have ${tags} tags, more than ${sample_limits.tags_per_project}`;
    flaws.push({ path: "tags", message });
  }
  flaws.push(...fallbackFlaws(plant, file, wanted));
  flaws.push(...resetFlaws(resets, wanted));
  flaws.push(...foreignSources(plant, file, { site_no, other_keys }));
  const known_sources = plant.sources.filter((it) => it.site_no === site_no);
  const more = wanted.source.length -
    known_sources.filter(({ origin }) => origin === "site_file").length;
  const too_many = tooManySources(plant, { project_no, more });
  if (more > 0 && too_many !== undefined) flaws.push({ path: "sources", message: too_many });
  flaws.push(...originFlaws(file.rules, { site_no, rules, origin: "site_file" }));
  if (flaws.length > 0) throw misfit(flaws);
}

/** A source's key begins its tags' names, which are of its project; each is declared once. */
function foreignSources(
  { sources }: SiteState["plant"],
  file: SiteFile,
  { site_no, other_keys }: {
    readonly site_no: number;
    readonly other_keys: ReadonlyMap<number, string>;
  },
): Flaw[] {
  return file.sources.flatMap(({ key }, i) => {
    const other = sources.find((it) => it.key === key && other_keys.has(it.site_no));
    const sent = sources.find((it) => it.key === key && it.site_no === site_no);
    const message = other !== undefined
      ? `is a source of site ${other_keys.get(other.site_no)}`
      : sent?.origin === "api"
      ? "is a source that was made by the API: delete it there, or give another key"
      : undefined;
    return message === undefined ? [] : [{ path: `sources[${i}].key`, message }];
  });
}

/** A reset that a request has declared can be taken over, but not changed. */
function resetFlaws(resets: SiteState["resets"], { counter_reset }: PlantRows): Flaw[] {
  const sent = new Map(resets.filter((it) => it.site_no === null).map((it) => [it.id, it]));
  return counter_reset.flatMap(({ id, last_value, first_value }, i) => {
    const other = sent.get(id);
    const is_same = other?.last_value === last_value && other.first_value === first_value;
    if (other === undefined || is_same) return [];
    const message = "a request has declared this reset with other values: delete that one first " +
      `(DELETE /platform/v1/counters/resets/${id}), or give the same values`;
    return [{ path: `counter_resets[${i}]`, message }];
  });
}

/** Where the file first names a tag. */
function tagPath(file: SiteFile, name: string): string {
  const at = file.tags.findIndex((tag) => tag.name === name);
  if (at >= 0) return `tags[${at}].name`;
  return `sensors[${file.sensors.findIndex((sensor) => sensor.tag === name)}].tag`;
}

/** The refusal of a file that is right by itself but does not fit the plant. */
export function misfit(flaws: readonly Flaw[]): Fault {
  return refusal("the site file does not fit the plant as it is", flaws, { code: "conflict" });
}

/** What of the plant a file of this site speaks for. */
function presentRows({ plant, owners, resets }: SiteState, wanted: PlantRows): PlantRows {
  const [{ site_no, project_no }] = wanted.site;
  const named = new Set(wanted.tag.map((tag) => tag.tag_no));
  const taken = new Set(wanted.counter_reset.map((it) => it.id));
  return {
    organization: plant.organizations.filter((it) => it.id === wanted.organization[0].id),
    project: plant.projects.filter((it) => it.project_no === project_no),
    site: plant.sites.filter((it) => it.site_no === site_no),
    block: plant.blocks.filter((it) => it.site_no === site_no),
    device_model: plant.device_models.filter((it) => it.site_no === site_no),
    device: plant.devices.filter((it) => it.site_no === site_no),
    tag: plant.tags.filter((it) => owners.get(it.tag_no) === site_no || named.has(it.tag_no)),
    sensor: plant.sensors.filter((it) => it.site_no === site_no),
    counter_reset: resets.filter((it) => it.site_no === site_no || taken.has(it.id)),
    fallback: plant.fallbacks.filter((it) => it.site_no === site_no),
    keep_rule: plant.keep_rules.filter((it) => it.site_no === site_no),
    source: plant.sources.filter((it) => it.site_no === site_no && it.origin === "site_file"),
  };
}

function diffsOf<K extends PlantKind>(
  kind: K,
  present: PlantRows[K],
  wanted: PlantRows[K],
): Diff[] {
  type Row = Readonly<Record<string, unknown>>;
  const { columns } = plant_tables[kind];
  const identity = (row: unknown) => (row as Row)[plant_keys[kind]];
  const before = new Map(present.map((row) => [identity(row), row as Row]));
  const after = new Set(wanted.map(identity));
  const diffs: unknown[] = [];
  for (const row of wanted as readonly Row[]) {
    const old = before.get(identity(row));
    const fields = old ? Object.keys(columns).filter((name) => old[name] !== row[name]) : [];
    if (!old || fields.length > 0) {
      diffs.push({ kind, action: old ? "update" : "create", row, fields });
    }
  }
  for (const row of present as readonly Row[]) {
    if (!after.has(identity(row))) diffs.push({ kind, action: "remove", row, fields: [] });
  }
  return diffs as Diff[];
}

function rowsOf(diffs: readonly Diff[]): PlantRows {
  const of = (kind: PlantKind) => diffs.filter((it) => it.kind === kind).map((it) => it.row);
  return Object.fromEntries(plant_kinds.map((kind) => [kind, of(kind)])) as unknown as PlantRows;
}
