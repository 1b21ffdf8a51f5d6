// The rows of photos; their bytes are in a folder beside the database.
import { pick } from "../../model/data/row.ts";
import { type Photo, photo_table, removalId } from "../../model/work/photo.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import type { OwnersOf } from "./change.ts";

const photos_table = table("photo", photo_table);

/** Whose photos. */
export type PhotoOwner = Pick<Photo, "kind" | "owner_id" | "project_no">;

const owner_parameters = { kind: "text", owner_id: "text", project_no: "int32" } as const;

const photos_list = statement({
  sql: `
    SELECT {row}
    FROM photo
    WHERE
      kind = $kind::VARCHAR AND owner_id = $owner_id::VARCHAR
      AND project_no = $project_no::INTEGER AND removed_at IS NULL
    ORDER BY created_at, id`,
  parameters: owner_parameters,
  row: photo_table,
});

/** The photos of an issue or a work order, the oldest first. */
export function listPhotos(connection: Connection, owner: PhotoOwner): Promise<Photo[]> {
  return connection.rows(photos_list, owner);
}

const known_list = statement({
  sql: `
    SELECT {row} FROM photo
    SEMI JOIN (SELECT unnest($ids::VARCHAR[]) AS id) AS wanted USING (id)
    ORDER BY id`,
  parameters: { ids: "text[]" },
  row: photo_table,
});

/** Some photos by their ids, also those that were removed. */
export async function readPhotos(
  connection: Connection,
  ids: readonly string[],
): Promise<Photo[]> {
  return ids.length === 0 ? [] : await connection.rows(known_list, { ids });
}

const kept_list = statement({
  sql: "SELECT {row} FROM photo WHERE removed_at IS NULL ORDER BY id",
  row: pick(photo_table, "id", "is_here"),
});

/** The ids of all photos, and whether they are here. */
export function listPhotoIds(
  connection: Connection,
): Promise<Pick<Photo, "id" | "is_here">[]> {
  return connection.rows(kept_list);
}

/** Stores the row of a photo: its bytes are kept already, or come over the line. */
export function insertPhoto(connection: Connection, photo: Photo): Promise<void> {
  return appendRows(connection, photos_table, [photo]);
}

const photos_delete = statement({
  sql: "DELETE FROM photo WHERE id IN (SELECT unnest($ids::VARCHAR[]))",
  parameters: { ids: "text[]" },
});

/** Forgets photos. */
export async function dropPhotos(connection: Connection, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await connection.run(photos_delete, { ids });
}

const photo_remove = statement({
  sql: "UPDATE photo SET removed_at = $removed_at::BIGINT WHERE id = $id::VARCHAR",
  parameters: { id: "text", removed_at: "instant" },
});

/** Removes a photo, and remembers that. */
export function markRemoved(
  connection: Connection,
  { id, removed_at }: Pick<Photo, "id"> & { readonly removed_at: number },
): Promise<void> {
  return connection.run(photo_remove, { id, removed_at });
}

const photo_arrive = statement({
  sql: "UPDATE photo SET is_here = true WHERE id = $id::VARCHAR",
  parameters: { id: "text" },
});

/** Says that the bytes of a photo are here. */
export function markHere(connection: Connection, id: string): Promise<void> {
  return connection.run(photo_arrive, { id });
}

const photo_digest = statement({
  sql: "UPDATE photo SET digest = $digest::VARCHAR WHERE id = $id::VARCHAR",
  parameters: { id: "text", digest: "text" },
});

/** Keeps the digest of a photo. */
export function storeDigest(
  connection: Connection,
  photo: { readonly id: string; readonly digest: string },
): Promise<void> {
  return connection.run(photo_digest, photo);
}

const unshared_list = statement({
  sql: `
    SELECT {row} FROM photo
    WHERE
      project_no = $project_no::INTEGER AND (digest IS NULL) = $undigested::BOOLEAN
      AND (CASE WHEN removed_at IS NULL THEN id ELSE id || $removal::VARCHAR END) NOT IN
        (SELECT id FROM work_change WHERE project_no = $project_no::INTEGER AND kind = 'photo')
      AND owner_id IN (SELECT owner_id FROM work_change
        WHERE project_no = $project_no::INTEGER AND kind <> 'photo')
    ORDER BY id LIMIT $limit::BIGINT`,
  parameters: { project_no: "int32", undigested: "bool", removal: "text", limit: "int64?" },
  row: photo_table,
});

/**
 * The photos of a project of which no change tells, though one does of what they are of; those
 * without a digest, or the others.
 */
export function readUnsharedPhotos(
  connection: Connection,
  { limit = null, ...asked }: {
    readonly project_no: number;
    readonly undigested: boolean;
    readonly limit?: number | null;
  },
): Promise<Photo[]> {
  return connection.rows(unshared_list, { ...asked, limit, removal: removalId("") });
}

const coming_find = statement({
  sql: `
    SELECT {row} FROM photo
    WHERE project_no = $project_no::INTEGER AND NOT is_here AND removed_at IS NULL
      AND id NOT IN (SELECT unnest($later::VARCHAR[]))
    ORDER BY created_at, id LIMIT 1`,
  parameters: { project_no: "int32", later: "text[]" },
  row: photo_table,
});

/** Which photo of a project is next: the oldest, but for some whose turn is later. */
export type NextPhoto = { readonly project_no: number; readonly later: readonly string[] };

