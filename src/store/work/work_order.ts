// Work orders as they are kept: read, stored and changed, whole sets at a time.
import order_list_sql from "./order_list.sql" with { type: "text" };
import type { Chunk } from "../../model/data/chunk.ts";
import { omit, oneOf, pick, type PlainRow } from "../../model/data/row.ts";
import { work_priorities, type WorkPriority } from "../../model/work/issue.ts";
import {
  active_order_statuses,
  order_statuses,
  type OrderStatus,
  work_order_table,
  type WorkOrder,
} from "../../model/work/work_order.ts";
import type { Connection } from "../connection.ts";
import { assignmentsOf, statement } from "../statement.ts";
import { appendRows, stageRows, table, workTable } from "../table.ts";

const orders_table = table("work_order", { ...work_order_table, snapshot: "text" });

/** A work order with the body of its latest snapshot. */
export type StoredOrder = PlainRow<typeof orders_table.columns>;

/** The work orders of some issues; deleted ones where asked. */
const orders_read = statement({
  sql: `
    SELECT {row}
    FROM work_order
    SEMI JOIN (SELECT unnest($issue_nos::BIGINT[]) AS issue_no) AS wanted USING (issue_no)
    WHERE $deleted::BOOLEAN OR deleted_at IS NULL
    ORDER BY work_order_no`,
  parameters: { issue_nos: "int64[]", deleted: "bool" },
  row: { ...work_order_table, devices: "text" },
});

/** The work orders of some issues, by the issues' numbers; deleted ones if `deleted`. */
export async function readWorkOrders(
  connection: Connection,
  { issue_nos, deleted = false }: {
    readonly issue_nos: readonly number[];
    readonly deleted?: boolean;
  },
): Promise<WorkOrder[]> {
  if (issue_nos.length === 0) return [];
  const rows = await connection.rows(orders_read, { issue_nos, deleted });
  return rows.map((row) => ({ ...row, devices: JSON.parse(row.devices) }));
}

const order_stage = workTable("work_order_stage", orders_table.columns);

/** What a work order is by, which never changes. */
const identity = ["work_order_no", "id", "organization_id", "project_no"] as const;
const origin = ["created_by", "created_at"] as const;

/** Stores the changed work orders in place. */
const staged_update = statement({
  sql: `
    UPDATE work_order SET {changes}
    FROM work_order_stage AS s
    WHERE work_order.work_order_no = s.work_order_no`,
  names: { changes: assignmentsOf(omit(orders_table.columns, ...identity, ...origin), "s") },
});

/** Stores work orders: new ones, whose version is 1; changed ones over what was stored of them. */
export async function storeWorkOrders(
  connection: Connection,
  orders: readonly StoredOrder[],
): Promise<void> {
  await appendRows(connection, orders_table, orders.filter(({ version }) => version === 1));
  const changed = orders.filter(({ version }) => version !== 1);
  if (changed.length === 0) return;
  await stageRows(connection, order_stage, changed);
  await connection.run(staged_update);
}

/** Which work orders of a project: those that pass every filter that is given. */
export type WorkOrderFilter = {
  readonly project_no: number;
  readonly status?: OrderStatus;
  readonly issue_id?: string;
  /** With a line for this device. */
  readonly device_id?: string;
  readonly priority?: WorkPriority;
  /** Id of the user whom they are given to. */
  readonly assigned_to?: string;
  /** Whether their work is still to be done. */
  readonly active?: boolean;
  readonly sort?: "priority";
  /** Changed at or after this instant. */
  readonly since_us?: number;
  readonly limit: number;
  readonly offset?: number;
};

const list_parameters = {
  project_no: "int32",
  status: "text?",
  issue_id: "text?",
  device: "text?",
  priority: "text?",
  assigned_to: "text?",
  active: "bool?",
  statuses: "text[]",
  since_us: "instant",
  limit: "int64",
  offset: "int64",
} as const;

/** The latest snapshots of a project's work orders that pass every filter that is not null. */
const orders_list = statement({
  sql: order_list_sql,
  parameters: list_parameters,
  row: { snapshot: "text" },
  names: { order: "updated_at, snapshot_no" },
});

/** The same, the most urgent first. */
const orders_rank = statement({
  sql: order_list_sql,
  parameters: { ...list_parameters, priorities: "text[]" },
  row: { snapshot: "text" },
  names: { order: "list_position($priorities::VARCHAR[], priority), work_order_no DESC" },
});

/** The bodies of the latest snapshots of work orders, as one column, as taken or by priority. */
export function listWorkOrders(
  connection: Connection,
  filter: WorkOrderFilter,
): Promise<Iterable<Chunk>> {
  const { project_no, status = null, issue_id = null, priority = null } = filter;
  const { assigned_to = null, active = null, device_id, sort } = filter;
  const { since_us = 0, limit, offset = 0 } = filter;
  const parameters = {
    ...{ project_no, status, issue_id, priority, assigned_to, active, since_us, limit, offset },
    // As `devices` spells it.
    device: device_id === undefined ? null : `"device_id":${JSON.stringify(device_id)}`,
    statuses: active_order_statuses,
  };
  if (sort === undefined) return connection.pieces(orders_list, parameters);
  return connection.pieces(orders_rank, { ...parameters, priorities: work_priorities });
}

/** How many work orders there are of each status and priority. */
const orders_count = statement({
  sql: `
    SELECT status, priority, count(*) AS count
    FROM work_order
    WHERE
      project_no = $project_no::INTEGER AND deleted_at IS NULL
      AND ($assigned_to::VARCHAR IS NULL OR assigned_to = $assigned_to::VARCHAR)
    GROUP BY status, priority ORDER BY status, priority`,
  parameters: { project_no: "int32", assigned_to: "text?" },
  row: { status: oneOf(order_statuses), priority: oneOf(work_priorities), count: "int64" },
});

/** How many work orders of a project there are of each status and priority. */
export function countWorkOrders(
  connection: Connection,
  asked: { readonly project_no: number; readonly assigned_to: string | null },
): Promise<PlainRow<typeof orders_count.row>[]> {
  return connection.rows(orders_count, asked);
}

/** A project's work order by its id, unless it is deleted, with its latest snapshot. */
const order_get = statement({
  sql: `
    SELECT {row}
    FROM work_order
    WHERE project_no = $project_no::INTEGER AND id = $id::VARCHAR AND deleted_at IS NULL
    ORDER BY work_order_no`,
  parameters: { project_no: "int32", id: "text" },
  row: pick(orders_table.columns, "work_order_no", "version", "snapshot"),
});

/** A project's work order by its id, with its latest snapshot; a deleted one is as none. */
export async function readWorkOrder(
  connection: Connection,
  { project_no, id }: Pick<WorkOrder, "project_no" | "id">,
): Promise<PlainRow<typeof order_get.row> | undefined> {
  const [row] = await connection.rows(order_get, { project_no, id });
  return row;
}
