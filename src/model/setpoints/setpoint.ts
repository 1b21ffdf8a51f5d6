// A setpoint: how a source declares it, what may be sent to it, and what is kept of each command.
import * as z from "zod";
import type { Flaw } from "../../base/fault.ts";
import { oneOf, type PlainRow } from "../data/row.ts";
import { key_form, noteUpTo, tag_form, textUpTo } from "../data/text_form.ts";
import { setpoint_limits } from "./limits.ts";

export const setpoint_form = z.strictObject({
  unit: textUpTo(setpoint_limits.unit_length)
    .describe("The unit of its values, which each command must name; 1 for a plain number."),
  min: z.number().describe("The least value that may be sent."),
  max: z.number().describe("The largest value that may be sent."),
  step: z.number().positive().optional()
    .describe("Values are whole multiples of it, counted from min."),
  most_change: z.number().positive().optional().describe(
    "The most by which a command may change the value that the device has; without a value that " +
      "can be read nothing is sent.",
  ),
  every_s: z.number().min(1).max(setpoint_limits.every_most_s).default(setpoint_limits.every_s)
    .describe("The shortest time between two commands, in seconds."),
  confirm_ms: z.int().min(setpoint_limits.confirm_least_ms).max(setpoint_limits.confirm_most_ms)
    .default(setpoint_limits.confirm_ms)
    .describe("How long the device may take until it reads back what was sent."),
  tolerance: z.number().positive().optional().describe(
    "How far what is read back may lie from what was sent; by default it has to be the same.",
  ),
}).describe(
  "Makes the tag a setpoint: people and tokens of scope operate may send values to it, where the " +
    "setting setpoints is on.",
);

/** How a setpoint is declared, with every default. */
export type SetpointEntry = z.output<typeof setpoint_form>;

/** A setpoint of a source: its tag, and the device, of which commands go one after the other. */
export type Setpoint = {
  readonly tag: string;
  readonly device: string;
  readonly limits: SetpointEntry;
};

/** A command as it is asked for. */
export const command_form = z.strictObject({
  tag: tag_form.describe("Name of the setpoint's tag."),
  value: z.number().describe("The value, a number within the setpoint's limits."),
  unit: textUpTo(setpoint_limits.unit_length)
    .describe("The unit that the value is in: the one that the setpoint declares."),
  key: key_form.max(setpoint_limits.key_length).describe(
    "A text of your own that no other command has: asked again with it, the command is not sent " +
      "again, and the answer is how it ended.",
  ),
  note: noteUpTo(setpoint_limits.note_length).optional().describe("Why, for the log."),
});

/** A command as it is asked for. */
export type CommandEntry = z.output<typeof command_form>;

/** How commands end. */
export const outcome_docs = {
  under_way: "It is being sent.",
  confirmed: "The device has the value: it was read back.",
  refused: "The device refused it, or took it and has another value.",
  not_sent: "Nothing was sent to the device.",
  unconfirmed: "It was sent and taken, and what the device has then was not told in time.",
  unknown: "It may have been sent, and what the device has could not be read.",
} as const;

export type Outcome = keyof typeof outcome_docs;
export const outcomes = Object.keys(outcome_docs) as readonly Outcome[];

/** A command that was asked for, as it is kept. */
export const command_table = {
  id: "text",
  project_no: "int32",
  site_no: "int32",
  key: "text",
  source: "text",
  device: "text",
  tag: "text",
  value: "float64",
  unit: "text",
  note: "text?",
  /** What the device had before, and what it has after. */
  before: "float64?",
  after: "float64?",
  outcome: oneOf(outcomes),
  reason: "text?",
  /** Name of the token, or of the user who was signed in; and the user's id. */
  author: "text",
  user_id: "text?",
  asked_at: "instant",
  ended_at: "instant?",
} as const;

/** A command that was asked for. */
export type Command = PlainRow<typeof command_table>;

/** How a command ended at the device. */
export type CommandEnd = Pick<Command, "outcome" | "reason" | "before" | "after">;

/** What is wrong with the declaration of a setpoint, at its place; nothing where there is none. */
export function setpointFlaws(setpoint: SetpointEntry | undefined, path: string): Flaw[] {
  if (setpoint === undefined) return [];
  const { min, max, step } = setpoint;
  if (min > max) return [{ path: `${path}.max`, message: `is less than min, ${min}` }];
  if (step !== undefined && step > max - min && max > min) {
    return [{ path: `${path}.step`, message: "is larger than max - min" }];
  }
  return [];
}

/** What is wrong with a command by the limits of its setpoint. */
export function commandFlaws({ value, unit }: CommandEntry, limits: SetpointEntry): Flaw[] {
  const { min, max, step } = limits;
  if (unit !== limits.unit) {
    return [{ path: "unit", message: `is ${unit}, and the setpoint is in ${limits.unit}` }];
  }
  if (value < min || value > max) {
    return [{ path: "value", message: `must be from ${min} to ${max} ${unit}, not ${value}` }];
  }
  const steps = step === undefined ? 0 : (value - min) / step;
  if (Math.abs(steps - Math.round(steps)) > 1e-9 * Math.max(1, Math.abs(steps))) {
    const message = `must be ${min} plus a whole multiple of ${step} ${unit}, not ${value}`;
    return [{ path: "value", message }];
  }
  return [];
}

/** Why a change is too large; undefined where it is not. */
export function changeFlaw(
  { value, before }: { readonly value: number; readonly before: number | null },
  { most_change, unit }: SetpointEntry,
): string | undefined {
  if (most_change === undefined) return undefined;
  if (before === null) return "the value that the device has can't be read, and most_change is set";
  if (Math.abs(value - before) <= most_change * (1 + 1e-9)) return undefined;
  return `it would change from ${before} to ${value} ${unit}, by more than ${most_change}`;
}

/** Whether a command asked for again is the same as the one that was kept. */
export function isSameCommand(
  { tag, value, unit, note }: CommandEntry,
  kept: Pick<Command, "tag" | "value" | "unit" | "note">,
): boolean {
  return tag === kept.tag && value === kept.value && unit === kept.unit &&
    (note ?? null) === kept.note;
}
