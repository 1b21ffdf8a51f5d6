// What each kind of rule does and writes into params, for the page that explains alarms.
import type { RuleKind } from "../../model/rules/rule.ts";

/** When the condition of a rule is present, by kind. */
export const rule_docs: Readonly<Record<RuleKind, string>> = {
  threshold: "A value is beyond the threshold. The condition is gone when the value has left the " +
    "deadband. peak_value is the value furthest beyond the threshold.",
  stale: "No value comes for longer than max_age_s. A restart of the service does not reset this " +
    "time.",
  bitmask: "A bit of the mask is set in a word. There is one occurrence while any bit is set. " +
    "decoded_labels names all bits that were set; a bit without a label is called bit N.",
  enum: "A code is in the list; each code is an occurrence of its own. With points, any code " +
    "except 0 counts: decoded_labels has its name from the device model's list, and point_key is " +
    "Error-N. A fraction or a number beyond 2^53 is not a code.",
  rate_of_change: "The change per minute is beyond the limit. It is measured from the newest " +
    "value that is at least over_s older.",
  deviation: "A minute's value differs from the expected value by more than the given share.",
};

/** The keys of `params`, by kind. */
export const params_docs: Readonly<Record<RuleKind, string>> = {
  threshold: "operator, threshold; deadband where it is not 0",
  stale: "max_age_s",
  bitmask: "mask: a number; beyond 2^53 a text of decimal digits",
  enum: "codes, or points: true",
  rate_of_change: "direction, limit_per_min, over_s",
  deviation: "from, side, limit_pct, min_expected",
};
