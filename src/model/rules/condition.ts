// A rule's condition against one value: what is held against its limits, and what that shows.
import type { AlarmPoint } from "../plant/plant.ts";
import type { Condition, Watchpoint } from "./rule.ts";

/** A value of a tag with what its rule's kind looks at beside it. */
export type Point = {
  readonly ts_us: number;
  /** Null where a sample has none: then it neither shows nor ends anything. */
  readonly value: number | bigint | string | null;
  /** stale: when the tag's newest value before was of, and when the rule began to watch it. */
  readonly before_us?: number;
  readonly begun_us?: number;
  /** rate_of_change: the newest value that is at least `over_s` older, where there is one. */
  readonly earlier?: Earlier;
  /** deviation: what is expected, in the value's unit. */
  readonly expected?: number;
};

/** A value that a rate of change is counted from. */
export type Earlier = { readonly ts_us: number; readonly value: number };

/**
 * What is held against a rule's limits, and stands in its alarms' values: the value in the rule's
 * unit; a change per minute; percent off what is expected. Undefined where the point has none.
 */
export function heldOf(watchpoint: Watchpoint, point: Point): number | bigint | undefined {
  const { value } = point;
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  const { rule: { condition }, scale, offset } = watchpoint;
  switch (condition.kind) {
    case "threshold":
      return scale === 1 && offset === 0 ? known(value) : known(Number(value) * scale + offset);
    case "bitmask":
      return typeof value === "bigint" || Number.isSafeInteger(value) ? value : undefined;
    case "enum":
      return known(Number(value));
    case "rate_of_change": {
      if (point.earlier === undefined) return undefined;
      const minutes = (point.ts_us - point.earlier.ts_us) / 60_000_000;
      return known((Number(value) - point.earlier.value) * scale / minutes);
    }
    case "deviation": {
      const { expected } = point;
      if (expected === undefined || !(expected >= condition.min_expected)) return undefined;
      return expected > 0 ? known((Number(value) - expected) / expected * 100) : undefined;
    }
    case "stale":
      return undefined;
  }
}

/** Whether a condition holds so far: a deadband is then to be left first. */
export type Standing = { readonly standing: boolean };

/** What `held` shows: the code of an enum, else 0; undefined where the condition does not hold. */
export function subjectOf(
  condition: Condition,
  held: number | bigint,
  { standing }: Standing,
): number | undefined {
  switch (condition.kind) {
    case "threshold":
      return isBeyond(condition, held, { standing }) ? 0 : undefined;
    case "bitmask":
      return held !== 0 && (BigInt(held) & condition.mask) !== 0n ? 0 : undefined;
    case "enum": {
      const { codes } = condition;
      const code = Number(held);
      const shows = codes === "points" ? code !== 0 && Number.isSafeInteger(code) : codes.has(code);
      return shows ? code : undefined;
    }
    default:
      return reachOf(condition, Number(held)) > limitOf(condition) ? 0 : undefined;
  }
}

/** How far a held value goes in the direction of its limit; NaN for codes and bits. */
export function reachOf(condition: Condition, held: number): number {
  switch (condition.kind) {
    case "threshold":
      return condition.operator.startsWith(">") ? held : -held;
    case "rate_of_change":
      return directed(held, condition.direction);
    case "deviation":
      return directed(held, condition.side);
    case "stale":
      return held;
    default:
      return NaN;
  }
}

/** A value furthest past a limit, and when it was; both null where nothing of the kind is kept. */
export type Peak = { readonly peak_value: number | null; readonly peak_at: number | null };

/** Which of two peaks goes further; the earlier one where neither does. */
export function furtherOf(condition: Condition, before: Peak, after: Peak): Peak {
  const further = before.peak_value === null || (after.peak_value !== null &&
    reachOf(condition, after.peak_value) > reachOf(condition, before.peak_value));
  const { peak_value, peak_at } = further ? after : before;
  return { peak_value, peak_at };
}

/** The bits of the mask that are set in `held`, as an unsigned number; 0 for every other kind. */
export function bitsOf(condition: Condition, held: number | bigint): bigint {
  return condition.kind === "bitmask" ? BigInt(held) & condition.mask : 0n;
}

/** The names of what fired: of every bit, of the code, or of the alarm point. */
export function labelsOf(
  { rule: { condition }, points }: Watchpoint,
  { subject, bits }: { readonly subject: number; readonly bits: bigint },
): readonly string[] {
  if (condition.kind === "bitmask") {
    const set = Array.from({ length: 64 }, (_, bit) => bit)
      .filter((bit) => (bits >> BigInt(bit) & 1n) === 1n);
    return [...new Set(set.map((bit) => condition.labels.get(bit) ?? `bit ${bit}`))];
  }
  if (condition.kind !== "enum") return [];
  if (condition.codes === "points") return [points.get(subject)?.label ?? pointKey(subject)];
  return [condition.labels.get(subject) ?? String(subject)];
}

/** The source system's identifier of an alarm point. */
export function pointKey(code: number): string {
  return `Error-${code}`;
}

/** The alarm point of a subject; undefined for every other rule and for points without a name. */
export function pointOf(
  { rule: { condition }, points }: Watchpoint,
  subject: number,
): { readonly key: string; readonly point: AlarmPoint | undefined } | undefined {
  if (condition.kind !== "enum" || condition.codes !== "points") return undefined;
  return { key: pointKey(subject), point: points.get(subject) };
}

function isBeyond(
  { operator, threshold, deadband }: Extract<Condition, { kind: "threshold" }>,
  held: number | bigint,
  { standing }: Standing,
): boolean {
  const behind = standing ? deadband : 0;
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

function limitOf(condition: Condition): number {
  if (condition.kind === "rate_of_change") return condition.limit_per_min;
  return condition.kind === "deviation" ? condition.limit_pct : Infinity;
}

function directed(held: number, direction: "rising" | "above" | "falling" | "below" | "both") {
  if (direction === "both") return Math.abs(held);
  return direction === "rising" || direction === "above" ? held : -held;
}

/** A number that says something. */
function known(held: number | bigint): number | bigint | undefined {
  return typeof held === "bigint" || Number.isFinite(held) ? held : undefined;
}
