// Alarms for tests: drafts of occurrences and events, what is not said being ordinary.
import {
  type EventDraft,
  type Occurrence,
  occurrence_nulls,
  type OccurrenceDraft,
} from "../../src/model/alarms/alarm.ts";

/** Noon of the day on which the clock of tests starts, in microseconds. */
export const noon_us = Date.UTC(2026, 5, 1, 12) * 1000;
export const second_us = 1_000_000;
export const minute_us = 60 * second_us;

/** A draft of a source's alarm, open and active since noon. */
export function draftOf(
  said: Partial<OccurrenceDraft> & Pick<OccurrenceDraft, "occurrence_id">,
): OccurrenceDraft {
  return {
    ...occurrence_nulls,
    project_no: 1,
    site_no: 1,
    origin: "source",
    source: "scada",
    rule_name: "Temperature high",
    kind: "threshold",
    severity: "high",
    is_nerc: false,
    status: "open",
    resolution_policy: "auto",
    raised_at: noon_us,
    updated_at: noon_us,
    sent_at: noon_us,
    raised_value: 81.5,
    source_tag: "INV-1/Temp",
    decoded_labels: [],
    is_late: false,
    is_flood: false,
    is_chattering: false,
    judged_at: "here",
    gateway: null,
    ...said,
  };
}

/** A draft of an event at noon; with an id it is a source's. */
export function eventOf(type: string, said: Partial<EventDraft> = {}): EventDraft {
  return { type, kind: "lifecycle", created_at: noon_us, ...said };
}

/** The same as it is kept, with its first event stored. */
export function occurrenceOf(said: Partial<Occurrence>): Occurrence {
  return {
    ...occurrence_nulls,
    ...draftOf({ occurrence_id: "alarm-1" }),
    ...{ occurrence_no: 1, synced_at: noon_us, events_total: 1, first_feed_no: 1, last_feed_no: 1 },
    ...said,
  };
}
