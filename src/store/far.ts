// Samples of old days that lie in Parquet files: which statements reach them, and over which view.
import { statement } from "./statement.ts";

/**
 * Which samples a statement reads: those of a time (`$from_us` to `$to_us`, around `$at_us`, of
 * `$day`), those stored since `$since_us`, all, or only near ones: of days that lie in no file.
 */
export type Reach = "time" | "around" | "day" | "stored" | "all" | "near";

/** Days (UTC, since 1970), [from_day, to_day), and from when on their samples were stored. */
export type FarRange = {
  readonly from_day: number;
  readonly to_day: number;
  readonly since_us: number;
};

type Values = Readonly<Record<string, unknown>>;

const day_us = 86_400_000_000;
const last_day = 2 ** 31 - 1;

/** Remembers how far into the present files go, and so which statements need none of them. */
export class FarDays {
  #end_day = -Infinity;
  #received_us = -Infinity;

  /** Tells of a day that lies in a file, or is about to. */
  note({ day, last_received_at }: { readonly day: number; readonly last_received_at: number }) {
    this.#end_day = Math.max(this.#end_day, day + 1);
    this.#received_us = Math.max(this.#received_us, last_received_at);
  }

  /** The instant before which samples can lie in files; -Infinity where there are none. */
  get end_us(): number {
    return this.#end_day * day_us;
  }

  /** The days in files that a statement may read with its values; undefined for none. */
  rangeOf(reach: Reach | undefined, values: Values = {}): FarRange | undefined {
    if (this.#end_day === -Infinity || reach === undefined || reach === "near") return undefined;
    const range = rangeBy[reach](values);
    const is_near = range.from_day >= this.#end_day || range.since_us > this.#received_us ||
      range.from_day >= range.to_day;
    return is_near ? undefined : range;
  }
}

const always: FarRange = { from_day: 0, to_day: last_day, since_us: 0 };

const rangeBy: Readonly<Record<Exclude<Reach, "near">, (values: Values) => FarRange>> = {
  time: ({ from_us, to_us }) => between(Number(from_us), Number(to_us)),
  around: ({ at_us, look_us }) =>
    between(Number(at_us) - Number(look_us), Number(at_us) + Number(look_us) + 1),
  day: ({ day }) => ({ ...always, from_day: Number(day), to_day: Number(day) + 1 }),
  stored: ({ since_us }) => ({ ...always, since_us: Number(since_us) }),
  all: () => always,
};

function between(from_us: number, to_us: number): FarRange {
  return {
    ...always,
    from_day: Math.max(0, Math.floor(from_us / day_us)),
    to_day: Math.min(last_day, Math.ceil(to_us / day_us)),
  };
}

/** The files of days. */
export const far_list = statement({
  sql: `
    SELECT file
    FROM tier_day
    WHERE state = 'moved' AND day >= $from_day AND day < $to_day
      AND last_received_at >= $since_us
    ORDER BY day`,
  parameters: { from_day: "int32", to_day: "int32", since_us: "instant" },
  row: { file: "text" },
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
export function farView(catalog: string, files: readonly string[]): string {
  const list = files.map((file) => `'${file.replaceAll("'", "''")}'`).join(", ");
  return view_make.replace("{catalog}", () => catalog).replace("{files}", () => list);
}

/** Ends what `farView` began. */
export const near_view = "DROP VIEW temp.main.sample";
