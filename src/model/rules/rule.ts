// Versions of alarm rules, and the points where they watch.
import type { JudgingPlace, ResolutionPolicy } from "../alarms/alarm.ts";
import type { AlarmPoints } from "./kind.ts";
import type { Condition } from "./kinds.ts";

/** A version of a rule. */
export type Rule = {
  readonly rule_no: number;
  readonly version: number;
  readonly project_no: number;
  readonly site_no: number;
  /** Unique in its site. */
  readonly key: string;
  readonly name: string;
  readonly description: string | null;
  readonly severity: string;
  readonly alarm_class: string | null;
  readonly is_nerc: boolean;
  readonly resolution_policy: ResolutionPolicy;
  readonly on_delay_s: number;
  readonly off_delay_s: number;
  readonly judged_at: JudgingPlace;
  readonly condition: Condition;
};

/** One rule on one tag. */
export type Watchpoint = {
  readonly rule: Rule;
  readonly tag_no: number;
  readonly source_tag: string;
  /** Null where the tag has no direct sensor. */
  readonly measure: string | null;
  /** By sensor, event word, template or the tag's own device_key; null where none names one. */
  readonly device_id: string | null;
  /** A watched value is raw * scale + offset; 1 and 0 where the rule names a tag, or codes. */
  readonly scale: number;
  readonly offset: number;
  /** The sensor whose minutes a deviation rule looks at; null for every other kind. */
  readonly sensor_no: number | null;
  /** Those of its device's model. */
  readonly points: AlarmPoints;
};
