// Finds out from a historian file's first part how it is laid out: header, columns, form of time.
import { Fault } from "../../base/fault.ts";
import { nearest } from "../../base/did_you_mean.ts";
import { cellsOf, type Line } from "../bytes/delimited.ts";
import type { HistorianOptions } from "./historian.ts";
import { detectTimeForm, time_forms, type TimeForm } from "./time.ts";
import { tagFlaw } from "../samples/tag_index.ts";

/** One column of values. */
export type HistorianColumn = {
  /** Its place in a row, from 0. */
  readonly at: number;
  readonly tag: string;
  readonly unit: string | null;
  readonly kind: "number" | "text";
  /** How far its times lie after the start of what its values are of. */
  readonly shift_us: number;
};

/** How a file is laid out. */
export type Layout = {
  readonly toa5: boolean;
  readonly delimiter: string;
  readonly decimal_comma: boolean;
  /** Cells of the header. */
  readonly width: number;
  /** Places of the time's columns: one, or a date's and a time of day's. */
  readonly time_at: readonly number[];
  readonly form: TimeForm;
  readonly columns: readonly HistorianColumn[];
  /** Number of the first line with values. */
  readonly first_line: number;
  /** The most frequent step between rows. */
  readonly step_us: number;
};

/** A file's first lines; `complete` when they are all it has. */
export type Head = { readonly lines: readonly Line[]; readonly complete: boolean };

const delimiters = [",", ";", "\t", "|"];
const time_names = /time|date|stamp|^ts$/i;
const number_form = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const comma_form = /^[+-]?\d+,\d+$/;
const word_form = /^(true|false)$/i;
/** Rows between a header and the first row with a time that are taken as more header. */
const header_rows = 5;

/** The layout of a file. Throws a `Fault` (invalid) that says what can't be told from it. */
export function layoutOf(head: Head, options: HistorianOptions): Layout {
  const toa5 = /^"?TOA5"?,/.test(head.lines[0]?.text ?? "");
  const header_at = toa5 ? 1 : options.skip_rows ?? 0;
  const header = head.lines[header_at];
  if (header === undefined) throw new Fault("invalid", "the file has no header row");
  const delimiter = options.delimiter ?? (toa5 ? "," : detectDelimiter(head.lines, header_at));
  const names = cellsOf(header.text.replace(/^\ufeff/, ""), delimiter);
  const time_at = timeColumns(names, options.time_column);
  const rows = head.lines.slice(header_at + 1).map((line) => cellsOf(line.text, delimiter));
  const { form, first } = firstRow(rows, { time_at, head, options, skip: toa5 ? 2 : 0 });
  const values = rows.slice(first);
  const [units = [], processing = []] = toa5 ? rows : [];
  const step_us = usualStep(values.map((cells) => timeText(cells, time_at)), form);
  const label = options.label ?? (toa5 ? "toa5" : "start");
  return {
    toa5,
    delimiter,
    decimal_comma: delimiter !== "," && hasDecimalComma(values),
    width: names.length,
    time_at,
    form,
    columns: columnsOf(names, {
      ...{ time_at, units, values, toa5, options },
      shiftOf: (at) => endsInterval(label, processing[at]) ? step_us : 0,
    }),
    first_line: header_at + 2 + first,
    step_us,
  };
}

/** The delimiter that cuts the header and the rows below it into equally many cells. */
function detectDelimiter(lines: readonly Line[], header_at: number): string {
  const [header, ...rows] = lines.slice(header_at, header_at + 20);
  const scores = delimiters.map((delimiter) => {
    const width = cellsOf(header.text, delimiter).length;
    const same = rows.filter((row) => cellsOf(row.text, delimiter).length === width).length;
    return { delimiter, score: width < 2 ? -1 : same * 1000 + width };
  });
  const [best] = scores.toSorted((a, b) => b.score - a.score);
  if (best.score >= 0) return best.delimiter;
  throw new Fault("invalid", "the header row has one column only: is its delimiter another?");
}

/** A row's time as written: its cells, a space between them. */
export function timeText(cells: readonly string[], time_at: readonly number[]): string {
  return time_at.length === 1
    ? cells[time_at[0]] ?? ""
    : time_at.map((at) => cells[at] ?? "").join(" ").trim();
}

function timeColumns(names: readonly string[], wanted: string | undefined): readonly number[] {
  if (wanted === undefined) return usualTimeColumns(names);
  if (names.includes(wanted)) return [names.indexOf(wanted)];
  return wanted.split("+").map((name) => {
    if (names.includes(name)) return names.indexOf(name);
    const meant = nearest(name, names);
    throw new Fault("invalid", `no column ${name}` + (meant ? `; meant ${meant}?` : ""));
  });
}

