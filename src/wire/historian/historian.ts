// Reads wide historian files (a column of times, a column for each tag) into batches of samples.
import { body_limits } from "../bytes/limits.ts";
import type { TagLane } from "../../model/plant/plant.ts";
import { cellsOf, type Line, linesOf, type LineStart } from "../bytes/delimited.ts";
import {
  type Head,
  type HistorianColumn,
  isNoValue,
  type Layout,
  layoutOf,
  timeText,
} from "./head.ts";
import { time_forms, type TimeForm } from "./time.ts";
import { earliest_us, latest_us } from "../bytes/instant.ts";
import { numberHint } from "../../model/samples/sample.ts";
import { Rejections } from "../bytes/rejections.ts";
import { type Decoded, textFlaw } from "../samples/row_builder.ts";
import { SampleBatchBuilder } from "../samples/sample_builder.ts";
import { type WallMark, WallTime } from "./wall_time.ts";

/** What a person can say about a file; what is left out is found out. */
export type HistorianOptions = {
  /** Its name, or `Date+Time` for two. */
  readonly time_column?: string;
  readonly time_form?: TimeForm;
  /** Zone of times without an offset: an IANA name or a fixed offset. */
  readonly timezone: string;
  readonly delimiter?: string;
  /** Lines before the header row. */
  readonly skip_rows?: number;
  /** Put before each column's name to make its tag. */
  readonly prefix?: string;
  /** More texts that mean no value. */
  readonly no_values?: readonly string[];
  /**
   * `end`: times mark a row's end and are moved back by the usual step between rows. By default
   * that is so in TOA5, but for its columns of instantaneous samples.
   */
  readonly label?: "start" | "end";
  readonly lane?: TagLane;
};

/** Gives a file's bytes from an offset on. */
export type Source = (offset: number) => AsyncIterable<Uint8Array>;

/** Where to go on reading after everything before it was stored. */
type HistorianMark = LineStart & { readonly wall: WallMark };

/** Some rows of a file as samples, and the mark behind them. */
type HistorianPiece = { readonly decoded: Decoded; readonly mark: HistorianMark };

/** A file that is ready to be read. */
type Historian = {
  readonly layout: Layout;
  readonly pieces: (from?: HistorianMark) => AsyncGenerator<HistorianPiece, void>;
};

/**
 * Reads the head of a file and gives its layout and its rows. A row or a cell that can't be taken
 * is rejected with its line and reason; a file that makes no sense is a `Fault` (invalid).
 */
export async function openHistorian(source: Source, options: HistorianOptions): Promise<Historian> {
  const layout = layoutOf(await headOf(source), options);
  return { layout, pieces: (from) => piecesOf({ source, layout, options }, from) };
}

type Reading = {
  readonly source: Source;
  readonly layout: Layout;
  readonly options: HistorianOptions;
};

async function headOf(source: Source): Promise<Head> {
  const lines: Line[] = [];
  for await (const line of linesOf(source(0))) {
    if (line.next > body_limits.historian_head_bytes && lines.length > 0) {
      return { lines, complete: false };
    }
    lines.push(line);
  }
  return { lines, complete: true };
}

async function* piecesOf(
  { source, layout, options }: Reading,
  from?: HistorianMark,
): AsyncGenerator<HistorianPiece, void> {
  const wall = new WallTime(options.timezone, from?.wall);
  let rows = new RowReader(layout, options, wall);
  let mark: HistorianMark | undefined;
  for await (const line of linesOf(source(from?.offset ?? 0), from)) {
    if (line.number < layout.first_line || line.text.trim() === "") continue;
    rows.take(line);
    mark = { offset: line.next, line: line.number + 1, wall: wall.mark };
    if (rows.size < body_limits.import_piece_rows) continue;
    yield { decoded: rows.decoded(), mark };
    rows = new RowReader(layout, options, wall);
    mark = undefined;
  }
  if (mark) yield { decoded: rows.decoded(), mark };
}

/** Takes rows into one batch. */
class RowReader {
  readonly #layout: Layout;
  readonly #options: HistorianOptions;
  readonly #wall: WallTime;
  readonly #samples: SampleBatchBuilder;
  readonly #rejections = new Rejections();
  readonly #codes: readonly number[];
  readonly #most_us: number;

  constructor(layout: Layout, options: HistorianOptions, wall: WallTime) {
    this.#layout = layout;
    this.#options = options;
    this.#wall = wall;
    this.#samples = new SampleBatchBuilder(options.lane ?? "signal");
    this.#codes = layout.columns.map(({ tag }) => this.#samples.tags.codeOf(tag));
    this.#most_us = Math.max(...layout.columns.map(({ shift_us }) => shift_us));
  }

