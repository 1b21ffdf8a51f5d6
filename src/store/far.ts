// Samples of old days that lie elsewhere: which statements reach them, and over which view.
import { Fault } from "../base/fault.ts";
import { halvesOf, int64At } from "../model/data/chunk.ts";
import type { Connection } from "./connection.ts";
import { FarFolder } from "./far_folder.ts";
import { filled, statement } from "./statement.ts";

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

/** A day that lies elsewhere, by its name there, and what it has to be. */
export type FarFile = {
  readonly day: number;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
};

/** How it is looked at: by what is known at once, or by all of it. */
export type FarLook = { readonly by?: "size" | "digest" };

/** A place for old days: a folder of files, or a lake that others read, too. */
export interface FarPlace {
  /** The name of a day there, which no other day, and no other state of this day, ever had. */
  nameOf(day: number, stamp_us: number): string;
  /** Lets connections read it; throws a `Fault` (unavailable) where it does not answer. */
  ready(): Promise<void>;
  /** SQL for a table with the samples of some days, as `sample` has them. */
  tableOf(files: readonly string[]): string;
  /**
   * Stores a day's samples there and proves them, on a connection without a transaction; undefined
   * where they are not those of the database any more.
   */
  put(connection: Connection, day: Pick<FarFile, "day" | "file">): Promise<FarCopy | undefined>;
  /** Removes a day; nothing where there is none. */
  remove(file: string): Promise<void>;
  /** What is wrong with days there, in words, by their names. */
  flawsOf(files: readonly FarFile[], look?: FarLook): Promise<ReadonlyMap<string, string>>;
  /** What a flaw is to who asks: a `Fault` (unavailable). */
  faultOf(file: FarFile, flaw: string): Fault;
  /**
   * Hears that a statement failed that read there, and gives what is to be thrown: the words of
   * what failed may hold a password.
   */
  failed(error: unknown): unknown;
}

/** A place that is reached through the database that its samples come from. */
export interface LakePlace extends FarPlace {
  /** Hears, once, how connections to this database are made, before there is any other. */
  begin(connect: () => Connection): Promise<void>;
  /** Lets go of it until it is needed, unless it answers and somebody reads or stores there. */
  leave(is_read: boolean): Promise<void>;
  /** Puts in order what is there, once in a while. */
  tend(): Promise<void>;
  /** Whether this process has told who reads it without the database which days count. */
  readonly is_sealed: boolean;
  /** Tells them: those that this gives. */
  seal(list: () => Promise<readonly Pick<FarFile, "day" | "file">[]>): Promise<void>;
  /** Tells them that a day counts no more, and only then does what changes it. */
  withdraw<T>(file: string, change: () => Promise<T>): Promise<T>;
}

/** What was stored of a day, and when the last of it was stored in the database. */
export type FarCopy = FarFile & { readonly rows: number; readonly last_received_at: number };

type Values = Readonly<Record<string, unknown>>;

/** How names of days in a lake begin. */
export const lake_prefix = "lake-";

/** Whether a day lies in a lake, by its name. */
export function isInLake(file: string): boolean {
  return file.startsWith(lake_prefix);
}

const day_us = 86_400_000_000;
const last_day = 2 ** 31 - 1;

/** Knows where old days lie, which statements need any of them, and who reads them now. */
export class FarDays {
  readonly #files: FarFolder;
  readonly #lake: LakePlace | undefined;
  /** Whoever reads them now; each resolves when it is done. */
  readonly #reading = new Set<Promise<void>>();
  #end_day = -Infinity;
  #received_us = -Infinity;

  constructor(folder: string, lake?: LakePlace) {
    this.#files = new FarFolder(folder);
    this.#lake = lake;
  }

  /** Where days are moved to. */
  get place(): FarPlace {
    return this.#lake ?? this.#files;
  }

  /** The folder of those in files. */
  get folder(): string {
    return this.#files.folder;
  }

  /** Tells of a day that lies in a file, or is about to. */
  note({ day, last_received_at }: { readonly day: number; readonly last_received_at: number }) {
    this.#end_day = Math.max(this.#end_day, day + 1);
    this.#received_us = Math.max(this.#received_us, last_received_at);
  }

