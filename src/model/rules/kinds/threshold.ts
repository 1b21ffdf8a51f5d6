// The kind `threshold`: a value beyond a limit on one side.
import * as z from "zod";
import { deadband_field, ruleForm } from "../field.ts";
import { type KindDefinition, scaled, unlabelled } from "../kind.ts";

/** On beyond the threshold; off again where the deadband behind it is left. */
export type ThresholdCondition = {
  readonly kind: "threshold";
  readonly operator: ">" | ">=" | "<" | "<=";
  readonly threshold: number;
  readonly deadband: number;
};

const form = ruleForm("threshold", {
  operator: z.enum([">", ">=", "<", "<="]).describe("Comparison of a value with the threshold."),
  threshold: z.number().describe(
    "In the unit of the measure, or in the source's unit if the rule names a tag.",
  ),
  deadband: deadband_field
    .describe("How far the value must return past the threshold before the condition is gone."),
});

/** A value beyond a limit. */
export const threshold: KindDefinition<typeof form, ThresholdCondition> = {
  form,
  documentation: {
    holds: "A value beyond the threshold; off again where the deadband behind it is left. " +
      "peak_value is the value furthest beyond it.",
    params: "operator, threshold; deadband where it is not 0",
    example: {
      key: "oil-hot",
      name: "Transformer oil hot",
      kind: "threshold",
      operator: ">",
      threshold: 90,
      deadband: 5,
      measure: "oil_temp",
      component: "transformer",
      on_delay_s: 300,
    },
  },
  flawsOf: () => [],
  conditionOf: ({ kind, operator, threshold, deadband }) => (
    { kind, operator, threshold, deadband }
  ),
  paramsOf: ({ operator, threshold, deadband }) => (
    { operator, threshold, ...(deadband > 0 ? { deadband } : {}) }
  ),
  judge: {
    heldOf: (_condition, { value }, unit) => scaled(value, unit),
    subjectOf: (condition, held, { standing }) =>
      isBeyond(condition, held, standing ? condition.deadband : 0) ? 0 : undefined,
    reachOf: ({ operator }, held) => operator.startsWith(">") ? held : -held,
  },
  labels: unlabelled,
  needs: { values: "number", trigger: { by: "samples" }, hasPoints: () => false, spanUs: () => 0 },
};

function isBeyond(
  { operator, threshold }: ThresholdCondition,
  held: number | bigint,
  behind: number,
): boolean {
  switch (operator) {
    case ">":
      return held > threshold - behind;
    case ">=":
      return held >= threshold - behind;
    case "<":
      return held < threshold + behind;
    case "<=":
      return held <= threshold + behind;
  }
}
