// From bytes to rows of cells: the character between cells, and how many a row has.
import { counted } from "../../base/count.ts";
import { concat, textOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { nearest } from "../../base/did_you_mean.ts";
import { CellScanner } from "./cells.ts";
import { table_limits } from "./limits.ts";
import type { Source, TableOptions } from "./options.ts";
import { importRefusal } from "./refusal.ts";

/** A row of a table; `line` is the number of its first line. */
export type Row = { readonly line: number; readonly cells: readonly string[] };

/** The first rows of a file as a table. */
export type Table = {
  readonly delimiter: string;
  /** Cells of a row. */
  readonly width: number;
  /** Those of the first lines that have a cell for each column, headers first. */
  readonly rows: readonly Row[];
  /** Reads on to the end of the head: all its rows. */
  readonly all: () => readonly Row[];
  /** Whether the head is all of the file. */
  readonly complete: boolean;
};

/** The first bytes of a file; whole lines, where these are not all it has. */
export type Head = { readonly bytes: Uint8Array; readonly complete: boolean };

const delimiters = [",", ";", "\t", "|"];
const space = 0x20;
const feed = 0x0a;
/** Annotations of InfluxDB above its columns. */
const annotation = /^#(group|datatype|default)$/;

/** Reads the first lines. One beyond `table_limits.line_bytes` is a `Fault` (invalid). */
export async function readHead(source: Source): Promise<Head> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let feeds = 0;
  for await (const part of source(0)) {
    parts.push(part.slice());
    size += part.length;
    if (part.includes(feed)) feeds++;
    if (size > table_limits.head_bytes && feeds > 0) {
      const bytes = concat(parts);
      return { bytes: bytes.subarray(0, bytes.lastIndexOf(feed) + 1), complete: false };
    }
    if (size > table_limits.head_bytes + table_limits.line_bytes) {
      throw new Fault("invalid", `line 1 is over ${table_limits.line_bytes} bytes`);
    }
  }
  const whole = concat(parts);
  const ended = whole.at(-1) === feed;
  return { bytes: ended ? whole : concat([whole, Uint8Array.of(feed)]), complete: true };
}

/** The first line of a head, without its end. */
export function firstLine({ bytes }: Head): string {
  return textOf(bytes.subarray(0, bytes.indexOf(feed))).replace(/\r$/, "").replace(/^\ufeff/, "");
}

/** A file's head as a table; `hasTime` says whether rows of cells hold a column of times. */
export function tableOf(
  head: Head,
  options: TableOptions,
  hasTime: (rows: readonly Row[]) => boolean,
): Table {
  const [, said] = /^"?sep=(.)"?$/i.exec(firstLine(head)) ?? [];
  const skipped = Math.max(options.skip_rows ?? 0, said === undefined ? 0 : 1);
  const own = options.delimiter ?? said;
  if (own !== undefined && !/^[\t -!#-~]$/.test(own)) {
    throw new Fault(
      "invalid",
      `${
        JSON.stringify(own)
      } can't be between cells: say one character of ASCII with --delimiter, ` +
        "such as ; or \\t for a tab",
    );
  }
  const tables = (own === undefined ? delimiters : [own])
    .map((delimiter) => cut(head, delimiter, skipped))
    .filter(({ width }) => width > 1)
    .toSorted((a, b) => b.rows.length - a.rows.length || b.width - a.width);
  const found = tables.find(({ rows }) => hasTime(rows)) ?? tables[0];
  if (found) return found;
  const has_rows = rowsOf(head, { delimiter: ",", skipped, most: 1 }).length > 0;
  if (has_rows) {
    throw importRefusal(
      "the rows have one column only: say what is between cells with --delimiter",
      { name: "one_column", values: {} },
    );
  }
  throw new Fault(
    "invalid",
    head.bytes.some((byte) => byte > space)
      ? `no row is left behind what --skip-rows leaves out, ${counted(skipped, "line")}`
      : "the file has no header row: it is empty",
  );
}

function cut(head: Head, delimiter: string, skipped: number): Table {
  const first = rowsOf(head, { delimiter, skipped, most: table_limits.head_rows });
  const width = usualWidth(first);
  const fitting = (rows: readonly Row[]) =>
    rows.map((row) => ({ ...row, cells: fitted(row.cells, width) }))
      .filter(({ cells }) => cells.length === width);
  return {
    ...{ delimiter, width, complete: head.complete },
    rows: fitting(first),
    all: () => fitting(rowsOf(head, { delimiter, skipped, most: Infinity })),
  };
}

/** The rows of a head that hold anything, up to a quote that is closed nowhere in it. */
function rowsOf(
  { bytes }: Head,
  { delimiter, skipped, most }: {
    readonly delimiter: string;
    readonly skipped: number;
    readonly most: number;
  },
): Row[] {
  const scanner = new CellScanner(delimiter);
  const rows: Row[] = [];
  let line = 1;
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (; line <= skipped && at < bytes.length; line++) {
    const end = bytes.indexOf(feed, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  while (at < bytes.length && rows.length < most) {
    at = scanner.scan(bytes, at);
    if (at < 0) break;
    if (!scanner.blank && !annotation.test(scanner.text(0))) {
      rows.push({ line, cells: scanner.texts });
    }
    line += scanner.feeds;
  }
  return rows;
}

/** The most frequent number of cells; a delimiter may stand behind the last one. */
function usualWidth(rows: readonly Row[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [[width = 0] = []] = [...counts].toSorted(([a, m], [b, n]) => n - m || b - a);
  const last_is_empty = rows.every(({ cells }) => cells.length < width || cells[width - 1] === "");
  return last_is_empty && width > 2 ? width - 1 : width;
}

/** Without empty cells behind the last column. */
function fitted(cells: readonly string[], width: number): readonly string[] {
  if (cells.length <= width || cells.slice(width).some((it) => it !== "")) return cells;
  return cells.slice(0, width);
}

/** The place of a column by its name or, where none has it, its number from 1. */
export function columnAt(names: readonly string[], wanted: string): number {
  const at = names.indexOf(wanted);
  if (at >= 0) return at;
  const small = names.findIndex((name) => name.toLowerCase() === wanted.toLowerCase());
  if (small >= 0) return small;
  if (/^\d+$/.test(wanted) && Number(wanted) >= 1 && Number(wanted) <= names.length) {
    return Number(wanted) - 1;
  }
  throw noColumn(wanted, names);
}

/** Throws a `Fault` (invalid) where a tag is said of a column that is not there. */
export function requireColumns(
  names: readonly string[],
  tags: ReadonlyMap<string, string | false> = new Map(),
): void {
  for (const [name, tag] of tags) {
    if (tag !== false && !names.includes(name)) throw noColumn(name, names);
  }
}

function noColumn(wanted: string, names: readonly string[]): Fault {
  const meant = nearest(wanted, names);
  const known = names.filter((it) => it !== "").slice(0, 10).join(", ");
  const help = meant ? `meant ${meant}?` : `it has ${known}`;
  return new Fault("invalid", `no column ${wanted}: ${help}`);
}
