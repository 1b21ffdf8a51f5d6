// Issues, work orders and history as answers and webhooks show them, with users as they are named.
import type { Issue, IssueDevice } from "../../model/work/issue.ts";
import type { HistoryRow, IssueDeviceRow, IssueRow } from "../../model/work/issue_shape.ts";
import type { HistoryDraft, HistoryEvent, HistoryKind } from "../../model/work/history.ts";
import type { WorkOrder, WorkOrderLine } from "../../model/work/work_order.ts";
import type { EmbeddedOrderRow, WorkOrderRow } from "../../model/work/work_order_shape.ts";
import type { UserRow } from "../../model/work/shape.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Users } from "../access/user.ts";

/** What is known beside the stored rows. */
export type WorkFacts = {
  readonly catalog: Pick<Catalog, "projectByNo">;
  readonly users: Pick<Users, "get">;
};

/** What an issue hangs together with. */
type IssueRelations = {
  /** Its work orders, by number. */
  readonly orders: readonly WorkOrder[];
  /** Id of the issue that it was merged into. */
  readonly merged_into: string | null;
};

/** An issue with its work orders. */
export function showIssue(
  issue: Issue,
  { orders, merged_into }: IssueRelations,
  facts: WorkFacts,
): IssueRow {
  return {
    ...headOf(issue, facts),
    sentinel_tag: issue.sentinel_tag,
    name: issue.name,
    description: issue.description,
    status: issue.status,
    priority: issue.priority,
    source: issue.source,
    effective_from: instantOrNull(issue.effective_from),
    effective_to: instantOrNull(issue.effective_to),
    resolved_at: instantOrNull(issue.resolved_at),
    assigned_to: userOf(issue.assigned_to, facts),
    created_by: userOf(issue.created_by, facts),
    devices: issue.devices.map(showIssueDevice),
    work_orders: orders.map((order) => ({
      ...stateOf(order, issue, facts),
      ...timesOf(order),
    })),
    merged_into,
    ...timesOf(issue),
  };
}

/** A work order with the summary of its issue. */
export function showWorkOrder(order: WorkOrder, issue: Issue, facts: WorkFacts): WorkOrderRow {
  const { id, number, project_id, project } = headOf(issue, facts);
  const { devices, ...state } = stateOf(order, issue, facts);
  return {
    ...state,
    created_by: userOf(order.created_by, facts),
    devices,
    ...timesOf(order),
    issue: { id, number, name: issue.name, status: issue.status, project_id, project },
  };
}

/** A device of an issue. */
export function showIssueDevice(device: IssueDevice): IssueDeviceRow {
  return {
    device_id: device.device_id,
    component: device.component,
    effective_from: instantOrNull(device.effective_from),
    effective_to: instantOrNull(device.effective_to),
  };
}

/** A row of the history of the issue of an id. */
export function showHistory(event: HistoryEvent, issue_id: string): HistoryRow {
  return {
    id: event.id,
    issue_id,
    kind: event.kind,
    field: event.field,
    previous_value: dataOf(event.previous_value),
    next_value: dataOf(event.next_value),
    detail: dataOf(event.detail),
    user_id: event.user_id,
    created_at: instantText(event.created_at),
  };
}

/** An instant as text. */
export function instantOrNull(at_us: number | null): string | null {
  return at_us === null ? null : instantText(at_us);
}

function headOf(
  { id, number, organization_id, project_no }: Issue | WorkOrder,
  { catalog }: WorkFacts,
) {
  const project = catalog.projectByNo(project_no)!;
  return { id, number, organization_id, project_id: project.id, project: { key: project.key } };
}

function stateOf(
  order: WorkOrder,
  issue: Issue,
  facts: WorkFacts,
): Omit<EmbeddedOrderRow, "created_at" | "updated_at"> {
  return {
    ...headOf(order, facts),
    issue_id: issue.id,
    title: order.title,
    description: order.description,
    status: order.status,
    priority: order.priority,
    due_date: instantOrNull(order.due_date),
    work_type: order.work_type,
    external_system: order.external_system,
    external_id: order.external_id,
    external_ref: order.external_ref,
    external_url: order.external_url,
    payload: dataOf(order.payload),
    assigned_to: userOf(order.assigned_to, facts),
    devices: order.devices.map(lineOf),
  };
}

function lineOf({ device_id, component, status, completed_at }: WorkOrderLine) {
  return { device_id, component, status, completed_at: instantOrNull(completed_at) };
}

function timesOf({ created_at, updated_at }: Issue | WorkOrder) {
  return { created_at: instantText(created_at), updated_at: instantText(updated_at) };
}

function userOf(user_id: string | null, { users }: WorkFacts): UserRow | null {
  const user = user_id === null ? undefined : users.get(user_id);
  if (user === undefined) return null;
  const { id, first_name, last_name, email } = user;
  return { id, first_name, last_name, email };
}

function dataOf(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}

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
