// The forms of rules: of each kind its own fields, and those of all. A test holds them against the
// service's own schema. Pure.
import { judging_places, resolution_policies } from "../../model/alarms/alarm.ts";
import type { RuleKind } from "../../model/rules/kind.ts";

/** What a field takes, and how it is written. */
type Entry =
  /** `unit`: of the watched values, of their change in a minute, or its own. */
  | { readonly type: "number"; readonly unit: "value" | "per_min" | "s" | "min" | "%" }
  | { readonly type: "choice"; readonly options: readonly string[] }
  /** One of the options, or another word. */
  | { readonly type: "word"; readonly options: readonly string[] }
  | { readonly type: "text" }
  /** Whole numbers with commas between them. */
  | { readonly type: "numbers" }
  /** A line for each number: `3 = Over temperature`. */
  | { readonly type: "labels" }
  | { readonly type: "flag" };

/** A field; `usual` is what it is where the rule does not say. */
export type Field = Entry & {
  readonly name: string;
  readonly is_required?: boolean;
  readonly usual?: string | number | boolean;
};

const deadband: Field = { name: "deadband", type: "number", unit: "value", usual: 0 };
const labels: Field = { name: "labels", type: "labels" };

/** The fields of each kind. */
export const kind_fields: Readonly<Record<RuleKind, readonly Field[]>> = {
  threshold: [
    { name: "operator", type: "choice", options: [">", ">=", "<", "<="], is_required: true },
    { name: "threshold", type: "number", unit: "value", is_required: true },
    deadband,
  ],
  outside: [
    { name: "low", type: "number", unit: "value", is_required: true },
    { name: "high", type: "number", unit: "value", is_required: true },
    deadband,
  ],
  stale: [{ name: "max_age_s", type: "number", unit: "s", is_required: true }],
  bitmask: [{ name: "mask", type: "numbers", is_required: true }, labels],
  enum: [{ name: "codes", type: "numbers" }, { name: "points", type: "flag" }, labels],
  rate_of_change: [
    { name: "direction", type: "choice", options: ["rising", "falling", "both"], usual: "both" },
    { name: "limit_per_min", type: "number", unit: "per_min", is_required: true },
    { name: "over_s", type: "number", unit: "s", usual: 60 },
  ],
  deviation: [
    { name: "from", type: "choice", options: ["model", "peers"], is_required: true },
    { name: "side", type: "choice", options: ["below", "above", "both"], usual: "below" },
    { name: "limit_pct", type: "number", unit: "%", is_required: true },
    { name: "min_expected", type: "number", unit: "value", usual: 0 },
    { name: "span_minutes", type: "number", unit: "min", usual: 1 },
  ],
};

/** What a rule is called. */
export const name_fields: readonly Field[] = [
  { name: "name", type: "text", is_required: true },
  { name: "key", type: "text", is_required: true },
  { name: "description", type: "text" },
];

/** What a rule watches: a tag, the sensors of a measure, or event words; and of which devices. */
export const watch_fields: readonly Field[] = [
  { name: "tag", type: "text" },
  { name: "measure", type: "text" },
  { name: "event_word", type: "flag" },
  { name: "component", type: "text" },
  { name: "device", type: "text" },
  { name: "device_model", type: "text" },
];

/** The alarms that a rule raises. */
export const alarm_fields: readonly Field[] = [
  {
    name: "severity",
    type: "word",
    options: ["critical", "high", "medium", "low", "info"],
    usual: "medium",
  },
  { name: "alarm_class", type: "text" },
  { name: "resolution_policy", type: "choice", options: resolution_policies, usual: "auto" },
  { name: "on_delay_s", type: "number", unit: "s", usual: 0 },
  { name: "off_delay_s", type: "number", unit: "s", usual: 0 },
  { name: "judged_at", type: "choice", options: judging_places, usual: "here" },
  { name: "is_nerc", type: "flag", usual: false },
  { name: "enabled", type: "flag", usual: true },
];

/** Every field of a kind. */
export function fieldsOf(kind: RuleKind): readonly Field[] {
  return [...name_fields, ...kind_fields[kind], ...watch_fields, ...alarm_fields];
}
