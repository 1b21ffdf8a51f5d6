// What happened to an issue: the kinds of its history, and the rows as they are kept.
import { oneOf, type PlainRow } from "../data/row.ts";

/** What a row of an issue's history can tell. */
export const history_kinds = [
  "created",
  "field_changed",
  "status_changed",
  "assignee_changed",
  "priority_changed",
  "devices_changed",
  "work_order_added",
  "alarm_linked",
  "commented",
  "merged",
  "deleted",
  /** Two services changed the same thing, and neither knew of the other's. */
  "conflict",
] as const;
export type HistoryKind = typeof history_kinds[number];

/** A row before it is stored; values and detail are plain data. */
export type HistoryDraft = {
  readonly kind: HistoryKind;
  /** The field that changed. */
  readonly field?: string | null;
  readonly previous_value?: unknown;
  readonly next_value?: unknown;
  readonly detail?: unknown;
};

/** A row as it is kept; values and detail are JSON, the instant microseconds since 1970 UTC. */
export const history_table = {
  history_no: "int64",
  id: "text",
  issue_no: "int64",
  kind: oneOf(history_kinds),
  field: "text?",
  previous_value: "text?",
  next_value: "text?",
  detail: "text?",
  /** Who did it; null where no user did. */
  user_id: "text?",
  created_at: "instant",
} as const;

/** A row as it is kept; values and detail are JSON, the instant microseconds since 1970 UTC. */
export type HistoryEvent = PlainRow<typeof history_table>;
