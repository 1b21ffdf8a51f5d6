// Which columns of a table say a row's time, found by what is in them, and how they write it.
import { Fault } from "../../base/fault.ts";
import { isNumberLike } from "./number.ts";
import type { TableOptions } from "./options.ts";
import { columnAt, type Row, type Table } from "./table.ts";
import { announcedForm, detectTimeForm, isClock, time_forms, type TimeForm } from "./time.ts";
import { importRefusal } from "./refusal.ts";

/** Where a table has its times. */
export type TimeColumns = {
  /** Places of the columns, whose cells are read as one text with spaces between. */
  readonly at: readonly number[];
  readonly form: TimeForm;
  /** Index of the first row that has a time. */
  readonly first: number;
  /** Places of other columns of times, which are not the rows'. */
  readonly others: readonly number[];
};

/** Rows that are looked at to tell what a column holds. */
const looked_rows = 300;
/** A column is of times where so many of its cells are, from the first on. */
const least_share = 0.6;
/** Characters of a time, at most. */
const longest_time = 80;
const text_forms: readonly TimeForm[] = ["iso", "mdy", "dmy", "ymd", "dby"];
const number_forms: readonly TimeForm[] = [
  ...["packed", "epoch_s", "epoch_ms", "epoch_us", "epoch_ns", "excel"] as const,
];
const midnight_before = /[T ]0?0:00(?::00)?(?:\.0+)? (?=\d)/;
const midnight_behind = /[T ]0?0:00(?::00)?(?:\.0+)?$/;
const clock_sign = /\d\s?[:h]\s?\d\d|[T ,]\d{1,2}\.\d\d|\d [AP]M$/;
const time_name = new RegExp(
  "time|date|stamp|^ts$|datum|zeit|uhr|fecha|hora|heure|horodat|data|ora|czas|cas|čas|tid|dato|" +
    "aika|pvm|zaman|tarih|idő|dátum|dată|время|дата|ημερ|ώρα|日|時|时|시간",
  "i",
);
/** Times that are of something else than the row's value. */
const other_name =
  /start|stop|begin|end|until|bis$|updated|created|received|published|import|export/i;
const hour_name = /^(hour|hr|stunde|hora|heure|ora|hh)$/i;
/** Names of the parts of a time, the year first. */
const part_names = [
  /^(year|yr|jahr|año|ano|année|anno|rok|år|yyyy)$/i,
  /^(month|mon|monat|mes|mês|mois|mese|mm)$/i,
  /^(day|monatstag|tag|día|dia|jour|giorno|dd)$/i,
  hour_name,
  /^(minute|min|minuto|mn)$/i,
];
const day_of_year_name = /^(doy|jday|julian|yday|day ?of ?year|day_of_year|dayofyear)$/i;

type FoundColumns = Pick<TimeColumns, "at" | "others"> & {
  readonly form?: TimeForm;
  /** Whether each column of times has values of its own behind it. */
  readonly is_paired?: boolean;
};

/** The columns of times among `rows`, headers first; undefined where nothing says so. */
export function findTimeColumns(
  rows: readonly Row[],
  { time_columns: wanted, time_form }: Pick<TableOptions, "time_columns" | "time_form">,
): FoundColumns | undefined {
  const looked = rows.slice(0, looked_rows);
  const columns = (looked[0]?.cells ?? []).map((_, at) => kindOfColumn(looked, at));
  const withKind = (kind: TimeKind) => columns.flatMap((it, at) => it === kind ? [at] : []);
  const [full, dates, clocks] = [withKind("full"), withKind("date"), withKind("clock")];
  const half = columns.indexOf("half");
  const found = (own: readonly number[]) => {
    const at = half < 0 || own.includes(half) ? own : [...own, half];
    const alike = full.length > 0 ? full : dates;
    const others = alike.filter((it) => !at.includes(it));
    const spans = [at[0], ...others].map((it) => ({
      at: it,
      next: it + (clocks.includes(it + 1) ? 2 : 1),
    }));
    const is_paired = wanted === undefined && isPaired(looked, spans);
    return { at, others, is_paired };
  };
  if (wanted !== undefined) return found(wantedColumns(rows, wanted));
  const preferred = bestOf(full, looked);
  if (preferred !== undefined) {
    const behind = clocks.find((at) => at > preferred);
    const is_date = looked.every(({ cells }) => midnightOrNone(cells[preferred]));
    return found(behind !== undefined && is_date ? [preferred, behind] : [preferred]);
  }
  const date = bestOf(dates, looked);
  if (date !== undefined) {
    const clock = clocks.find((at) => at > date) ?? clocks[0] ?? hourColumn(looked);
    return found(clock === undefined ? [date] : [date, clock]);
  }
  return partColumns(looked, clocks) ?? numberColumn(looked, time_form);
}

