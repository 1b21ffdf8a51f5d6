// The kind `outside`: a value above or below a band.
import * as z from "zod";
import { deadband_field, ruleForm } from "../field.ts";
import { type KindDefinition, scaled } from "../kind.ts";

/** On above `high` or below `low`; off again within both by the deadband. */
export type OutsideCondition = {
  readonly kind: "outside";
  readonly low: number;
  readonly high: number;
  readonly deadband: number;
};

const form = ruleForm("outside", {
  low: z.number().describe(
    "The lower limit of the band, in the measure's unit, or the source's where it names a tag.",
  ),
  high: z.number().describe("The upper limit of the band, in the same unit."),
  deadband: deadband_field
    .describe("How far within both limits the value must be for the condition to be gone."),
});

/** A value out of a band. It is one alarm, whichever side the value is on. */
export const outside: KindDefinition<typeof form, OutsideCondition> = {
  form,
  documentation: {
    holds: "A value above high or below low; off again where it is within both limits by the " +
      "deadband. decoded_labels has above, below, or both where the value was on both sides. " +
      "peak_value is the value furthest out of the band.",
    params: "low, high; deadband where it is not 0",
    example: {
      key: "frequency-out-of-band",
      name: "Frequency out of its band",
      kind: "outside",
      low: 59.7,
      high: 60.3,
      deadband: 0.05,
      measure: "frequency",
      component: "meter",
      on_delay_s: 10,
    },
  },
  flawsOf({ low, high, deadband }) {
    if (low >= high) return [{ path: "low", message: "must be less than high" }];
    if (2 * deadband < high - low) return [];
    return [{ path: "deadband", message: "must be less than half of the band, from low to high" }];
  },
  conditionOf: ({ kind, low, high, deadband }) => ({ kind, low, high, deadband }),
  paramsOf: ({ low, high, deadband }) => ({ low, high, ...(deadband > 0 ? { deadband } : {}) }),
  judge: {
    heldOf: (_condition, { value }, unit) => scaled(value, unit),
    subjectOf({ low, high, deadband }, held, { standing }) {
      const within = standing ? deadband : 0;
      return held > high - within || held < low + within ? 0 : undefined;
    },
    reachOf: ({ low, high }, held) => Math.max(held - high, low - held),
  },
  labels: {
    bitsOf: ({ low, high }, held) => held > high ? above_bit : held < low ? below_bit : 0n,
    namesOf: (_condition, { bits }) => [
      ...((bits & above_bit) !== 0n ? ["above"] : []),
      ...((bits & below_bit) !== 0n ? ["below"] : []),
    ],
    pointOf: () => undefined,
  },
  needs: { values: "number", trigger: { by: "samples" }, hasPoints: () => false, spanUs: () => 0 },
};

const above_bit = 1n;
const below_bit = 2n;
