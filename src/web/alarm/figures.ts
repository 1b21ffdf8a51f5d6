// An alarm's values, and a rule's limits, in words.
import { no_number, numberText, quantityText, spanText } from "../frame/number.ts";
import { deviceOf, plant_load, type Sensor } from "../frame/plant.ts";
import type { Alarm } from "./alarm.ts";
import { say } from "./say.ts";

/** The sensor that an alarm's tag is, where the plant has one. */
export function sensorOfAlarm({ device_id, source_tag, measure }: Alarm): Sensor | undefined {
  const own = deviceOf(device_id)?.sensors ?? [];
  const all = [...own, ...plant_load.value.data?.sensors ?? []]
    .filter(({ sensor_tag }) => sensor_tag === source_tag);
  return all.find(({ component_measure }) => component_measure === measure) ?? all[0];
}

/** The unit of a rule's limits for an alarm. */
export function unitOf(alarm: Alarm): string {
  const unit = sensorOfAlarm(alarm)?.unit ?? "";
  return ["1", "-"].includes(unit) ? "" : unit;
}

/** A value of an alarm: what is compared with the limit, or what the device calls it. */
export function valueText(alarm: Alarm, value: number | null): string {
  if (value === null) return no_number;
  switch (alarm.kind) {
    case "stale":
      return spanText(value * 1000);
    case "deviation":
      return quantityText(value, "%");
    case "rate_of_change":
      return `${quantityText(value, unitOf(alarm))}/min`;
    case "bitmask":
    case "enum":
      return numberText(value);
    default:
      return quantityText(value, unitOf(alarm));
  }
}

/** What the list shows of it: its labels where a code means little. */
export function valueInList(alarm: Alarm): string {
  const isCode = alarm.kind === "bitmask" || alarm.kind === "enum";
  const labels = alarm.decoded_labels.join(", ");
  return isCode && labels ? labels : valueText(alarm, alarm.raised_value);
}

/** The limits that can be drawn beside the tag's values. */
export function limitsOf({ kind, params }: Alarm): readonly number[] {
  const wanted = kind === "threshold"
    ? [params.threshold]
    : kind === "outside"
    ? [params.low, params.high]
    : [];
  return wanted.filter((it) => typeof it === "number");
}

/** A rule's parameters by name: those of its definition, or those that an alarm took along. */
type Params = Readonly<Record<string, unknown>>;

/** What a rule watches for, in sentences' parts. */
export function ruleText(
  kind: string,
  { params, unit }: { readonly params: Params; readonly unit: string },
): readonly string[] {
  const texts = [conditionText(kind, params, unit)];
  const { deadband, min_expected, on_delay_s, off_delay_s, resolution_policy } = params;
  if (isAbove0(deadband)) texts.push(say().rule_deadband(quantityText(deadband, unit)));
  if (isAbove0(min_expected)) texts.push(say().rule_from(quantityText(min_expected, unit)));
  if (isAbove0(on_delay_s)) texts.push(say().rule_on_delay(secondsText(on_delay_s)));
  if (isAbove0(off_delay_s)) texts.push(say().rule_off_delay(secondsText(off_delay_s)));
  if (resolution_policy === "auto" || resolution_policy === "manual") {
    texts.push(say()[`rule_${resolution_policy}`]);
  }
  if (resolution_policy === "require_both") texts.push(say().rule_require_both);
  return texts;
}

function conditionText(kind: string, params: Params, unit: string): string {
  const quantity = (name: string) => quantityText(Number(params[name]), unit);
  switch (kind) {
    case "threshold":
      return say().rule_threshold(String(params.operator), quantity("threshold"));
    case "outside":
      return say().rule_outside(quantity("low"), quantity("high"));
    case "stale":
      return say().rule_stale(secondsText(Number(params.max_age_s)));
    case "bitmask":
      return say().rule_bitmask(bitsText(params.mask), labelsText(params));
    case "enum":
      return Array.isArray(params.codes)
        ? say().rule_enum(params.codes.map((code) => codeText(code, params)).join(", "))
        : say().rule_points;
    case "rate_of_change":
      return say().rule_rate(quantity("limit_per_min"), secondsText(Number(params.over_s)));
    case "deviation":
      return deviationText(params);
    default:
      return kind;
  }
}

function deviationText({ limit_pct, side, from }: Params): string {
  const word = side === "above" || side === "both" ? side : "below";
  return say().rule_deviation(
    quantityText(Number(limit_pct), "%"),
    say()[`side_${word}`],
    from === "peers" ? say().basis_peers : say().basis_model,
  );
}

function bitsText(mask: unknown): string {
  let rest = BigInt(typeof mask === "number" || typeof mask === "string" ? mask : 0);
  const bits: string[] = [];
  for (let bit = 0; rest > 0n; bit++, rest >>= 1n) {
    if (rest & 1n) bits.push(say().bit(bit));
  }
  return bits.join(", ");
}

function labelsText({ labels }: Params): string {
  return labels !== null && typeof labels === "object" ? Object.values(labels).join(", ") : "";
}

function codeText(code: unknown, { labels }: Params): string {
  const name = (labels as Readonly<Record<string, string>> | undefined)?.[String(code)];
  return name === undefined ? String(code) : `${code} (${name})`;
}

/** Seconds, in minutes and hours where they are whole ones. */
export function secondsText(seconds: number): string {
  return seconds % 60 === 0 ? spanText(seconds * 1000) : quantityText(seconds, "s");
}

function isAbove0(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}
