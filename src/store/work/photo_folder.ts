// The bytes of photos, in a folder beside the database.
import type { Photo } from "../../model/work/photo.ts";
import { diskFault } from "../damage.ts";
import { moveFile } from "../folder.ts";

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
