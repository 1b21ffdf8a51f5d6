// Files that are sent to be imported: as they are told of, and on the disk, within bounds.
import * as z from "zod";
import { Fault, type Told } from "../../base/fault.ts";
import { backup_limits } from "../../store/backup/limits.ts";
import { replaceFile } from "../../store/folder.ts";
import type { ImportState } from "../../model/samples/import.ts";
import type { IngestLane } from "../../wire/decode.ts";
import type { ImportFormat } from "../../wire/import/import_file.ts";
import type { TableSettings } from "../../wire/import/settings.ts";
import type { DiskSpace } from "../core/machine.ts";
import type { ImportReport } from "./import.ts";
import { import_limits } from "./limits.ts";
import type { Understanding } from "./understanding.ts";

/** A file on the disk, or on its way there. */
export type SentFile = {
  readonly path: string;
  /** Whose share of the bounds it takes. */
  readonly token_id: string;
  /** What it has, or is said to have once it has arrived. */
  bytes: number;
  /** What of it has arrived. */
  arrived: number;
  /** The number of the request that may write to it: a later one takes its place. */
  turn: number;
  /** The write that is under way. */
  writing: Promise<void>;
};

const note_schema = z.strictObject({
  id: z.uuid(),
  project_id: z.string(),
  token_id: z.string(),
  user_id: z.string().nullable(),
  name: z.string(),
  bytes: z.int().min(1).max(import_limits.file_bytes),
  created_us: z.int(),
});

/** What is kept beside a file, for the next process. */
export type FileNote = z.output<typeof note_schema>;

