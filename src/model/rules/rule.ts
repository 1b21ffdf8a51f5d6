// Alarm rules: what each kind holds against a tag's values, and the points where a rule watches.
import type { ResolutionPolicy } from "../alarms/alarm.ts";
import type { AlarmPoint } from "../plant/plant.ts";

/** Kinds of rules, in the order of the reference. */
export const rule_kinds = [
  "threshold",
  "stale",
  "bitmask",
  "enum",
  "rate_of_change",
  "deviation",
] as const;
export type RuleKind = typeof rule_kinds[number];

/**
 * What must hold. Limits are in the unit of the watched values: a measure's own where the rule
 * names a measure, the source's where it names a tag.
 */
export type Condition =
  /** On beyond the threshold; off again where the deadband behind it is left. */
  | {
    readonly kind: "threshold";
    readonly operator: ">" | ">=" | "<" | "<=";
    readonly threshold: number;
    readonly deadband: number;
  }
  /** No sample with a value for so long. */
  | { readonly kind: "stale"; readonly max_age_s: number }
  /** Any bit of the mask; labels by bit, 0 the least. */
  | {
    readonly kind: "bitmask";
    readonly mask: bigint;
    readonly labels: ReadonlyMap<number, string>;
  }
  /** One of the codes, or any code but 0 with the names of its device model's point list. */
  | {
    readonly kind: "enum";
    readonly codes: ReadonlySet<number> | "points";
    readonly labels: ReadonlyMap<number, string>;
  }
  /** A change per minute, from the newest value at least `over_s` older. */
  | {
    readonly kind: "rate_of_change";
    readonly direction: "rising" | "falling" | "both";
    readonly limit_per_min: number;
    readonly over_s: number;
  }
  /** A minute's value apart from what is expected by more than a share of that. */
  | {
    readonly kind: "deviation";
    readonly from: "model" | "peers";
    readonly side: "below" | "above" | "both";
    readonly limit_pct: number;
    /** Where less is expected, nothing is said; in the measure's unit. */
    readonly min_expected: number;
  };

/** A duration of a rule, in seconds, as microseconds: whole, as instants are. */
export function durationUs(duration_s: number): number {
  return Math.round(duration_s * 1_000_000);
}

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
  /** By number: `Error-17` is 17. */
  readonly points: ReadonlyMap<number, AlarmPoint>;
};