  /** The days of instants (microseconds) that can lie in files. */
  daysOf(instants_us: BigInt64Array): ReadonlySet<number> {
    const days = new Set<number>();
    if (this.#end_day === -Infinity) return days;
    const end_us = this.#end_day * day_us;
    const halves = halvesOf(instants_us);
    for (let i = 0; i < instants_us.length; i++) {
      const us = int64At(halves, i);
      if (us < end_us) days.add(Math.floor(us / day_us));
    }
    return days;
  }

  /** The days of spans of time, [from_us, to_us), that can lie in files. */
  daysIn(
    spans: Iterable<{ readonly from_us: number; readonly to_us: number }>,
  ): ReadonlySet<number> {
    const days = new Set<number>();
    for (const { from_us, to_us } of spans) {
      const { from_day, to_day } = between(from_us, to_us);
      for (let day = from_day; day < Math.min(to_day, this.#end_day); day++) days.add(day);
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

  /** Lets go of the lake, as far as nobody reads it: what asks everything asks the near alone. */
  async leave(): Promise<void> {
    await this.#lake?.leave(this.#reading.size > 0);
  }

  /** Puts the lake in order, once in a while. */
  async tend(): Promise<void> {
    await this.#lake?.tend();
  }

  /** Whether who reads the lake alone was told by this process which days count there. */
  get is_sealed(): boolean {
    return this.#lake?.is_sealed ?? false;
  }

  /** Tells them. */
  async seal(list: () => Promise<readonly FarFile[]>): Promise<void> {
    const inLake = async () => (await list()).filter(({ file }) => isInLake(file));
    await this.#lake?.seal(inLake);
  }

  /** Does what changes a day, once nobody who reads the lake alone is told of it any more. */
  async withdraw<T>(file: string, change: () => Promise<T>): Promise<T> {
    const lake = isInLake(file) ? this.#lake : undefined;
    return await (lake ? lake.withdraw(file, change) : change());
  }

  /** The path of a day in a file. */
  pathOf(file: string): string {
    return this.#files.pathOf(file);
  }

  /** Where a day lies, by its name. */
  placeOf(file: string): FarPlace {
    if (!isInLake(file)) return this.#files;
    if (this.#lake !== undefined) return this.#lake;
    throw new Fault("unavailable", `${file} lies in a lake: say in the setting tier which`);
  }

  /** SQL for a table with the samples of some days, as `sample` has them. */
  tableOf(files: readonly string[]): string {
    return byPlace(files, (file) => file)
      .map((some) => this.placeOf(some[0]).tableOf(some)).join(" UNION ALL FROM ");
  }

  /** Throws a `Fault` (unavailable) that names the first day that can't be read as it was. */
  async require(files: readonly FarFile[], look?: FarLook): Promise<void> {
    for (const some of byPlace(files, ({ file }) => file)) {
      const place = this.placeOf(some[0].file);
      await place.ready();
      const flaws = await place.flawsOf(some, look);
      const flawed = some.find(({ file }) => flaws.has(file));
      if (flawed !== undefined) throw place.faultOf(flawed, flaws.get(flawed.file)!);
    }
  }

  /** What is to be thrown where a statement that read some days failed. */
  async explain(error: unknown, files: readonly FarFile[]): Promise<unknown> {
    const said = byPlace(files, ({ file }) => file)
      .reduce((said, [{ file }]) => this.placeOf(file).failed(said), error);
    return await this.require(files).then(() => said, (fault) => fault);
  }

  /** What is wrong with days, in words, by their names. */
  async flawsOf(files: readonly FarFile[], look?: FarLook): Promise<ReadonlyMap<string, string>> {
    const found: [string, string][] = [];
    for (const some of byPlace(files, ({ file }) => file)) {
      if (isInLake(some[0].file) && this.#lake === undefined) {
        for (const { file } of some) found.push([file, "in a lake that is not set"]);
      } else found.push(...await this.placeOf(some[0].file).flawsOf(some, look));
    }
    return new Map(found);
  }
}

/** What lies in files, and what lies in the lake, where there is any. */
function byPlace<T>(all: readonly T[], nameOf: (one: T) => string): readonly (readonly T[])[] {
  const laid = all.filter((one) => isInLake(nameOf(one)));
  const filed = all.filter((one) => !isInLake(nameOf(one)));
  return [filed, laid].filter((some) => some.length > 0);
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

const view_make = `CREATE TEMP VIEW sample AS FROM "{catalog}".main.sample UNION ALL FROM {far}`;

/** Makes `sample` stand for the table and old days together, until `near_view` ends that. */
export function farView(catalog: string, far: string): string {
  return filled(view_make, { catalog, far });
}

/** Ends what `farView` began. */
export const near_view = "DROP VIEW temp.main.sample";
