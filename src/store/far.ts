// Samples of old days that lie in Parquet files: which statements reach them, and over which view.
import { Fault } from "../base/fault.ts";
import { dayText } from "../model/time/calendar.ts";
import { statement } from "./statement.ts";

/**
 * Which samples a statement reads: those of a time (`$from_us` to `$to_us`, around `$at_us`, of
 * `$day`, before `$end_day`), those stored since `$since_us`, all, all if `$sql` names them, or
 * only near ones: those of days that lie in no file.
 */
export type Reach = keyof typeof ranges | "near";

/** Days (UTC, since 1970), [from_day, to_day), and from when on their samples were stored. */
export type FarRange = {
  readonly from_day: number;
  readonly to_day: number;
  readonly since_us: number;
};

/** A file and what it has to be. */
export type FarFile = {
  readonly day: number;
  /** Its name in the folder of all of them. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
};

/** How a file is looked at. */
export type FarLook = { readonly by?: "size" | "digest" };

type Values = Readonly<Record<string, unknown>>;

const day_us = 86_400_000_000;
const last_day = 2 ** 31 - 1;

/** Knows the folder of the files, which statements need any of them, and who reads them now. */
export class FarDays {
  readonly folder: string;
  /** Whoever reads files now; each resolves when it is done. */
  readonly #reading = new Set<Promise<void>>();
  /** The files whose bytes were proved, as they were on disk then. */
  readonly #proved = new Map<string, string>();
  #end_day = -Infinity;
  #received_us = -Infinity;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Tells of a day that lies in a file, or is about to. */
  note({ day, last_received_at }: { readonly day: number; readonly last_received_at: number }) {
    this.#end_day = Math.max(this.#end_day, day + 1);
    this.#received_us = Math.max(this.#received_us, last_received_at);
  }

  /** The days of instants (microseconds) that can lie in files. */
  daysOf(instants_us: ArrayLike<number | bigint>): ReadonlySet<number> {
    const days = new Set<number>();
    if (this.#end_day === -Infinity) return days;
    const end_us = this.#end_day * day_us;
    for (let i = 0; i < instants_us.length; i++) {
      const us = Number(instants_us[i]);
      if (us < end_us) days.add(Math.floor(us / day_us));
    }
    return days;
  }

  /** The days in files that a statement may read with its values; undefined for none. */
  rangeOf(reach: Reach | undefined, values: Values = {}): FarRange | undefined {
    if (this.#end_day === -Infinity || reach === undefined || reach === "near") return undefined;
    const range = ranges[reach](values);
    const is_near = range.from_day >= this.#end_day || range.since_us > this.#received_us ||
      range.from_day >= range.to_day;
    return is_near ? undefined : range;
  }

  /** Begins to read files; what it gives ends that. */
  read(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reading.add(promise);
    return () => {
      this.#reading.delete(promise);
      resolve();
    };
  }

  /** Resolves when whoever reads now is done: files that no row names may be removed then. */
  async unread(): Promise<void> {
    await Promise.all(this.#reading);
  }

  pathOf(file: string): string {
    return `${this.folder}/${file}`;
  }

  /** Throws a `Fault` (unavailable) that names the first file that is not as it was made. */
  async require(files: readonly FarFile[], look?: FarLook): Promise<void> {
    for (const file of files) {
      const flaw = await this.flawOf(file, look);
      if (flaw === undefined) continue;
      throw new Fault(
        "unavailable",
        `the samples of ${dayText(file.day)} can't be read, ${file.file} of tier_dir is ${flaw}: ` +
          "put it back, best from a backup",
      );
    }
  }

  /**
   * What is wrong with a file; undefined for nothing. Unless its size is enough, all its bytes are
   * read once, and again when it has changed on disk.
   */
  async flawOf(
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
}

/** The SHA-256 of a file's bytes, in hexadecimal. */
export async function digestOf(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return new Uint8Array(digest).toHex();
}

/** No bound at all. */
export const all_days: FarRange = { from_day: 0, to_day: last_day, since_us: 0 };

const ranges = {
  time: ({ from_us, to_us }: Values) => between(Number(from_us), Number(to_us)),
  around: ({ at_us, look_us }: Values) =>
    between(Number(at_us) - Number(look_us), Number(at_us) + Number(look_us) + 1),
  day: ({ day }: Values) => ({ ...all_days, from_day: Number(day), to_day: Number(day) + 1 }),
  before: ({ end_day }: Values) => ({ ...all_days, to_day: Number(end_day) }),
  stored: ({ since_us }: Values) => ({ ...all_days, since_us: Number(since_us) }),
  named: ({ sql }: Values) => /sample/i.test(String(sql)) ? all_days : { ...all_days, to_day: 0 },
  all: () => all_days,
};

function between(from_us: number, to_us: number): FarRange {
  return {
    ...all_days,
    from_day: Math.max(0, Math.floor(from_us / day_us)),
    to_day: Math.min(last_day, Math.ceil(to_us / day_us)),
  };
}

/** The files of days. */
export const far_list = statement({
  sql: `
    SELECT {row}
    FROM tier_day
    WHERE state = 'moved' AND day >= $from_day AND day < $to_day
      AND last_received_at >= $since_us
    ORDER BY day`,
  parameters: { from_day: "int32", to_day: "int32", since_us: "instant" },
  row: { day: "int32", file: "text", bytes: "int64", sha256: "text" },
});

/** How far files reach, by day and by stamp. */
export const far_find = statement({
  sql: `
    SELECT max(day) AS day, max(last_received_at) AS last_received_at
    FROM tier_day
    WHERE state = 'moved'
    HAVING count(*) > 0`,
  row: { day: "int32", last_received_at: "instant" },
});

/** The name of the database that a connection works on. */
export const catalog_find = statement({
  sql: "SELECT current_database() AS name",
  row: { name: "text" },
});

const view_make = `
  CREATE TEMP VIEW sample AS
  FROM "{catalog}".main.sample UNION ALL FROM read_parquet([{files}])`;

/** Makes `sample` stand for the table and the files together, until `near_view` ends that. */
export function farView(catalog: string, paths: readonly string[]): string {
  const list = paths.map((path) => `'${path.replaceAll("'", "''")}'`).join(", ");
  return view_make.replace("{catalog}", () => catalog).replace("{files}", () => list);
}

/** Ends what `farView` began. */
export const near_view = "DROP VIEW temp.main.sample";
