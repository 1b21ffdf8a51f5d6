// Saved views as they are kept: listed, stored, changed, deleted.
import { pick } from "../../model/data/row.ts";
import { saved_view_table, type SavedView } from "../../model/views/view.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const views_table = table("saved_view", saved_view_table);

/** Which views of a project: those of a page, or (null) of all. */
export type SavedViewQuery = {
  readonly project_no: number;
  readonly page: SavedView["page"] | null;
  readonly limit: number;
  readonly offset: number;
};

const views_list = statement({
  sql: `
    SELECT {row}
    FROM saved_view
    WHERE project_no = $project_no::INTEGER AND ($page::VARCHAR IS NULL OR page = $page::VARCHAR)
    ORDER BY updated_at DESC, id
    LIMIT $limit::BIGINT OFFSET $offset::BIGINT`,
  parameters: { project_no: "int32", page: "text?", limit: "int64", offset: "int64" },
  row: saved_view_table,
});

/** Views of a project, the one that changed last first. */
export function listSavedViews(
  connection: Connection,
  query: SavedViewQuery,
): Promise<SavedView[]> {
  return connection.rows(views_list, query);
}

/** Stores a new view. */
export function insertSavedView(connection: Connection, view: SavedView): Promise<void> {
  return appendRows(connection, views_table, [view]);
}

const view_update = statement({
  sql: `
    UPDATE saved_view SET
      name = $name::VARCHAR, address = $address::VARCHAR, updated_at = $updated_at::BIGINT,
      version = $version::INTEGER
    WHERE id = $id::VARCHAR`,
  parameters: pick(saved_view_table, "id", "name", "address", "updated_at", "version"),
});

/** Stores what may change of a view. */
export function updateSavedView(
  connection: Connection,
  { id, name, address, updated_at, version }: SavedView,
): Promise<void> {
  return connection.run(view_update, { id, name, address, updated_at, version });
}

const view_delete = statement({
  sql: "DELETE FROM saved_view WHERE id = $id::VARCHAR",
  parameters: pick(saved_view_table, "id"),
});

/** Deletes a view. */
export function deleteSavedView(connection: Connection, id: string): Promise<void> {
  return connection.run(view_delete, { id });
}
