// Stores operators' overrides of inverters' states.
import { declared_parts } from "../../model/availability/loss.ts";
import { oneOfOrNull } from "../../model/data/row.ts";
import { state_names } from "../../model/availability/timeline.ts";
import type { Override } from "../../model/availability/override.ts";
import type { Connection } from "../connection.ts";
import override_list_sql from "./override_list.sql" with { type: "text" };
import override_move_sql from "./override_move.sql" with { type: "text" };
import override_overlap_sql from "./overlap_find.sql" with { type: "text" };
import { statement } from "../statement.ts";
import { table } from "../table.ts";

/** Which overrides of a project: those that are about a part of `[from_us, to_us)`. */
export type OverrideQuery = Pick<Override, "project_no" | "from_us" | "to_us"> & {
  /** Only the one with this id. */
  readonly id: string | null;
  readonly limit: number;
  readonly offset: number;
};

/** An operator's word on the state of inverters. */
table("state_override", {
  id: "text",
  project_no: "int32",
  hierarchy_ids: "text[]",
  state: "text?",
  from_us: "instant",
  to_us: "instant",
  reason: "text",
  author: "text",
  created_at: "instant",
  loss: "text?",
  share: "float64?",
});

const override_list = statement({
  sql: override_list_sql,
  parameters: {
    project_no: "int32",
    to_us: "instant",
    from_us: "instant",
    id: "text?",
    limit: "int64",
    offset: "int64",
  },
  row: {
    id: "text",
    project_no: "int32",
    hierarchy_ids: "text",
    state: oneOfOrNull(state_names),
    loss: oneOfOrNull(declared_parts),
    share: "float64?",
    from_us: "instant",
    to_us: "instant",
    reason: "text",
    author: "text",
    created_at: "instant",
  },
});

/** The overrides of a project by their start. */
export async function readOverrides(
  connection: Connection,
  query: OverrideQuery,
): Promise<Override[]> {
  const rows = await connection.rows(override_list, query);
  return rows.map((row) => ({ ...row, hierarchy_ids: row.hierarchy_ids.split("\n") }));
}

/** An inverter and the override that already is about it. */
export type Overlap = Pick<Override, "id" | "from_us" | "to_us"> & {
  readonly hierarchy_id: string;
};

const override_overlap = statement({
  sql: override_overlap_sql,
  parameters: {
    project_no: "int32",
    to_us: "instant",
    from_us: "instant",
    loss: "text?",
    hierarchy_ids: "text[]",
  },
  row: { hierarchy_id: "text", id: "text", from_us: "instant", to_us: "instant" },
});

/** The inverters of a new override that others of its kind are about in its range. */
export function findOverlaps(
  connection: Connection,
  { project_no, hierarchy_ids, loss, from_us, to_us }: Override,
): Promise<Overlap[]> {
  return connection.rows(override_overlap, { project_no, hierarchy_ids, loss, from_us, to_us });
}

/** Stores a new override. */
const override_insert = statement({
  sql: `
    INSERT INTO state_override (
      id, project_no, hierarchy_ids, state, from_us, to_us, reason, author, created_at, loss, share
    )
    VALUES (
      $id, $project_no::INTEGER, $hierarchy_ids::VARCHAR[], $state::VARCHAR, $from_us::BIGINT,
      $to_us::BIGINT, $reason, $author, $created_at::BIGINT, $loss::VARCHAR, $share::DOUBLE
    )`,
  parameters: {
    id: "text",
    project_no: "int32",
    hierarchy_ids: "text[]",
    state: "text?",
    from_us: "instant",
    to_us: "instant",
    reason: "text",
    author: "text",
    created_at: "instant",
    loss: "text?",
    share: "float64?",
  },
});

/** Stores a new override. */
export async function insertOverride(connection: Connection, row: Override): Promise<void> {
  await connection.run(override_insert, row);
}

const override_move = statement({
  sql: override_move_sql,
  parameters: { before: "text[]", after: "text[]" },
});

/** Moves overrides to other sensors: each of `before` gives way to its one of `after`. */
export async function moveOverrides(
  connection: Connection,
  moves: { readonly before: readonly string[]; readonly after: readonly string[] },
): Promise<void> {
  if (moves.before.length > 0) await connection.run(override_move, moves);
}

/** Deletes an override. */
const override_delete = statement({
  sql: "DELETE FROM state_override WHERE id = $id::VARCHAR",
  parameters: { id: "text" },
});

/** Removes an override. */
export async function deleteOverride(connection: Connection, id: string): Promise<void> {
  await connection.run(override_delete, { id });
}
