// What an issue and a row of its history look like in answers and webhooks: their fields, once.
import { type Column, fieldOf, type RowOf } from "../data/column.ts";
import { rowSchema } from "../data/column_schema.ts";
import { issue_table } from "./issue.ts";
import { history_table } from "./history.ts";
import { embedded_order_columns, type EmbeddedOrderRow } from "./work_order_shape.ts";
import {
  assigned_column,
  created_by_column,
  head_columns,
  priority_column,
  type ProjectRow,
  time_columns,
  type UserRow,
} from "./shape.ts";

const issueField = fieldOf(issue_table);
const historyField = fieldOf(history_table);

const device_columns = [
  { name: "device_id", kind: "text", nullable: false, doc: "Device that is affected." },
  { name: "component", kind: "text", nullable: false, doc: "Component of the device." },
  { name: "effective_from", kind: "instant", nullable: true, doc: "Start of the effect on it." },
  { name: "effective_to", kind: "instant", nullable: true, doc: "End of the effect on it." },
] as const satisfies readonly Column[];

/** A device of an issue as JSON has it. */
export type IssueDeviceRow = RowOf<typeof device_columns>;

/** The fields of an issue. */
export const issue_columns = [
  ...head_columns,
  issueField("sentinel_tag", "Deployment tag."),
  issueField("name", "Name."),
  issueField("description", "Description."),
  issueField("status", "Status; closed and merged are final."),
  priority_column,
  issueField("source", "Why the issue was opened."),
  issueField("effective_from", "Start of the effect."),
  issueField("effective_to", "End of the effect."),
  issueField("resolved_at", "When it was resolved. Null before that, and when it is open again."),
  assigned_column,
  created_by_column,
  {
    name: "devices",
    kind: "text",
    nullable: false,
    json: { type: "array", items: rowSchema(device_columns, "IssueDevice") },
    doc: "The devices that are affected.",
  },
  {
    name: "work_orders",
    kind: "text",
    nullable: false,
    json: { type: "array", items: rowSchema(embedded_order_columns, "IssueWorkOrder") },
    doc: "Its work orders, by number; without created_by and issue.",
  },
  {
    name: "merged_into",
    kind: "text",
    nullable: true,
    doc: "ID of the issue that it was merged into. Null if it was not merged.",
  },
  ...time_columns,
] as const satisfies readonly Column[];

/** An issue as JSON has it. */
export type IssueRow = RowOf<typeof issue_columns> & {
  readonly project: ProjectRow;
  readonly assigned_to: UserRow | null;
  readonly created_by: UserRow | null;
  readonly devices: readonly IssueDeviceRow[];
  readonly work_orders: readonly EmbeddedOrderRow[];
};

/** The fields of a row of an issue's history. */
export const history_columns = [
  historyField("id", "ID of the row."),
  { name: "issue_id", kind: "text", nullable: false, doc: "Issue." },
  historyField("kind", "What happened."),
  historyField("field", "Field that changed. Null if none did."),
  {
    name: "previous_value",
    kind: "text",
    nullable: true,
    json: {},
    doc: "The field's value before, in the same form as in issues, but with a user's ID for the " +
      "user.",
  },
  {
    name: "next_value",
    kind: "text",
    nullable: true,
    json: {},
    doc: "The field's value after; for created, the values of all fields.",
  },
  {
    name: "detail",
    kind: "text",
    nullable: true,
    json: {},
    doc: "Details: the body of a comment, the new work order, the linked alarm, the merged issues.",
  },
  historyField("user_id", "User who did it. Null if it was not a user."),
  historyField("created_at", "When it happened."),
] as const satisfies readonly Column[];

/** A row of history as JSON has it. */
export type HistoryRow = RowOf<typeof history_columns>;
