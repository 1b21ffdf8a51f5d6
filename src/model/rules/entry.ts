// A rule's definition there and back: as text that is kept, as the rule in force, in short form.
import { z } from "zod";
import type { Condition, Rule } from "./rule.ts";
import { rule_form, type RuleEntry, type RuleInput } from "./form.ts";

/** What a rule has beside its definition. */
export type RuleNumbers = Pick<Rule, "rule_no" | "version" | "project_no" | "site_no">;

/** The JSON that is kept of a rule, the same for the same definition. */
export function ruleText(entry: RuleEntry): string {
  const { labels, ...rest } = entry as RuleEntry & { labels?: Record<string, string> };
  if (labels === undefined) return JSON.stringify(rest);
  const rising = Object.entries(labels).sort(([a], [b]) => Number(a) - Number(b));
  return JSON.stringify({ ...rest, labels: Object.fromEntries(rising) });
}

/** The definition that `ruleText` made a text of. */
export function parseRule(text: string): RuleEntry {
  return JSON.parse(text) as RuleEntry;
}

/** The rule that a definition makes. */
export function ruleOf(entry: RuleEntry, numbers: RuleNumbers): Rule {
  const { key, name, severity, is_nerc, resolution_policy, on_delay_s, off_delay_s } = entry;
  return {
    ...numbers,
    key,
    name,
    description: entry.description ?? null,
    severity,
    alarm_class: entry.alarm_class ?? null,
    is_nerc,
    resolution_policy,
    on_delay_s,
    off_delay_s,
    condition: conditionOf(entry),
  };
}

/** The definition without what goes without saying. */
export function shortRule(entry: RuleEntry): RuleInput {
  const usual = usual_values.get(entry.kind)!;
  const said = Object.entries(entry).filter(([name, value]) =>
    JSON.stringify(value) !== usual.get(name)
  );
  return Object.fromEntries(said) as RuleInput;
}

/** The names of the fields in which two definitions differ. */
export function ruleDifference(a: RuleEntry, b: RuleEntry): readonly string[] {
  const textOf = (entry: RuleEntry, name: string) =>
    JSON.stringify((entry as Readonly<Record<string, unknown>>)[name]);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((name) => textOf(a, name) !== textOf(b, name));
}

/** By kind, the JSON of what a field is when it is left out. */
const usual_values = new Map(rule_form.options.map((form) => [
  form.shape.kind.value as RuleEntry["kind"],
  new Map(
    Object.entries(form.shape).flatMap(([name, field]) =>
      field instanceof z.ZodDefault ? [[name, JSON.stringify(field.def.defaultValue)]] : []
    ) as [string, string][],
  ),
]));

function conditionOf(entry: RuleEntry): Condition {
  switch (entry.kind) {
    case "threshold": {
      const { kind, operator, threshold, deadband } = entry;
      return { kind, operator, threshold, deadband };
    }
    case "stale":
      return { kind: entry.kind, max_age_s: entry.max_age_s };
    case "bitmask":
      return { kind: entry.kind, mask: BigInt(entry.mask), labels: labelsOf(entry.labels) };
    case "enum": {
      const { kind, codes, labels } = entry;
      return { kind, codes: codes ? new Set(codes) : "points", labels: labelsOf(labels) };
    }
    case "rate_of_change": {
      const { kind, direction, limit_per_min, over_s } = entry;
      return { kind, direction, limit_per_min, over_s };
    }
    case "deviation": {
      const { kind, from, side, limit_pct, min_expected } = entry;
      return { kind, from, side, limit_pct, min_expected };
    }
  }
}

function labelsOf(labels: Readonly<Record<string, string>>): ReadonlyMap<number, string> {
  return new Map(Object.entries(labels).map(([code, label]) => [Number(code), label]));
}