/** At a gateway: the next photo of a project whose bytes are still to come. */
export async function findComing(
  connection: Connection,
  asked: NextPhoto,
): Promise<Photo | undefined> {
  const [photo] = await connection.rows(coming_find, asked);
  return photo;
}

const sending_find = statement({
  sql: `
    SELECT {row} FROM photo
    WHERE is_here AND removed_at IS NULL AND id IN (
      SELECT id FROM work_change
      WHERE project_no = $project_no::INTEGER AND kind = 'photo' AND told_at IS NULL
        AND reason IS NULL AND tried_at IS NOT NULL)
      AND id NOT IN (SELECT unnest($later::VARCHAR[]))
    ORDER BY created_at, id LIMIT 1`,
  parameters: { project_no: "int32", later: "text[]" },
  row: photo_table,
});

/** At a gateway: the next photo of a project that is here, and that the centre knows of alone. */
export async function findSending(
  connection: Connection,
  asked: NextPhoto,
): Promise<Photo | undefined> {
  const [photo] = await connection.rows(sending_find, asked);
  return photo;
}

const photo_settle = statement({
  sql: `
    UPDATE work_change
    SET
      told_at = CASE WHEN $reason::VARCHAR IS NULL THEN $at_us::BIGINT END,
      tried_at = CASE WHEN $reason::VARCHAR IS NOT NULL THEN $at_us::BIGINT END,
      reason = $reason::VARCHAR
    WHERE project_no = $project_no::INTEGER AND id = $id::VARCHAR AND told_at IS NULL`,
  parameters: { project_no: "int32", id: "text", at_us: "instant", reason: "text?" },
});

/** At a gateway: notes that the centre has a photo, or needs it not, or why it does not take it. */
export function settlePhoto(
  connection: Connection,
  { project_no, id, at_us, reason = null }: Pick<Photo, "project_no" | "id"> & {
    readonly at_us: number;
    readonly reason?: string | null;
  },
): Promise<void> {
  return connection.run(photo_settle, { project_no, id, at_us, reason });
}

const wanted_list = statement({
  sql: `
    SELECT {row} FROM photo
    WHERE project_no = $project_no::INTEGER AND NOT is_here AND removed_at IS NULL
      AND owner_id IN (
        SELECT owner_id FROM work_place
        WHERE project_no = $project_no::INTEGER
          AND (sites IS NULL OR list_has_any(string_split(sites, ','), $sites::VARCHAR[])))
    ORDER BY id LIMIT $limit::BIGINT`,
  parameters: { project_no: "int32", sites: "text[]", limit: "int64" },
  row: pick(photo_table, "id"),
});

/** At a centre: photos of what is at some sites, or at none, whose bytes are still to come. */
export async function readWanted(
  connection: Connection,
  asked: {
    readonly project_no: number;
    readonly sites: readonly string[];
    readonly limit: number;
  },
): Promise<string[]> {
  return (await connection.rows(wanted_list, asked)).map(({ id }) => id);
}

const kept_told_list = statement({
  sql: `
    SELECT {row} FROM photo
    SEMI JOIN (SELECT unnest($ids::VARCHAR[]) AS id) AS wanted USING (id)
    WHERE is_here AND removed_at IS NULL AND id IN (
      SELECT id FROM work_change
      WHERE project_no = $project_no::INTEGER AND kind = 'photo' AND told_at IS NOT NULL)
    ORDER BY id`,
  parameters: { project_no: "int32", ids: "text[]" },
  row: pick(photo_table, "id"),
});

/** At a gateway: those of some photos that are here, and that the centre had. */
export async function findSent(
  connection: Connection,
  asked: { readonly project_no: number; readonly ids: readonly string[] },
): Promise<string[]> {
  if (asked.ids.length === 0) return [];
  return (await connection.rows(kept_told_list, asked)).map(({ id }) => id);
}

const send_again = statement({
  sql: `
    UPDATE work_change SET told_at = NULL, tried_at = $at_us::BIGINT
    WHERE project_no = $project_no::INTEGER AND kind = 'photo'
      AND id IN (SELECT unnest($ids::VARCHAR[]))`,
  parameters: { project_no: "int32", ids: "text[]", at_us: "instant" },
});

/** At a gateway: lets the bytes of photos go once more, for the centre has them no longer. */
export async function sendAgain(
  connection: Connection,
  { at_us, ...asked }: Parameters<typeof findSent>[1] & { readonly at_us: number },
): Promise<void> {
  const ids = await findSent(connection, asked);
  if (ids.length > 0) await connection.run(send_again, { ...asked, ids, at_us });
}

const owned_list = statement({
  sql: `
    SELECT {row} FROM photo
    SEMI JOIN (SELECT unnest($owner_ids::VARCHAR[]) AS owner_id) AS wanted USING (owner_id)
    WHERE project_no = $project_no::INTEGER
    ORDER BY id`,
  parameters: { project_no: "int32", owner_ids: "text[]" },
  row: pick(photo_table, "id"),
});

/** The ids of all photos of some issues and work orders, removed ones too. */
export async function readPhotosOf(
  connection: Connection,
  { owner_ids, project_no }: OwnersOf,
): Promise<string[]> {
  if (owner_ids.length === 0) return [];
  return (await connection.rows(owned_list, { owner_ids, project_no })).map(({ id }) => id);
}
