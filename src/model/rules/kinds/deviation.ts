// The kind `deviation`: a minute's value, or the last minutes', far from what is expected.
import * as z from "zod";
import { rule_limits } from "../limits.ts";
import { ruleForm } from "../field.ts";
import { bases, type Basis, directed, type KindDefinition, unlabelled } from "../kind.ts";

/** Values differ from the expected ones by more than limit_pct per cent of them. */
export type DeviationCondition = {
  readonly kind: "deviation";
  readonly from: Basis;
  readonly side: "below" | "above" | "both";
  readonly limit_pct: number;
  /** Where less is expected, nothing is said; a minute's mean, in the measure's unit. */
  readonly min_expected: number;
  /** How many minutes are compared, up to each minute. */
  readonly span_minutes: number;
};

const form = ruleForm("deviation", {
  from: z.enum(bases)
    .describe("Where the expected value comes from: the model, or the median of the peers."),
  side: z.enum(["below", "above", "both"]).default("below"),
  limit_pct: z.number().positive().max(10_000).describe("Percent of the expected value."),
  min_expected: z.number().min(0).default(0)
    .describe(
      "If the expected value is below this, the rule is not evaluated; in the unit of the " +
        "measure, the mean of the minutes of span_minutes.",
    ),
  span_minutes: z.int().min(1).max(rule_limits.deviation_span_minutes).default(1).describe(
    "At each minute, the sums of this many minutes up to it are compared. Only the minutes that " +
      "have both values count; if they fill less than half of this time, the rule is not " +
      "evaluated.",
  ),
});

/** A minute's value beside its model's, or its peers'; means, over a span of several minutes. */
export const deviation: KindDefinition<typeof form, DeviationCondition> = {
  form,
  documentation: {
    holds:
      "The value of a minute, or of the last span_minutes minutes, differs from the expected " +
      "value by more than limit_pct per cent of it.",
    params: "from, side, limit_pct, min_expected; span_minutes if it is not 1",
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
  conditionOf: ({ kind, from, side, limit_pct, min_expected, span_minutes }) => (
    { kind, from, side, limit_pct, min_expected, span_minutes }
  ),
  paramsOf: ({ kind: _, span_minutes, ...limits }) =>
    span_minutes === 1 ? limits : { ...limits, span_minutes },
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
    trigger: { by: "minutes", yardstickOf: (condition) => condition },
    hasPoints: () => false,
    spanUs: () => 0,
  },
};
