// Saving views of a project: made, changed and removed, each by its own name.
import type { Effects } from "../../base/effects.ts";
import { Fault, refusal } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { view_limits } from "../../model/views/limits.ts";
import { parseSavedView, parseSavedViewChange, type SavedView } from "../../model/views/view.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import {
  deleteSavedView,
  insertSavedView,
  listSavedViews,
  updateSavedView,
} from "../../store/views/view.ts";

type Parts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** For whom a view is saved, and by which user. */
type Saver = { readonly project_no: number; readonly user_id: string | null };

/** Which view is meant, and the versions of which its present one must be one, if any is said. */
type Meant = {
  readonly project_no: number;
  readonly id: string;
  readonly if_match?: readonly number[];
};

/** Stores a view from plain data. Throws a `Fault`: invalid, or conflict by name or number. */
export function addSavedView(
  { database, effects }: Parts,
  data: unknown,
  { project_no, user_id }: Saver,
): Promise<SavedView> {
  const said = parseSavedView(data);
  return database.write(async ({ connection, stamp_us }) => {
    const others = await viewsOf(connection, project_no);
    if (others.length >= view_limits.per_project) {
      throw new Fault("conflict", `the project has ${others.length} views: remove one first`);
    }
    requireOwnName(said, others);
    const view: SavedView = {
      ...{ id: newId(effects), project_no, ...said, created_by: user_id },
      ...{ created_at: stamp_us, updated_at: stamp_us, version: 1 },
    };
    await insertSavedView(connection, view);
    return view;
  });
}

/**
 * Gives a view another name or address by plain data. Throws a `Fault`: invalid, not_found,
 * precondition_failed, or conflict by name.
 */
export function changeSavedView(
  { database }: Parts,
  data: unknown,
  meant: Meant,
): Promise<SavedView> {
  const said = parseSavedViewChange(data);
  return database.write(async ({ connection, stamp_us }) => {
    const all = await viewsOf(connection, meant.project_no);
    const before = requireView(all, meant);
    const version = before.version + 1;
    const after = { ...before, ...said, updated_at: stamp_us, version };
    requireOwnName(after, all.filter((it) => it !== before));
    await updateSavedView(connection, after);
    return after;
  });
}

/** Removes a view, and gives what it was. Throws a `Fault`: not_found, precondition_failed. */
export function removeSavedView({ database }: Parts, meant: Meant): Promise<SavedView> {
  return database.write(async ({ connection }) => {
    const view = requireView(await viewsOf(connection, meant.project_no), meant);
    await deleteSavedView(connection, view.id);
    return view;
  });
}

/** All views of a project, which are few. */
function viewsOf(connection: Connection, project_no: number): Promise<SavedView[]> {
  const limit = view_limits.per_project;
  return listSavedViews(connection, { project_no, page: null, limit, offset: 0 });
}

function requireView(all: readonly SavedView[], { id, if_match }: Meant): SavedView {
  const view = all.find((it) => it.id === id);
  if (view === undefined) throw new Fault("not_found", "the project has no view with this ID");
  if (if_match === undefined || if_match.includes(view.version)) return view;
  const message = `it is at version ${view.version}: someone changed it; read it again`;
  throw new Fault("precondition_failed", message);
}

function requireOwnName(
  { page, name }: Pick<SavedView, "page" | "name">,
  others: readonly SavedView[],
): void {
  if (!others.some((it) => it.page === page && it.name === name)) return;
  const message = `the page ${page} has a view of this name already: give another name`;
  throw refusal(message, [{ path: "name", message: "is another view's" }], { code: "conflict" });
}