/** The first column that is called like a time, with the next one where they are date and time. */
function usualTimeColumns(names: readonly string[]): readonly number[] {
  const at = Math.max(0, names.findIndex((name) => time_names.test(name)));
  const split = /^date$/i.test(names[at]) && /^time$/i.test(names[at + 1] ?? "");
  return split ? [at, at + 1] : [at];
}

type RowSearch = {
  readonly time_at: readonly number[];
  readonly head: Head;
  readonly options: HistorianOptions;
  readonly skip: number;
};

/** The form of the times, and which row is the first that has one. */
function firstRow(
  rows: readonly string[][],
  { time_at, head, options, skip }: RowSearch,
): { readonly form: TimeForm; readonly first: number } {
  const texts = rows.slice(skip).map((cells) => timeText(cells, time_at)).filter((it) => it !== "");
  if (texts.length === 0) throw new Fault("invalid", "the file has no row with a time");
  const form = options.time_form ?? detectTimeForm(texts, { complete: head.complete });
  const read = time_forms[form].read;
  const first = rows.findIndex((cells, i) => i >= skip && read(timeText(cells, time_at)));
  if (first < 0) {
    const { example } = time_forms[form];
    throw new Fault("invalid", `no time is of the form ${form} (${example}), such as ${texts[0]}`);
  }
  return { form, first: first > skip + header_rows ? skip : first };
}

/** Whether numbers are written `3,5`: some are, and none `3.5`. */
function hasDecimalComma(rows: readonly string[][]): boolean {
  const cells = rows.slice(0, 1000).flat();
  return cells.some((cell) => comma_form.test(cell)) &&
    !cells.some((it) => /^-?\d+\.\d+$/.test(it));
}

type Naming = {
  readonly time_at: readonly number[];
  readonly units: readonly string[];
  readonly values: readonly string[][];
  readonly toa5: boolean;
  readonly options: HistorianOptions;
  readonly shiftOf: (at: number) => number;
};

/** Whether a column's times end an interval; a logger's table says how it makes the values. */
function endsInterval(label: "start" | "end" | "toa5", processing: string | undefined): boolean {
  return label === "end" || label === "toa5" && processing !== instantaneous;
}

/** What TOA5 says of a column that holds values of the very instant. */
const instantaneous = "Smp";

function columnsOf(names: readonly string[], naming: Naming): readonly HistorianColumn[] {
  const { time_at, units, values, toa5, options, shiftOf } = naming;
  const columns: HistorianColumn[] = [];
  const seen = new Set<string>();
  names.forEach((name, at) => {
    if (time_at.includes(at) || name === "" || toa5 && name === "RECORD") return;
    const tag = `${options.prefix ?? ""}${name}`;
    const flaw = seen.has(tag) ? "is in two columns" : tagFlaw(tag);
    if (flaw) throw new Fault("invalid", `column ${at + 1}: tag ${JSON.stringify(tag)} ${flaw}`);
    seen.add(tag);
    const [unit, kind] = [units[at] || null, kindOf(values, { at, options })];
    columns.push({ at, tag, unit, kind, shift_us: shiftOf(at) });
  });
  if (columns.length === 0) throw new Fault("invalid", "the file has no column but its time");
  return columns;
}

/** A column holds text when it holds some, and no number. */
function kindOf(
  rows: readonly string[][],
  { at, options }: { readonly at: number; readonly options: HistorianOptions },
): "number" | "text" {
  let texts = 0;
  for (const cells of rows) {
    const cell = cells[at] ?? "";
    if (number_form.test(cell) || comma_form.test(cell) || word_form.test(cell)) return "number";
    if (!isNoValue(cell, options)) texts++;
  }
  return texts > 0 ? "text" : "number";
}

const no_value_words = new Set(
  ("|nan|null|none|n/a|na|#n/a|-|--|no data|nodata|bad|bad input|i/o timeout|bad data|inf|-inf|" +
    "+inf|shutdown|pt created|calc failed|not connect|comm fail").split("|"),
);

/** Whether a cell says that there is no value. */
export function isNoValue(cell: string, { no_values }: HistorianOptions): boolean {
  return no_value_words.has(cell.toLowerCase()) || (no_values?.includes(cell) ?? false);
}

function usualStep(texts: readonly string[], form: TimeForm): number {
  const times = texts.map((text) => time_forms[form].read(text)?.wall_us ?? NaN);
  const counts = new Map<number, number>();
  for (let i = 1; i < times.length; i++) {
    const step = times[i] - times[i - 1];
    if (step > 0) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}
