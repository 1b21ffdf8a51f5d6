// The fields of a rule's form: those that every rule has, and forms that several kinds share.
import * as z from "zod";
import { rule_limits } from "./limits.ts";
import { judging_places, resolution_policies } from "../alarms/alarm.ts";
import { key_form, name_form, tag_form, textUpTo } from "../data/text_form.ts";
import {
  component_names,
  type ComponentName,
  measure_names,
  type MeasureName,
} from "../plant/measure.ts";
import { durationUs, type RuleKind } from "./kind.ts";

/** The form of a kind's rules: its own fields between those of every rule. */
export function ruleForm<K extends RuleKind, Fields extends z.core.$ZodLooseShape>(
  kind: K,
  fields: Fields,
) {
  return z.strictObject({ ...head, kind: z.literal(kind), ...fields, ...tail });
}

/** Some seconds up to `most_s`: so few that no microsecond is left are none. */
export function spanField(most_s: number) {
  return z.number().positive({ abort: true }).max(most_s).overwrite(whole).positive();
}

/** How far a value must come back behind a limit. */
export const deadband_field = z.number().min(0).default(0);

/** Names by number; `what` says which numbers `form` takes. */
export function labelsField(form: RegExp, what: string) {
  return z.record(z.string().regex(form, { error: `a key is ${what}` }), name_form)
    .refine((entries) => Object.keys(entries).length <= rule_limits.codes, {
      error: `give at most ${rule_limits.codes} labels`,
    });
}

/** The same names as a rule keeps them. */
export function labelMap(labels: Readonly<Record<string, string>>): ReadonlyMap<number, string> {
  return new Map(Object.entries(labels).map(([code, label]) => [Number(code), label]));
}

/** Seconds, kept to the microsecond. */
const whole = (given_s: number) => durationUs(given_s) / 1_000_000;
const delay = z.number().min(0).max(rule_limits.delay_s).overwrite(whole).default(0);

const head = {
  key: key_form.describe("The rule's key, unique in its site."),
  name: name_form.describe("Its name; its alarms have the same name."),
  description: textUpTo(rule_limits.text_length).optional()
    .describe("What operators should know about it."),
};

const tail = {
  tag: tag_form.optional().describe(
    "What it watches: the tag with this name. With {device} in it: the tag of each device of " +
      "device_model, component or device; {device} stands for the key of the device.",
  ),
  measure: z.enum(measure_names as readonly [MeasureName, ...MeasureName[]]).optional()
    .describe("Or: the sensors of this measure, in its unit, of the same devices."),
  event_word: z.literal(true).optional().describe("Or: the event words of the same devices."),
  device_model: name_form.optional().describe("The devices of this device model."),
  component: z.enum(component_names as readonly [ComponentName, ...ComponentName[]]).optional()
    .describe("The devices of this type; with measure: the sensors of this component."),
  device: name_form.optional().describe("The device with this key."),
  severity: name_form.default("medium")
    .describe("Severity of its alarms: critical, high, medium, low, info, or another name."),
  alarm_class: name_form.optional()
    .describe("Class of its alarms, such as comms, grid, trip, fault, performance."),
  is_nerc: z.boolean().default(false)
    .describe("Whether its alarms are relevant to NERC compliance."),
  resolution_policy: z.enum(resolution_policies).default("auto").describe(
    "When its alarms end: auto, when the condition is gone; manual, when an operator resolves " +
      "them; require_both, when both have happened.",
  ),
  on_delay_s: delay.describe(
    "How long the condition must be present before an alarm is raised, in seconds.",
  ),
  off_delay_s: delay.describe(
    "How long the condition must be gone before the alarm is cleared, in seconds.",
  ),
  judged_at: z.enum(judging_places).default("here").describe(
    "Where it is judged: here, by every service that has it, each for itself; gateway, by the " +
      "gateway of the project alone, whose alarms its centre shows as well; centre, by the " +
      "centre alone. A service that has neither a gateway nor a centre judges all rules.",
  ),
  enabled: z.boolean().default(true).describe("Whether the rule is active."),
};
