// A rule's definition there and back: as text that is kept, as the rule in force, in short form.
import * as z from "zod";
import type { RuleEntry, RuleInput } from "./form.ts";
import { rule_kinds } from "./kind.ts";
import { definitionOf, kinds } from "./kinds.ts";
import type { Rule } from "./rule.ts";

/** What a rule has beside its definition. */
export type RuleNumbers = Pick<Rule, "rule_no" | "version" | "project_no" | "site_no">;

/** The JSON that is kept of a rule, the same for the same definition. */
export function ruleText(entry: RuleEntry): string {
  const { labels, ...rest } = entry as RuleEntry & { labels?: Record<string, string> };
  if (labels === undefined) return JSON.stringify(rest);
  const rising = Object.entries(labels).sort(([a], [b]) => Number(a) - Number(b));
  return JSON.stringify({ ...rest, labels: Object.fromEntries(rising) });
}

/** The definition that `ruleText` made a text of; a field that is newer than it is as usual. */
export function parseRule(text: string): RuleEntry {
  const kept = JSON.parse(text) as RuleEntry;
  const usual = [...usual_values.get(kept.kind)!]
    .filter(([name]) => !Object.hasOwn(kept, name))
    .map(([name, value]) => [name, JSON.parse(value)]);
  return { ...kept, ...Object.fromEntries(usual) };
}

/** The rule that a definition makes. */
export function ruleOf(entry: RuleEntry, numbers: RuleNumbers): Rule {
  const { key, name, severity, is_nerc, resolution_policy } = entry;
  const { on_delay_s, off_delay_s, judged_at } = entry;
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
    judged_at,
    condition: definitionOf(entry).conditionOf(entry),
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
const usual_values = new Map(rule_kinds.map((kind) => [
  kind,
  new Map(
    Object.entries(kinds[kind].form.shape).flatMap(([name, field]) =>
      field instanceof z.ZodDefault ? [[name, JSON.stringify(field.def.defaultValue)]] : []
    ) as [string, string][],
  ),
]));