/** A file that a process before took, and when it last got any bytes. */
export type RestoredFile = {
  readonly note: FileNote;
  readonly file: SentFile;
  readonly changed_ms: number;
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

  /** Takes over what a process before left: files with a note. Anything else is removed. */
  async restore(): Promise<readonly RestoredFile[]> {
    const { path } = this.#parts;
    const entries = await Array.fromAsync(Deno.readDir(path)).catch((error) => {
      ignoreMissing(error);
      return [];
    });
    const restored: RestoredFile[] = [];
    for (const { name } of entries) {
      const found = name.endsWith(note_end) ? await this.#restoreOne(name) : undefined;
      if (found !== undefined) restored.push(found);
    }
    const known = new Set(restored.flatMap(({ note: { id } }) => [id, `${id}${note_end}`]));
    for (const { name } of entries) {
      if (!known.has(name)) await Deno.remove(`${path}/${name}`, { recursive: true });
    }
    return restored.toSorted((a, b) => a.note.created_us - b.note.created_us);
  }

  async #restoreOne(name: string): Promise<RestoredFile | undefined> {
    try {
      const text = await Deno.readTextFile(`${this.#parts.path}/${name}`);
      const note = note_schema.parse(JSON.parse(text));
      const path = `${this.#parts.path}/${note.id}`;
      const { size, mtime } = await Deno.stat(path);
      if (name !== `${note.id}${note_end}` || size > note.bytes) return undefined;
      const file = { ...newFile(path, note), arrived: size };
      this.#files.add(file);
      return { note, file, changed_ms: mtime?.getTime() ?? 0 };
    } catch {
      // Not whole, or without its file: it is removed.
      return undefined;
    }
  }

  /**
   * Writes a file as it arrives; the body is the first part of it where `is_part`, and may be
   * empty. Throws a `Fault`: too_many where its token has too many or too large ones, unavailable
   * where all have, or the disk is full, invalid where it is empty.
   */
  async keep(
    { note, is_part }: { readonly note: FileNote; readonly is_part: boolean },
    body: AsyncIterable<Uint8Array>,
  ): Promise<SentFile> {
    const file = newFile(`${this.#parts.path}/${note.id}`, note);
    this.#files.add(file);
    try {
      this.#requireShare(file);
      await this.#requireRoom(note.bytes);
      await Deno.mkdir(this.#parts.path, { recursive: true, mode: 0o700 });
      await Deno.writeFile(file.path, new Uint8Array(), { createNew: true, mode: 0o600 });
      if (is_part) await noteBeside(file, note);
      await this.#write(file, body, { turn: file.turn, is_part });
      if (is_part) return file;
      if (file.arrived === 0) {
        throw new Fault("invalid", "the body is empty: send the bytes of a file");
      }
      file.bytes = file.arrived;
      await noteBeside(file, { ...note, bytes: file.arrived });
      return file;
    } catch (error) {
      await this.remove(file);
      throw refusalOf(error);
    }
  }

  /**
   * Writes more of a file as it arrives; what arrives stays, however this ends. A request before
   * that is still under way writes no more. Throws a `Fault` (conflict) where another part comes
   * next, and as `keep` does.
   */
  async append(file: SentFile, offset: number, body: AsyncIterable<Uint8Array>): Promise<void> {
    const turn = ++file.turn;
    await file.writing.catch(() => {});
    if (offset !== file.arrived) {
      throw new Fault(
        "conflict",
        `${file.arrived} of ${file.bytes} bytes have arrived: go on with offset=${file.arrived}`,
      );
    }
    try {
      await this.#write(file, body, { turn, is_part: true });
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async remove(file: SentFile): Promise<void> {
    this.#files.delete(file);
    file.turn++;
    await Deno.remove(`${file.path}${note_end}`).catch(ignoreMissing);
    await Deno.remove(file.path).catch(ignoreMissing);
  }

  async #write(
    file: SentFile,
    body: AsyncIterable<Uint8Array>,
    { turn, is_part }: { readonly turn: number; readonly is_part: boolean },
  ): Promise<void> {
    using out = await Deno.open(file.path, { write: true });
    await out.seek(file.arrived, Deno.SeekMode.Start);
    let looked = file.arrived;
    try {
      for await (const part of body) {
        if (file.turn !== turn) {
          throw new Fault("conflict", "another request goes on with this file, or it was removed");
        }
        const arrived = file.arrived + part.length;
        if (arrived > file.bytes) {
          if (is_part) throw new Fault("invalid", `the file is to have ${file.bytes} bytes`);
          file.bytes = arrived;
          this.#requireShare(file);
        }
        if (arrived > looked) {
          looked = arrived + import_limits.room_step_bytes;
          await this.#requireRoom(import_limits.room_step_bytes);
        }
        await (file.writing = writePart(out, { file, part }));
      }
    } finally {
      await out.syncData();
    }
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

const note_end = ".json";

function newFile(path: string, { token_id, bytes }: FileNote): SentFile {
  return { path, token_id, bytes, arrived: 0, turn: 0, writing: Promise.resolve() };
}

function noteBeside({ path }: SentFile, note: FileNote): Promise<void> {
  return replaceFile(`${path}${note_end}`, JSON.stringify(note));
}

async function writePart(
  out: Deno.FsFile,
  { file, part }: { readonly file: SentFile; readonly part: Uint8Array },
): Promise<void> {
  for (let at = 0; at < part.length;) {
    const written = await out.write(part.subarray(at));
    at += written;
    file.arrived += written;
  }
}

/** What a sender is told of an error: a full disk is no fault of ours. */
function refusalOf(error: unknown): unknown {
  return error instanceof Error && "code" in error && error.code === "ENOSPC" ? noRoom() : error;
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

/** How a file is to be read. */
export type ImportWay = TableSettings & {
  readonly format?: ImportFormat;
  readonly lane?: IngestLane;
};

/** A file and what became of it so far. */
export type SentImport = {
  readonly id: string;
  readonly project_id: string;
  /** The name that its sender gave. */
  readonly name: string;
  readonly bytes: number;
  /** Those at the service: fewer while it is being sent. */
  readonly arrived_bytes: number;
  readonly user_id: string | null;
  readonly created_us: number;
  readonly state: ImportState;
  /** Of the file that is read, 0 to 1. */
  readonly share: number;
  readonly way: ImportWay;
  /** Why it was refused, failed or was cancelled, and the settings that a refusal asks for. */
  readonly detail: string | null;
  /** The same as a name with values, of a refusal that has one. */
  readonly refusal: Told | null;
  readonly asked: readonly string[];
  readonly understood: ShownUnderstanding | null;
  readonly report: ImportReport | null;
  /** Whether every value is stored, or was left out on purpose. */
  readonly is_whole: boolean;
};

/** The same within the bounds of an answer; `more_columns` says how many there are beside. */
export type ShownUnderstanding = Understanding & { readonly more_columns: number };

/** A file of which nothing is known yet. */
export function newInfo(
  { bytes, arrived_bytes, ...own }: Pick<
    SentImport,
    "id" | "project_id" | "name" | "user_id" | "bytes" | "arrived_bytes" | "created_us"
  >,
): SentImport {
  return {
    ...{ ...own, bytes, ...arrival(bytes, arrived_bytes) },
    ...{
      way: {},
      detail: null,
      refusal: null,
      asked: [],
      understood: null,
      report: null,
      is_whole: false,
    },
  };
}

/** What is with a file of which so much has arrived. */
export function arrival(bytes: number, arrived_bytes: number) {
  const is_here = arrived_bytes === bytes;
  const state: ImportState = is_here ? "sent" : "sending";
  return { state, arrived_bytes, share: is_here ? 0 : arrived_bytes / bytes };
}

/** What was understood, within the bounds of an answer. */
export function shortened(understood: Understanding): ShownUnderstanding {
  const { columns, left_out, excess, proposed } = understood;
  const { shown_columns } = import_limits;
  const tags = Object.entries(proposed.tags ?? {}).slice(0, shown_columns);
  return {
    ...understood,
    columns: columns.slice(0, shown_columns),
    more_columns: Math.max(0, columns.length - shown_columns),
    left_out: left_out.slice(0, shown_columns),
    excess: excess.slice(0, shown_columns),
    proposed: { ...proposed, tags: Object.fromEntries(tags) },
  };
}
