// Rules as a request sends them: one to be put, or a list to be tried; refused with every flaw.
import * as z from "zod";
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { rule_limits } from "./limits.ts";
import { rule_form, type RuleEntry } from "./form.ts";
import { formFlaws, keysIn } from "../data/form_flaw.ts";

/** Rules to be tried on the past. */
const rule_list_form = z.strictObject({
  rules: z.array(rule_form).min(1).max(rule_limits.site_rules),
});

/**
 * The rule of a key in plain data, which may leave the key out. Throws a `Fault` (invalid) with
 * every flaw of its form.
 */
export function parseRuleBody(data: unknown, key: string): RuleEntry {
  const table = typeof data === "object" && data !== null && !Array.isArray(data);
  const keyed = table ? { key, ...data } : data;
  const parsed = rule_form.safeParse(keyed, { reportInput: true });
  if (!parsed.success) {
    throw ruleRefusal(parsed.error.issues.flatMap((it) => formFlaws(it, keysIn(rule_form))));
  }
  if (parsed.data.key === key) return parsed.data;
  throw ruleRefusal([{ path: "key", message: `is not the key in the path, ${key}` }]);
}

/** A list of rules in plain data, of the right form. Throws a `Fault` (invalid) with every flaw. */
export function parseRuleList(data: unknown): readonly RuleEntry[] {
  const parsed = rule_list_form.safeParse(data, { reportInput: true });
  if (parsed.success) return parsed.data.rules;
  throw ruleRefusal(parsed.error.issues.flatMap((it) => formFlaws(it, keysIn(rule_list_form))));
}

/** The refusal of rules for their flaws. */
export function ruleRefusal(flaws: readonly Flaw[]): Fault {
  const count = flaws.length === 1 ? "1 flaw" : `${flaws.length} flaws`;
  return refusal(`the alarm rules have ${count}`, flaws);
}
