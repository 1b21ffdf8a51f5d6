// Changes of rules: those that a site file makes, planned, and those by the API, stored.
import { Fault, type Flaw } from "../../base/fault.ts";
import { parseRule, ruleDifference, ruleText } from "../../model/rules/entry.ts";
import type { RuleEntry } from "../../model/rules/form.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import type { Site } from "../../model/plant/plant.ts";
import { ruleFlaws } from "../../model/rules/check.ts";
import { parseRuleBody, ruleRefusal } from "../../model/rules/request.ts";
import {
  readRules,
  type RuleChanges,
  type RuleOrigin,
  type RuleRow,
  storeRules,
} from "../../store/rules/rule.ts";
import type { Database, Write } from "../../store/database.ts";
import { type Plant, readPlant } from "../../store/plant/plant.ts";
import { rulePlace } from "./expand.ts";
import type { Follow } from "./follow.ts";

/** What becomes of one rule, in words. */
export type RuleChange = {
  readonly action: "create" | "update" | "remove";
  readonly key: string;
  /** What an update changes. */
  readonly fields: readonly string[];
};

/** What becomes of rules, in words and as rows. */
export type RulePlan = Pick<RuleChanges, "begun" | "ended"> & {
  readonly changes: readonly RuleChange[];
};

/** A site, and the newest version of every rule of the installation. */
export type RuleScene = { readonly site_no: number; readonly rules: readonly RuleRow[] };

/**
 * What makes the rules of a site file `wanted`. A rule keeps its number and goes on from its last
 * version, even one that was removed.
 */
export function planRules(wanted: readonly RuleEntry[], scene: RuleScene): RulePlan {
  const known = knownRules(scene);
  const keys = new Set(wanted.map(({ key }) => key));
  const plans = wanted.map(planRule(scene));
  const gone = [...known.values()].filter(({ key, origin, valid_to }) =>
    origin === "site_file" && valid_to === null && !keys.has(key)
  );
  return {
    changes: [
      ...plans.flatMap(({ change }) => change ?? []),
      ...gone.map(({ key }): RuleChange => ({ action: "remove", key, fields: [] })),
    ],
    begun: plans.flatMap(({ begun }) => begun ?? []),
    ended: gone.map(({ rule_no }) => rule_no),
  };
}

/** The version that makes rules of `scene` say what a definition says; empty where they do. */
export function planRule(
  scene: RuleScene,
): (entry: RuleEntry) => { change?: RuleChange; begun?: RuleChanges["begun"][number] } {
  const known = knownRules(scene);
  let rule_no = scene.rules.reduce((most, row) => Math.max(most, row.rule_no), 0);
  return (entry) => {
    const { key } = entry;
    const last = known.get(key);
    const definition = ruleText(entry);
    const in_force = last?.valid_to === null;
    const fields = in_force
      ? ruleDifference(parseRule(last.definition), parseRule(definition))
      : [];
    if (in_force && fields.length === 0) return {};
    return {
      change: { action: in_force ? "update" : "create", key, fields },
      begun: {
        rule_no: last?.rule_no ?? ++rule_no,
        version: (last?.version ?? 0) + 1,
        key,
        definition,
      },
    };
  };
}

/** A flaw for each rule in force that another origin declares. */
export function originFlaws(
  wanted: readonly RuleEntry[],
  scene: RuleScene & { readonly origin: RuleOrigin },
): Flaw[] {
  const known = knownRules(scene);
  return wanted.flatMap(({ key }, i) => {
    const last = known.get(key);
    if (last?.valid_to !== null || last.origin === scene.origin) return [];
    const message = "is a rule that was made by the API: delete it there, or give another key";
    return [{ path: `rules[${i}].key`, message }];
  });
}

function knownRules({ site_no, rules }: RuleScene): ReadonlyMap<string, RuleRow> {
  return new Map(rules.filter((it) => it.site_no === site_no).map((row) => [row.key, row]));
}

/** What rules are changed on. */
type RuleParts = { readonly database: Database; readonly follow: Follow };

/** A rule of a site, the name of the token that it is changed with, and what it must still be. */
type RuleTarget = {
  readonly site: Site;
  readonly key: string;
  readonly author: string;
  readonly if_match?: readonly number[];
};

/** What a put did: the rule as it stands now, and whether it was there before, or just so. */
type RulePut = {
  readonly row: RuleRow;
  readonly result: "created" | "updated" | "unchanged";
};

