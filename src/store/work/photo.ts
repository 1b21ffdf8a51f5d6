// Photos: their rows in the database, and their bytes in a folder beside it.
import { pick } from "../../model/data/row.ts";
import { type Photo, photo_table, removalId } from "../../model/work/photo.ts";
import type { Connection } from "../connection.ts";
import { diskFault } from "../damage.ts";
import { moveFile } from "../folder.ts";
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
    ORDER BY id`,
  parameters: { project_no: "int32", undigested: "bool", removal: "text" },
  row: photo_table,
});

/** The photos of a project of which no change tells; those without a digest, or the others. */
export function readUnsharedPhotos(
  connection: Connection,
  asked: { readonly project_no: number; readonly undigested: boolean },
): Promise<Photo[]> {
  return connection.rows(unshared_list, { ...asked, removal: removalId("") });
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
    WHERE removed_at IS NULL AND id IN (
      SELECT id FROM work_change
      WHERE project_no = $project_no::INTEGER AND kind = 'photo' AND told_at IS NULL
        AND reason IS NULL AND tried_at IS NOT NULL)
      AND id NOT IN (SELECT unnest($later::VARCHAR[]))
    ORDER BY created_at, id LIMIT 1`,
  parameters: { project_no: "int32", later: "text[]" },
  row: photo_table,
});

/** At a gateway: the next photo of a project that the centre knows, but for its bytes. */
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

/** The files of photos; the folder is made with the first one. */
export class PhotoFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Writes the bytes of a photo; when this resolves they are on disk. */
  async keep(id: string, bytes: Uint8Array): Promise<void> {
    await Deno.mkdir(this.#path, { recursive: true, mode: 0o700 });
    try {
      await writeFile(this.#coming(id), bytes, { write: true, createNew: true });
      await moveFile(this.#coming(id), this.#file(id));
    } catch (error) {
      await this.drop(id).catch(() => {});
      throw diskFault(error);
    }
  }

  /** The bytes of a photo; undefined where its file is not there. */
  async read(id: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      return await Deno.readFile(this.#file(id));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw diskFault(error);
    }
  }

  /** Some bytes of a photo; undefined where its file is not there. */
  async readPart(
    id: string,
    { from, bytes }: { readonly from: number; readonly bytes: number },
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      using file = await Deno.open(this.#file(id));
      await file.seek(from, Deno.SeekMode.Start);
      const part = new Uint8Array(bytes);
      let length = 0;
      for (let read: number | null = 0; read !== null && length < bytes; length += read ?? 0) {
        read = await file.read(part.subarray(length));
      }
      return part.subarray(0, length);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw diskFault(error);
    }
  }

  /** How many of the bytes of a photo that comes are here. */
  async begun(id: string): Promise<number> {
    try {
      return (await Deno.stat(this.#coming(id))).size;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return 0;
      throw diskFault(error);
    }
  }

  /** Adds bytes to those of a photo that comes. */
  async append(id: string, bytes: Uint8Array): Promise<void> {
    await Deno.mkdir(this.#path, { recursive: true, mode: 0o700 });
    try {
      await writeFile(this.#coming(id), bytes, { append: true, create: true });
    } catch (error) {
      throw diskFault(error);
    }
  }

  /** The bytes of a photo that comes. */
  async readBegun(id: string): Promise<Uint8Array> {
    try {
      return await Deno.readFile(this.#coming(id));
    } catch (error) {
      throw diskFault(error);
    }
  }

  /** Takes what came as the photo; when this resolves it is on disk. */
  async settle(id: string): Promise<void> {
    try {
      await moveFile(this.#coming(id), this.#file(id));
    } catch (error) {
      throw diskFault(error);
    }
  }

  /** Removes what came of a photo: it is not the photo. */
  async drop(id: string): Promise<void> {
    await removeFile(this.#coming(id));
  }

  /** Removes a photo, and what came of it. */
  async remove(id: string): Promise<void> {
    await this.drop(id);
    await removeFile(this.#file(id));
  }

  /** Removes what is none of `known`, and none that comes: of a write that was never committed. */
  async sweep(known: readonly Pick<Photo, "id" | "is_here">[]): Promise<void> {
    const names = new Set(
      known.map(({ id, is_here }) => is_here ? this.#file(id) : this.#coming(id)),
    );
    try {
      for await (const { name } of Deno.readDir(this.#path)) {
        if (!names.has(this.#file(name))) await Deno.remove(this.#file(name));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  #file(name: string): string {
    return `${this.#path}/${name}`;
  }

  /** No backup has a file of such a name: it has no row that says that it is here. */
  #coming(id: string): string {
    return this.#file(`${id}.new`);
  }
}

async function writeFile(
  path: string,
  bytes: Uint8Array,
  options: Deno.OpenOptions,
): Promise<void> {
  using file = await Deno.open(path, { ...options, mode: 0o600 });
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  await file.sync();
}

async function removeFile(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
