// Where shared issues and work orders are, and who shares the work of a project.
import change_move_sql from "./change_move.sql" with { type: "text" };
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import type { OwnersOf } from "./change.ts";

const place_table = table("work_place", {
  project_no: "int32",
  owner_id: "text",
  /** The sites of the gateway where it was made; null: it was made here. */
  origin: "text?",
  /** The sites that it is at, with commas; null: it is of no site, and every gateway's. */
  sites: "text?",
  /** Every site that it ever was at, '' for all. */
  was: "text",
  /** The number of its last move, among those of changes. */
  moved_no: "int64",
});

/** Where an issue or a work order is. */
export type WorkPlace = PlainRow<typeof place_table.columns>;

const places_list = statement({
  sql: `
    SELECT {row}
    FROM work_place
    SEMI JOIN (SELECT unnest($owner_ids::VARCHAR[]) AS owner_id) AS wanted USING (owner_id)
    WHERE project_no = $project_no::INTEGER
    ORDER BY owner_id`,
  parameters: { project_no: "int32", owner_ids: "text[]" },
  row: place_table.columns,
});

/** Where some issues and work orders of a project are, by their ids. */
export async function readPlaces(
  connection: Connection,
  owned: OwnersOf,
): Promise<ReadonlyMap<string, WorkPlace>> {
  if (owned.owner_ids.length === 0) return new Map();
  const rows = await connection.rows(places_list, owned);
  return new Map(rows.map((row) => [row.owner_id, row]));
}

const places_drop = statement({
  sql: `
    DELETE FROM work_place
    WHERE
      project_no = $project_no::INTEGER
      AND owner_id IN (SELECT unnest($owner_ids::VARCHAR[]))`,
  parameters: { project_no: "int32", owner_ids: "text[]" },
});

const change_move = statement({
  sql: change_move_sql,
  parameters: { project_no: "int32", owner_ids: "text[]", after_no: "int64" },
});

const last_no_find = statement({
  sql: "SELECT coalesce(max(change_no), 0)::BIGINT AS last_no FROM work_change",
  row: { last_no: "int64" },
});

/** Keeps places of a project's work in place of those before. */
export async function storePlaces(
  connection: Connection,
  project_no: number,
  places: readonly WorkPlace[],
): Promise<void> {
  const owner_ids = places.map(({ owner_id }) => owner_id);
  if (owner_ids.length === 0) return;
  await connection.run(places_drop, { project_no, owner_ids });
  await appendRows(connection, place_table, places);
}

/** Gives all changes of some work new numbers after one, in their order; gives the last one. */
export async function renumberChanges(
  connection: Connection,
  moved: OwnersOf & { readonly after_no: number },
): Promise<number> {
  await connection.run(change_move, moved);
  const [{ last_no }] = await connection.rows(last_no_find);
  return Math.max(last_no, moved.after_no);
}

const gone_list = statement({
  sql: `
    SELECT owner_id, moved_no
    FROM work_place
    WHERE project_no = $project_no::INTEGER
      AND moved_no > $after_no::BIGINT AND moved_no <= $up_to_no::BIGINT
      AND sites IS NOT NULL AND NOT list_has_any(string_split(sites, ','), $sites::VARCHAR[])
      AND list_has_any(string_split(was, ','), $sites::VARCHAR[] || [''])
    ORDER BY moved_no
    LIMIT $limit::BIGINT`,
  parameters: {
    ...{ project_no: "int32", after_no: "int64", up_to_no: "int64", sites: "text[]" },
    limit: "int64",
  },
  row: { owner_id: "text", moved_no: "int64" },
});

/** What was at some sites, or at none, and moved elsewhere after a number, up to another. */
export function readGone(
  connection: Connection,
  asked: {
    readonly project_no: number;
    readonly after_no: number;
    readonly up_to_no: number;
    readonly sites: readonly string[];
    readonly limit: number;
  },
): Promise<Pick<WorkPlace, "owner_id" | "moved_no">[]> {
  return connection.rows(gone_list, asked);
}

const alarm_sites_list = statement({
  sql: `
    SELECT DISTINCT l.issue_no, o.site_no
    FROM issue_alarm AS l
    SEMI JOIN (SELECT unnest($issue_nos::BIGINT[]) AS issue_no) AS wanted USING (issue_no)
    JOIN occurrence AS o USING (occurrence_no)
    ORDER BY l.issue_no, o.site_no`,
  parameters: { issue_nos: "int64[]" },
  row: { issue_no: "int64", site_no: "int32" },
});

/** The sites of the alarms that some issues are linked to. */
export async function readAlarmSites(
  connection: Connection,
  issue_nos: readonly number[],
): Promise<PlainRow<typeof alarm_sites_list.row>[]> {
  return issue_nos.length === 0 ? [] : await connection.rows(alarm_sites_list, { issue_nos });
}

const reader_table = table("work_reader", {
  /** Of a gateway; at a gateway '' for its centre. */
  token_id: "text",
  project_no: "int32",
  heard_at: "instant",
  /** JSON of `LogMark`s: the places in the log that it may be at. */
  marks: "text",
});

/** Who shares the work of a project. */
export type WorkReader = PlainRow<typeof reader_table.columns>;

const readers_list = statement({
  sql: "SELECT {row} FROM work_reader ORDER BY project_no, token_id",
  row: reader_table.columns,
});

/** All of them. */
export function readReaders(connection: Connection): Promise<WorkReader[]> {
  return connection.rows(readers_list);
}

const reader_drop = statement({
  sql: `
    DELETE FROM work_reader
    WHERE token_id = $token_id::VARCHAR AND project_no = $project_no::INTEGER`,
  parameters: { token_id: "text", project_no: "int32" },
});

/** Forgets who shared the work of a project. */
export function dropReader(
  connection: Connection,
  { token_id, project_no }: Pick<WorkReader, "token_id" | "project_no">,
): Promise<void> {
  return connection.run(reader_drop, { token_id, project_no });
}

/** Keeps who shares the work of a project. */
export async function storeReader(connection: Connection, reader: WorkReader): Promise<void> {
  await dropReader(connection, reader);
  await appendRows(connection, reader_table, [reader]);
}

const shared_list = statement({
  sql: "SELECT DISTINCT project_no FROM work_change ORDER BY project_no",
  row: { project_no: "int32" },
});

/** The projects of whose work changes are kept. */
export async function readSharedProjects(connection: Connection): Promise<number[]> {
  const rows = await connection.rows(shared_list);
  return rows.map(({ project_no }) => project_no);
}

const all_forgotten = ["work_change", "work_place"].map((name) =>
  statement({
    sql: "DELETE FROM {name} WHERE project_no = $project_no::INTEGER",
    parameters: { project_no: "int32" },
    names: { name },
  })
);

/** Forgets the log of a project's work: nobody reads it. */
export async function forgetLog(connection: Connection, project_no: number): Promise<void> {
  for (const forgotten of all_forgotten) await connection.run(forgotten, { project_no });
}