  /** Samples and rejections so far. */
  get size(): number {
    return this.#samples.rows + this.#rejections.count;
  }

  decoded(): Decoded {
    const batch = this.#samples.build();
    return {
      batches: batch.rows === 0 ? [] : [batch],
      rejected: this.#rejections.shown,
      rejected_count: this.#rejections.count,
    };
  }

  take({ text, number, ended }: Line): void {
    const { delimiter, width, time_at, columns } = this.#layout;
    const cells = cellsOf(text, delimiter);
    // A delimiter may stand behind the last cell.
    if (cells.length === width + 1 && cells[width] === "") cells.pop();
    if (cells.length !== width) {
      const broken = !ended && cells.length < width ? "the file breaks off: " : "";
      this.#reject(number, `${broken}${cells.length} cells, the header has ${width}`);
      return;
    }
    const ts_us = this.#instantOf(timeText(cells, time_at));
    if (typeof ts_us === "string") return this.#reject(number, ts_us);
    columns.forEach((column, i) => {
      const cell = cells[column.at];
      const place = { code: this.#codes[i], ts_us: ts_us - column.shift_us, number };
      const flaw = cell === "" ? null : this.#add(cell, column, place);
      if (flaw) this.#rejections.add({ line: number, tag: column.tag, reason: flaw });
    });
  }

  #reject(line: number, reason: string): void {
    this.#rejections.add({ line, tag: null, reason });
  }

  /** Microseconds since 1970 UTC, or why the row's time is none. */
  #instantOf(text: string): number | string {
    const { form } = this.#layout;
    const written = time_forms[form].read(text);
    if (!written) return `the time is not of the form ${form} (${time_forms[form].example})`;
    const { wall_us, offset_minutes } = written;
    const ts_us = offset_minutes === null
      ? this.#wall.instantOf(wall_us)
      : wall_us - offset_minutes * 60_000_000;
    if (Number.isNaN(ts_us)) return `the clock of ${this.#options.timezone} skips this time`;
    if (ts_us - this.#most_us >= earliest_us && ts_us <= latest_us) return ts_us;
    return "the time lies outside the years 1970 to 2200";
  }

  /** Adds a cell's sample; what is wrong with the cell, or null. */
  #add(cell: string, { kind }: HistorianColumn, at: Place): string | null {
    if (kind === "number") return this.#addNumber(cell, at);
    // Among texts a word like "shutdown" may well be a value.
    if (isNamed(cell, this.#options)) return null;
    const flaw = textFlaw(cell);
    if (flaw) return `the text ${flaw}`;
    this.#start(at);
    this.#samples.text(cell);
    return null;
  }

  #addNumber(cell: string, at: Place): string | null {
    const { toa5, decimal_comma } = this.#layout;
    const value = numberOf(decimal_comma ? cell.replace(",", ".") : cell);
    if (Number.isNaN(value)) return this.#addWord(cell, at);
    if (!Number.isFinite(value)) return "the number is beyond the range of a double";
    if (toa5 && value === logger_no_value || isNamed(cell, this.#options)) return null;
    this.#start(at);
    this.#samples.float(value);
    return null;
  }

  #addWord(cell: string, at: Place): string | null {
    if (isNoValue(cell, this.#options)) return null;
    const word = cell.toLowerCase();
    if (word !== "true" && word !== "false") return `not a number${numberHint(cell)}`;
    this.#start(at);
    this.#samples.small(word === "true" ? 1 : 0);
    return null;
  }

  #start({ code, ts_us, number }: Place): void {
    this.#samples.start(code, ts_us, number);
  }
}

type Place = { readonly code: number; readonly ts_us: number; readonly number: number };

/** What Campbell's loggers write for a value that is none, beside NAN. */
const logger_no_value = -999;

function isNamed(cell: string, { no_values }: HistorianOptions): boolean {
  return no_values !== undefined && no_values.includes(cell);
}

/** A decimal number, or NaN; JavaScript's other notations are none. */
function numberOf(cell: string): number {
  const last = cell.charCodeAt(cell.length - 1);
  if (!(last >= 0x30 && last <= 0x39 || last === 0x2e)) return NaN;
  const second = cell.charCodeAt(1) | 0x20;
  return second === 0x78 || second === 0x62 || second === 0x6f ? NaN : Number(cell);
}
