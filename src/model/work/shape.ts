// The fields that issues and work orders have in common in answers and webhooks.
import type { Column, RowOf } from "../data/column.ts";
import { rowSchema } from "../data/column_schema.ts";
import { work_priorities } from "./issue.ts";

const user_columns = [
  { name: "id", kind: "text", nullable: false, doc: "User ID." },
  { name: "first_name", kind: "text", nullable: false, doc: "First name; personal data." },
  { name: "last_name", kind: "text", nullable: false, doc: "Last name; personal data." },
  { name: "email", kind: "text", nullable: false, doc: "E-mail address; personal data." },
] as const satisfies readonly Column[];

/** A user as JSON has them. */
export type UserRow = RowOf<typeof user_columns>;

const user_schema = { ...rowSchema(user_columns, "User"), type: ["object", "null"] };

const project_columns = [
  { name: "key", kind: "text", nullable: false, doc: "Project key." },
] as const satisfies readonly Column[];

/** A project as JSON has it within its work. */
export type ProjectRow = RowOf<typeof project_columns>;

/** The key of the project that something belongs to. */
export const project_column = {
  name: "project",
  kind: "text",
  nullable: false,
  json: rowSchema(project_columns, "ProjectKey"),
  doc: "The project's key.",
} as const satisfies Column;

/** The fields that issues and work orders begin with. */
export const head_columns = [
  { name: "id", kind: "text", nullable: false, doc: "ID." },
  {
    name: "number",
    kind: "int32",
    nullable: false,
    doc: "Number within the organization, from 1; issues and work orders are numbered separately.",
  },
  { name: "organization_id", kind: "text", nullable: false, doc: "Owning organization." },
  { name: "project_id", kind: "text", nullable: false, doc: "Project." },
  project_column,
] as const satisfies readonly Column[];

/** How urgent an issue or a work order is. */
export const priority_column = {
  name: "priority",
  kind: "text",
  nullable: false,
  values: work_priorities,
  doc: "Priority, the most urgent first.",
} as const satisfies Column;

/** Who an issue or a work order is assigned to. */
export const assigned_column = {
  name: "assigned_to",
  kind: "text",
  nullable: true,
  json: user_schema,
  doc: "Assigned user. Null if there is none.",
} as const satisfies Column;

/** Who created an issue or a work order. */
export const created_by_column = {
  name: "created_by",
  kind: "text",
  nullable: true,
  json: user_schema,
  doc: "User who created it. Null if it was not a user.",
} as const satisfies Column;

/** The fields that issues and work orders tell their times by. */
export const time_columns = [
  { name: "created_at", kind: "instant", nullable: false, doc: "When it was created." },
  {
    name: "updated_at",
    kind: "instant",
    nullable: false,
    doc: "When it last changed; for an issue, also when its work orders changed. updated_since " +
      "compares against it.",
  },
] as const satisfies readonly Column[];
