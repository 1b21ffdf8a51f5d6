// Photos of issues and work orders: taken within their bounds, given back, removed.
import { sha256Hex } from "../../base/digest.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { Lock } from "../../base/lock.ts";
import type { Project } from "../../model/plant/plant.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { work_limits } from "../../model/work/limits.ts";
import { type Photo, photo_media_types, photoTypeOf } from "../../model/work/photo.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database, Write } from "../../store/database.ts";
import { readIssue } from "../../store/work/issue.ts";
import {
  insertPhoto,
  listPhotoIds,
  listPhotos,
  markHere,
  markRemoved,
  type PhotoOwner,
  readPhotos,
  readUnsharedPhotos,
  settlePhoto,
  storeDigest,
} from "../../store/work/photo.ts";
import { PhotoFolder } from "../../store/work/photo_folder.ts";
import { readWorkOrder } from "../../store/work/work_order.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Users } from "../access/user.ts";
import { noIssue, noOrder } from "./action.ts";
import { photoChange, photoRow } from "./photo_take.ts";
import type { Work } from "./work.ts";

type Parts = {
  readonly database: Database;
  readonly users: Pick<Users, "get">;
  readonly work: Pick<Work, "keepPhotos" | "onShare">;
  readonly effects: Pick<Effects, "now_us" | "random">;
  /** The folder of the photos. */
  readonly path: string;
};

/** A photo that is sent, and the user who sends it. */
type Sent = { readonly bytes: Uint8Array; readonly user_id: string | null };

/** Some bytes of a photo, and where they begin in it. */
export type PhotoPart = { readonly from: number; readonly bytes: Uint8Array };

/** How many of a photo's bytes are here, from the first one on, and whether these are all. */
export type PhotoProgress = { readonly have: number; readonly is_whole: boolean };