/** Reads the times of found columns: their form, and which row is the first that has one. */
export function readTimeColumns(table: Table, options: TableOptions): TimeColumns {
  const { rows } = table;
  const found = findTimeColumns(rows, options);
  if (found === undefined) {
    if (!rows.slice(1).some(({ cells }) => cells.some(isNumberLike))) throw noRows();
    throw noTime(rows);
  }
  const { at, others } = found;
  if (found.is_paired) {
    const names = [at[0], ...others].map((it) => rows[0].cells[it] || `column ${it + 1}`);
    throw importRefusal(
      `several columns are times of the values behind them, ${names.join(", ")}: say with ` +
        "--time-column which one is the time of all, or cut the file into one table for each",
      { name: "times_paired", values: { names: names.join(", ") } },
    );
  }
  const texts = rows.map((row) => timeOfRow(row, at));
  const likely = texts.filter((it) => /\d/.test(it));
  if (likely.length === 0) throw new Fault("invalid", "the file has no row with a time");
  const form = options.time_form ?? found.form ?? announced(rows, at) ??
    detectTimeForm(timed(texts), {
      complete: table.complete,
      more: () => timed(table.all().map((row) => timeOfRow(row, at))),
    });
  const first = texts.findIndex((it) => time_forms[form].read(it) !== undefined);
  if (first >= 0) {
    refuseSpoilt(rows.slice(0, first), { at, form });
    return { at, form, first, others };
  }
  const { example } = time_forms[form];
  const shown = JSON.stringify(likely.at(-1)?.slice(0, 40));
  const hint = options.time_form ? ": leave out --time-format, and it is found" : "";
  throw new Fault(
    "invalid",
    `no time is of the form ${form} (${example}), such as ${shown}${hint}`,
  );
}

/** What is said of a file that holds nothing. */
export function noRows(): Fault {
  return importRefusal("the file has no row of values: there is nothing to import", {
    name: "no_rows",
    values: {},
  });
}

/** The refusal of a table with no column of times; it shows a value of one that is called so. */
function noTime(rows: readonly Row[]): Fault {
  const [{ cells: names }, ...others] = rows;
  const at = names.findIndex((name) => time_name.test(name) && !other_name.test(name));
  const text = others.map(({ cells }) => cells[at] ?? "").find((it) => /\d/.test(it));
  const help = "say with --time-column which columns are the time, and with --time-format how it " +
    "is written";
  if (text === undefined) {
    return importRefusal(`no known form of time is in any column: ${help}`, {
      name: "no_time",
      values: {},
    });
  }
  const example = JSON.stringify(text.slice(0, 40));
  return importRefusal(
    `${example} in the column ${names[at]} is of no known form, or is no time that exists: ${help}`,
    { name: "time_unknown", values: { example } },
  );
}

/** Refuses a row of values that would pass for a line above the names, for its time is spoilt. */
function refuseSpoilt(
  rows: readonly Row[],
  { at, form }: { readonly at: readonly number[]; readonly form: TimeForm },
): void {
  // A number may end any line.
  if (!text_forms.includes(form)) return;
  const { read } = time_forms[form];
  const found = rows.find((row) => {
    const values = row.cells.filter((cell, place) => cell !== "" && !at.includes(place));
    const text = timeOfRow(row, at).slice(-longest_time);
    const ends = Array.from(text, (_, i) => text.slice(i + 1));
    return values.length > 0 && values.every(isNumberLike) &&
      ends.some((end) => /^\d/.test(end) && read(end) !== undefined);
  });
  if (found === undefined) return;
  const text = JSON.stringify(timeOfRow(found, at).slice(-40));
  throw new Fault(
    "invalid",
    `line ${found.line} is above all times, but its values follow a text that ends with one, ` +
      `${text}: mend it, or leave it out by --skip-rows ${found.line}`,
  );
}

