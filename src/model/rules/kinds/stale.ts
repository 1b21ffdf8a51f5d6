// The kind `stale`: no value of a tag for too long.
import { rule_limits } from "../limits.ts";
import { ruleForm, spanField } from "../field.ts";
import { type KindDefinition, unlabelled } from "../kind.ts";

/** No sample with a value for so long. */
export type StaleCondition = { readonly kind: "stale"; readonly max_age_s: number };

const form = ruleForm("stale", {
  max_age_s: spanField(rule_limits.age_s)
    .describe(
      "Longest time without a value, in seconds; for a tag that never sent one, counted from " +
        "when the rule began to watch it.",
    ),
});

/** A tag that sends nothing. Its values are ages, which the state machine counts. */
export const stale: KindDefinition<typeof form, StaleCondition> = {
  form,
  documentation: {
    holds: "No value for longer than max_age_s, counted on also while the service restarts.",
    params: "max_age_s",
    example: {
      key: "meter-silent",
      name: "Meter sends nothing",
      kind: "stale",
      max_age_s: 300,
      measure: "active_power",
      component: "meter",
    },
  },
  flawsOf: () => [],
  conditionOf: ({ kind, max_age_s }) => ({ kind, max_age_s }),
  paramsOf: ({ max_age_s }) => ({ max_age_s }),
  judge: {
    heldOf: () => undefined,
    subjectOf: () => undefined,
    reachOf: (_condition, held) => held,
  },
  labels: unlabelled,
  needs: {
    values: "any",
    trigger: { by: "silence", maxAgeS: ({ max_age_s }) => max_age_s },
    hasPoints: () => false,
    spanUs: () => 0,
  },
};
