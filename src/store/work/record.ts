// What is only ever added to issues and work orders: snapshots, history and links to alarms.
import issue_alarm_list from "./issue_alarm_list.sql" with { type: "text" };
import issue_history_list from "./issue_history_list.sql" with { type: "text" };
import type { Issue } from "../../model/work/issue.ts";
import type { HistoryEvent } from "../../model/work/history.ts";
import { chunkOf } from "../alarms/row.ts";
import type { Connection } from "../connection.ts";

/** An issue or a work order as it was when a change happened. */
export type WorkSnapshot = {
  readonly snapshot_no: number;
  readonly kind: "issue" | "work_order";
  /** Its `issue_no` or `work_order_no`. */
  readonly owner_no: number;
  readonly project_no: number;
  readonly changed_at: number;
  /** JSON. */
  readonly body: string;
};

/** Stores snapshots. */
export async function insertSnapshots(
  connection: Connection,
  snapshots: readonly WorkSnapshot[],
): Promise<void> {
  const columns = {
    snapshot_no: "int64",
    kind: "text",
    owner_no: "int64",
    project_no: "int32",
    changed_at: "int64",
    body: "text",
  } as const;
  await connection.append("work_snapshot", chunkOf(columns, snapshots));
}

/** Stores rows of history. */
export async function insertHistory(
  connection: Connection,
  events: readonly HistoryEvent[],
): Promise<void> {
  const columns = {
    history_no: "int64",
    id: "text",
    issue_no: "int64",
    kind: "text",
    field: "text",
    previous_value: "text",
    next_value: "text",
    detail: "text",
    user_id: "text",
    created_at: "int64",
  } as const;
  await connection.append("issue_history", chunkOf(columns, events));
}

/** The history of a project's issue by its id, deleted or not, the oldest first. */
export function readHistory(
  connection: Connection,
  { project_no, id }: Pick<Issue, "project_no" | "id">,
): Promise<HistoryEvent[]> {
  return connection.rows<HistoryEvent>(issue_history_list, { project_no, id });
}

/** An alarm occurrence that an issue is linked to. */
export type AlarmLink = {
  readonly issue_no: number;
  readonly occurrence_no: number;
  readonly occurrence_id: string;
};

/** Stores links. */
export async function insertLinks(
  connection: Connection,
  links: readonly (AlarmLink & { readonly created_at: number })[],
): Promise<void> {
  const columns = { issue_no: "int64", occurrence_no: "int64", created_at: "int64" } as const;
  await connection.append("issue_alarm", chunkOf(columns, links));
}

/** The occurrences that some issues are linked to, the oldest links first. */
export async function readLinks(
  connection: Connection,
  issue_nos: readonly number[],
): Promise<AlarmLink[]> {
  if (issue_nos.length === 0) return [];
  return await connection.rows<AlarmLink>(issue_alarm_list, { issue_nos });
}
