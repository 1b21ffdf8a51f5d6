// Issues as they are kept: found, read, stored and changed, whole sets at a time.
import issue_find from "./issue_find.sql" with { type: "text" };
import issue_get from "./issue_get.sql" with { type: "text" };
import issue_list from "./issue_list.sql" with { type: "text" };
import issue_read from "./issue_read.sql" with { type: "text" };
import issue_update from "./issue_update.sql" with { type: "text" };
import type { Chunk } from "../../model/data/chunk.ts";
import type { Issue, IssueStatus, WorkPriority } from "../../model/work/issue.ts";
import { chunkOf } from "../alarms/row.ts";
import type { Connection } from "../connection.ts";

/** An issue with the body of its latest snapshot. */
export type StoredIssue = Issue & { readonly snapshot: string };

/** The columns of the table, in its order; `devices` is JSON. */
const columns = {
  issue_no: "int64",
  id: "text",
  organization_id: "text",
  project_no: "int32",
  number: "int32",
  sentinel_tag: "text",
  name: "text",
  description: "text",
  status: "text",
  priority: "text",
  source: "text",
  external_id: "text",
  effective_from: "int64",
  effective_to: "int64",
  resolved_at: "int64",
  assigned_to: "text",
  created_by: "text",
  devices: "text",
  created_at: "int64",
  updated_at: "int64",
  deleted_at: "int64",
  merged_into: "int64",
  version: "int32",
  snapshot_no: "int64",
  snapshot: "text",
} as const satisfies Record<keyof StoredIssue, string>;

/** Issues of a project by their ids and by those of work orders; a deleted one is as none. */
export type IssueSearch = {
  readonly project_no: number;
  readonly issue_ids: readonly string[];
  readonly work_order_ids: readonly string[];
};

/** The numbers of the issues that are searched for. */
export async function findIssues(
  connection: Connection,
  search: IssueSearch,
): Promise<readonly number[]> {
  const rows = await connection.rows<{ issue_no: number }>(issue_find, search);
  return rows.map(({ issue_no }) => issue_no);
}

/** Issues by their numbers, deleted ones too. */
export async function readIssues(
  connection: Connection,
  nos: readonly number[],
): Promise<Issue[]> {
  if (nos.length === 0) return [];
  type Row = Omit<Issue, "devices"> & { readonly devices: string };
  const rows = await connection.rows<Row>(issue_read, { nos });
  return rows.map((row) => ({ ...row, devices: JSON.parse(row.devices) }));
}

/** Stores issues: new ones, whose version is 1; changed ones over what was stored of them. */
export async function storeIssues(
  connection: Connection,
  issues: readonly StoredIssue[],
): Promise<void> {
  const [fresh, changed] = [true, false].map((is_new) =>
    chunkOf(columns, issues.filter(({ version }) => (version === 1) === is_new).map(rowOf))
  );
  await connection.append("issue", fresh);
  if (changed.rows === 0) return;
  await connection.run(
    "CREATE TEMP TABLE IF NOT EXISTS issue_stage AS SELECT * FROM issue LIMIT 0",
  );
  await connection.append("issue_stage", changed);
  await connection.run(issue_update);
  await connection.run("DELETE FROM issue_stage");
}

/** Which issues of a project: those that pass every filter that is given. */
export type IssueFilter = {
  readonly project_no: number;
  readonly status?: IssueStatus;
  readonly priority?: WorkPriority;
  /** Changed at or after this instant. */
  readonly since_us?: number;
  readonly limit: number;
  readonly offset?: number;
};

/** The bodies of the latest snapshots of issues, as one column, in the order they were taken. */
export function listIssues(
  connection: Connection,
  filter: IssueFilter,
): Promise<Iterable<Chunk>> {
  const { project_no, status = null, priority = null, since_us = 0, limit, offset = 0 } = filter;
  return connection.pieces(issue_list, { project_no, status, priority, since_us, limit, offset });
}

/** A project's issue by its id, with its latest snapshot; a deleted one is as none. */
export async function readIssue(
  connection: Connection,
  { project_no, id }: Pick<Issue, "project_no" | "id">,
): Promise<Pick<StoredIssue, "issue_no" | "version" | "snapshot"> | undefined> {
  const [row] = await connection.rows<Pick<StoredIssue, "issue_no" | "version" | "snapshot">>(
    issue_get,
    { project_no, id },
  );
  return row;
}

function rowOf(issue: StoredIssue) {
  return { ...issue, devices: JSON.stringify(issue.devices) };
}
