// Compares the rules of a site file with those in force: versions that begin, rules that end. Pure.
import type { Flaw } from "../../base/fault.ts";
import { parseRule, ruleDifference, ruleText } from "../../model/rules/entry.ts";
import type { RuleEntry } from "../../model/rules/form.ts";
import type { RuleChanges, RuleOrigin, RuleRow } from "../../store/rules/rule.ts";

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
    if (in_force && last.definition === definition) return {};
    const fields = in_force ? ruleDifference(parseRule(last.definition), entry) : [];
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
