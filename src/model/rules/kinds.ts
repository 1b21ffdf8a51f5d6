// Every kind of alarm rule, by its name.
import type * as z from "zod";
import { type KindDefinition, rule_kinds, type RuleKind } from "./kind.ts";
import { bitmask } from "./kinds/bitmask.ts";
import { deviation } from "./kinds/deviation.ts";
import { coded } from "./kinds/enum.ts";
import { outside } from "./kinds/outside.ts";
import { rate_of_change } from "./kinds/rate_of_change.ts";
import { stale } from "./kinds/stale.ts";
import { threshold } from "./kinds/threshold.ts";

/** A kind as its name demands it: its rules and its conditions are of that name. */
export type NamedKind<K extends RuleKind> = KindDefinition<
  z.ZodObject<{ readonly kind: z.ZodLiteral<K> }>,
  { readonly kind: K }
>;

/** The kinds. One that is missing, or lacks a part, fails the type check. */
export const kinds = {
  threshold,
  outside,
  stale,
  bitmask,
  enum: coded,
  rate_of_change,
  deviation,
} satisfies { readonly [K in RuleKind]: NamedKind<K> };

/** The form of a rule of any kind. */
export type RuleForm = typeof kinds[RuleKind]["form"];

/**
 * What must hold. Limits are in the unit of the watched values: a measure's own where the rule
 * names a measure, the source's where it names a tag.
 */
export type Condition = ReturnType<typeof kinds[RuleKind]["conditionOf"]>;

/** A kind whose rules and conditions are its own: what `definitionOf` gives for one of them. */
export type AnyKind = KindDefinition<RuleForm, Condition>;

/** What a rule or a condition is judged and described by. */
export function definitionOf({ kind }: { readonly kind: RuleKind }): AnyKind {
  return kinds[kind] as AnyKind;
}

/** What the documentation says about each kind, in the order of the reference. */
export const kind_documentation = rule_kinds.map((kind) => ({
  kind,
  ...kinds[kind].documentation,
}));
