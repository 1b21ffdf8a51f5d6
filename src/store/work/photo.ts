// Photos: their rows in the database, and their bytes in a folder beside it.
import { pick } from "../../model/data/row.ts";
import { type Photo, photo_table } from "../../model/work/photo.ts";
import type { Connection } from "../connection.ts";
import { diskFault } from "../damage.ts";
import { moveFile } from "../folder.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

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
      AND project_no = $project_no::INTEGER
    ORDER BY created_at, id`,
  parameters: owner_parameters,
  row: photo_table,
});

/** The photos of an issue or a work order, the oldest first. */
export function listPhotos(connection: Connection, owner: PhotoOwner): Promise<Photo[]> {
  return connection.rows(photos_list, owner);
}

const ids_list = statement({
  sql: "SELECT {row} FROM photo ORDER BY id",
  row: pick(photo_table, "id"),
});

/** The ids of all photos. */
export async function listPhotoIds(connection: Connection): Promise<ReadonlySet<string>> {
  return new Set((await connection.rows(ids_list)).map(({ id }) => id));
}

/** Stores the row of a photo, whose bytes are kept already. */
export function insertPhoto(connection: Connection, photo: Photo): Promise<void> {
  return appendRows(connection, photos_table, [photo]);
}

const photo_delete = statement({
  sql: "DELETE FROM photo WHERE id = $id::VARCHAR",
  parameters: { id: "text" },
});

/** Deletes the row of a photo. */
export function deletePhoto(connection: Connection, id: string): Promise<void> {
  return connection.run(photo_delete, { id });
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
    const path = this.#file(id);
    try {
      await writeFile(`${path}.new`, bytes);
      await moveFile(`${path}.new`, path);
    } catch (error) {
      await Deno.remove(`${path}.new`).catch(() => {});
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

  async remove(id: string): Promise<void> {
    try {
      await Deno.remove(this.#file(id));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  /** Removes every file that is none of `known`: of a write that was never committed. */
  async sweep(known: ReadonlySet<string>): Promise<void> {
    try {
      for await (const { name } of Deno.readDir(this.#path)) {
        if (!known.has(name)) await Deno.remove(this.#file(name));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  #file(name: string): string {
    return `${this.#path}/${name}`;
  }
}

async function writeFile(path: string, bytes: Uint8Array): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  await file.sync();
}
