// A rule as a site file or a request writes it, as a schema; its numbers are numbers.
import * as z from "zod";
import { meant } from "../../base/did_you_mean.ts";
import { rule_kinds } from "./kind.ts";
import { kinds, type RuleForm } from "./kinds.ts";

/** The form of a rule; `z.output` has every default, and its mask is a number or a decimal text. */
export const rule_form = z.discriminatedUnion(
  "kind",
  rule_kinds.map((kind) => kinds[kind].form) as unknown as readonly [RuleForm, ...RuleForm[]],
  { error: ({ input }) => kindFlaw(input) },
);

/** A rule as it is written: defaults may be left out. */
export type RuleInput = z.input<typeof rule_form>;

/** A rule of the right form, with every default filled in. */
export type RuleEntry = z.output<typeof rule_form>;

function kindFlaw(input: unknown): string {
  const { kind } = (input ?? {}) as { readonly kind?: unknown };
  if (kind === undefined) return `is missing: one of ${rule_kinds.join(", ")}`;
  return `give one of ${rule_kinds.join(", ")}` + meant(String(kind), rule_kinds);
}
