// Work orders as they are kept: read, stored and changed, whole sets at a time.
import work_order_get from "./order_get.sql" with { type: "text" };
import work_order_list from "./order_list.sql" with { type: "text" };
import work_order_read from "./order_read.sql" with { type: "text" };
import work_order_update from "./order_update.sql" with { type: "text" };
import type { Chunk } from "../../model/data/chunk.ts";
import type { OrderStatus, WorkOrder } from "../../model/work/work_order.ts";
import { chunkOf } from "../alarms/row.ts";
import type { Connection } from "../connection.ts";

/** A work order with the body of its latest snapshot. */
export type StoredOrder = WorkOrder & { readonly snapshot: string };

/** The columns of the table, in its order; `devices` is JSON. */
const columns = {
  work_order_no: "int64",
  id: "text",
  organization_id: "text",
  project_no: "int32",
  number: "int32",
  issue_no: "int64",
  title: "text",
  description: "text",
  status: "text",
  priority: "text",
  due_date: "int64",
  work_type: "text",
  external_system: "text",
  external_id: "text",
  external_ref: "text",
  external_url: "text",
  payload: "text",
  assigned_to: "text",
  created_by: "text",
  devices: "text",
  created_at: "int64",
  updated_at: "int64",
  deleted_at: "int64",
  version: "int32",
  snapshot_no: "int64",
  snapshot: "text",
} as const satisfies Record<keyof StoredOrder, string>;

/** The work orders that are not deleted of some issues, by their numbers. */
export async function readWorkOrders(
  connection: Connection,
  issue_nos: readonly number[],
): Promise<WorkOrder[]> {
  if (issue_nos.length === 0) return [];
  type Row = Omit<WorkOrder, "devices"> & { readonly devices: string };
  const rows = await connection.rows<Row>(work_order_read, { issue_nos });
  return rows.map((row) => ({ ...row, devices: JSON.parse(row.devices) }));
}

/** Stores work orders: new ones, whose version is 1; changed ones over what was stored of them. */
export async function storeWorkOrders(
  connection: Connection,
  orders: readonly StoredOrder[],
): Promise<void> {
  const [fresh, changed] = [true, false].map((is_new) =>
    chunkOf(columns, orders.filter(({ version }) => (version === 1) === is_new).map(rowOf))
  );
  await connection.append("work_order", fresh);
  if (changed.rows === 0) return;
  await connection.run(
    "CREATE TEMP TABLE IF NOT EXISTS work_order_stage AS SELECT * FROM work_order LIMIT 0",
  );
  await connection.append("work_order_stage", changed);
  await connection.run(work_order_update);
  await connection.run("DELETE FROM work_order_stage");
}

/** Which work orders of a project: those that pass every filter that is given. */
export type WorkOrderFilter = {
  readonly project_no: number;
  readonly status?: OrderStatus;
  readonly issue_id?: string;
  /** With a line for this device. */
  readonly device_id?: string;
  /** Changed at or after this instant. */
  readonly since_us?: number;
  readonly limit: number;
  readonly offset?: number;
};

/** The bodies of the latest snapshots of work orders, as one column, in the order taken. */
export function listWorkOrders(
  connection: Connection,
  filter: WorkOrderFilter,
): Promise<Iterable<Chunk>> {
  const { project_no, status = null, issue_id = null, device_id } = filter;
  const { since_us = 0, limit, offset = 0 } = filter;
  // As `devices` spells it.
  const device = device_id === undefined ? null : `"device_id":${JSON.stringify(device_id)}`;
  const parameters = { project_no, status, issue_id, device, since_us, limit, offset };
  return connection.pieces(work_order_list, parameters);
}

/** A project's work order by its id, with its latest snapshot; a deleted one is as none. */
export async function readWorkOrder(
  connection: Connection,
  { project_no, id }: Pick<WorkOrder, "project_no" | "id">,
): Promise<Pick<StoredOrder, "work_order_no" | "version" | "snapshot"> | undefined> {
  const [row] = await connection.rows<Pick<StoredOrder, "work_order_no" | "version" | "snapshot">>(
    work_order_get,
    { project_no, id },
  );
  return row;
}

function rowOf(order: StoredOrder) {
  return { ...order, devices: JSON.stringify(order.devices) };
}
