// Rules and watchpoints for tests: what is not said is ordinary.
import type { Condition } from "../../src/model/rules/kinds.ts";
import type { Rule, Watchpoint } from "../../src/model/rules/rule.ts";

/** A rule of one condition; number and key from `rule_no`. */
export function testRule(condition: Condition, said: Partial<Rule> = {}): Rule {
  const rule_no = said.rule_no ?? 1;
  return {
    ...{
      rule_no,
      version: 1,
      project_no: 1,
      site_no: 1,
      key: `r${rule_no}`,
      name: `Rule ${rule_no}`,
    },
    ...{ description: null, severity: "high", alarm_class: null, is_nerc: false },
    ...{ resolution_policy: "auto", on_delay_s: 0, off_delay_s: 0, judged_at: "here", condition },
    ...said,
  };
}

/** A rule on a tag without a sensor. */
export function testPoint(rule: Rule, said: Partial<Watchpoint> = {}): Watchpoint {
  const tag_no = said.tag_no ?? 1;
  return {
    ...{ rule, tag_no, source_tag: `t${tag_no}`, measure: null, device_id: null },
    ...{ scale: 1, offset: 0, sensor_no: null, points: new Map() },
    ...said,
  };
}

/** A threshold above 10 unless it says otherwise. */
export function above(said: Partial<Extract<Condition, { kind: "threshold" }>> = {}): Condition {
  return { kind: "threshold", operator: ">", threshold: 10, deadband: 0, ...said };
}
