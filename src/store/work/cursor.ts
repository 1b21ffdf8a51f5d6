// At a gateway: how far it and its centre have told each other of work, and what can't be taken.
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const cursor_table = table("upstream_work", {
  project_no: "int32",
  /** The last of the centre's changes that is here, as the centre counts, and its mark. */
  heard_no: "int64",
  heard_id: "text?",
  /** One of its own that the centre took, and that it has not heard again. */
  sent_id: "text?",
  /** The sites of which it has heard, with commas. */
  sites: "text?",
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
