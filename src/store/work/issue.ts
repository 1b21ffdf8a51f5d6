// Issues as they are kept: found, read, stored and changed, whole sets at a time.
import issue_find_sql from "./issue_find.sql" with { type: "text" };
import issue_list_sql from "./issue_list.sql" with { type: "text" };
import type { Chunk } from "../../model/data/chunk.ts";
import { omit, oneOf, pick, type PlainRow } from "../../model/data/row.ts";
import {
  active_issue_statuses,
  type Issue,
  issue_statuses,
  issue_table,
  type IssueStatus,
  work_priorities,
  type WorkPriority,
} from "../../model/work/issue.ts";
import type { Connection } from "../connection.ts";
import { assignmentsOf, statement } from "../statement.ts";
import { appendRows, stageRows, table, workTable } from "../table.ts";

const issues_table = table("issue", { ...issue_table, snapshot: "text" });

/** An issue with the body of its latest snapshot. */
export type StoredIssue = PlainRow<typeof issues_table.columns>;

/** Issues of a project by their ids and by those of work orders; what is deleted if `deleted`. */
export type IssueSearch = {
  readonly project_no: number;
  readonly issue_ids: readonly string[];
  readonly work_order_ids: readonly string[];
  readonly deleted: boolean;
};

/** The issues of a project, by their ids and by their work orders' ids. */
const issues_find = statement({
  sql: issue_find_sql,
  parameters: {
    ...{ project_no: "int32", issue_ids: "text[]", work_order_ids: "text[]", deleted: "bool" },
  },
  row: { issue_no: "int64" },
});

/** The numbers of the issues that are searched for. */
export async function findIssues(
  connection: Connection,
  search: IssueSearch,
): Promise<readonly number[]> {
  const rows = await connection.rows(issues_find, search);
  return rows.map(({ issue_no }) => issue_no);
}

/** Issues by their numbers. */
const issues_read = statement({
  sql: `
    SELECT {row}
    FROM issue
    SEMI JOIN (SELECT unnest($nos::BIGINT[]) AS issue_no) AS wanted USING (issue_no)
    ORDER BY issue_no`,
  parameters: { nos: "int64[]" },
  row: { ...issue_table, devices: "text" },
});

/** Issues by their numbers, deleted ones too. */
export async function readIssues(
  connection: Connection,
  nos: readonly number[],
): Promise<Issue[]> {
  if (nos.length === 0) return [];
  const rows = await connection.rows(issues_read, { nos });
  return rows.map((row) => ({ ...row, devices: JSON.parse(row.devices) }));
}

const issue_stage = workTable("issue_stage", issues_table.columns);

/** What an issue is by, which never changes. */
const identity = ["issue_no", "id", "organization_id", "project_no"] as const;
const origin = ["source", "created_by", "created_at"] as const;

/** Stores the changed issues in place. */
const staged_update = statement({
  sql: "UPDATE issue SET {changes} FROM issue_stage AS s WHERE issue.issue_no = s.issue_no",
  names: { changes: assignmentsOf(omit(issues_table.columns, ...identity, ...origin), "s") },
});

/** Stores issues: new ones, whose version is 1; changed ones over what was stored of them. */
export async function storeIssues(
  connection: Connection,
  issues: readonly StoredIssue[],
): Promise<void> {
  await appendRows(connection, issues_table, issues.filter(({ version }) => version === 1));
  const changed = issues.filter(({ version }) => version !== 1);
  if (changed.length === 0) return;
  await stageRows(connection, issue_stage, changed);
  await connection.run(staged_update);
}

/** Which issues of a project: those that pass every filter that is given. */
export type IssueFilter = {
  readonly project_no: number;
  readonly status?: IssueStatus;
  readonly priority?: WorkPriority;
  /** Linked to the occurrence of this ID. */
  readonly alarm?: string;
  /** Id of the user whom they are given to. */
  readonly assigned_to?: string;
  /** That affect this device. */
  readonly device_id?: string;
  /** Whether someone is still to deal with them. */
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
  priority: "text?",
  assigned_to: "text?",
  device: "text?",
  active: "bool?",
  alarm: "text?",
  statuses: "text[]",
  since_us: "instant",
  limit: "int64",
  offset: "int64",
} as const;

/** The latest snapshots of a project's issues that pass every filter that is not null. */
const issues_list = statement({
  sql: issue_list_sql,
  parameters: list_parameters,
  row: { snapshot: "text" },
  names: { order: "updated_at, snapshot_no" },
});

/** The same, the most urgent first. */
const issues_rank = statement({
  sql: issue_list_sql,
  parameters: { ...list_parameters, priorities: "text[]" },
  row: { snapshot: "text" },
  names: { order: "list_position($priorities::VARCHAR[], priority), issue_no DESC" },
});

/** The bodies of the latest snapshots of issues, as one column, as taken or by priority. */
export function listIssues(
  connection: Connection,
  filter: IssueFilter,
): Promise<Iterable<Chunk>> {
  const { project_no, status = null, priority = null, assigned_to = null } = filter;
  const { active = null, alarm = null, device_id, sort, limit } = filter;
  const { since_us = 0, offset = 0 } = filter;
  const parameters = {
    ...{ project_no, status, priority, assigned_to, active, alarm, since_us, limit, offset },
    // As `devices` spells it.
    device: device_id === undefined ? null : `"device_id":${JSON.stringify(device_id)}`,
    statuses: active_issue_statuses,
  };
  if (sort === undefined) return connection.pieces(issues_list, parameters);
  return connection.pieces(issues_rank, { ...parameters, priorities: work_priorities });
}

/** How many issues there are of each status and priority. */
const issues_count = statement({
  sql: `
    SELECT status, priority, count(*) AS count
    FROM issue
    WHERE
      project_no = $project_no::INTEGER AND deleted_at IS NULL
      AND ($assigned_to::VARCHAR IS NULL OR assigned_to = $assigned_to::VARCHAR)
    GROUP BY status, priority ORDER BY status, priority`,
  parameters: { project_no: "int32", assigned_to: "text?" },
  row: { status: oneOf(issue_statuses), priority: oneOf(work_priorities), count: "int64" },
});

/** How many issues of a project there are of each status and priority. */
export function countIssues(
  connection: Connection,
  asked: { readonly project_no: number; readonly assigned_to: string | null },
): Promise<PlainRow<typeof issues_count.row>[]> {
  return connection.rows(issues_count, asked);
}

/** A project's issue by its id, unless it is deleted, with its latest snapshot. */
const issue_get = statement({
  sql: `
    SELECT {row}
    FROM issue
    WHERE project_no = $project_no::INTEGER AND id = $id::VARCHAR AND deleted_at IS NULL
    ORDER BY issue_no`,
  parameters: { project_no: "int32", id: "text" },
  row: pick(issues_table.columns, "issue_no", "version", "snapshot"),
});

/** A project's issue by its id, with its latest snapshot; a deleted one is as none. */
export async function readIssue(
  connection: Connection,
  { project_no, id }: Pick<Issue, "project_no" | "id">,
): Promise<PlainRow<typeof issue_get.row> | undefined> {
  const [row] = await connection.rows(issue_get, { project_no, id });
  return row;
}