/**
 * Makes a rule of a site what `data` says. Throws a `Fault`: invalid with every flaw, or conflict
 * where a site file declares the rule.
 */
export async function putRule(
  parts: RuleParts,
  data: unknown,
  { site, key, author, if_match }: RuleTarget,
): Promise<RulePut> {
  const entry = parseRuleBody(data, key);
  const { site_no } = site;
  return await change<RulePut>(parts, async ({ write, rules, plant }) => {
    const last = find(rules, { site_no, key });
    if (last) refuseDeclared(last, site);
    requireVersion(last, if_match);
    const { begun } = planRule({ site_no, rules })(entry);
    if (begun === undefined) return { changed: false, result: { row: last!, result: "unchanged" } };
    refuseTooMany(rules, { site_no, key });
    const place = rulePlace(plant, site_no)!;
    const flaws = ruleFlaws([entry], place, { pathOf: () => "" });
    if (flaws.length > 0) throw ruleRefusal(flaws);
    await storeRules(write, { site_no, origin: "api", author, begun: [begun], ended: [] });
    const row: RuleRow = {
      ...begun,
      ...{ site_no, origin: "api", author, valid_from: write.stamp_us, valid_to: null },
    };
    return {
      changed: true,
      result: { row, result: last?.valid_to === null ? "updated" : "created" },
    };
  });
}

/**
 * Removes a rule of a site; its versions stay. Throws a `Fault`: not_found, or conflict where a
 * site file declares the rule.
 */
export async function removeRule(
  parts: RuleParts,
  { site, key, author, if_match }: RuleTarget,
): Promise<RuleRow> {
  const { site_no } = site;
  return await change(parts, async ({ write, rules }) => {
    const last = find(rules, { site_no, key });
    if (last?.valid_to !== null) {
      throw new Fault("not_found", `the site ${site.key} has no rule ${key}`);
    }
    refuseDeclared(last, site);
    requireVersion(last, if_match);
    const ended = [last.rule_no];
    await storeRules(write, { site_no, origin: "api", author, begun: [], ended });
    return { changed: true, result: { ...last, valid_to: write.stamp_us } };
  });
}

type Outcome<T> = { readonly changed: boolean; readonly result: T };

/** What a change begins from, within its write. */
type Scene = { readonly write: Write; readonly rules: readonly RuleRow[]; readonly plant: Plant };

/** Runs `work` as the only writer, and lets everything follow that looks at rules. */
async function change<T>(
  { database, follow }: RuleParts,
  work: (scene: Scene) => Promise<Outcome<T>>,
): Promise<T> {
  const { result, followed } = await database.write(async (write) => {
    const rules = await readRules(write.connection);
    const plant = await readPlant(write.connection);
    const { changed, result } = await work({ write, rules, plant });
    return changed ? { result, followed: await follow(write, plant) } : { result };
  });
  await followed?.();
  return result;
}

function find(
  rules: readonly RuleRow[],
  { site_no, key }: Pick<RuleRow, "site_no" | "key">,
): RuleRow | undefined {
  return rules.find((row) => row.site_no === site_no && row.key === key);
}

/** A site's rules by the API and by its file are no more together than a file's can be. */
function refuseTooMany(
  rules: readonly RuleRow[],
  { site_no, key }: Pick<RuleRow, "site_no" | "key">,
): void {
  const others = rules.filter((it) =>
    it.site_no === site_no && it.valid_to === null && it.key !== key
  );
  if (others.length < rule_limits.site_rules) return;
  throw new Fault("conflict", `the site has ${rule_limits.site_rules} rules already`);
}

function refuseDeclared({ origin, valid_to, key }: RuleRow, site: Site): void {
  if (origin !== "site_file" || valid_to !== null) return;
  const where = `the site file of ${site.key} declares the rule ${key}`;
  throw new Fault("conflict", `${where}: change it there (PUT /admin/v1/sites/${site.key})`);
}

/** Refuses what was read before somebody else changed or removed the rule. */
function requireVersion(last: RuleRow | undefined, if_match?: readonly number[]): void {
  if (if_match === undefined) return;
  const version = last?.valid_to === null ? last.version : undefined;
  if (version !== undefined && if_match.includes(version)) return;
  const message = version === undefined
    ? "it is not there any more: read the rules again"
    : `it is at version ${version}: someone changed it; read it again`;
  throw new Fault("precondition_failed", message);
}
