// What a change of an issue or of a work order is called where others are told of it.
import type { Issue } from "./issue.ts";
import type { WorkOrder } from "./work_order.ts";

/** The types of events of issues and work orders. */
export const work_event_types = [
  "issue.created",
  "issue.updated",
  "issue.resolved",
  "issue.merged",
  "issue.deleted",
  "workorder.created",
  "workorder.updated",
  "workorder.completed",
  "workorder.deleted",
] as const;
export type WorkEventType = typeof work_event_types[number];

/** The one event of an issue's change in a write; undefined: it came and went within it. */
export function issueEvent(before: Issue | undefined, after: Issue): WorkEventType | undefined {
  if (after.deleted_at !== null) return before && "issue.deleted";
  if (before === undefined) return "issue.created";
  if (before.status !== after.status) {
    if (after.status === "resolved") return "issue.resolved";
    if (after.status === "merged") return "issue.merged";
  }
  return "issue.updated";
}

/** The one event of a work order's change in a write; undefined: it came and went within it. */
export function orderEvent(
  before: WorkOrder | undefined,
  after: WorkOrder,
): WorkEventType | undefined {
  if (after.deleted_at !== null) return before && "workorder.deleted";
  if (before === undefined) return "workorder.created";
  const is_completed = before.status !== after.status && after.status === "completed";
  return is_completed ? "workorder.completed" : "workorder.updated";
}
