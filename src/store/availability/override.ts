// Stores operators' overrides of inverters' states.
import type { Override } from "../../model/availability/override.ts";
import type { Connection } from "../connection.ts";
import override_insert from "./override_insert.sql" with { type: "text" };
import override_list from "./override_list.sql" with { type: "text" };
import override_move from "./override_move.sql" with { type: "text" };
import override_overlap from "./override_overlap.sql" with { type: "text" };

/** Which overrides of a project: those that speak of a part of `[from_us, to_us)`. */
export type OverrideQuery = Pick<Override, "project_no" | "from_us" | "to_us"> & {
  /** Only the one with this id. */
  readonly id: string | null;
  readonly limit: number;
  readonly offset: number;
};

/** The overrides of a project by their start. */
export async function readOverrides(
  connection: Connection,
  query: OverrideQuery,
): Promise<Override[]> {
  type Row = Omit<Override, "hierarchy_ids"> & { readonly hierarchy_ids: string };
  const rows = await connection.rows<Row>(override_list, query);
  return rows.map((row) => ({ ...row, hierarchy_ids: row.hierarchy_ids.split("\n") }));
}

/** An inverter and the override that already speaks of it. */
export type Overlap = Pick<Override, "id" | "from_us" | "to_us"> & {
  readonly hierarchy_id: string;
};

/** The inverters of a new override that others already speak of in its range. */
export function findOverlaps(
  connection: Connection,
  { project_no, hierarchy_ids, from_us, to_us }: Override,
): Promise<Overlap[]> {
  return connection.rows<Overlap>(override_overlap, { project_no, hierarchy_ids, from_us, to_us });
}

/** Stores a new override. */
export async function insertOverride(connection: Connection, row: Override): Promise<void> {
  await connection.run(override_insert, row);
}

/** Makes overrides speak of other sensors: each of `before` gives way to its one of `after`. */
export async function moveOverrides(
  connection: Connection,
  moves: { readonly before: readonly string[]; readonly after: readonly string[] },
): Promise<void> {
  if (moves.before.length > 0) await connection.run(override_move, moves);
}

/** Removes an override. */
export async function deleteOverride(connection: Connection, id: string): Promise<void> {
  await connection.run("DELETE FROM state_override WHERE id = $id", { id });
}
