// An alarm as it was at a moment, from its timeline: nothing later is in it. Pure.
import { fold } from "../../model/alarms/fold.ts";
import type { Alarm, AlarmEvent } from "./alarm.ts";

/**
 * An alarm as it was at a moment; undefined where it was not raised yet. Of its values those are
 * left out of which it is not known that they are from before. `events` must be its whole
 * timeline.
 */
export function alarmAt(alarm: Alarm, at_ms: number): Alarm | undefined {
  if (alarm.raised_ms > at_ms) return undefined;
  const events = alarm.events.filter((event) => event.at_ms <= at_ms);
  const { status, cleared } = fold(events.map(eventDraft));
  const cleared_ms = cleared ? clearedAt(alarm, events, at_ms) : null;
  // What people and the queue do later leaves its values as they are.
  const isFinal = alarm.events.every(({ at_ms: event_ms, kind }) =>
    event_ms <= at_ms || kind === "operator" || kind === "system"
  );
  const hasPeaked = alarm.peak_ms !== null && alarm.peak_ms <= at_ms;
  return {
    ...alarm,
    status,
    cleared_ms,
    resolution: status === "resolved"
      ? events.findLast(({ type }) => type === "resolved")?.body ?? null
      : null,
    // The newest value of an alarm that stands moves with each sample.
    last_value: isFinal && cleared_ms !== null ? alarm.last_value : null,
    recovered_value: isFinal && cleared_ms !== null ? alarm.recovered_value : null,
    peak_value: hasPeaked ? alarm.peak_value : null,
    peak_ms: hasPeaked ? alarm.peak_ms : null,
    events,
  };
}

function clearedAt(alarm: Alarm, events: readonly AlarmEvent[], at_ms: number): number {
  const told = events.findLast(({ type, detail }) =>
    type === "cleared" || typeof detail.cleared_at === "string"
  );
  const { cleared_at } = told?.detail ?? {};
  const own = typeof cleared_at === "string" ? Date.parse(cleared_at) : told?.at_ms;
  return Math.min(own ?? alarm.cleared_ms ?? at_ms, at_ms);
}

function eventDraft({ event_id, type, kind, at_ms, body, detail }: AlarmEvent) {
  return { event_id, type, kind, created_at: at_ms * 1000, body, detail };
}
