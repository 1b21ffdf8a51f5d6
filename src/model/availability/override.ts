// An operator's word on the state of inverters: its form as it is sent and as it is kept.
import * as z from "zod";
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { availability_limits } from "./limits.ts";
import type { State } from "./availability.ts";
import { declared_parts, type DeclaredPart } from "./loss.ts";
import { parseForm } from "../data/parse_form.ts";
import { textUpTo } from "../data/text_form.ts";
import { state_names } from "./timeline.ts";

/** An override as it is kept; instants are microseconds since 1970 UTC, `[from_us, to_us)`. */
export type Override = {
  readonly id: string;
  readonly project_no: number;
  /** Of the sensors that stand for its inverters. */
  readonly hierarchy_ids: readonly string[];
  /** The state that it sets; null where it declares a loss. */
  readonly state: State | null;
  /** What it declares lost, and how much of their energy; null where it sets a state. */
  readonly loss: DeclaredPart | null;
  readonly share: number | null;
  readonly from_us: number;
  readonly to_us: number;
  readonly reason: string;
  /** Name of the token that it was made with. */
  readonly author: string;
  readonly created_at: number;
};

const instant = z.string().describe("ISO 8601 with an offset.");

/** The form of a new override. */
export const override_schema = z.strictObject({
  hierarchy_ids: z.array(textUpTo(limits.key_length)).min(1).max(
    availability_limits.override_inverters,
  )
    .describe("Its inverters, by the hierarchy_id of their power, energy or status."),
  state: z.enum(state_names).optional().describe("The state to set; or give loss and share."),
  loss: z.enum(declared_parts).optional().describe(
    "What takes energy of the modules without a word of the inverter: it is accounted for in " +
      "/platform/v1/losses, and changes no state.",
  ),
  share: z.number().gt(0).max(1).optional().describe(
    "With loss: how much of the expected energy is lost, 0 to 1.",
  ),
  from: instant.describe("Start, inclusive: ISO 8601 with an offset."),
  to: instant.describe("End, exclusive: ISO 8601 with an offset."),
  reason: textUpTo(availability_limits.override_reason_length)
    .refine((text) => text.trim() !== "", { error: "give a reason" })
    .describe("The reason, for later readers."),
}).refine(({ state, loss, share }) => state === undefined ? loss && share : !loss && !share, {
  error: "give a state, or a loss with its share",
}).meta({
  examples: [{
    hierarchy_ids: ["01a1fe38-541b-70ad-b2cb-c9221f098df5"],
    state: "scheduled_maintenance",
    from: "2026-06-01T09:00:00+02:00",
    to: "2026-06-01T11:30:00+02:00",
    reason: "Yearly service: filters and fans",
  }, {
    hierarchy_ids: ["01a1fe38-541b-70ad-b2cb-c9221f098df5"],
    loss: "soiling",
    share: 0.04,
    from: "2026-06-01T00:00:00+02:00",
    to: "2026-06-20T00:00:00+02:00",
    reason: "Measured before the cleaning",
  }],
});

/** A new override in plain data, of the right form. Throws a `Fault` (invalid) with every flaw. */
export function parseOverride(data: unknown): z.output<typeof override_schema> {
  return parseForm(override_schema, data, { refuse: overrideRefusal });
}

/** The refusal of an override for its flaws. */
export function overrideRefusal(flaws: readonly Flaw[]): Fault {
  return refusal("the override is wrong", flaws);
}
