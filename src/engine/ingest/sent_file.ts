// Files that are sent to be imported, on the disk until then, within bounds.
import { Fault } from "../../base/fault.ts";
import { backup_limits } from "../../store/backup/limits.ts";
import type { DiskSpace } from "../core/machine.ts";
import { import_limits } from "./limits.ts";

/** A file on the disk, or on its way there. */
export type SentFile = {
  readonly path: string;
  /** Whose share of the bounds it takes. */
  readonly token_id: string;
  /** What it has, or is said to have once it has arrived. */
  bytes: number;
};

type Parts = {
  /** The folder of the files. */
  readonly path: string;
  /** The space of the disk, where it is known. */
  readonly space: () => Promise<DiskSpace | undefined>;
  /** How much of the disk is to stay free, in percent. */
  readonly keep_free_percent: number;
};

/** The files that wait, in a folder of their own that nobody else may read. */
export class SentFiles {
  readonly #parts: Parts;
  readonly #files = new Set<SentFile>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Removes the folder: what a process left behind belongs to nobody. */
  async clear(): Promise<void> {
    this.#files.clear();
    await Deno.remove(this.#parts.path, { recursive: true }).catch(ignoreMissing);
  }

  /**
   * Writes a file as it arrives. Throws a `Fault`: too_many where its token has too many or too
   * large ones, unavailable where all have, or the disk is full, invalid where it is empty.
   */
  async keep(
    { name, token_id, bytes }: Omit<SentFile, "path"> & { readonly name: string },
    body: AsyncIterable<Uint8Array>,
  ): Promise<SentFile> {
    const file: SentFile = { path: `${this.#parts.path}/${name}`, token_id, bytes };
    this.#files.add(file);
    try {
      this.#requireShare(file);
      await this.#requireRoom(bytes);
      await Deno.mkdir(this.#parts.path, { recursive: true, mode: 0o700 });
      await this.#write(file, body);
      return file;
    } catch (error) {
      await this.remove(file);
      const is_full = error instanceof Error && "code" in error && error.code === "ENOSPC";
      throw is_full ? noRoom() : error;
    }
  }

  async remove(file: SentFile): Promise<void> {
    this.#files.delete(file);
    await Deno.remove(file.path).catch(ignoreMissing);
  }

  async #write(file: SentFile, body: AsyncIterable<Uint8Array>): Promise<void> {
    using out = await Deno.open(file.path, { write: true, createNew: true, mode: 0o600 });
    let arrived = 0;
    let looked = 0;
    for await (const part of body) {
      arrived += part.length;
      if (arrived > file.bytes) {
        file.bytes = arrived;
        this.#requireShare(file);
      }
      if (arrived > looked) {
        looked = arrived + import_limits.room_step_bytes;
        await this.#requireRoom(import_limits.room_step_bytes);
      }
      for (let at = 0; at < part.length;) at += await out.write(part.subarray(at));
    }
    if (arrived === 0) throw new Fault("invalid", "the body is empty: send the bytes of a file");
    file.bytes = arrived;
  }

  #requireShare({ token_id }: SentFile): void {
    const all = [...this.#files];
    const own = all.filter((it) => it.token_id === token_id);
    if (
      own.length > import_limits.files_per_token || bytesOf(own) > import_limits.token_bytes
    ) {
      throw new Fault(
        "too_many",
        `${import_limits.files_per_token} files of ${gib(import_limits.token_bytes)} in all may ` +
          "wait for their import: import or delete one of them first",
      );
    }
    if (all.length > import_limits.files || bytesOf(all) > import_limits.bytes) {
      throw new Fault("unavailable", "too many files wait for their import: try again later");
    }
  }

  /** Throws where so much more would take what is to stay free. */
  async #requireRoom(bytes: number): Promise<void> {
    const disk = await this.#parts.space();
    if (disk === undefined) return;
    const share = disk.total_bytes * this.#parts.keep_free_percent / 100;
    if (disk.free_bytes - bytes < Math.max(share, backup_limits.spare_bytes)) throw noRoom();
  }
}

function bytesOf(files: readonly SentFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function gib(bytes: number): string {
  return `${bytes / 1024 ** 3} GiB`;
}

function noRoom(): Fault {
  return new Fault("unavailable", "the disk of the service has no room for this file");
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
