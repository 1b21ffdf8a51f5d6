// A work order under an issue: its statuses and its lines', how they move, its events.
import { json, oneOf, type PlainRow } from "../data/row.ts";
import { work_priorities } from "./issue.ts";

/** Statuses of work orders whose work is still to be done. */
export const active_order_statuses = [
  "draft",
  "open",
  "scheduled",
  "in_progress",
  "on_hold",
] as const;

/** What a work order can be: a fixed set. `completed` and `cancelled` are ends. */
export const order_statuses = [...active_order_statuses, "completed", "cancelled"] as const;
export type OrderStatus = typeof order_statuses[number];

/** What a line of a work order can be: a fixed set. */
export const line_statuses = ["pending", "in_progress", "completed", "skipped"] as const;
export type LineStatus = typeof line_statuses[number];

/** The usual types of work: an open set. */
export const work_types = [
  "corrective",
  "preventive",
  "predictive",
  "inspection",
  "emergency",
  "cleaning",
  "vegetation",
  "warranty",
  "upgrade",
] as const;

/** A device's part of a work order; at most one of the same device and component. */
export type WorkOrderLine = {
  readonly device_id: string;
  readonly component: string;
  readonly status: LineStatus;
  /** Microseconds since 1970 UTC; null unless it is completed. */
  readonly completed_at: number | null;
};

/** A work order as it is kept; instants are microseconds since 1970 UTC. */
export const work_order_table = {
  /** Its number in this installation. */
  work_order_no: "int64",
  id: "text",
  organization_id: "text",
  project_no: "int32",
  /** Its number among its organization's work orders, from 1 on. */
  number: "int32",
  issue_no: "int64",
  title: "text",
  description: "text?",
  status: oneOf(order_statuses),
  priority: oneOf(work_priorities),
  due_date: "instant?",
  work_type: "text",
  external_system: "text?",
  external_id: "text?",
  external_ref: "text?",
  external_url: "text?",
  /** JSON of an object. */
  payload: "text?",
  /** Ids of users. */
  assigned_to: "text?",
  created_by: "text?",
  devices: json<readonly WorkOrderLine[]>(),
  created_at: "instant",
  /** The stamp of the write that last changed it. */
  updated_at: "instant",
  deleted_at: "instant?",
  /** 1 at first; rises with each snapshot. */
  version: "int32",
  /** Its latest snapshot. */
  snapshot_no: "int64",
} as const;

/** A work order as it is kept; instants are microseconds since 1970 UTC. */
export type WorkOrder = PlainRow<typeof work_order_table>;

/** What is decided of a new work order; the rest follows when it is added. */
export type WorkOrderDraft =
  & Omit<
    WorkOrder,
    | "work_order_no"
    | "id"
    | "organization_id"
    | "project_no"
    | "number"
    | "issue_no"
    | "status"
    | "devices"
    | "created_at"
    | "updated_at"
    | "deleted_at"
    | "version"
    | "snapshot_no"
  >
  & {
    readonly status: typeof active_order_statuses[number];
    /** Their work is still to be done. */
    readonly devices: readonly Pick<WorkOrderLine, "device_id" | "component">[];
  };

/** What of a work order a change of its status, or of a line's, depends on. */
type Stepping = Pick<WorkOrder, "status" | "devices">;

/** What a change of status comes to; `refused` says why, of "it". */
export type WorkOrderStep<O extends Stepping = WorkOrder> =
  | { readonly order: O }
  | { readonly unchanged: true }
  | { readonly refused: string };

/** A work order with another status, at an instant: completing it completes what is left. */
export function workOrderStep<O extends Stepping>(
  order: O,
  { to, at_us }: { readonly to: OrderStatus; readonly at_us: number },
): WorkOrderStep<O> {
  if (order.status === to) return { unchanged: true };
  const refused = endOf(order);
  if (refused !== undefined) return { refused };
  if (to !== "completed") return { order: { ...order, status: to } };
  const devices = order.devices.map((line) =>
    isLeft(line) ? { ...line, status: to, completed_at: at_us } : line
  );
  return { order: { ...order, status: to, devices } };
}

/** The statuses that a status allows. */
export function orderMoves(from: OrderStatus): readonly OrderStatus[] {
  const is_end = endOf({ status: from }) !== undefined;
  return is_end ? [] : order_statuses.filter((to) => to !== from);
}

/** A change of a line, which its device and component name. */
type LineChange = Pick<WorkOrderLine, "device_id" | "component"> & {
  readonly to: LineStatus;
  readonly at_us: number;
};

/** A work order with another status of one of its lines, at an instant: `completed_at` follows. */
export function lineStep<O extends Stepping>(order: O, change: LineChange): WorkOrderStep<O> {
  const { to, at_us } = change;
  const line = order.devices.find((line) => isSameLine(line, change));
  if (line === undefined) return { refused: "it has no line of this device and component" };
  if (line.status === to) return { unchanged: true };
  const refused = endOf(order);
  if (refused !== undefined) return { refused };
  const changed = { ...line, status: to, completed_at: to === "completed" ? at_us : null };
  return {
    order: { ...order, devices: order.devices.map((it) => it === line ? changed : it) },
  };
}

/** The types of a work order's events. */
export const work_order_event_types = [
  "workorder.created",
  "workorder.updated",
  "workorder.completed",
  "workorder.deleted",
] as const;
export type WorkOrderEventType = typeof work_order_event_types[number];

/** The one event of a work order's change in a write; undefined: it came and went within it. */
export function orderEvent(
  before: WorkOrder | undefined,
  after: WorkOrder,
): WorkOrderEventType | undefined {
  if (after.deleted_at !== null) return before && "workorder.deleted";
  if (before === undefined) return "workorder.created";
  const is_completed = before.status !== after.status && after.status === "completed";
  return is_completed ? "workorder.completed" : "workorder.updated";
}

/** Whether two lines are of the same device and component. */
export function isSameLine(
  a: Pick<WorkOrderLine, "device_id" | "component">,
  b: Pick<WorkOrderLine, "device_id" | "component">,
): boolean {
  return a.device_id === b.device_id && a.component === b.component;
}

/** Whether the work is still to be done. */
export function isActiveOrder({ status }: Pick<WorkOrder, "status">): boolean {
  return (active_order_statuses as readonly string[]).includes(status);
}

/** The devices that are being worked on: those of an order in progress that have work left. */
export function workedDevices({ status, deleted_at, devices }: WorkOrder): ReadonlySet<string> {
  if (status !== "in_progress" || deleted_at !== null) return new Set();
  return new Set(devices.filter(isLeft).map(({ device_id }) => device_id));
}

/** Whether a line's work is still to be done. */
export function isLeft({ status }: Pick<WorkOrderLine, "status">): boolean {
  return status === "pending" || status === "in_progress";
}

/** Why nothing of an order that has ended changes its status any more. */
export function endOf({ status }: Pick<WorkOrder, "status">): string | undefined {
  return status === "completed" || status === "cancelled" ? `it is ${status}, for good` : undefined;
}
