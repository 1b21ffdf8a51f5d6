// Changes of issues and work orders that a gateway and its centre share, and what waits of them.
import change_state_find_sql from "./change_state_find.sql" with { type: "text" };
import change_shared_list_sql from "./change_shared_list.sql" with { type: "text" };
import change_after_list_sql from "./change_after_list.sql" with { type: "text" };
import change_long_list_sql from "./change_long_list.sql" with { type: "text" };
import unshared_find_sql from "./unshared_find.sql" with { type: "text" };
import { oneOf, pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const kind = oneOf(["issue", "work_order", "photo"]);

const change_table = table("work_change", {
  change_no: "int64",
  id: "text",
  project_no: "int32",
  kind,
  /** Id of the issue or work order, also of a photo. */
  owner_id: "text",
  /**
   * JSON of a `WorkChange` or a `PhotoChange`; what makes something tells no history: that is read
   * as it is told.
   */
  body: "text",
  /** At a gateway: when the centre had it. */
  told_at: "instant?",
  /** At a gateway: why the centre does not take it, as it said at `tried_at`. */
  reason: "text?",
  /** Without a reason: when the centre had it, which may have lost it; a photo's bytes go there. */
  tried_at: "instant?",
  /** Its place among the changes of its owner. */
  order_us: "int64",
  /** Whether it makes something or changes a field: it does more than tell history. */
  says: "bool",
  /** Of a change that makes something: who was told all up to this number has its history. */
  since_no: "int64?",
  stored_at: "instant",
});

/** A change as it is kept. */
export type ChangeRow = PlainRow<typeof change_table.columns>;

/** Keeps changes. */
export function insertChanges(connection: Connection, rows: readonly ChangeRow[]): Promise<void> {
  return appendRows(connection, change_table, rows);
}

const told = pick(
  change_table.columns,
  ...["change_no", "id", "kind", "owner_id", "body", "since_no"] as const,
);

/** A change as it is told. */
export type ChangeTold = PlainRow<typeof told>;

const kept = pick(
  change_table.columns,
  ...["change_no", "owner_id", "body", "order_us", "since_no", "stored_at"] as const,
  ...["told_at", "reason", "tried_at"] as const,
);

/** A change that says something, or is folded into one that does. */
export type ChangeKept = PlainRow<typeof kept>;

/** Whether the centre had a change once, as far as a gateway knows. */
export function wasTold(
  { told_at, reason, tried_at }: Pick<ChangeRow, "told_at" | "reason" | "tried_at">,
): boolean {
  return told_at !== null || reason === null && tried_at !== null;
}

const owned_list = statement({
  sql: `
    SELECT {row}
    FROM work_change
    WHERE
      rowid IN (SELECT rowid FROM work_change
        SEMI JOIN (SELECT unnest($owner_ids::VARCHAR[]) AS owner_id) AS wanted USING (owner_id)
        WHERE project_no = $project_no::INTEGER AND kind <> 'photo' AND (says OR $all::BOOLEAN))
    ORDER BY change_no`,
  parameters: { project_no: "int32", owner_ids: "text[]", all: "bool" },
  row: kept,
});

/** Some issues and work orders of a project, by their ids. */
export type OwnersOf = { readonly project_no: number; readonly owner_ids: readonly string[] };

/** The changes of issues and work orders that say what they are; also their others where asked. */
export async function readChanges(
  connection: Connection,
  { all = false, ...owned }: OwnersOf & { readonly all?: boolean },
): Promise<ChangeKept[]> {
  if (owned.owner_ids.length === 0) return [];
  return await connection.rows(owned_list, { ...owned, all });
}

const lasts_list = statement({
  sql: `
    SELECT owner_id, max(order_us)::BIGINT AS last_us
    FROM work_change
    SEMI JOIN (SELECT unnest($owner_ids::VARCHAR[]) AS owner_id) AS wanted USING (owner_id)
    WHERE project_no = $project_no::INTEGER
    GROUP BY owner_id
    ORDER BY owner_id`,
  parameters: { project_no: "int32", owner_ids: "text[]" },
  row: { owner_id: "text", last_us: "int64" },
});

/** The place of the last change of each of some issues and work orders. */
export async function readLastPlaces(
  connection: Connection,
  owned: OwnersOf,
): Promise<ReadonlyMap<string, number>> {
  if (owned.owner_ids.length === 0) return new Map();
  const rows = await connection.rows(lasts_list, owned);
  return new Map(rows.map(({ owner_id, last_us }) => [owner_id, last_us]));
}

const ids_list = statement({
  sql: `
    SELECT id
    FROM work_change
    SEMI JOIN (SELECT unnest($ids::VARCHAR[]) AS id) AS wanted USING (id)
    WHERE project_no = $project_no::INTEGER
    ORDER BY id`,
  parameters: { project_no: "int32", ids: "text[]" },
  row: { id: "text" },
});

/** Those of some changes that are here. */
export async function findChangeIds(
  connection: Connection,
  asked: { readonly project_no: number; readonly ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (asked.ids.length === 0) return new Set();
  return new Set((await connection.rows(ids_list, asked)).map(({ id }) => id));
}

const gone_drop = statement({
  sql: `
    DELETE FROM work_change
    WHERE
      project_no = $project_no::INTEGER
      AND owner_id IN (SELECT unnest($owner_ids::VARCHAR[]))
      AND (id = owner_id OR told_at IS NOT NULL)`,
  parameters: { project_no: "int32", owner_ids: "text[]" },
});

/** Drops the changes of some issues and work orders that the centre has. */
export function dropGone(connection: Connection, owned: OwnersOf): Promise<void> {
  return connection.run(gone_drop, owned);
}

const folded_drop = statement({
  sql: `
    DELETE FROM work_change
    WHERE
      project_no = $project_no::INTEGER AND owner_id = $owner_id::VARCHAR AND kind <> 'photo'
      AND (id = owner_id
        OR order_us <= $up_to_us::BIGINT
          AND (told_at IS NOT NULL OR reason IS NULL AND tried_at IS NOT NULL OR $all::BOOLEAN))`,
  parameters: { project_no: "int32", owner_id: "text", up_to_us: "int64", all: "bool" },
});

/** Drops what made something and its changes up to a place: another one takes their place. */
export function dropFolded(
  connection: Connection,
  folded: Pick<ChangeRow, "project_no" | "owner_id"> & {
    readonly up_to_us: number;
    /** Whether those that the centre never had go, too. */
    readonly all: boolean;
  },
): Promise<void> {
  return connection.run(folded_drop, folded);
}

const long_list = statement({
  sql: change_long_list_sql,
  parameters: { project_no: "int32", before_us: "instant", most: "int32", limit: "int64" },
  row: { owner_id: "text" },
});

/** Issues and work orders with several changes that are old, or with very many. */
export async function findLong(
  connection: Connection,
  asked: {
    readonly project_no: number;
    readonly before_us: number;
    readonly most: number;
    readonly limit: number;
  },
): Promise<string[]> {
  const rows = await connection.rows(long_list, asked);
  return rows.map(({ owner_id }) => owner_id);
}

const after_list = statement({
  sql: change_after_list_sql,
  parameters: { project_no: "int32", after_no: "int64", sites: "text[]", limit: "int64" },
  row: told,
});

/** The changes of a project after one of what is at some sites or at none, the oldest first. */
export function readChangesAfter(
  connection: Connection,
  ask: {
    readonly project_no: number;
    readonly after_no: number;
    readonly sites: readonly string[];
    readonly limit: number;
  },
): Promise<ChangeTold[]> {
  return connection.rows(after_list, ask);
}

const last_find = statement({
  sql: `
    SELECT change_no, id FROM work_change WHERE project_no = $project_no::INTEGER
    ORDER BY change_no DESC LIMIT 1`,
  parameters: { project_no: "int32" },
  row: { change_no: "int64", id: "text" },
});

/** The last change of a project; undefined for none. */
export async function findLastChange(
  connection: Connection,
  project_no: number,
): Promise<Pick<ChangeRow, "change_no" | "id"> | undefined> {
  const [last] = await connection.rows(last_find, { project_no });
  return last;
}

const no_find = statement({
  sql: `
    SELECT id FROM work_change
    WHERE project_no = $project_no::INTEGER AND change_no = $change_no::BIGINT ORDER BY id`,
  parameters: { project_no: "int32", change_no: "int64" },
  row: { id: "text" },
});

/** The id of a project's change by its number; undefined where it is not here. */
export async function findChangeId(
  connection: Connection,
  change: Pick<ChangeRow, "project_no" | "change_no">,
): Promise<string | undefined> {
  const [found] = await connection.rows(no_find, change);
  return found?.id;
}

const waiting = { ...told, ...pick(change_table.columns, "told_at", "reason", "tried_at") };

/** A change that waits for the centre. */
export type ChangeWaiting = PlainRow<typeof waiting>;

const waiting_list = statement({
  sql: `
    SELECT {row}
    FROM work_change
    WHERE
      project_no = $project_no::INTEGER AND told_at IS NULL
      AND CASE WHEN reason IS NULL THEN kind <> 'photo' OR tried_at IS NULL
        ELSE tried_at <= $due_us::BIGINT END
    ORDER BY change_no
    LIMIT $limit::BIGINT`,
  parameters: { project_no: "int32", due_us: "instant", limit: "int64" },
  row: waiting,
});

const shared_list = statement({
  sql: change_shared_list_sql,
  parameters: { project_no: "int32", after_id: "text", limit: "int64" },
  row: { id: "text" },
});

/** The ids after one of issues and work orders that the centre has as they are here. */
export async function findSharedAfter(
  connection: Connection,
  asked: { readonly project_no: number; readonly after_id: string; readonly limit: number },
): Promise<string[]> {
  return (await connection.rows(shared_list, asked)).map(({ id }) => id);
}

/** The changes of a project that the centre has not, the oldest first; refused ones once due. */
export function readWaitingChanges(
  connection: Connection,
  ask: { readonly project_no: number; readonly due_us: number; readonly limit: number },
): Promise<ChangeWaiting[]> {
  return connection.rows(waiting_list, ask);
}

const settle = statement({
  sql: `
    UPDATE work_change
    SET told_at = $told_at::BIGINT, reason = $reason::VARCHAR, tried_at = $tried_at::BIGINT
    WHERE change_no IN (SELECT unnest($nos::BIGINT[]))`,
  parameters: { nos: "int64[]", told_at: "instant?", reason: "text?", tried_at: "instant?" },
});

/** Notes that the centre has changes, why it does not take them, or that it wants their bytes. */
export async function settleChanges(
  connection: Connection,
  { nos, at_us, reason = null, is_told = reason === null }: {
    readonly nos: readonly number[];
    readonly at_us: number;
    readonly reason?: string | null;
    readonly is_told?: boolean;
  },
): Promise<void> {
  if (nos.length === 0) return;
  const times = is_told ? { told_at: at_us, tried_at: null } : { told_at: null, tried_at: at_us };
  await connection.run(settle, { nos, reason, ...times });
}

const unsettle = statement({
  sql: `
    UPDATE work_change
    SET
      told_at = NULL, reason = NULL,
      tried_at = CASE WHEN reason IS NULL AND kind <> 'photo' THEN coalesce(told_at, tried_at) END
    WHERE project_no = $project_no::INTEGER`,
  parameters: { project_no: "int32" },
});

/** Lets all changes of a project wait once more: the centre does not have them any more. */
export function unsettleChanges(connection: Connection, project_no: number): Promise<void> {
  return connection.run(unsettle, { project_no });
}

const unshared_find = statement({
  sql: unshared_find_sql,
  parameters: { project_no: "int32", deleted_ids: "text[]", limit: "int64" },
  row: { issue_no: "int64" },
});

/** Issues of a project of which, or of a work order of which, no change or place is kept. */
export async function findUnshared(
  connection: Connection,
  asked: {
    readonly project_no: number;
    /** What counts although it was deleted. */
    readonly deleted_ids: readonly string[];
    readonly limit: number;
  },
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
      project_no <> $project_no::INTEGER OR $unshared::BOOLEAN
      AND id NOT IN (SELECT owner_id FROM work_change WHERE project_no = $project_no::INTEGER)`,
  parameters: { ids: "text[]", project_no: "int32", unshared: "bool" },
  row: { id: "text" },
});

/** Those of some ids that others have: of other projects, or not shared where that is asked. */
export async function findOthers(
  connection: Connection,
  asked: {
    readonly ids: readonly string[];
    readonly project_no: number;
    /** Whether what is here and was deleted before it was shared counts. */
    readonly unshared: boolean;
  },
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