/** A row's time as written: the cells of its columns, a space between them. */
export function timeText(cellAt: (at: number) => string, at: readonly number[]): string {
  if (at.length === 1) return beginOf(cellAt(at[0]));
  // A date that was a time in a spreadsheet has a midnight before the time of day.
  return at.map(cellAt).join(" ").trim().replace(midnight_before, " ");
}

/** From one time to another, in a cell: dates with a time of day, between them a dash. */
const from_to = /^(.*\d:\d\d.*?) +[-–—] +\d+[-/.]\d.*\d:\d\d.*$/;

/** A span of time stands for its begin. */
function beginOf(cell: string): string {
  return cell.length > 24 ? cell.replace(from_to, "$1") : cell;
}

/** The same of a row of texts. */
export function timeOfRow({ cells }: Row, at: readonly number[]): string {
  return timeText((place) => cells[place], at);
}

/** Headers with digits in them are no times in any form: they must not outvote the few rows. */
function timed(all: readonly string[]): readonly string[] {
  const texts = all.filter((it) => /\d/.test(it));
  const forms = Object.values(time_forms);
  const first = texts.findIndex((text) => forms.some(({ read }) => read(text) !== undefined));
  return texts.slice(Math.max(0, first));
}

/** The form that a header says, where most rows have it. */
function announced(rows: readonly Row[], at: readonly number[]): TimeForm | undefined {
  for (const row of rows.slice(0, 20)) {
    const form = announcedForm(timeOfRow(row, at));
    if (form === undefined) continue;
    const others = rows.map((row) => timeOfRow(row, at)).filter((it) => /\d/.test(it));
    const fitting = others.filter((it) => time_forms[form].read(it) !== undefined);
    if (fitting.length > least_share * others.length) return form;
  }
  return undefined;
}

function wantedColumns(rows: readonly Row[], wanted: readonly string[]): readonly number[] {
  // The header is the row that has the most of the names.
  const heads = rows.slice(0, 20).map(({ cells }) => ({
    cells,
    names: wanted.flatMap((it) => cells.includes(it) ? [it] : it.split("+")),
  }));
  const [header] = heads.toSorted((a, b) => count(b) - count(a));
  return (header?.names ?? []).map((name) => columnAt(header.cells, name));
}

function count(
  { cells, names }: { readonly cells: readonly string[]; readonly names: readonly string[] },
): number {
  return names.filter((it) => cells.includes(it)).length;
}

/** Whether each column of times has a value behind it, and other times than the first. */
function isPaired(
  rows: readonly Row[],
  spans: readonly { readonly at: number; readonly next: number }[],
): boolean {
  const [own, ...others] = spans;
  const width = rows[0]?.cells.length ?? 0;
  if (others.length === 0) return false;
  const values = spans.every(({ next }) => next < width && !spans.some(({ at }) => at === next));
  return values &&
    others.some(({ at }) =>
      !rows.slice(0, 20).some(({ cells }) =>
        !/\d{2}/.test(cells[at]) && other_name.test(cells[at])
      ) &&
      rows.some(({ cells }) => /\d{2}/.test(cells[at]) && cells[at] !== cells[own.at])
    );
}

/** `half` is AM or PM. */
type TimeKind = "full" | "date" | "clock" | "half";

/** What most cells of a column are, from the first such cell on. */
function kindOfColumn(rows: readonly Row[], at: number): TimeKind | undefined {
  const kinds = rows.map(({ cells }) => kindOfCell(cells[at] ?? ""));
  for (const kind of ["full", "date", "clock", "half"] as const) {
    const first = kinds.indexOf(kind);
    if (first < 0) continue;
    const filled = kinds.slice(first).filter((it) => it !== "none");
    const fitting = filled.filter((it) => it === kind || kind === "full" && it === "date");
    if (fitting.length >= least_share * filled.length) return kind;
  }
  return undefined;
}

function kindOfCell(cell: string): TimeKind | "none" | "other" {
  if (cell === "") return "none";
  if (/^[ap]\.?m\.?$/i.test(cell)) return "half";
  if (!/\d/.test(cell) || /^-?\d*[.,]?\d*$/.test(cell)) return "other";
  if (isClock(cell)) return "clock";
  const begin = beginOf(cell);
  if (!text_forms.some((form) => time_forms[form].read(begin))) return "other";
  return clock_sign.test(cell) ? "full" : "date";
}

/** Whether a column with such a name holds years. */
export function isYearName(name: string | undefined): boolean {
  return part_names[0].test(name ?? "");
}