/** The bytes of a photo are on disk before its row says so, and go after it. */
export class Photos {
  readonly #parts: Parts;
  readonly #folder: PhotoFolder;
  /** Held while bytes come over the line, and while files are removed. */
  readonly #files = new Lock();

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#folder = new PhotoFolder(parts.path);
    parts.work.onShare = (project) => this.#share(project);
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
    const digest = sha256Hex(bytes);
    await database.read((connection) => requireOwner(connection, owner));
    await this.#folder.keep(id, bytes);
    try {
      return await database.write(async (write) => {
        const { connection, stamp_us: created_at } = write;
        await requireOwner(connection, owner);
        const before = await listPhotos(connection, owner);
        if (before.length >= work_limits.photos) {
          throw new Fault("conflict", `there are ${work_limits.photos} photos already`);
        }
        const photo = {
          ...{ id, ...owner, media_type, size: bytes.length, created_by: user_id, created_at },
          ...{ digest, is_here: true, removed_at: null },
        };
        await insertPhoto(connection, photo);
        await this.#tell(write, [photo]);
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
    if (photo === undefined) throw noPhoto();
    if (!photo.is_here) {
      throw new Fault("not_found", "this photo is still to come over the line: look again later");
    }
    const bytes = await this.#folder.read(id);
    if (bytes === undefined) throw noPhoto();
    return { photo, bytes };
  }

  /** Removes a photo, and gives what it was. Throws a `Fault` (not_found). */
  async remove(owner: PhotoOwner, id: string): Promise<Photo> {
    const { database } = this.#parts;
    const photo = await database.write(async (write) => {
      const { connection, stamp_us: removed_at, now_us: at_us } = write;
      const found = (await listPhotos(connection, owner)).find((it) => it.id === id);
      if (found === undefined) throw noPhoto();
      // Also where nobody shares it now: a gateway that was away for long may tell of it once more.
      await markRemoved(connection, { id, removed_at });
      await settlePhoto(connection, { ...owner, id, at_us });
      await this.#tell(write, [{ ...found, removed_at }]);
      return found;
    });
    // What a crash leaves in between is swept at the next start.
    void database.copied().then(() => this.#files.run(() => this.#folder.remove(id)))
      .catch(() => {});
    return photo;
  }

  /** Removes the files of those of some photos that were removed over the line, or left. */
  forget(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const { database } = this.#parts;
    const forget = async () => {
      const rows = await database.read((connection) => readPhotos(connection, ids));
      const kept = new Set(rows.filter((it) => it.removed_at === null).map(({ id }) => id));
      for (const id of ids) if (!kept.has(id)) await this.#folder.remove(id);
    };
    void database.copied().then(() => this.#files.run(forget)).catch(() => {});
  }

  /** How many bytes of a photo that comes are here. */
  begun(id: string): Promise<number> {
    return this.#folder.begun(id);
  }

  /**
   * Some bytes of a photo; before the first ones go, all are looked at: what is damaged would go
   * again and again. Throws a `Fault`: not_found where they are not here, conflict for damage.
   */
  async part(
    photo: Photo,
    { from, bytes }: { readonly from: number; readonly bytes: number },
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { id, size, is_here } = photo;
    const whole = from === 0 ? await this.#folder.read(id) : undefined;
    const part = whole?.subarray(0, bytes) ?? await this.#folder.readPart(id, { from, bytes });
    if (!is_here || part === undefined) {
      throw new Fault("not_found", "the bytes of this photo are not here");
    }
    const is_short = part.length < Math.min(bytes, size - from);
    const flaw = whole ? flawOf(whole, photo) : is_short ? "the photo is cut short" : undefined;
    if (flaw === undefined) return part;
    throw new Fault("conflict", `${flaw}; put its file back from a backup, or remove it`);
  }

  /**
   * Takes bytes of a photo that comes, if they are its next ones. The last ones make it a photo,
   * once its digest is right. Throws a `Fault`: not_found, or invalid for what is not the photo,
   * of which nothing is kept.
   */
  receive(id: string, { from, bytes }: PhotoPart): Promise<PhotoProgress> {
    return this.#files.run(async () => {
      const { database } = this.#parts;
      const [photo] = await database.read((connection) => readPhotos(connection, [id]));
      if (photo === undefined || photo.removed_at !== null) throw noPhoto();
      const { size } = photo;
      if (photo.is_here) return { have: size, is_whole: true };
      const begun = await this.#folder.begun(id);
      const is_next = from === begun && begun < size;
      if (is_next && bytes.length > 0) await this.#folder.append(id, bytes);
      const have = is_next ? begun + bytes.length : begun;
      if (have < size) return { have, is_whole: false };
      const flaw = flawOf(await this.#folder.readBegun(id), photo);
      if (flaw !== undefined) {
        await this.#folder.drop(id);
        throw new Fault("invalid", flaw);
      }
      await this.#folder.settle(id);
      await database.write(({ connection }) => markHere(connection, id));
      return { have: size, is_whole: true };
    });
  }

  #tell(write: Write, photos: readonly Photo[]): Promise<void> {
    const { now_us: stored_at } = write;
    return this.#parts.work.keepPhotos(
      write,
      photos.map((it) =>
        photoRow(photoChange(it, this.#parts), { project_no: it.project_no, stored_at })
      ),
    );
  }

  /** Lets changes tell of all photos of a project, some in each write. */
  async #share({ project_no }: Project): Promise<void> {
    const { database } = this.#parts;
    const { work_share: limit } = upstream_limits;
    const undigested = await database.read((connection) =>
      readUnsharedPhotos(connection, { project_no, undigested: true })
    );
    for (let at = 0; at < undigested.length; at += limit) {
      const digests: { readonly id: string; readonly digest: string }[] = [];
      for (const { id } of undigested.slice(at, at + limit)) {
        const bytes = await this.#folder.read(id);
        if (bytes) digests.push({ id, digest: sha256Hex(bytes) });
      }
      await database.write(async ({ connection }) => {
        for (const it of digests) await storeDigest(connection, it);
      });
    }
    const tellSome = () =>
      database.write(async (write) => {
        const asked = { project_no, undigested: false, limit };
        const photos = await readUnsharedPhotos(write.connection, asked);
        await this.#tell(write, photos);
        return photos.length === limit;
      });
    while (await tellSome());
  }
}

/** Why bytes that came are not a photo; undefined: they are. */
function flawOf(bytes: Uint8Array, { size, digest, media_type }: Photo): string | undefined {
  if (bytes.length !== size) return `the photo has ${bytes.length} bytes, and is to have ${size}`;
  if (sha256Hex(bytes) !== digest) return "the photo is damaged: its digest is another one";
  return photoTypeOf(bytes) === media_type ? undefined : `the photo is no ${media_type}`;
}

/** A photo as answers show it. */
export function showPhoto(photo: Photo) {
  const { id: photo_id, media_type, size, created_by, created_at, is_here } = photo;
  return {
    ...{ photo_id, media_type, size, created_by, created_at: instantText(created_at) },
    to_come: !is_here,
  };
}

/** There is no such photo. */
export function noPhoto(): Fault {
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
