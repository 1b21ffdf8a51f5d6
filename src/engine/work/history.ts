// The rows of history that a change of an issue makes: each field that differs, told once.
import type { Issue } from "../../model/work/issue.ts";
import type { HistoryDraft, HistoryKind } from "../../model/work/history.ts";
import type { WorkOrder } from "../../model/work/work_order.ts";
import { instantOrNull, showIssueDevice } from "./view.ts";

type Told = {
  readonly kind: HistoryKind;
  /** The field's value in plain data. */
  readonly value: (issue: Issue) => unknown;
};

const told = (kind: HistoryKind, value: Told["value"]): Told => ({ kind, value });

/** Every field that can change and is told; `resolved_at`, `merged_into` go with the status. */
const fields = {
  sentinel_tag: told("field_changed", ({ sentinel_tag }) => sentinel_tag),
  name: told("field_changed", ({ name }) => name),
  description: told("field_changed", ({ description }) => description),
  status: told("status_changed", ({ status }) => status),
  priority: told("priority_changed", ({ priority }) => priority),
  external_id: told("field_changed", ({ external_id }) => external_id),
  effective_from: told("field_changed", ({ effective_from }) => instantOrNull(effective_from)),
  effective_to: told("field_changed", ({ effective_to }) => instantOrNull(effective_to)),
  assigned_to: told("assignee_changed", ({ assigned_to }) => assigned_to),
  devices: told("devices_changed", ({ devices }) => devices.map(showIssueDevice)),
} as const satisfies Partial<Record<keyof Issue, Told>>;

/** That an issue was created, with the values of its fields. */
export function createdHistory(issue: Issue): HistoryDraft {
  const values = Object.entries(fields).map(([field, { value }]) => [field, value(issue)]);
  return {
    kind: "created",
    next_value: { ...Object.fromEntries(values), source: issue.source },
  };
}

/** What differs between an issue before and after a change, a row for each field. */
export function changedHistory(before: Issue, after: Issue): readonly HistoryDraft[] {
  return Object.entries(fields).flatMap(([field, { kind, value }]) => {
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
