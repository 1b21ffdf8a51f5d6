// A folder of Parquet files, one for each old day.
import { Fault } from "../base/fault.ts";
import { dayText } from "../model/time/calendar.ts";
import type { Connection } from "./connection.ts";
import type { FarCopy, FarFile, FarLook, FarPlace } from "./far.ts";
import { proveCopy } from "./far_proof.ts";
import { filled, quoted } from "./statement.ts";

const day_copy = `
  COPY (
    FROM sample
    WHERE ts >= {day} * 86400000000 AND ts < ({day} + 1) * 86400000000
    ORDER BY ts, tag_no
  ) TO {path} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`;

/** Old days in files; the database knows each, and no other is touched. */
export class FarFolder implements FarPlace {
  readonly folder: string;
  /** The files whose bytes were proved, as they were on disk then. */
  readonly #proved = new Map<string, string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  pathOf(file: string): string {
    return `${this.folder}/${file}`;
  }

  nameOf(day: number, stamp_us: number): string {
    return `samples-${dayText(day)}-${stamp_us}.parquet`;
  }

  async ready(): Promise<void> {}

  tableOf(files: readonly string[]): string {
    const list = files.map((file) => quoted(this.pathOf(file)));
    return `read_parquet([${list.join(", ")}])`;
  }

  async put(
    connection: Connection,
    { day, file }: Pick<FarFile, "day" | "file">,
  ): Promise<FarCopy | undefined> {
    await Deno.mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = this.pathOf(file);
    // The database leaves its mode alone then.
    (await Deno.open(path, { write: true, createNew: true, mode: 0o600 })).close();
    await connection.script(filled(day_copy, { day, path: quoted(path) }));
    await syncFile(path);
    const proof = await proveCopy(connection, { day, table: this.tableOf([file]) });
    if (proof === undefined) return undefined;
    const { size: bytes } = await Deno.stat(path);
    return { day, file, bytes, sha256: await digestOf(path), ...proof };
  }

  async remove(file: string): Promise<void> {
    await Deno.remove(this.pathOf(file)).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }

  /** Unless its size is enough, all bytes are read once, and again when it has changed on disk. */
  async flawsOf(files: readonly FarFile[], look?: FarLook): Promise<ReadonlyMap<string, string>> {
    const flaws = new Map<string, string>();
    for (const file of files) {
      const flaw = await this.#flawOf(file, look);
      if (flaw !== undefined) flaws.set(file.file, flaw);
    }
    return flaws;
  }

  async #flawOf(
    { file, bytes, sha256 }: FarFile,
    { by = "digest" }: FarLook = {},
  ): Promise<"missing" | "damaged" | "unreadable" | undefined> {
    const path = this.pathOf(file);
    try {
      const { size, mtime, ino } = await Deno.stat(path);
      if (size !== bytes) return "damaged";
      const seen = [mtime?.getTime(), ino].join();
      if (by === "size" || this.#proved.get(file) === seen) return undefined;
      if (await digestOf(path) !== sha256) return "damaged";
      this.#proved.set(file, seen);
    } catch (error) {
      return error instanceof Deno.errors.NotFound ? "missing" : "unreadable";
    }
  }

  faultOf({ day, file }: FarFile, flaw: string): Fault {
    return new Fault(
      "unavailable",
      `the samples of ${dayText(day)} can't be read, ${file} of tier_dir is ${flaw}: ` +
        "put it back, best from a backup",
    );
  }

  failed(error: unknown): unknown {
    return error;
  }
}

/** The SHA-256 of a file's bytes, in hexadecimal. */
export async function digestOf(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return new Uint8Array(digest).toHex();
}

/** When this resolves, a file and its name are on disk. */
async function syncFile(path: string): Promise<void> {
  for (const it of [path, path.slice(0, path.lastIndexOf("/"))]) {
    using file = await Deno.open(it);
    await file.sync();
  }
}