/** The row that names a column so. */
function headerWith(rows: readonly Row[], name: RegExp): Row | undefined {
  return rows.slice(0, 20).find(({ cells }) => cells.some((it) => name.test(it)));
}

/** A column that is named so and has whole hours, from 0 or up to 24. */
function hourColumn(rows: readonly Row[]): number | undefined {
  const hour = headerWith(rows, hour_name)?.cells.findIndex((it) => hour_name.test(it));
  if (hour === undefined) return undefined;
  const filled = rows.map(({ cells }) => cells[hour]).filter((it) => /\d/.test(it));
  const whole = filled.filter((it) => /^\d{1,2}$/.test(it) && Number(it) <= 24);
  return filled.length > 0 && whole.length === filled.length ? hour : undefined;
}

function midnightOrNone(cell: string): boolean {
  return !/\d[:.]\d\d/.test(cell) || midnight_behind.test(cell) || !/\d/.test(cell);
}

/** The column that is most likely the rows' own time: by its name, else the first. */
function bestOf(places: readonly number[], rows: readonly Row[]): number | undefined {
  const [best] = places.map((at) => {
    const names = rows.slice(0, 20).map(({ cells }) => cells[at] ?? "");
    const named = names.some((it) => !/\d{2}/.test(it) && time_name.test(it)) ? 2 : 0;
    const own = names.some((it) => /^_?time$|utc/i.test(it)) ? 1 : 0;
    const other = names.some((it) => !/\d{2}/.test(it) && other_name.test(it)) ? -2 : 0;
    return { at, score: named + own + other };
  }).toSorted((a, b) => b.score - a.score || a.at - b.at);
  return best?.at;
}

/** Year and day of the year, or year, month, day and so on, by the names of columns. */
function partColumns(
  rows: readonly Row[],
  clocks: readonly number[],
): ReturnType<typeof findTimeColumns> {
  const header = headerWith(rows, part_names[0]);
  if (header === undefined) return undefined;
  const placeOf = (name: RegExp) => header.cells.findIndex((it) => name.test(it));
  const [year, ...parts] = part_names.map(placeOf);
  const day_of_year = placeOf(day_of_year_name);
  if (day_of_year >= 0) {
    // The time of day stands behind the day: with a colon, or as a number such as 905.
    const behind = clocks[0] ?? clockBehind(header, day_of_year);
    const at = [year, day_of_year, ...behind === undefined ? [] : [behind]];
    return { at, others: [], form: "ydoy" };
  }
  const missing = parts.indexOf(-1);
  const found = missing < 0 ? parts : parts.slice(0, missing);
  if (found.length < 2) return undefined;
  if (found.length === 2 && clocks.length > 0) return undefined;
  return { at: [year, ...found], others: [], form: "parts" };
}

function clockBehind({ cells }: Row, day: number): number | undefined {
  const name = cells[day + 1] ?? "";
  return time_name.test(name) || /^(hhmm|hour.?min.*|[A-Z]{3,4}|lst)$/.test(name)
    ? day + 1
    : undefined;
}

/** A column of numbers that are times: it is named so or the first, and goes one way. */
function numberColumn(
  rows: readonly Row[],
  said: TimeForm | undefined,
): ReturnType<typeof findTimeColumns> {
  const width = rows[0]?.cells.length ?? 0;
  const forms = said === undefined ? number_forms : [said];
  const places = Array.from({ length: width }, (_, at) => at)
    .filter((at) => at === 0 || rows.slice(0, 20).some(({ cells }) => time_name.test(cells[at])))
    .filter((at) => forms.some((form) => areTimes(rows, at, form)));
  const at = bestOf(places, rows);
  return at === undefined ? undefined : { at: [at], others: places.filter((it) => it !== at) };
}

function areTimes(rows: readonly Row[], at: number, form: TimeForm): boolean {
  const filled = rows.map(({ cells }) => cells[at]).filter((it) => it !== "");
  const times = filled.map((it) => time_forms[form].read(it)?.wall_us);
  const from = times.findIndex((it) => it !== undefined);
  if (from < 0) return false;
  const known = times.slice(from).filter((it) => it !== undefined);
  if (known.length < least_share * (times.length - from)) return false;
  const steps = known.slice(1).map((time, i) => time - known[i]);
  return steps.every((step) => step >= 0) || steps.every((step) => step <= 0) ||
    time_name.test(rows[0].cells[at]);
}
