// The shape of a row as text: the rows of a body are alike, but for their texts and numbers.
import { body_limits } from "../bytes/limits.ts";
import { instantAt } from "../bytes/instant.ts";
import { exact_powers } from "../bytes/number.ts";
import { field as named, form, qualityAt, type RowField } from "./row_builder.ts";
import type { SampleBatchBuilder } from "./sample_builder.ts";
import type { BodyTags } from "./tag_index.ts";

/** A value of a row, and what stood there in the row before. */
type Part = {
  /** The field whose value it is, and how that is written. */
  readonly number: number;
  readonly form: number;
  /** Of a text, whether a quote ends it; else that is the end of a cell. */
  readonly is_quoted: boolean;
  /** So many bytes stand before the value, in every row. */
  readonly before: number;
  /** What the text is known by: a new number for each that is not that of the row before. */
  known: number;
  /** These bytes, and behind them the value, if it is a text. */
  run: DataView<ArrayBuffer>;
  length: number;
};

/** The quality of a row that says none. */
const none_said = 255;

/** Rows in a run that are of another shape, before theirs is learnt. */
const most_others = 8;

/** Signs between rows: of lines, and of a JSON array. */
export const [feed, comma] = [0x0a, 0x2c];
const [blank, quote] = [0x20, 0x22];
const [minus, point, zero] = [0x2d, 0x2e, 0x30];

/** A row that is a sample of a float and nothing more but a quality. */
const plain_forms: ReadonlyMap<number, number> = new Map([
  [named.tag, form.string],
  [named.ts, form.string],
  [named.value, form.number],
  [named.quality, form.string],
]);

/**
 * Reads rows that differ from the last one in texts and numbers only. Of a text, which mostly
 * begins as it did in the row before, only what is another is looked at.
 */
