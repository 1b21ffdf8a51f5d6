// What the history of an issue says of a change, by what differs.
import type { HistoryDraft, HistoryKind } from "../../model/work/history.ts";
import type { Issue } from "../../model/work/issue.ts";
import type { WorkOrder } from "../../model/work/work_order.ts";
import { instantOrNull, showIssueDevice } from "./view.ts";

type HistoryField = {
  readonly kind: HistoryKind;
  /** The field's value in plain data. */
  readonly value: (issue: Issue) => unknown;
};

const row = (kind: HistoryKind, value: HistoryField["value"]): HistoryField => ({ kind, value });

/** The fields whose change makes a row; `resolved_at` and `merged_into` go with the status. */
const history_fields = {
  sentinel_tag: row("field_changed", ({ sentinel_tag }) => sentinel_tag),
  name: row("field_changed", ({ name }) => name),
  description: row("field_changed", ({ description }) => description),
  status: row("status_changed", ({ status }) => status),
  priority: row("priority_changed", ({ priority }) => priority),
  external_id: row("field_changed", ({ external_id }) => external_id),
  effective_from: row("field_changed", ({ effective_from }) => instantOrNull(effective_from)),
  effective_to: row("field_changed", ({ effective_to }) => instantOrNull(effective_to)),
  assigned_to: row("assignee_changed", ({ assigned_to }) => assigned_to),
  devices: row("devices_changed", ({ devices }) => devices.map(showIssueDevice)),
} as const satisfies Partial<Record<keyof Issue, HistoryField>>;

/** That an issue was created, with the values of its fields. */
export function createdHistory(issue: Issue): HistoryDraft {
  const values = Object.entries(history_fields).map(([field, { value }]) => [field, value(issue)]);
  return {
    kind: "created",
    next_value: { ...Object.fromEntries(values), source: issue.source },
  };
}

/** What differs between an issue before and after a change, a row for each field. */
export function changedHistory(before: Issue, after: Issue): readonly HistoryDraft[] {
  return Object.entries(history_fields).flatMap(([field, { kind, value }]) => {
    const [previous_value, next_value] = [value(before), value(after)];
    if (JSON.stringify(previous_value) === JSON.stringify(next_value)) return [];
    return [{ kind, field, previous_value, next_value }];
  });
}

/** That a work order came under an issue. */
export function orderAdded(order: WorkOrder): HistoryDraft {
  return { kind: "work_order_added", detail: summaryOf(order) };
}

/** That a work order is no longer under an issue. */
export function orderGone(order: WorkOrder): HistoryDraft {
  return {
    kind: "field_changed",
    field: "work_orders",
    previous_value: summaryOf(order),
    next_value: null,
  };
}

function summaryOf({ id, number, title }: WorkOrder) {
  return { work_order_id: id, number, title };
}
