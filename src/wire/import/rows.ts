// Reads the rows of a table into batches of samples, from bytes and without a text for each cell.
import { Fault } from "../../base/fault.ts";
import { concat } from "../../base/bytes.ts";
import { numberHint } from "../../model/samples/sample.ts";
import { earliest_us, latest_us } from "../bytes/instant.ts";
import { body_limits } from "../bytes/limits.ts";
import { exact_powers } from "../bytes/number.ts";
import { Rejections } from "../bytes/rejections.ts";
import { type Decoded, textFlaw } from "../samples/row_builder.ts";
import { SampleBatchBuilder } from "../samples/sample_builder.ts";
import { tagFlaw, TagIndex } from "../samples/tag_index.ts";
import { CellScanner } from "./cells.ts";
import type { Layout, TableColumn } from "./layout.ts";
import { plainTrait, readNumber } from "./number.ts";
import { table_limits } from "./limits.ts";
import type { LineStart, Source, TableOptions } from "./options.ts";
import { qualityOfMark } from "./surfrad.ts";
import { timeText } from "./time_columns.ts";
import { time_forms } from "./time.ts";
import { CellWitness, isNoValue } from "./value.ts";
import { type WallMark, WallTime } from "./wall_time.ts";

/** Where to go on reading after everything before it was stored; clocks by key. */
export type TableMark = LineStart & { readonly walls: Readonly<Record<string, WallMark>> };

/** Some rows of a table as samples, and the mark behind them. */
type TablePiece = { readonly decoded: Decoded; readonly mark: TableMark };

/** How a table is read. */
type TableReading = { readonly layout: Layout; readonly options: TableOptions };

/**
 * The rows of a table from a mark on. A row or a cell that can't be taken is rejected with its line
 * and reason. A line beyond `table_limits.line_bytes`, a quote that is never closed, another table
 * behind the first and, at the end, columns that fit two readings are a `Fault` (invalid).
 */
export async function* readTable(
  source: Source,
  reading: TableReading,
  from?: TableMark,
): AsyncGenerator<TablePiece, void> {
  const reader = new TableReader(reading, from);
  for await (const chunk of source(from?.offset ?? 0)) {
    reader.push(chunk);
    while (reader.read()) yield reader.take();
  }
  reader.end();
  while (reader.read()) yield reader.take();
  if (reader.size > 0) yield reader.take();
  if (!from) reader.witness.judge(reading);
}

/** What is known of the rows of one key: its clock, and by column its tag. */
type Keyed = {
  readonly wall: WallTime | undefined;
  readonly tags: (Tag | undefined)[];
};

/** A tag's number in the batch, -1 for one that is left out; or why it is none. */
type Tag = {
  readonly code: number;
  readonly name: string;
  readonly flaw: string | undefined;
  kind: Kind;
};
type Kind = "number" | "text" | undefined;

const feed = 0x0a;

const summer_words = /^(1|true|yes|y|s|dst|summer|sommer|sommerzeit|ja|oui|sí|si)$/i;

class TableReader {
  readonly #layout: Layout;
  readonly #options: TableOptions;
  readonly #keys = new Map<string, Keyed>();
  readonly #scanner: CellScanner;
  readonly #most_us: number;
  /** Numbers that mean no value. */
  readonly #none: ReadonlySet<number>;
  readonly #marks: Readonly<Record<string, WallMark>>;
  readonly #tags = new TagIndex();
  #samples: SampleBatchBuilder;
  #rejections = new Rejections();
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** Of the row that `#at` stands before. */
  #offset: number;
  #line: number;
  #ended = false;
  readonly #names: ReadonlySet<string>;
  /** What the cells show of their columns. */
  readonly witness: CellWitness;
  #time_text = "";
  #time: ReturnType<typeof time_forms.iso.read>;

