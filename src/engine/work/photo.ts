// Photos of issues and work orders: taken within their bounds, given back, removed.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { work_limits } from "../../model/work/limits.ts";
import { type Photo, photo_media_types, photoTypeOf } from "../../model/work/photo.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { readIssue } from "../../store/work/issue.ts";
import {
  deletePhoto,
  insertPhoto,
  listPhotoIds,
  listPhotos,
  PhotoFolder,
  type PhotoOwner,
} from "../../store/work/photo.ts";
import { readWorkOrder } from "../../store/work/work_order.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { noIssue, noOrder } from "./action.ts";

type Parts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "now_us" | "random">;
  /** The folder of the photos. */
  readonly path: string;
};

/** A photo that is sent, and the user who sends it. */
type Sent = { readonly bytes: Uint8Array; readonly user_id: string | null };

/** The bytes of a photo are on disk before its row is, and go after it. */
export class Photos {
  readonly #parts: Parts;
  readonly #folder: PhotoFolder;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#folder = new PhotoFolder(parts.path);
  }

  /** Removes what a crash left behind. */
  static async open(parts: Parts): Promise<Photos> {
    const photos = new Photos(parts);
    await photos.#folder.sweep(await parts.database.read(listPhotoIds));
    return photos;
  }

  /**
   * Keeps a photo. Throws a `Fault`: unsupported_media for what is no image that is taken,
   * not_found, or conflict where there are too many.
   */
  async add(owner: PhotoOwner, { bytes, user_id }: Sent): Promise<Photo> {
    const media_type = photoTypeOf(bytes);
    if (media_type === undefined) {
      throw new Fault("unsupported_media", `send an image: ${photo_media_types.join(", ")}`);
    }
    const { database, effects } = this.#parts;
    const id = newId(effects);
    await database.read((connection) => requireOwner(connection, owner));
    await this.#folder.keep(id, bytes);
    try {
      return await database.write(async ({ connection, stamp_us: created_at }) => {
        await requireOwner(connection, owner);
        const before = await listPhotos(connection, owner);
        if (before.length >= work_limits.photos) {
          throw new Fault("conflict", `there are ${work_limits.photos} photos already`);
        }
        const size = bytes.length;
        const photo = { id, ...owner, media_type, size, created_by: user_id, created_at };
        await insertPhoto(connection, photo);
        return photo;
      });
    } catch (error) {
      await this.#folder.remove(id);
      throw error;
    }
  }

  /** The photos of an issue or a work order, the oldest first. */
  list(owner: PhotoOwner): Promise<readonly Photo[]> {
    return this.#parts.database.read((connection) => listPhotos(connection, owner));
  }

  /** A photo with its bytes. Throws a `Fault` (not_found). */
  async get(owner: PhotoOwner, id: string) {
    const photo = (await this.list(owner)).find((it) => it.id === id);
    const bytes = photo && await this.#folder.read(id);
    if (photo === undefined || bytes === undefined) throw noPhoto();
    return { photo, bytes };
  }

  /** Removes a photo, and gives what it was. Throws a `Fault` (not_found). */
  async remove(owner: PhotoOwner, id: string): Promise<Photo> {
    const photo = await this.#parts.database.write(async ({ connection }) => {
      const found = (await listPhotos(connection, owner)).find((it) => it.id === id);
      if (found === undefined) throw noPhoto();
      await deletePhoto(connection, id);
      return found;
    });
    // What a crash leaves in between is swept at the next start.
    void this.#parts.database.copied().then(() => this.#folder.remove(id)).catch(() => {});
    return photo;
  }
}

/** A photo as answers show it. */
export function showPhoto(photo: Photo) {
  const { id: photo_id, media_type, size, created_by, created_at } = photo;
  return { photo_id, media_type, size, created_by, created_at: instantText(created_at) };
}

function noPhoto(): Fault {
  return new Fault("not_found", "there is no photo with this ID");
}

async function requireOwner(
  connection: Connection,
  { kind, owner_id: id, project_no }: PhotoOwner,
): Promise<void> {
  const read = kind === "issue" ? readIssue : readWorkOrder;
  if (await read(connection, { project_no, id })) return;
  throw kind === "issue" ? noIssue() : noOrder();
}
