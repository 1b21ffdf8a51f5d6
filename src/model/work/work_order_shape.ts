// What a work order looks like in answers and webhooks, alone and within its issue: fields, once.
import { type Column, fieldOf, type RowOf } from "../data/column.ts";
import { rowSchema } from "../data/column_schema.ts";
import { issue_statuses } from "./issue.ts";
import { line_statuses, work_order_table, work_types } from "./work_order.ts";
import {
  assigned_column,
  created_by_column,
  head_columns,
  priority_column,
  project_column,
  type ProjectRow,
  time_columns,
  type UserRow,
} from "./shape.ts";

const field = fieldOf(work_order_table);

const line_columns = [
  { name: "device_id", kind: "text", nullable: false, doc: "Device to work on." },
  { name: "component", kind: "text", nullable: false, doc: "Component of the device." },
  {
    name: "status",
    kind: "text",
    nullable: false,
    values: line_statuses,
    doc: "Status of the work on the device.",
  },
  {
    name: "completed_at",
    kind: "instant",
    nullable: true,
    doc: "When it was completed. Null until then.",
  },
] as const satisfies readonly Column[];

/** A line of a work order as JSON has it. */
type LineRow = RowOf<typeof line_columns>;

const order_state_columns = [
  { name: "issue_id", kind: "text", nullable: false, doc: "Issue that the work order is under." },
  field("title", "Title."),
  field("description", "Description."),
  field("status", "Status; completed and cancelled are final."),
  priority_column,
  field("due_date", "When the work is due."),
  field("work_type", `Type of work: ${work_types.join(", ")}. An open set.`),
  field("external_system", "External system of the work order."),
  field("external_id", "ID in the external system."),
  field("external_ref", "Reference in the external system."),
  field("external_url", "URL in the external system."),
  {
    name: "payload",
    kind: "text",
    nullable: true,
    json: { type: ["object", "null"], additionalProperties: true },
    doc: "An object with any keys, stored as it was sent.",
  },
  assigned_column,
] as const satisfies readonly Column[];

const order_devices_column = {
  name: "devices",
  kind: "text",
  nullable: false,
  json: { type: "array", items: rowSchema(line_columns) },
  doc: "The work on each device.",
} as const satisfies Column;

/** The fields of a work order within its issue. */
export const embedded_order_columns = [
  ...head_columns,
  ...order_state_columns,
  order_devices_column,
  ...time_columns,
] as const satisfies readonly Column[];

/** A work order within its issue as JSON has it. */
export type EmbeddedOrderRow = RowOf<typeof embedded_order_columns> & {
  readonly project: ProjectRow;
  readonly assigned_to: UserRow | null;
  readonly devices: readonly LineRow[];
};

const summary_columns = [
  { name: "id", kind: "text", nullable: false, doc: "Issue ID." },
  { name: "number", kind: "int32", nullable: false, doc: "Issue number." },
  { name: "name", kind: "text", nullable: false, doc: "Name." },
  { name: "status", kind: "text", nullable: false, values: issue_statuses, doc: "Status." },
  { name: "project_id", kind: "text", nullable: false, doc: "Project." },
  project_column,
] as const satisfies readonly Column[];

/** The summary of a work order's issue as JSON has it. */
type IssueSummaryRow = RowOf<typeof summary_columns> & { readonly project: ProjectRow };

/** The fields of a work order. */
export const work_order_columns = [
  ...head_columns,
  ...order_state_columns,
  created_by_column,
  order_devices_column,
  ...time_columns,
  {
    name: "issue",
    kind: "text",
    nullable: false,
    json: rowSchema(summary_columns),
    doc: "Summary of the issue as it was when the work order changed.",
  },
] as const satisfies readonly Column[];

/** A work order as JSON has it. */
export type WorkOrderRow = RowOf<typeof work_order_columns> & EmbeddedOrderRow & {
  readonly created_by: UserRow | null;
  readonly issue: IssueSummaryRow;
};
