// What a source system sends of its alarms, checked: snapshots of occurrences, and events.
import type { EventDraft, Occurrence } from "./alarm.ts";

/** An event as a source sends it; its `event_id` is the source's own. */
export type SentEvent = EventDraft & { readonly event_id: string };

/** What a snapshot says of an occurrence, word for word. */
export const sent_fields = [
  "source",
  "rule_name",
  "rule_version",
  "rule_description",
  "kind",
  "severity",
  "alarm_class",
  "is_nerc",
  "resolution_policy",
  "raised_at",
  "source_ts",
  "updated_at",
  "cleared_at",
  "raised_value",
  "last_value",
  "peak_value",
  "peak_at",
  "recovered_value",
  "source_tag",
  "measure",
  "decoded_labels",
  "point_key",
  "params",
] as const satisfies readonly (keyof Occurrence)[];
export type SentState = Pick<Occurrence, typeof sent_fields[number]>;

/** An occurrence's place in the source's queue. */
type SentQueue = Pick<Occurrence, "status" | "resolution">;

/** A row of a body that holds an occurrence. */
export type SnapshotRow = {
  readonly line: number;
  readonly occurrence_id: string;
  /** Key or id of the site; null: the project has but one. */
  readonly site: string | null;
  /** Key of the device that it is on, where the site has one; else its tag tells. */
  readonly device?: string | undefined;
  readonly state: SentState;
  /** Null where the source keeps no queue: the operators' one here stays as it is. */
  readonly queue: SentQueue | null;
  readonly events: readonly SentEvent[];
};

/** A row of a body that holds an event. */
export type EventRow = {
  readonly line: number;
  readonly occurrence_id: string;
  readonly event: SentEvent;
};

export type AlarmRow = SnapshotRow | EventRow;

/** One row that was not taken, and why. */
export type AlarmRejection = {
  readonly line: number;
  readonly occurrence_id: string | null;
  readonly reason: string;
};

/**
 * The answer to a body of alarms: each row is accepted, a duplicate or rejected. `waiting` of the
 * accepted ones are events of occurrences that have not arrived; `rejected` shows the first
 * `limits.rejected_shown` of `rejected_count`.
 */
export type AlarmAnswer = {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected_count: number;
  readonly rejected: readonly AlarmRejection[];
  readonly waiting: number;
};
