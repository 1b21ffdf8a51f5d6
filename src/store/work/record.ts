// What is only ever added to issues and work orders: snapshots, history and links to alarms.
import type { Issue } from "../../model/work/issue.ts";
import { history_table, type HistoryEvent } from "../../model/work/history.ts";
import type { WorkOrder } from "../../model/work/work_order.ts";
import { oneOf, pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const snapshots_table = table("work_snapshot", {
  snapshot_no: "int64",
  kind: oneOf(["issue", "work_order"]),
  /** Its `issue_no` or `work_order_no`. */
  owner_no: "int64",
  project_no: "int32",
  changed_at: "instant",
  /** JSON. */
  body: "text",
});

/** An issue or a work order as it was when a change happened. */
export type WorkSnapshot = PlainRow<typeof snapshots_table.columns>;

/** Stores snapshots. */
export async function insertSnapshots(
  connection: Connection,
  snapshots: readonly WorkSnapshot[],
): Promise<void> {
  await appendRows(connection, snapshots_table, snapshots);
}

const histories = table("issue_history", history_table);

/** Stores rows of history. */
export async function insertHistory(
  connection: Connection,
  events: readonly HistoryEvent[],
): Promise<void> {
  await appendRows(connection, histories, events);
}

/** The history of a project's issue, deleted or not. */
const history_list = statement({
  sql: `
    SELECT {row}
    FROM issue_history
    WHERE issue_no IN (
      SELECT issue_no FROM issue WHERE project_no = $project_no::INTEGER AND id = $id::VARCHAR
    )
    ORDER BY created_at, history_no`,
  parameters: { project_no: "int32", id: "text" },
  row: history_table,
});

const histories_list = statement({
  sql: `
    SELECT {row}
    FROM issue_history
    SEMI JOIN (SELECT unnest($issue_nos::BIGINT[]) AS issue_no) AS wanted USING (issue_no)
    ORDER BY created_at, history_no`,
  parameters: { issue_nos: "int64[]" },
  row: history_table,
});

/** The histories of issues by their numbers, the oldest row first. */
export async function readHistories(
  connection: Connection,
  issue_nos: readonly number[],
): Promise<HistoryEvent[]> {
  if (issue_nos.length === 0) return [];
  return await connection.rows(histories_list, { issue_nos });
}

const notes_list = statement({
  sql: `
    SELECT {row}
    FROM issue_history
    SEMI JOIN (SELECT unnest($issue_nos::BIGINT[]) AS issue_no) AS wanted USING (issue_no)
    WHERE kind IN ('conflict', 'alarm_linked') AND detail IS NOT NULL
    ORDER BY history_no`,
  parameters: { issue_nos: "int64[]" },
  row: pick(history_table, "issue_no", "kind", "detail"),
});

/** The conflicts and the links to alarms in the histories of some issues. */
export async function readNotes(
  connection: Connection,
  issue_nos: readonly number[],
): Promise<Pick<HistoryEvent, "issue_no" | "kind" | "detail">[]> {
  return issue_nos.length === 0 ? [] : await connection.rows(notes_list, { issue_nos });
}

const known_list = statement({
  sql: `
    SELECT id
    FROM issue_history
    SEMI JOIN (SELECT unnest($ids::VARCHAR[]) AS id) AS wanted USING (id)
    ORDER BY id`,
  parameters: { ids: "text[]" },
  row: { id: "text" },
});

/** Those of some rows of history that are here. */
export async function findHistory(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  return new Set((await connection.rows(known_list, { ids })).map(({ id }) => id));
}

/** The history of a project's issue by its id, deleted or not, the oldest first. */
export function readHistory(
  connection: Connection,
  { project_no, id }: Pick<Issue, "project_no" | "id">,
): Promise<HistoryEvent[]> {
  return connection.rows(history_list, { project_no, id });
}

const renumber = statement({
  sql: `
    UPDATE issue_history
    SET detail = json_merge_patch(detail, $patch::VARCHAR)
    WHERE issue_no = $issue_no::BIGINT AND (detail->>'work_order_id') = $id::VARCHAR`,
  parameters: { issue_no: "int64", id: "text", patch: "text" },
});

/** Lets the history of an issue name a work order by its new number. */
export function renumberHistory(
  connection: Connection,
  { issue_no, id, number }: Pick<WorkOrder, "issue_no" | "id" | "number">,
): Promise<void> {
  return connection.run(renumber, { issue_no, id, patch: JSON.stringify({ number }) });
}

const link_table = table("issue_alarm", {
  issue_no: "int64",
  occurrence_no: "int64",
  created_at: "instant",
});

/** The occurrences that some issues are linked to. */
const links_list = statement({
  sql: `
    SELECT l.issue_no, l.occurrence_no, o.occurrence_id
    FROM issue_alarm AS l
    SEMI JOIN (SELECT unnest($issue_nos::BIGINT[]) AS issue_no) AS wanted USING (issue_no)
    JOIN occurrence AS o USING (occurrence_no)
    ORDER BY l.created_at, l.occurrence_no`,
  parameters: { issue_nos: "int64[]" },
  row: { issue_no: "int64", occurrence_no: "int64", occurrence_id: "text" },
});

/** An alarm occurrence that an issue is linked to. */
export type AlarmLink = PlainRow<typeof links_list.row>;

/** Stores links. */
export async function insertLinks(
  connection: Connection,
  links: readonly (AlarmLink & { readonly created_at: number })[],
): Promise<void> {
  await appendRows(connection, link_table, links);
}

/** The occurrences that some issues are linked to, the oldest links first. */
export async function readLinks(
  connection: Connection,
  issue_nos: readonly number[],
): Promise<AlarmLink[]> {
  if (issue_nos.length === 0) return [];
  return await connection.rows(links_list, { issue_nos });
}
