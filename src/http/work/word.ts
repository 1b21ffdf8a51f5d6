// What the words of issues and work orders mean, for the page that explains them.
import type { IssueSource, IssueStatus } from "../../model/work/issue.ts";
import type { HistoryKind } from "../../model/work/history.ts";
import type { LineStatus, OrderStatus } from "../../model/work/work_order.ts";

/** What each status of an issue means. */
export const issue_status_docs: Readonly<Record<IssueStatus, string>> = {
  open: "Someone is to deal with it.",
  in_progress: "Someone deals with it.",
  on_hold: "It waits for something.",
  resolved: "Settled; resolved_at tells since when.",
  closed: "Settled for good; resolved_at stays.",
  merged: "Went on as another issue, merged_into, for good.",
};

/** What made someone open an issue. */
export const issue_source_docs: Readonly<Record<IssueSource, string>> = {
  manual: "Someone who saw something.",
  alarm: "An alarm occurrence.",
  performance: "Energy that was missed against what was expected.",
  availability: "Time in which inverters were unavailable.",
  import: "Another system, which said so.",
};

/** What each status of a work order means. */
export const order_status_docs: Readonly<Record<OrderStatus, string>> = {
  draft: "Still being written.",
  open: "To be done.",
  scheduled: "Has its time.",
  in_progress: "Being done: its devices are worked on.",
  on_hold: "Waits for something; nothing is worked on.",
  completed: "Done, and what was left of its lines with it.",
  cancelled: "Will not be done.",
};

/** What each status of a line means. */
export const line_status_docs: Readonly<Record<LineStatus, string>> = {
  pending: "To be done.",
  in_progress: "Being done.",
  completed: "Done; completed_at tells when.",
  skipped: "Left out.",
};

/** What each kind of an issue's history tells. */
export const history_docs: Readonly<Record<HistoryKind, string>> = {
  created: "It was opened: next_value has its fields.",
  field_changed: "A field, before and after; a work order that went, as the field work_orders.",
  status_changed: "Its status, before and after.",
  assignee_changed: "Whom it is assigned to: users' ids.",
  priority_changed: "Its priority, before and after.",
  devices_changed: "All of its devices, before and after.",
  work_order_added: "detail has work_order_id, number and title.",
  alarm_linked: "detail has occurrence_id and svc_occurrence_ref.",
  commented: "detail has the body.",
  merged: "Others were merged into it: detail has issue_ids and merged_at.",
  deleted: "It was deleted, and its work orders with it.",
};
