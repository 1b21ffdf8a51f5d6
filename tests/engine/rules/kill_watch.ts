// What the watched writer process and the test that kills it agree on.
import type { RuleFile } from "./evaluator_help.ts";

export const tag = "watched";

/** Which values lie beyond the rule's limit: three, then four within. */
export const beyond = (n: number): boolean => n % 7 < 3;

/** Holds for a second before it raises, and goes for two before it clears. */
export const kill_rule: RuleFile[number] = {
  ...{ key: "high", name: "High", kind: "threshold", tag, operator: ">", threshold: 10 },
  ...{ on_delay_s: 1, off_delay_s: 2, resolution_policy: "auto" },
};
