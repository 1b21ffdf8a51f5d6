// What the requests for issues and work orders have in common: words, and how flaws are refused.
import * as z from "zod";
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { work_limits } from "./limits.ts";
import { work_priorities } from "./issue.ts";
import { component_names } from "../plant/measure.ts";
import { parseForm } from "../data/parse_form.ts";
import { name_form, noteUpTo, textUpTo } from "../data/text_form.ts";

/** An instant in words, not looked at yet. */
export const instant_form = z.string().max(limits.key_length)
  .describe("ISO 8601 with an offset.");

/** Words that requests for issues and for work orders share. */
export const work_words = {
  user: name_form.optional().describe(
    "User who acts, by id or e-mail; not needed with a user's own token. Without a user, the " +
      "action has none.",
  ),
  description: noteUpTo(work_limits.text_length).nullable().describe("Description."),
  priority: z.enum(work_priorities).describe("Priority."),
  assigned_to: name_form.nullable().describe("Assigned user, by id or e-mail; null for none."),
  external_id: textUpTo(work_limits.external_length).nullable()
    .describe("ID in the external system."),
};

/** A device and its component, which is the device's type where it is not said. */
export const device_words = {
  device_id: z.string().min(1).max(limits.key_length)
    .describe("Device of the project, by id or key."),
  component: z.enum(component_names).optional()
    .describe("Component; by default the type of the device."),
};

/** Who deletes something. */
export const actor_form = z.strictObject({ user: work_words.user });

/** Plain data of the right form. Throws a `Fault` (invalid) with every flaw. */
export function parseWork<T extends z.ZodObject>(form: T, data: unknown): z.output<T> {
  return parseForm(form, data, { refuse: workRefusal });
}

/** The refusal of a request for its flaws. */
export function workRefusal(flaws: readonly Flaw[]): Fault {
  return refusal("the request is wrong", flaws);
}
