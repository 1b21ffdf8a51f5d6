// Alarms for tests of the screens, what is not said being ordinary.
import { type Alarm, type AlarmEvent, alarmOf } from "../../../src/web/alarm/alarm.ts";
import type { OccurrenceRow } from "../../../src/model/alarms/shape.ts";

export const noon_ms = Date.UTC(2026, 5, 1, 12);
export const minute_ms = 60_000;
export const hour_ms = 60 * minute_ms;

let made = 0;

/** An alarm that was raised at noon by a rule, and stands since; its events follow from it. */
export function alarmWith(said: Partial<Alarm> = {}): Alarm {
  const number = ++made;
  const { raised_ms = noon_ms } = said;
  const row = {
    occurrence_id: `id-${number}`,
    svc_occurrence_ref: `occ-${String(number).padStart(12, "0")}`,
    site: "east",
    rule_name: "Temperature high",
    kind: "threshold",
    severity: "high",
    status: "open",
    resolution_policy: "auto",
    resolution: null,
    raised_at: new Date(raised_ms).toISOString(),
    cleared_at: null,
    peak_at: null,
    peak_value: null,
    raised_value: 90,
    last_value: 91,
    recovered_value: null,
    source_tag: "t",
    device_id: "d",
    device_name: "Inverter 1",
    alarm_class: null,
    decoded_labels: [],
    events: [],
    events_truncated: false,
  };
  const alarm = alarmOf(row as unknown as OccurrenceRow);
  return { ...alarm, events: [eventWith("raised", raised_ms)], ...said };
}

/** An event of the service's own; of an operator where somebody does such a thing. */
export function eventWith(
  type: string,
  at_ms: number,
  said: Partial<AlarmEvent> = {},
): AlarmEvent {
  const isRule = ["raised", "cleared", "reraised"].includes(type);
  return {
    event_id: `wk-${type}-${at_ms}`,
    type,
    kind: isRule ? "lifecycle" : "operator",
    at_ms,
    body: null,
    user_id: isRule ? null : "anna",
    user_email: null,
    external_user_id: null,
    detail: {},
    ...said,
  };
}
