// A rule's condition against one value, as its kind judges it.
import type { NamedPoint, Point, Shown, ValuedPoint, Yardstick } from "./kind.ts";
import { type AnyKind, type Condition, definitionOf } from "./kinds.ts";
import type { Watchpoint } from "./rule.ts";

/** What is compared with a rule's limits; undefined where the point has no such number. */
export function heldOf(watchpoint: Watchpoint, point: Point): number | bigint | undefined {
  return heldBy(definitionOf(watchpoint.rule.condition), watchpoint, point);
}

/** The same by a kind that was looked up before. */
export function heldBy(
  kind: AnyKind,
  watchpoint: Watchpoint,
  point: Point,
): number | bigint | undefined {
  if (!isValued(point)) return undefined;
  const held = kind.judge.heldOf(watchpoint.rule.condition, point, watchpoint);
  return typeof held === "bigint" || Number.isFinite(held) ? held : undefined;
}

/** How far a held value goes in the direction of its limit; NaN for codes and bits. */
export function reachOf(condition: Condition, held: number): number {
  return definitionOf(condition).judge.reachOf(condition, held);
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

/** What of several things `held` shows, as an unsigned number of bits; 0 for most kinds. */
export function bitsOf(condition: Condition, held: number | bigint): bigint {
  return definitionOf(condition).labels.bitsOf(condition, held);
}

/** The names of what fired: of every bit, of the code, of the alarm point, of the side. */
export function labelsOf({ rule, points }: Watchpoint, shown: Shown): readonly string[] {
  return definitionOf(rule.condition).labels.namesOf(rule.condition, shown, points);
}

/** The alarm point of a subject; undefined for every other rule. */
export function pointOf({ rule, points }: Watchpoint, subject: number): NamedPoint | undefined {
  return definitionOf(rule.condition).labels.pointOf(rule.condition, subject, points);
}

/** What a rule's minutes are compared with; undefined for one that samples move on. */
export function yardstickOf(condition: Condition): Yardstick | undefined {
  const { trigger } = definitionOf(condition).needs;
  return trigger.by === "minutes" ? trigger.yardstickOf(condition) : undefined;
}

function isValued(point: Point): point is ValuedPoint {
  return typeof point.value === "number" || typeof point.value === "bigint";
}
