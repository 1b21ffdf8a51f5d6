// When an alarm's condition held, by its own instants and the turns of its life.
import { type AlarmEvent, hasEnded, type Occurrence } from "./alarm.ts";
import type { TimeSpan } from "../time/daylight.ts";

/** What is looked at of an occurrence. */
export type Spanned = Pick<
  Occurrence,
  "raised_at" | "cleared_at" | "updated_at" | "resolution_policy" | "status"
>;

/**
 * From when to when an alarm stood, whatever it did between; without end while it does. One that
 * was resolved by hand is no longer followed: it ends there.
 */
export function standingSpan(
  alarm: Spanned,
  events: readonly Pick<AlarmEvent, "type" | "created_at">[] = [],
): TimeSpan {
  const { raised_at: from_us, cleared_at, updated_at } = alarm;
  if (cleared_at !== null) return { from_us, to_us: cleared_at };
  if (!hasEnded(alarm)) return { from_us, to_us: Infinity };
  const resolved = events.findLast(({ type }) => type === "resolved");
  return { from_us, to_us: resolved?.created_at ?? updated_at };
}

/** The parts of it in which the condition held: not from a recovery until it was raised again. */
export function activeSpans(
  alarm: Spanned,
  events: readonly Pick<AlarmEvent, "type" | "created_at">[],
): readonly TimeSpan[] {
  const spans: TimeSpan[] = [];
  let { from_us, to_us } = standingSpan(alarm, events);
  let quiet_us: number | undefined;
  for (const { type, created_at } of events) {
    if (type === "cleared") quiet_us ??= created_at;
    if (type !== "reraised" || quiet_us === undefined) continue;
    spans.push({ from_us, to_us: quiet_us });
    from_us = created_at;
    quiet_us = undefined;
  }
  return [...spans, { from_us, to_us }].filter((span) => span.from_us < span.to_us);
}
