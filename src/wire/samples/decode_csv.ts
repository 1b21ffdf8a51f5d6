// Decodes samples from CSV (RFC 4180) with a header row that names the fields.
import { concat, strictTextOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { body_limits } from "../bytes/limits.ts";
import { nearest } from "../../base/did_you_mean.ts";
import {
  type Decoded,
  type DecodeOptions,
  field,
  field_numbers,
  form,
  row_fields,
  RowTaker,
} from "./row_builder.ts";
import { RowShape } from "./row_shape.ts";

const quote = 0x22;
const comma = 0x2c;
const feed = 0x0a;

/**
 * Rows of a CSV body; a row's line is that of its first field. An empty field without quotes is
 * none. A header that does not fit, an unclosed quote, a row beyond
 * `body_limits.ingest_line_bytes`, or a last row without a line feed that is short of fields is a
 * `Fault` (invalid).
 */
export async function decodeCsv(
  body: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): Promise<Decoded> {
  const rows = new CsvRows(options);
  for await (const chunk of body) rows.push(chunk);
  return rows.finish();
}

/** Finds rows and fields as a body's bytes come in. */
class CsvRows {
  readonly #taker: RowTaker;
  readonly #shape: RowShape;
  #carried: Uint8Array = new Uint8Array(0);
  #header: readonly number[] | undefined;
  #line = 1;
  #feeds = 0;
  /** The fields of the row that is read; the arrays keep what others had behind them. */
  #count = 0;
  #starts: number[] = [];
  #ends: number[] = [];
  #quotes: number[] = [];
  #doubled = false;
  #broken = false;

  constructor(options: DecodeOptions) {
    this.#taker = new RowTaker(options);
    // One without anything is none, but for a text as value that has quotes.
    this.#shape = new RowShape(this.#taker.fields, { least_text: 1 });
  }

  push(chunk: Uint8Array): void {
    const bytes = this.#carried.length === 0 ? chunk : concat([this.#carried, chunk]);
    let start = 0;
    for (;;) {
      start = this.#likeBefore(bytes, start);
      const next = this.#scan(bytes, start);
      if (next < 0) break;
      this.#row(bytes, { start, end: next, ended: true });
      start = next;
    }
    if (bytes.length - start > body_limits.ingest_line_bytes) {
      throw new Fault(
        "invalid",
        `line ${this.#line} is longer than ${body_limits.ingest_line_bytes} bytes: ` +
          "is a quote unclosed?",
      );
    }
    this.#carried = bytes.slice(start);
    this.#forget();
  }

  finish(): Decoded {
    const carried = this.#carried;
    if (carried.length > 0) {
      const next = this.#scan(concat([carried, Uint8Array.of(feed)]), 0);
      if (next < 0) {
        throw new Fault("invalid", `the body broke off in a quoted field of line ${this.#line}`);
      }
      this.#row(carried, { start: 0, end: carried.length, ended: false });
    }
    if (this.#header === undefined) throw new Fault("invalid", "the CSV body has no header row");
    return this.#taker.decoded();
  }

  /** Takes rows from `start` on that are like those before them; where the next one starts. */
  #likeBefore(bytes: Uint8Array, start: number): number {
    const samples = this.#taker.plain;
    const at = { start, line: this.#line };
    if (samples) this.#shape.takeRows(bytes, at, { samples, most: Infinity });
    start = at.start;
    this.#line = at.line;
    for (;;) {
      const end = this.#shape.read(bytes, start);
      if (end < 0 || bytes[end] !== feed || end - start >= body_limits.ingest_line_bytes) {
        return start;
      }
      this.#taker.take(bytes, this.#line++);
      start = end + 1;
    }
  }

  /** Marks the fields of the row at `start`. Where the next row starts, -1 if this is not whole. */
  #scan(bytes: Uint8Array, start: number): number {
    this.#forget();
    let from = start;
    let quotes = 0;
    let blank = true;
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at];
      // A quote opens a field only as its first sign; elsewhere it is a sign like any other.
      if (byte === quote && (blank || quotes > 0)) quotes++;
      if (byte === feed) this.#feeds++;
      else if (!isBlank(byte)) blank = false;
      if ((byte !== comma && byte !== feed) || (quotes & 1) === 1) continue;
      this.#mark(bytes, { from, to: at, quotes });
      from = at + 1;
      quotes = 0;
      blank = true;
      if (byte === feed) return from;
    }
    return -1;
  }

  /** Forgets the marks of a row, or of a part of one, which may be many times its size. */
  #forget(): void {
    if (this.#count > row_fields.length) {
      this.#starts.length = this.#ends.length = this.#quotes.length = row_fields.length;
    }
    this.#count = this.#feeds = 0;
    this.#doubled = this.#broken = false;
  }

  /** Marks one field: trimmed, and inside of its quotes if it has any. */
  #mark(
    bytes: Uint8Array,
    { from, to, quotes }: { readonly from: number; readonly to: number; readonly quotes: number },
  ): void {
    let start = from;
    let end = to;
    while (start < end && isBlank(bytes[start])) start++;
    while (end > start && isBlank(bytes[end - 1])) end--;
    const quoted = quotes > 0 && bytes[end - 1] === quote;
    const i = this.#count++;
    this.#starts[i] = quoted ? start + 1 : start;
    this.#ends[i] = quoted ? end - 1 : end;
    this.#quotes[i] = quotes;
    if (quotes > 0 && !quoted) this.#broken = true;
    if (quotes > 2) this.#doubled = true;
  }

  #row(
    bytes: Uint8Array,
    { start, end, ended }: {
      readonly start: number;
      readonly end: number;
      readonly ended: boolean;
    },
  ): void {
    const line = this.#line;
    this.#line += this.#feeds;
    const blank = this.#count === 1 && this.#starts[0] === this.#ends[0] &&
      this.#quotes[0] === 0;
    if (blank) return;
    if (this.#header === undefined) {
      this.#header = this.#readHeader(bytes);
      return;
    }
    const missing = this.#header.length - this.#count;
    if (missing > 0 && !ended) throw new Fault("invalid", `the body broke off in line ${line}`);
    for (const field of this.#taker.fields) field.form = form.none;
    if (missing !== 0) {
      const hint = missing < 0
        ? "; put a cell with commas in quotes, and write numbers with a decimal point"
        : "";
      const reason = `has ${this.#count} fields, the header ${this.#header.length}${hint}`;
      this.#taker.reject(bytes, line, reason);
    } else if (this.#broken) {
      this.#taker.reject(bytes, line, "has text behind a closing quote");
    } else if (end - start > body_limits.ingest_line_bytes) {
      this.#taker.reject(bytes, line, `is longer than ${body_limits.ingest_line_bytes} bytes`);
    } else {
      this.#give(this.#doubled ? this.#unquote(bytes) : bytes, line);
      if (ended && !this.#doubled) this.#shape.learn(bytes, start, end - 1);
    }
  }

  #give(bytes: Uint8Array, line: number): void {
    const header = this.#header!;
    for (let i = 0; i < header.length; i++) {
      const field = this.#taker.fields[header[i]];
      field.start = this.#starts[i];
      field.end = this.#ends[i];
      field.form = this.#formOf(bytes, header[i], i);
      field.known = 0;
    }
    this.#taker.take(bytes, line);
  }

  #formOf(bytes: Uint8Array, number: number, i: number): number {
    const length = this.#ends[i] - this.#starts[i];
    const is_text = number === field.value_str;
    if (length === 0) return is_text && this.#quotes[i] > 0 ? form.string : form.none;
    if (number !== field.value) {
      return number === field.value_int || number === field.status_code ? form.number : form.string;
    }
    const first = bytes[this.#starts[i]] | 0x20;
    if (length === 4 && first === 0x74) return form.true;
    return length === 5 && first === 0x66 ? form.false : form.number;
  }

  /** The row's fields with doubled quotes made single, in bytes of their own. */
  #unquote(bytes: Uint8Array): Uint8Array {
    const single: number[] = [];
    for (let i = 0; i < this.#count; i++) {
      const start = this.#starts[i];
      this.#starts[i] = single.length;
      for (let at = start; at < this.#ends[i]; at++) {
        single.push(bytes[at]);
        if (bytes[at] === quote && bytes[at + 1] === quote) at++;
      }
      this.#ends[i] = single.length;
    }
    return Uint8Array.from(single);
  }

  #readHeader(bytes: Uint8Array): readonly number[] {
    if (isUtf16(bytes.subarray(this.#starts[0], this.#ends[this.#count - 1]))) {
      throw new Fault("invalid", utf16_hint);
    }
    const numbers = this.#starts.slice(0, this.#count).map((start, i) => {
      const name = strictTextOf(bytes.subarray(start, this.#ends[i]))?.replace(/^\ufeff/, "") ?? "";
      const number = field_numbers.get(name);
      if (number !== undefined) return number;
      const known = nearest(name, row_fields);
      const hint = /[;\t|]/.test(name)
        ? "put commas between cells"
        : known
        ? `did you mean ${known}?`
        : `known are ${row_fields.join(", ")}`;
      throw new Fault(
        "invalid",
        `the first line is the header, whose column ${JSON.stringify(name.slice(0, 40))} is ` +
          `unknown: ${hint}`,
      );
    });
    const twice = numbers.find((number, i) => numbers.indexOf(number) !== i);
    if (twice !== undefined) {
      throw new Fault("invalid", `the header names ${row_fields[twice]} twice`);
    }
    if (!numbers.includes(field.tag) || !numbers.includes(field.ts)) {
      throw new Fault("invalid", "the header must name tag and ts");
    }
    return numbers;
  }
}

/** Whether a header is UTF-16: it begins with a mark of its order, or has letters beside zeros. */
function isUtf16(header: Uint8Array): boolean {
  const [first, second] = header;
  return first === 0xff && second === 0xfe || first === 0xfe && second === 0xff ||
    header.includes(0);
}

const utf16_hint = 'the body is UTF-16, as Excel\'s "Unicode Text" is: send UTF-8 with commas, ' +
  'which Excel saves as "CSV UTF-8"; wattkeeper import takes the file as it is';

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
