// The kind `deviation`: a minute's value far from what is expected of it.
import { z } from "zod";
import { ruleForm } from "../field.ts";
import { bases, type Basis, directed, type KindDefinition, unlabelled } from "../kind.ts";

/** A minute's value differs from the expected value by more than limit_pct per cent of it. */
export type DeviationCondition = {
  readonly kind: "deviation";
  readonly from: Basis;
  readonly side: "below" | "above" | "both";
  readonly limit_pct: number;
  /** Where less is expected, nothing is said; in the measure's unit. */
  readonly min_expected: number;
};

const form = ruleForm("deviation", {
  from: z.enum(bases)
    .describe("Where the expected value comes from: the model, or the median of the peers."),
  side: z.enum(["below", "above", "both"]).default("below"),
  limit_pct: z.number().positive().max(10_000).describe("Percent of the expected value."),
  min_expected: z.number().min(0).default(0)
    .describe(
      "If the expected value is below this, the rule is not evaluated; in the unit of the measure.",
    ),
});

/** A minute's value beside its model's, or its peers'. */
export const deviation: KindDefinition<typeof form, DeviationCondition> = {
  form,
  documentation: {
    holds:
      "A minute's value differs from the expected value by more than limit_pct per cent of it.",
    params: "from, side, limit_pct, min_expected",
    example: {
      key: "inverter-weak",
      name: "Inverter below its peers",
      kind: "deviation",
      from: "peers",
      limit_pct: 20,
      min_expected: 50_000,
      measure: "active_power",
      component: "inverter",
      on_delay_s: 900,
    },
  },
  flawsOf: ({ event_word }) =>
    event_word
      ? [{ path: "event_word", message: "holds bits: a deviation is of a measure's values" }]
      : [],
  conditionOf: ({ kind, from, side, limit_pct, min_expected }) => (
    { kind, from, side, limit_pct, min_expected }
  ),
  paramsOf: ({ kind: _, ...limits }) => limits,
  judge: {
    heldOf({ min_expected }, { value, expected }) {
      if (expected === undefined || !(expected >= min_expected)) return undefined;
      return expected > 0 ? (Number(value) - expected) / expected * 100 : undefined;
    },
    subjectOf: ({ side, limit_pct }, held) =>
      directed(Number(held), side) > limit_pct ? 0 : undefined,
    reachOf: ({ side }, held) => directed(held, side),
  },
  labels: unlabelled,
  needs: {
    values: "number",
    trigger: { by: "minutes", basisOf: ({ from }) => from },
    hasPoints: () => false,
    spanUs: () => 0,
  },
};