  constructor({ layout, options }: TableReading, from?: TableMark) {
    this.#layout = layout;
    this.#options = options;
    this.#scanner = new CellScanner(layout.delimiter);
    this.#most_us = Math.max(...layout.columns.map(({ shift_us }) => shift_us));
    const said = (options.no_values ?? []).map((it) => readNumber(it, layout.numbers));
    this.#none = new Set([...said, ...layout.no_values]);
    this.#offset = from?.offset ?? 0;
    this.#line = from?.line ?? 1;
    this.#marks = from?.walls ?? {};
    this.#names = new Set(layout.names);
    const cellAt = (at: number) => ({ line: this.#line, text: this.#scanner.text(at) });
    this.witness = new CellWitness(layout.numbers, cellAt);
    this.#samples = this.#newBatch();
  }

  #newBatch(): SampleBatchBuilder {
    return new SampleBatchBuilder(this.#options.lane ?? "signal", { tags: this.#tags });
  }

  /** Samples and rejections so far. */
  get size(): number {
    return this.#samples.rows + this.#rejections.count;
  }

  /** Adds bytes; all before them were read. */
  push(chunk: Uint8Array): void {
    const left = this.#bytes.subarray(this.#at);
    const { line_bytes } = table_limits;
    if (left.length > line_bytes) {
      throw new Fault(
        "invalid",
        `line ${this.#line} is over ${line_bytes} bytes: is a quote unclosed?`,
      );
    }
    this.#bytes = left.length === 0 ? chunk : concat([left, chunk]);
    this.#at = 0;
  }

  /** There are no more bytes: the last row may have no end. */
  end(): void {
    this.#ended = true;
    if (this.#at < this.#bytes.length) this.push(Uint8Array.of(feed));
  }

  /** Reads whole rows. True when they fill a piece, false when more bytes are wanted. */
  read(): boolean {
    while (this.size < body_limits.import_piece_rows) {
      const next = this.#scanner.scan(this.#bytes, this.#at);
      if (next < 0) {
        if (!this.#ended || this.#at === this.#bytes.length) return false;
        throw new Fault("invalid", `line ${this.#line}: a quote is opened and never closed`);
      }
      if (this.#line >= this.#layout.first_line) {
        this.#row(!this.#ended || next < this.#bytes.length);
      }
      this.#offset += next - this.#at;
      this.#line += this.#scanner.feeds;
      this.#at = next;
    }
    return true;
  }

  /** What was read, and where it ended; then begins anew. */
  take(): TablePiece {
    const batch = this.#samples.build();
    const decoded = {
      batches: batch.rows === 0 ? [] : [batch],
      rejected: this.#rejections.shown,
      rejected_count: this.#rejections.count,
    };
    this.#samples = this.#newBatch();
    this.#rejections = new Rejections();
    const walls = [...this.#keys].flatMap(([key, { wall }]) => wall ? [[key, wall.mark]] : []);
    const mark = {
      offset: this.#offset,
      line: this.#line,
      walls: { ...this.#marks, ...Object.fromEntries(walls) },
    };
    return { decoded, mark };
  }

  /** Takes the row whose cells are marked. */
  #row(ended: boolean): void {
    const { width, time_at, columns, influx, unit_at } = this.#layout;
    if (influx && this.#scanner.text(0).startsWith("#")) return;
    while (this.#scanner.count > width && this.#scanner.isEmpty(this.#scanner.count - 1)) {
      this.#scanner.count--;
    }
    if (this.#scanner.count !== width) return this.#reject(ended);
    if (this.#scanner.broken) return this.#refuse("has text behind a closing quote");
    const text = timeText((at) => this.#scanner.text(at), time_at);
    if (text === "" && this.#scanner.blank) return;
    const keyed = this.#keyOf();
    if (unit_at >= 0) this.witness.noteUnit(keyed, this.#scanner.text(unit_at));
    const ts_us = this.#instantOf(text, keyed);
    if (typeof ts_us === "string") {
      this.#endAtOther();
      return this.#isHeader() ? undefined : this.#refuse(ts_us);
    }
    for (let i = 0; i < columns.length; i++) {
      if (!this.#scanner.isEmpty(columns[i].at)) {
        this.#cell(columns[i], this.#tagOf(keyed, i), ts_us);
      }
    }
  }

  /** A row of another width: nothing where it is empty. */
  #reject(ended: boolean): void {
    if (this.#scanner.blank) return;
    this.#endAtOther();
    const [count, width] = [this.#scanner.count, this.#layout.width];
    const broken = !ended && count < width ? "the file breaks off: " : "";
    this.#refuse(`${broken}${count} cells, the header has ${width}`);
  }

  #refuse(reason: string, tag: string | null = null): void {
    this.#rejections.add({ line: this.#line, tag, reason });
  }

  /** Whether the row says the names again, as files that were put together do. */
  #isHeader(): boolean {
    return this.#layout.names.every((name, at) => this.#scanner.text(at) === name);
  }

  /** Throws where a row begins a table with other columns. */
  #endAtOther(): void {
    const { influx, names, time_at: [time] } = this.#layout;
    const { texts } = this.#scanner;
    const known = texts.filter((it) => it !== "" && this.#names.has(it)).length;
    const is_names = known > 1 || known === 1 && texts[time] === names[time];
    if ((influx ? !texts.includes("_time") : !is_names) || this.#isHeader()) return;
    const cut = `line ${this.#line}: another table with other columns begins. Cut the file there`;
    throw new Fault("invalid", influx ? `${cut}, or query one with group()` : cut);
  }

  /** Microseconds since 1970 UTC, or why the row's time is none. */
  #instantOf(text: string, { wall }: Keyed): number | string {
    const { form, zone, summer_at } = this.#layout;
    if (text !== this.#time_text) {
      this.#time_text = text;
      this.#time = time_forms[form].read(text);
    }
    const written = this.#time;
    if (!written) return `the time is not of the form ${form} (${time_forms[form].example})`;
    const { wall_us, offset_minutes, lettered } = written;
    const by_zone = offset_minutes === null || lettered && zone?.by === "flag";
    const pass = summer_at < 0
      ? undefined
      : summer_words.test(this.#scanner.text(summer_at))
      ? 0
      : 1;
    if (by_zone && !wall) return "the time has no offset from UTC, as the others have";
    const ts_us = by_zone ? wall!.instantOf(wall_us, pass) : wall_us - offset_minutes * 60_000_000;
    if (Number.isNaN(ts_us)) {
      return `the clock of ${zone!.name} skips this time: if the file's clock does not, say its ` +
        "--timezone as an offset, such as -07:00";
    }
    if (ts_us - this.#most_us >= earliest_us && ts_us <= latest_us) return ts_us;
    return "the time lies outside the years 1970 to 2200";
  }

  /** What is known of the row's key. */
  #keyOf(): Keyed {
    const { key_at } = this.#layout;
    const key = key_at.length === 0 ? "" : key_at.map((at) => this.#scanner.text(at)).join("\n");
    const known = this.#keys.get(key);
    if (known) return known;
    if (this.#keys.size >= table_limits.keys) {
      throw new Fault(
        "invalid",
        `line ${this.#line}: more than ${table_limits.keys} devices or keys: say the columns ` +
          "that name them with --key-column",
      );
    }
    const { zone, falling } = this.#layout;
    const mark = this.#marks[key];
    const wall = zone ? new WallTime(zone.name, { mark, falling }) : undefined;
    const keyed = { wall, tags: [] };
    this.#keys.set(key, keyed);
    return keyed;
  }

  #tagOf({ tags }: Keyed, column: number): Tag {
    return tags[column] ??= this.#newTag(this.#layout.columns[column]);
  }

  #newTag({ tag, kind }: TableColumn): Tag {
    const { key_at } = this.#layout;
    if (key_at.length === 0) {
      return { code: this.#samples.tags.codeOf(tag), name: tag, flaw: undefined, kind };
    }
    const own = this.#keyedName(tag);
    const said = this.#options.tags?.get(own);
    if (said === false) return { code: -1, name: own, flaw: undefined, kind };
    const name = said ?? `${this.#options.prefix ?? ""}${own}`;
    const flaw = tagFlaw(name);
    const code = flaw === undefined ? this.#samples.tags.codeOf(name) : -1;
    return { code, name, flaw: flaw && `the tag ${flaw}`, kind: undefined };
  }

  /** A tag of the row's keys; of InfluxDB's as line protocol would name it. */
  #keyedName(tag: string): string {
    const { key_at, names, influx } = this.#layout;
    const keys = key_at.map((at) => ({ name: names[at], text: this.#scanner.text(at) }))
      .filter(({ text }) => text !== "");
    if (!influx) return [...keys.map(({ text }) => text), tag].filter((it) => it !== "").join(".");
    const textOf = (wanted: string) => keys.find(({ name }) => name === wanted)?.text;
    const labels = keys.filter(({ name }) => !name.startsWith("_"))
      .map(({ name, text }) => `${name}=${text}`).sort();
    const series = [textOf("_measurement") ?? "", ...labels].filter((it) => it !== "").join(",");
    return [series, textOf("_field") ?? tag].filter((it) => it !== "").join(".");
  }

  /** Adds a cell's sample, or rejects it. */
  #cell(column: TableColumn, tag: Tag, row_us: number): void {
    if (tag.flaw !== undefined) return this.#refuse(tag.flaw, tag.name.slice(0, 100));
    if (tag.code < 0) return;
    const ts_us = row_us - column.shift_us;
    const before = this.#samples.rows;
    const value = tag.kind === "text" ? NaN : this.#quickNumber(column);
    if (Number.isNaN(value)) this.#slowCell(column, tag, ts_us);
    else this.#addNumber(value, tag, ts_us);
    if (column.mark_at < 0 || this.#samples.rows === before) return;
    this.#samples.quality(qualityOfMark(this.#scanner.text(column.mark_at)));
  }

  /** A plain number, exact as `Number` would read it; NaN for what needs another look. */
  #quickNumber({ at: place, suffix }: TableColumn): number {
    if (suffix !== "") return NaN;
    const bytes = this.#bytes;
    const point = this.#layout.numbers.decimal === "." ? 0x2e : 0x2c;
    const end = this.#scanner.ends[place];
    let at = this.#scanner.starts[place];
    const negative = bytes[at] === 0x2d;
    if (negative) at++;
    if (end - at > 16 || at === end) return NaN;
    let mantissa = 0;
    let decimals = -1;
    let whole = 0;
    for (; at < end; at++) {
      const digit = bytes[at] - 0x30;
      if (digit >= 0 && digit <= 9) {
        mantissa = mantissa * 10 + digit;
        if (decimals >= 0) decimals++;
      } else if (bytes[at] === point && decimals < 0) {
        decimals = 0;
        whole = mantissa;
      } else return NaN;
    }
    if (decimals === 0 || mantissa > Number.MAX_SAFE_INTEGER) return NaN;
    const trait = plainTrait(decimals < 0 ? mantissa : whole, decimals);
    if (decimals > 0 || !negative) this.witness.note(place, trait);
    const value = decimals > 0 ? mantissa / exact_powers[decimals] : mantissa;
    return negative ? -value : value;
  }

  #addNumber(value: number, tag: Tag, ts_us: number): void {
    if (this.#none.has(value)) return;
    tag.kind ??= "number";
    this.#samples.start(tag.code, ts_us, this.#line);
    this.#samples.float(value);
  }

  #slowCell(column: TableColumn, tag: Tag, ts_us: number): void {
    const cell = this.#scanner.text(column.at);
    const { no_values } = this.#options;
    if (no_values?.includes(cell)) return;
    const number = this.#numberOf(cell, column);
    if (tag.kind === "text") {
      if (column.kind === "number" && !Number.isNaN(number)) {
        return this.#refuse("a number, where the tag's first value was a text", tag.name);
      }
      this.witness.noteText(column.at, cell);
      return this.#addText(cell, tag, ts_us);
    }
    if (!Number.isNaN(number)) {
      if (Number.isFinite(number)) return this.#addNumber(number, tag, ts_us);
      return this.#refuse("the number is beyond the range of a double", tag.name);
    }
    if (isNoValue(cell, this.#options)) return;
    const word = cell.toLowerCase();
    if (word === "true" || word === "false") {
      this.#samples.start(tag.code, ts_us, this.#line);
      this.#samples.small(word === "true" ? 1 : 0);
    } else if (tag.kind === undefined) {
      tag.kind = "text";
      this.witness.noteText(column.at, cell);
      this.#addText(cell, tag, ts_us);
    } else this.#refuse(`not a number${numberHint(cell)}`, tag.name);
  }

  #numberOf(cell: string, { at, suffix }: TableColumn): number {
    const bare = suffix !== "" && cell.endsWith(suffix) ? cell.slice(0, -suffix.length) : cell;
    this.witness.noteSign(at, bare);
    return readNumber(bare, this.#layout.numbers);
  }

  #addText(cell: string, tag: Tag, ts_us: number): void {
    const flaw = textFlaw(cell);
    if (flaw) return this.#refuse(`the text ${flaw}`, tag.name);
    this.#samples.start(tag.code, ts_us, this.#line);
    this.#samples.text(cell);
  }
}
