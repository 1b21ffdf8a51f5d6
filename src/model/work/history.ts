// What happened to an issue: the kinds of its history, and the rows as they are kept.

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
export type HistoryEvent = {
  readonly history_no: number;
  readonly id: string;
  readonly issue_no: number;
  readonly kind: HistoryKind;
  readonly field: string | null;
  readonly previous_value: string | null;
  readonly next_value: string | null;
  readonly detail: string | null;
  /** Who did it; null where no user did. */
  readonly user_id: string | null;
  readonly created_at: number;
};
