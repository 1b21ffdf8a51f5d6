// Changes of issues and work orders that a gateway and its centre share, and what waits of them.
import change_state_find_sql from "./change_state_find.sql" with { type: "text" };
import unshared_find_sql from "./unshared_find.sql" with { type: "text" };
import { oneOf, pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const kind = oneOf(["issue", "work_order"]);

const change_table = table("work_change", {
  change_no: "int64",
  id: "text",
  project_no: "int32",
  kind,
  /** Id of the issue or work order. */
  owner_id: "text",
  /** JSON of a `WorkChange`. */
  body: "text",
  /** At a gateway: when the centre had it. */
  told_at: "instant?",
  /** At a gateway: why the centre does not take it, as it said at `tried_at`. */
  reason: "text?",
  tried_at: "instant?",
});

/** A change as it is kept. */
export type ChangeRow = PlainRow<typeof change_table.columns>;

/** Keeps changes. */
export function insertChanges(connection: Connection, rows: readonly ChangeRow[]): Promise<void> {
  return appendRows(connection, change_table, rows);
}

const told = pick(change_table.columns, "change_no", "id", "owner_id", "body");

/** A change as it is told. */
export type ChangeTold = PlainRow<typeof told>;

const owned_list = statement({
  sql: `
    SELECT {row}
    FROM work_change
    SEMI JOIN (SELECT unnest($owner_ids::VARCHAR[]) AS owner_id) AS wanted USING (owner_id)
    WHERE project_no = $project_no::INTEGER
    ORDER BY change_no`,
  parameters: { project_no: "int32", owner_ids: "text[]" },
  row: told,
});

/** All changes of some issues and work orders of a project, by their ids. */
export async function readChanges(
  connection: Connection,
  owned: { readonly project_no: number; readonly owner_ids: readonly string[] },
): Promise<ChangeTold[]> {
  if (owned.owner_ids.length === 0) return [];
  return await connection.rows(owned_list, owned);
}

const after_list = statement({
  sql: `
    SELECT {row}
    FROM work_change
    WHERE project_no = $project_no::INTEGER AND change_no > $after_no::BIGINT
    ORDER BY change_no
    LIMIT $limit::BIGINT`,
  parameters: { project_no: "int32", after_no: "int64", limit: "int64" },
  row: told,
});

/** The changes of a project after one, the oldest first. */
export function readChangesAfter(
  connection: Connection,
  ask: { readonly project_no: number; readonly after_no: number; readonly limit: number },
): Promise<ChangeTold[]> {
  return connection.rows(after_list, ask);
}

const waiting_list = statement({
  sql: `
    SELECT {row}
    FROM work_change
    WHERE
      project_no = $project_no::INTEGER AND told_at IS NULL
      AND (reason IS NULL OR tried_at <= $due_us::BIGINT)
    ORDER BY change_no
    LIMIT $limit::BIGINT`,
  parameters: { project_no: "int32", due_us: "instant", limit: "int64" },
  row: told,
});

/** The changes of a project that the centre has not, the oldest first; refused ones once due. */
export function readWaitingChanges(
  connection: Connection,
  ask: { readonly project_no: number; readonly due_us: number; readonly limit: number },
): Promise<ChangeTold[]> {
  return connection.rows(waiting_list, ask);
}

const settle = statement({
  sql: `
    UPDATE work_change
    SET told_at = $told_at::BIGINT, reason = $reason::VARCHAR, tried_at = $tried_at::BIGINT
    WHERE change_no IN (SELECT unnest($nos::BIGINT[]))`,
  parameters: { nos: "int64[]", told_at: "instant?", reason: "text?", tried_at: "instant?" },
});

/** Notes that the centre has changes, or why it does not take them. */
export async function settleChanges(
  connection: Connection,
  { nos, at_us, reason = null }: {
    readonly nos: readonly number[];
    readonly at_us: number;
    readonly reason?: string | null;
  },
): Promise<void> {
  if (nos.length === 0) return;
  const is_told = reason === null;
  const times = is_told ? { told_at: at_us, tried_at: null } : { told_at: null, tried_at: at_us };
  await connection.run(settle, { nos, reason, ...times });
}

const unsettle = statement({
  sql: `
    UPDATE work_change
    SET told_at = NULL, reason = NULL, tried_at = NULL
    WHERE project_no = $project_no::INTEGER`,
  parameters: { project_no: "int32" },
});

/** Lets all changes of a project wait once more: the centre does not have them any more. */
export function unsettleChanges(connection: Connection, project_no: number): Promise<void> {
  return connection.run(unsettle, { project_no });
}

const change_find = statement({
  sql: `
    SELECT change_no
    FROM work_change
    WHERE project_no = $project_no::INTEGER AND id = $id::VARCHAR
    ORDER BY change_no`,
  parameters: { project_no: "int32", id: "text" },
  row: { change_no: "int64" },
});

/** The number of a project's change; undefined where it is not here. */
export async function findChange(
  connection: Connection,
  change: Pick<ChangeRow, "project_no" | "id">,
): Promise<number | undefined> {
  const [found] = await connection.rows(change_find, change);
  return found?.change_no;
}

const shared_list = statement({
  sql: "SELECT DISTINCT project_no FROM work_change ORDER BY project_no",
  row: { project_no: "int32" },
});

/** The projects whose work is shared. */
export async function readSharedProjects(connection: Connection): Promise<number[]> {
  const rows = await connection.rows(shared_list);
  return rows.map(({ project_no }) => project_no);
}

const unshared_find = statement({
  sql: unshared_find_sql,
  parameters: { project_no: "int32", limit: "int64" },
  row: { issue_no: "int64" },
});

/** Issues of a project of which, or of a work order of which, no change is kept. */
export async function findUnshared(
  connection: Connection,
  asked: { readonly project_no: number; readonly limit: number },
): Promise<number[]> {
  const rows = await connection.rows(unshared_find, asked);
  return rows.map(({ issue_no }) => issue_no);
}

const others_find = statement({
  sql: `
    SELECT id FROM (
      SELECT id, project_no FROM issue UNION ALL SELECT id, project_no FROM work_order
    )
    SEMI JOIN (SELECT unnest($ids::VARCHAR[]) AS id) AS wanted USING (id)
    WHERE
      project_no <> $project_no::INTEGER
      OR id NOT IN (SELECT owner_id FROM work_change WHERE project_no = $project_no::INTEGER)`,
  parameters: { ids: "text[]", project_no: "int32" },
  row: { id: "text" },
});

/** Those of some ids that others have: of other projects, or deleted before they were shared. */
export async function findOthers(
  connection: Connection,
  asked: { readonly ids: readonly string[]; readonly project_no: number },
): Promise<ReadonlySet<string>> {
  if (asked.ids.length === 0) return new Set();
  return new Set((await connection.rows(others_find, asked)).map(({ id }) => id));
}

const state_find = statement({
  sql: change_state_find_sql,
  parameters: { project_no: "int32", id: "text" },
  row: { waiting: "int32", told_at: "instant?", reason: "text?" },
});

/** How many changes wait of an issue with its work orders, or of a work order with its issue. */
export async function readChangeState(
  connection: Connection,
  owner: { readonly project_no: number; readonly id: string },
): Promise<PlainRow<typeof state_find.row>> {
  const [state] = await connection.rows(state_find, owner);
  return state;
}

const cursor_table = table("upstream_work", {
  project_no: "int32",
  /** The last of the centre's changes that is here, as the centre counts, and its id. */
  heard_no: "int64",
  heard_id: "text?",
  /** One of its own that the centre took last. */
  sent_id: "text?",
});

/** How far a gateway and its centre have told each other of a project's work. */
export type WorkCursor = PlainRow<typeof cursor_table.columns>;

const cursors_list = statement({
  sql: "SELECT {row} FROM upstream_work ORDER BY project_no",
  row: cursor_table.columns,
});

/** How far it is, by project. */
export async function readWorkCursors(
  connection: Connection,
): Promise<ReadonlyMap<number, WorkCursor>> {
  const rows = await connection.rows(cursors_list);
  return new Map(rows.map((row) => [row.project_no, row]));
}

const cursor_delete = statement({
  sql: "DELETE FROM upstream_work WHERE project_no = $project_no::INTEGER",
  parameters: { project_no: "int32" },
});

/** Keeps how far it is. */
export async function storeWorkCursor(connection: Connection, row: WorkCursor): Promise<void> {
  await connection.run(cursor_delete, { project_no: row.project_no });
  await appendRows(connection, cursor_table, [row]);
}

const all_forgotten = [
  ...["upstream_work", "upstream_work_aside"].map((name) =>
    statement({ sql: "DELETE FROM {name}", names: { name } })
  ),
  statement({ sql: "UPDATE work_change SET told_at = NULL, reason = NULL, tried_at = NULL" }),
];

/** Forgets how far it is: another centre has nothing. */
export async function forgetWorkCursors(connection: Connection): Promise<void> {
  for (const forgotten of all_forgotten) await connection.run(forgotten);
}

const aside_table = table("upstream_work_aside", {
  id: "text",
  project_no: "int32",
  /** JSON, as the centre said it. */
  body: "text",
  reason: "text",
  changed_at: "instant",
});

/** A change of the centre's that can't be taken here. */
export type WorkAside = PlainRow<typeof aside_table.columns>;

const asides_list = statement({
  sql: `
    SELECT {row} FROM upstream_work_aside
    WHERE project_no = $project_no::INTEGER AND changed_at <= $due_us::BIGINT
    ORDER BY changed_at, id
    LIMIT $limit::BIGINT`,
  parameters: { project_no: "int32", due_us: "instant", limit: "int64" },
  row: aside_table.columns,
});

/** Those of a project that were not looked at since an instant. */
export function readWorkAsides(
  connection: Connection,
  asked: { readonly project_no: number; readonly due_us: number; readonly limit: number },
): Promise<WorkAside[]> {
  return connection.rows(asides_list, asked);
}

const asides_delete = statement({
  sql: `
    DELETE FROM upstream_work_aside
    WHERE
      project_no = $project_no::INTEGER
      AND id IN (SELECT unnest($ids::VARCHAR[]))`,
  parameters: { project_no: "int32", ids: "text[]" },
});

/** Keeps `asides`, and of the changes `ids` no other. */
export async function storeWorkAsides(
  connection: Connection,
  { project_no, ids, asides }: {
    readonly project_no: number;
    readonly ids: readonly string[];
    readonly asides: readonly WorkAside[];
  },
): Promise<void> {
  if (ids.length > 0) await connection.run(asides_delete, { project_no, ids });
  await appendRows(connection, aside_table, asides);
}
