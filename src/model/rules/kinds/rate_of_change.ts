// The kind `rate_of_change`: a value that changes too fast.
import * as z from "zod";
import { rule_limits } from "../limits.ts";
import { ruleForm, spanField } from "../field.ts";
import { directed, durationUs, type KindDefinition, unlabelled } from "../kind.ts";

/** A change per minute, from the newest value at least `over_s` older. */
export type RateCondition = {
  readonly kind: "rate_of_change";
  readonly direction: "rising" | "falling" | "both";
  readonly limit_per_min: number;
  readonly over_s: number;
};

const form = ruleForm("rate_of_change", {
  direction: z.enum(["rising", "falling", "both"]).default("both"),
  limit_per_min: z.number().positive().describe("Limit of the change per minute."),
  over_s: spanField(rule_limits.span_s).default(60)
    .describe("Shortest time between the compared values, in seconds."),
});

/** A change per minute. */
export const rate_of_change: KindDefinition<typeof form, RateCondition> = {
  form,
  documentation: {
    holds: "A change per minute beyond the limit, from the newest value that is at least " +
      "over_s older.",
    params: "direction, limit_per_min, over_s",
    example: {
      key: "export-drop",
      name: "Export drops",
      kind: "rate_of_change",
      direction: "falling",
      limit_per_min: 5_000_000,
      over_s: 120,
      measure: "active_power",
      component: "meter",
    },
  },
  flawsOf: () => [],
  conditionOf: ({ kind, direction, limit_per_min, over_s }) => (
    { kind, direction, limit_per_min, over_s }
  ),
  paramsOf: ({ kind: _, ...limits }) => limits,
  judge: {
    heldOf(_condition, { ts_us, value, earlier }, { scale }) {
      if (earlier === undefined) return undefined;
      return (Number(value) - earlier.value) * scale / ((ts_us - earlier.ts_us) / 60_000_000);
    },
    subjectOf: ({ direction, limit_per_min }, held) =>
      directed(Number(held), direction) > limit_per_min ? 0 : undefined,
    reachOf: ({ direction }, held) => directed(held, direction),
  },
  labels: unlabelled,
  needs: {
    values: "number",
    trigger: { by: "samples" },
    hasPoints: () => false,
    spanUs: ({ over_s }) => durationUs(over_s),
  },
};
