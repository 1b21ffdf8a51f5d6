// A rule as a site file or a request writes it, as a schema; its numbers are numbers.
import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { meant } from "../../base/did_you_mean.ts";
import { resolution_policies } from "../alarms/alarm.ts";
import {
  component_names,
  type ComponentName,
  measure_names,
  type MeasureName,
} from "../plant/measure.ts";
import { durationUs, rule_kinds } from "./rule.ts";
import { key_form, name_form, tag_form, textUpTo } from "../data/text_form.ts";

/** Seconds, kept to the microsecond. */
const whole = (given_s: number) => durationUs(given_s) / 1_000_000;
const delay = z.number().min(0).max(limits.rule_delay_s).overwrite(whole).default(0);

/** Some seconds up to `most_s`: so few that no microsecond is left are none. */
function span(most_s: number) {
  return z.number().positive({ abort: true }).max(most_s).overwrite(whole).positive();
}

const head = {
  key: key_form.describe("The rule's key, unique in its site."),
  name: name_form.describe("Its name, which its alarms have too."),
  description: textUpTo(limits.rule_text_length).optional()
    .describe("What an operator is to know of it."),
};

const tail = {
  tag: tag_form.optional().describe(
    "Where it watches: the tag of this name; with {device} in it, the tag of each device of " +
      "device_model, component or device, {device} being its key.",
  ),
  measure: z.enum(measure_names as readonly [MeasureName, ...MeasureName[]]).optional()
    .describe("Or: the sensors of this measure, in its unit, of the same devices."),
  event_word: z.literal(true).optional().describe("Or: the event words of the same devices."),
  device_model: name_form.optional().describe("The devices of this device model."),
  component: z.enum(component_names as readonly [ComponentName, ...ComponentName[]]).optional()
    .describe("The devices of this type; with measure, the sensors of this component."),
  device: name_form.optional().describe("The device of this key."),
  severity: name_form.default("medium")
    .describe("Severity of its alarms: critical, high, medium, low, info, or another word."),
  alarm_class: name_form.optional()
    .describe("Class of its alarms, such as comms, grid, trip, fault, performance."),
  is_nerc: z.boolean().default(false)
    .describe("Whether its alarms are relevant to NERC compliance."),
  resolution_policy: z.enum(resolution_policies).default("auto").describe(
    "How its alarms end: auto when the condition is gone, manual when an operator resolves " +
      "them, require_both when both is so.",
  ),
  on_delay_s: delay.describe("How long the condition must hold, in seconds, to the microsecond."),
  off_delay_s: delay.describe("How long it must be gone, in seconds, to the microsecond."),
  enabled: z.boolean().default(true).describe("Whether it watches at all."),
};

const code = z.int();

const code_labels = labels(/^(0|-?[1-9]\d{0,15})$/, "a whole number")
  .describe("What a code is called, by code.");

const bit_labels = labels(/^(\d|[1-5]\d|6[0-3])$/, "a bit from 0 to 63")
  .describe("What a bit is called, by bit; 0 is the least.");

const mask_text = /^(0[xX][0-9a-fA-F]{1,16}|[1-9]\d{0,19})$/;
const mask_flaw = "give the bits 0 to 63 as a whole number, a list of bits, or a decimal or 0x " +
  "text: an expression can't stand here";

/** Bits of a word: one number, the list of them, or a text where a number is not exact. */
const mask = z.union([
  z.int().min(1),
  z.array(z.int().min(0).max(63)).min(1).max(64),
  z.string().refine(isMaskText, { error: mask_flaw }),
], { error: mask_flaw }).transform(maskEntry);

/** The form of a rule; `z.output` has every default, and its mask is a number or a decimal text. */
export const rule_form = z.discriminatedUnion("kind", [
  z.strictObject({
    ...head,
    kind: z.literal("threshold"),
    operator: z.enum([">", ">=", "<", "<="]).describe("How a value stands to the threshold."),
    threshold: z.number().describe("In the measure's unit, or the source's where it names a tag."),
    deadband: z.number().min(0).default(0)
      .describe("How far behind the threshold the value must be for the condition to be gone."),
    ...tail,
  }),
  z.strictObject({
    ...head,
    kind: z.literal("stale"),
    max_age_s: span(limits.rule_age_s)
      .describe(
        "Longest time without a value, in seconds; of a tag that never sent one, since the rule " +
          "began to watch it.",
      ),
    ...tail,
  }),
  z.strictObject({
    ...head,
    kind: z.literal("bitmask"),
    mask: mask.describe("The bits that it watches: a number, a list of bits, or 0x text."),
    labels: bit_labels.default({}),
    ...tail,
  }),
  z.strictObject({
    ...head,
    kind: z.literal("enum"),
    codes: z.array(code).min(1).max(limits.rule_codes).transform(rising).optional()
      .describe("The codes that it watches."),
    points: z.literal(true).optional().describe(
      "Instead of codes: every code but 0, each an alarm point of its device model's list.",
    ),
    labels: code_labels.default({}),
    ...tail,
  }),
  z.strictObject({
    ...head,
    kind: z.literal("rate_of_change"),
    direction: z.enum(["rising", "falling", "both"]).default("both"),
    limit_per_min: z.number().positive().describe("The change per minute that is too much."),
    over_s: span(limits.rule_span_s).default(60)
      .describe("Between values that are at least so far apart, in seconds."),
    ...tail,
  }),
  z.strictObject({
    ...head,
    kind: z.literal("deviation"),
    from: z.enum(["model", "peers"])
      .describe("What is expected: the model's value, or the median of its peers'."),
    side: z.enum(["below", "above", "both"]).default("below"),
    limit_pct: z.number().positive().max(10_000).describe("Percent of what is expected."),
    min_expected: z.number().min(0).default(0)
      .describe("Where less is expected, nothing is said; in the measure's unit."),
    ...tail,
  }),
], { error: ({ input }) => kindFlaw(input) });

/** A rule as it is written: defaults may be left out. */
export type RuleInput = z.input<typeof rule_form>;

/** A rule of the right form, with every default filled in. */
export type RuleEntry = z.output<typeof rule_form>;

function labels(form: RegExp, what: string) {
  return z.record(z.string().regex(form, { error: `a key is ${what}` }), name_form)
    .refine((entries) => Object.keys(entries).length <= limits.rule_codes, {
      error: `give at most ${limits.rule_codes} labels`,
    });
}

function isMaskText(text: string): boolean {
  return mask_text.test(text) && BigInt(text) > 0n && BigInt(text) < 2n ** 64n;
}

function maskEntry(given: number | string | readonly number[]): number | string {
  const bits = typeof given === "object"
    ? given.reduce((sum, bit) => sum | 1n << BigInt(bit), 0n)
    : BigInt(given);
  return bits <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bits) : String(bits);
}

function rising(codes: readonly number[]): number[] {
  return [...new Set(codes)].sort((a, b) => a - b);
}

function kindFlaw(input: unknown): string {
  const { kind } = (input ?? {}) as { readonly kind?: unknown };
  if (kind === undefined) return `is missing: one of ${rule_kinds.join(", ")}`;
  return `give one of ${rule_kinds.join(", ")}` + meant(String(kind), rule_kinds);
}
