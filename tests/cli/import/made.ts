// What files of portals and loggers are made of: rows of numbers at times on a clock.

/** An export, and what an import of it must give: values and their sum, or a refusal. */
export type Export = {
  readonly kind: string;
  readonly content: Uint8Array;
  readonly args: readonly string[];
  readonly wanted:
    | {
      readonly values: number;
      readonly sum: number;
      /** Texts beside the values. */
      readonly texts?: number;
      readonly tags: number;
      /** Times of the first and the last value, UTC. */
      readonly from: string;
      readonly to: string;
    }
    | RegExp;
};

/** A row's time on its clock, and a number for each column. */
export type Plan = { readonly begin: string; readonly step_s: number; readonly rows: number };

export type Made = {
  readonly times: readonly Temporal.PlainDateTime[];
  readonly cells: readonly (readonly number[])[];
};

export const pad = (value: number, width = 2) => String(value).padStart(width, "0");
export const german = (value: number, digits: number) =>
  value.toLocaleString("de-DE", { minimumFractionDigits: digits, maximumFractionDigits: digits });
export const american = (value: number, digits: number) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Rows of `columns` numbers with two decimals that differ all over the file. */
export function make({ begin, step_s, rows }: Plan, columns: number): Made {
  const start = Temporal.PlainDateTime.from(begin);
  return {
    times: Array.from({ length: rows }, (_, i) => start.add({ seconds: i * step_s })),
    cells: Array.from(
      { length: rows },
      (_, row) =>
        Array.from(
          { length: columns },
          (_, column) => (row * 12_347 + column * 991) % 250_000 / 100,
        ),
    ),
  };
}

/** What must come of numbers at times on the clock of a zone. */
export function wanted({ times, cells }: Made, zone: string, tags = cells[0].length) {
  const at = (time: Temporal.PlainDateTime) =>
    time.toZonedDateTime(zone).toInstant().toString().replace(/\.0+Z$/, "Z");
  const sum = cells.flat().reduce((a, b) => a + b, 0);
  return { values: cells.flat().length, sum, tags, from: at(times[0]), to: at(times.at(-1)!) };
}

export const day_first = (t: Temporal.PlainDateTime) => `${pad(t.day)}.${pad(t.month)}.${t.year}`;
export const month_first = (t: Temporal.PlainDateTime) => `${pad(t.month)}/${pad(t.day)}/${t.year}`;
export const clock = (t: Temporal.PlainDateTime) => `${pad(t.hour)}:${pad(t.minute)}`;
export const iso = (t: Temporal.PlainDateTime) => `${t.toPlainDate()} ${clock(t)}:${pad(t.second)}`;

export const quarter_hours = { begin: "2026-04-28T00:00:00", step_s: 900, rows: 300 };
export const minutes = { begin: "2026-05-03T00:00:00", step_s: 60, rows: 600 };
export const denver = "America/Denver";

/** Lines of a file from its rows. */
export function lines(
  head: readonly string[],
  { times, cells }: Made,
  row: (time: Temporal.PlainDateTime, cells: readonly number[], i: number) => string,
): string {
  return [...head, ...times.map((time, i) => row(time, cells[i], i)), ""].join("\r\n");
}