export class RowShape {
  readonly #fields: readonly RowField[];
  #parts: readonly Part[] = [];
  /** What stands behind the last value. */
  #after: Pick<Part, "run" | "length"> = runOf(new Uint8Array(0), 0, 0);
  #others = most_others;
  #known = 0;
  /** Whether rows of this shape may be taken many at a time, and what was read of one. */
  #is_plain = false;
  #value = NaN;
  #ts_us = NaN;
  #ts_known = 0;
  #quality = none_said;
  #quality_known = 0;
  readonly #least_text: number;
  readonly #between: number;
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);

  /** Texts of less than `least_text` bytes are not for here. `between`: the byte between rows. */
  constructor(
    fields: readonly RowField[],
    { least_text = 0, between = feed }: {
      readonly least_text?: number;
      readonly between?: number;
    } = {},
  ) {
    this.#fields = fields;
    this.#least_text = least_text;
    this.#between = between;
  }

  /**
   * Marks the fields of the row that begins at `start`, and gives where it ends. -1 where it is of
   * another shape, or not whole; the marks are then those of no row.
   */
  read(bytes: Uint8Array, start: number): number {
    if (this.#parts.length === 0) return -1;
    this.#lookAt(bytes);
    const end = this.#mark(start);
    this.#others = end < 0 ? this.#others + 1 : 0;
    return end;
  }

  /** Takes the shape of the row `bytes[start, end)`, whose fields are marked, if that pays. */
  learn(bytes: Uint8Array, start: number, end: number): void {
    if (this.#parts.length > 0 && this.#others <= most_others) return;
    const marked = this.#fields.map((field, number) => ({ field, number }))
      .filter(({ field }) => field.form !== form.none)
      .sort((a, b) => a.field.start - b.field.start);
    if (!marked.every(({ field }) => field.form === form.number || field.form === form.string)) {
      return;
    }
    let at = start;
    this.#parts = marked.map(({ field, number }) => {
      const before = runOf(bytes, at, field.start);
      at = field.end;
      const is_quoted = bytes[at] === quote;
      return { number, form: field.form, is_quoted, known: 0, before: before.length, ...before };
    });
    this.#after = runOf(bytes, at, end);
    this.#is_plain =
      [named.tag, named.ts, named.value].every((number) =>
        this.#fields[number].form === plain_forms.get(number)
      ) && marked.every(({ field, number }) => field.form === plain_forms.get(number));
    this.#quality = none_said;
  }

  /**
   * Takes rows from `at.start` on, up to `most` of them, as long as each is of this shape, plain,
   * and of the tag that came next before. `at` is then that of the first row that is none, or is
   * not whole: it is for the one who takes row by row, who does with these what is done here.
   */
  takeRows(
    bytes: Uint8Array,
    at: { start: number; line: number },
    { samples, most }: { readonly samples: SampleBatchBuilder; readonly most: number },
  ): void {
    const room = this.#is_plain ? Math.min(most, samples.left) : 0;
    if (room === 0) return;
    this.#lookAt(bytes);
    const into = samples.plain(room);
    const between = this.#between;
    let row = into.at;
    for (const last = row + room; row < last; row++) {
      const end = this.#plainRow(at.start, samples.tags);
      if (end < 0 || bytes[end] !== between) break;
      if (end - at.start > body_limits.ingest_line_bytes) break;
      into.tag[row] = samples.tags.takeNext();
      into.line[row] = at.line++;
      into.ts.setNumber(row, this.#ts_us);
      into.value[row] = this.#value;
      into.quality[row] = this.#quality;
      at.start = end + 1;
    }
    if (row > into.at) this.#others = 0;
    samples.took(row - into.at);
  }

  /** Reads a plain row; where it ends, or -1 where it is for the other way. */
  #plainRow(start: number, tags: BodyTags): number {
    const view = this.#view;
    let at = start;
    for (const part of this.#parts) {
      if (part.number === named.ts || part.number === named.quality) {
        at = this.#plainText(part, at);
      } else {
        if (!holdRun(view, at, { run: part.run, length: part.before })) return -1;
        at += part.before;
        if (part.number === named.value) at = this.#plainNumber(at);
        else {
          const length = tags.nextAt(view, at, part.is_quoted);
          at = length < 0 ? -1 : at + length;
        }
      }
      if (at < 0) return -1;
    }
    return holdRun(view, at, this.#after) ? at + this.#after.length : -1;
  }

  /** Where the text of a time or a quality ends, which is read where it is another; else -1. */
  #plainText(part: Part, at: number): number {
    const is_ts = part.number === named.ts;
    const ends = part.is_quoted ? ends_text : ends_cell;
    let end = at + part.length;
    const is_known = part.known === (is_ts ? this.#ts_known : this.#quality_known) &&
      holdRun(this.#view, at, part) && ends[this.#bytes[end]] === 1;
    if (!is_known) {
      const same = sameBytes(this.#view, at, part);
      if (same < part.before) return -1;
      const field = this.#fields[part.number];
      field.start = at + part.before;
      end = field.end = this.#text(part, { at, same, field });
      if (end < 0) return -1;
      if (is_ts) {
        this.#ts_us = instantAt(this.#bytes, field);
        this.#ts_known = part.known;
      } else {
        this.#quality = qualityAt(this.#bytes, field) ?? none_said;
        this.#quality_known = part.known;
      }
    }
    const is_read = is_ts ? !Number.isNaN(this.#ts_us) : this.#quality !== none_said;
    return is_read ? end : -1;
  }

  /** Where a number of digits and a point ends, which a double has exactly; else -1. */
  #plainNumber(start: number): number {
    const bytes = this.#bytes;
    const first = bytes[start] === minus ? start + 1 : start;
    let at = first;
    let mantissa = 0;
    for (; isDigit(bytes[at]); at++) mantissa = mantissa * 10 + (bytes[at] - zero);
    if (at === first || (at > first + 1 && bytes[first] === zero)) return -1;
    let decimals = 0;
    if (bytes[at] === point) {
      const behind = ++at;
      for (; isDigit(bytes[at]); at++) mantissa = mantissa * 10 + (bytes[at] - zero);
      decimals = at - behind;
      if (decimals === 0) return -1;
    }
    if (decimals >= exact_powers.length || mantissa > Number.MAX_SAFE_INTEGER) return -1;
    if (at === bytes.length || isNumeric(bytes[at])) return -1;
    const value = mantissa / exact_powers[decimals];
    this.#value = first === start ? value : -value;
    return at;
  }

  #lookAt(bytes: Uint8Array): void {
    if (bytes === this.#bytes) return;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  #mark(start: number): number {
    const bytes = this.#bytes;
    for (const field of this.#fields) field.form = form.none;
    let at = start;
    for (const part of this.#parts) {
      const same = sameBytes(this.#view, at, part);
      if (same < part.before) return -1;
      const field = this.#fields[part.number];
      field.form = part.form;
      field.start = at + part.before;
      field.known = 0;
      at = part.form === form.number
        ? numberEnd(bytes, field.start)
        : this.#text(part, { at, same, field });
      if (at < 0) return -1;
      field.end = at;
    }
    const { length } = this.#after;
    return sameBytes(this.#view, at, this.#after) === length ? at + length : -1;
  }

  /** Where a text ends, whose part begins at `at` and of which so many bytes are as before. */
  #text(
    part: Part,
    { at, same, field }: { readonly at: number; readonly same: number; readonly field: RowField },
  ): number {
    const bytes = this.#bytes;
    const ends = part.is_quoted ? ends_text : ends_cell;
    let end = at + same;
    if (same < part.length || ends[bytes[end]] === 0) {
      while (end < bytes.length && ends[bytes[end]] === 0) end++;
      if (end === bytes.length) return -1;
      part.known = ++this.#known;
      keep(part, { bytes, at, same, end });
    }
    field.known = part.known;
    if (end - field.start < this.#least_text) return -1;
    const is_whole = part.is_quoted ? bytes[end] === quote : isTrimmed(bytes, field.start, end);
    return is_whole ? end : -1;
  }
}

function runOf(bytes: Uint8Array, start: number, end: number): Pick<Part, "run" | "length"> {
  const own = bytes.slice(start, end);
  return { run: new DataView(own.buffer), length: own.length };
}

/** What stands in `bytes[at, end)` is what the next row is compared with; `same` of it is known. */
function keep(
  part: Part,
  { bytes, at, same, end }: { bytes: Uint8Array; at: number; same: number; end: number },
): void {
  const length = end - at;
  if (length > part.run.byteLength) {
    const larger = new Uint8Array(2 * length);
    larger.set(new Uint8Array(part.run.buffer, 0, same));
    part.run = new DataView(larger.buffer);
  }
  for (let i = same; i < length; i++) part.run.setUint8(i, bytes[at + i]);
  part.length = length;
}

/** Whether the first `length` bytes of a run are those at `at`, looked at from their end. */
function holdRun(
  view: DataView,
  at: number,
  { run, length }: { readonly run: DataView; readonly length: number },
): boolean {
  if (at + length > view.byteLength) return false;
  let i = length;
  for (; i >= 4; i -= 4) {
    if (view.getInt32(at + i - 4, true) !== run.getInt32(i - 4, true)) return false;
  }
  while (--i >= 0) if (view.getUint8(at + i) !== run.getUint8(i)) return false;
  return true;
}

/** With how many of its bytes a run goes on at `at`. */
function sameBytes(
  view: DataView,
  at: number,
  { run, length }: { readonly run: DataView; readonly length: number },
): number {
  const most = Math.min(length, view.byteLength - at);
  let i = 0;
  while (i + 4 <= most && view.getInt32(at + i, true) === run.getInt32(i, true)) i += 4;
  while (i < most && view.getUint8(at + i) === run.getUint8(i)) i++;
  return i;
}

/** By byte, whether it ends a text or stands in none without an escape. */
const ends_text = Uint8Array.from(
  { length: 256 },
  (_, byte) => Number(byte < 0x20 || byte === quote || byte === 0x5c),
);

/** By byte, whether it ends a cell without quotes, or does not stand in most of them. */
const ends_cell = Uint8Array.from(
  { length: 256 },
  (_, byte) => Number(byte < 0x20 || byte === quote || byte === comma),
);

/** Whether a cell without quotes has no blanks around, which do not belong to it. */
function isTrimmed(bytes: Uint8Array, start: number, end: number): boolean {
  return bytes[start] !== blank && bytes[end - 1] !== blank;
}

/** Where a run of the signs of numbers ends, or -1 where it is none. */
function numberEnd(bytes: Uint8Array, start: number): number {
  if (start === bytes.length) return -1;
  let at = start;
  if (bytes[at] !== minus && !isDigit(bytes[at])) return -1;
  while (at < bytes.length && isNumeric(bytes[at])) at++;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Whether a byte may stand in a number. */
export function isNumeric(byte: number): boolean {
  return isDigit(byte) || byte === point || byte === minus || byte === 0x2b ||
    (byte | 0x20) === 0x65;
}
