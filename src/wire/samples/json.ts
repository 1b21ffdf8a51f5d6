// Samples as JSON: read from newline-delimited objects or one array of rows, and printed.
import { Fault } from "../../base/fault.ts";
import { body_limits } from "../bytes/limits.ts";
import { isBlank, readElements } from "../json/json_array.ts";
import { readLines } from "../bytes/lines.ts";
import { strictTextOf, utf8 } from "../../base/bytes.ts";
import { nearest } from "../../base/did_you_mean.ts";
import { isValid } from "../../model/data/chunk.ts";
import { type ForecastBatch, quality_names, type SampleBatch } from "../../model/samples/sample.ts";
import { comma, feed, isNumeric, RowShape } from "./row_shape.ts";
import {
  type Decoded,
  type DecodeOptions,
  field_numbers,
  form,
  row_fields,
  RowTaker,
  unescaped,
} from "./row_builder.ts";

const too_long = `is longer than ${body_limits.ingest_line_bytes} bytes`;

/**
 * Rows of a body with one JSON object a line; blank lines are skipped. A last line without a line
 * feed whose object is not finished means that the body broke off: a `Fault` (invalid).
 */
export async function decodeNdjson(
  body: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): Promise<Decoded> {
  const taker = new RowTaker(options);
  const reader = new JsonRowReader(taker, feed);
  await readLines(body, {
    line: (bytes, at) => {
      let start = at.start;
      while (start < at.end && isBlank(bytes[start])) start++;
      if (start === at.end || reader.row(bytes, start, at)) return;
      if (!at.ended) throw new Fault("invalid", `the body broke off in line ${at.line}`);
      taker.reject(bytes, at.line, "is not JSON: the line ends inside its object");
    },
    endOf: (bytes, start) => reader.endOf(bytes, start),
    some: (bytes, at, most) => reader.rows(bytes, at, most),
    tooLong: (line) => taker.rejections.add({ line, tag: null, reason: too_long }),
    meter: options.meter,
  });
  return taker.decoded();
}

/**
 * Rows of a body that is one JSON array of objects; a row's line is its number counted from 1.
 * Anything but one whole array is a `Fault` (invalid).
 */
export async function decodeJsonArray(
  body: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): Promise<Decoded> {
  const taker = new RowTaker(options);
  const reader = new JsonRowReader(taker, comma);
  await readElements(body, {
    some: (bytes, at) => reader.rows(bytes, at, Infinity),
    endOf: (bytes, start) => reader.endOf(bytes, start),
    row: (bytes, at) => {
      if (reader.row(bytes, at.start, at)) return;
      taker.reject(bytes, at.line, "is not JSON: the row ends inside its object");
    },
    tooLong: (line) => taker.rejections.add({ line, tag: null, reason: too_long }),
    row_bytes: body_limits.ingest_line_bytes,
    meter: options.meter,
  });
  return taker.decoded();
}

/** The rows of a batch as NDJSON; its lane goes into the request. */
export function ndjsonOf(batch: SampleBatch | ForecastBatch): Uint8Array<ArrayBuffer> {
  const lines: string[] = [];
  const fieldsOf = batch.lane === "forecast"
    ? (row: number) => ({
      issued_at: isoOf(batch.issued_at[row]),
      value: batch.value[row],
    })
    : (row: number) => sampleFields(batch, row);
  for (let row = 0; row < batch.rows; row++) {
    const key = { tag: batch.tags[batch.tag[row]], ts: isoOf(batch.ts[row]) };
    lines.push(`${JSON.stringify({ ...key, ...fieldsOf(row) })}\n`);
  }
  return utf8(lines.join(""));
}

function sampleFields(batch: SampleBatch, row: number): object {
  const quality = batch.quality[row];
  return {
    ...valueOf(batch, row),
    ...(quality < quality_names.length ? { quality: quality_names[quality] } : {}),
    ...(isValid(batch.status_valid, row) ? { status_code: batch.status_code[row] } : {}),
  };
}

function valueOf(batch: SampleBatch, row: number): object {
  if (isValid(batch.int_valid, row)) return { value_int: String(batch.value_int[row]) };
  const text = batch.value_str.get(row);
  if (text !== undefined) return { value_str: text };
  return Number.isNaN(batch.value[row]) ? {} : { value: batch.value[row] };
}

/** `2026-11-21T05:00:00.123456Z`. */
function isoOf(us: bigint): string {
  const iso = new Date(Number(us / 1000n)).toISOString();
  return `${iso.slice(0, -1)}${String(us % 1000n).padStart(3, "0")}Z`;
}

/** Why a scan stopped early: the text ended inside the object, or it is no row. */
type Stop = "ended" | { readonly flaw: string };

const key_bytes = [...field_numbers].map(([name, number]) => ({
  number,
  bytes: new TextEncoder().encode(name),
}));
const keys_by_length = Array.from(
  { length: 12 },
  (_, length) => key_bytes.filter((key) => key.bytes.length === length),
);

/**
 * Scans flat JSON objects (RFC 8259) into a taker, by one pass over their bytes: it marks where the
 * known fields of a row lie, and makes no objects.
 */
class JsonRowReader {
  readonly #taker: RowTaker;
  readonly #shape: RowShape;
  readonly #between: number;
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  #at = 0;
  #escaped = false;
  /** The place that was looked at last, and where the row ends whose fields are marked there. */
  #ahead: Uint8Array = this.#bytes;
  #ahead_start = -1;
  #ahead_end = -1;

  /** `between`: the byte between rows. */
  constructor(taker: RowTaker, between: number) {
    this.#taker = taker;
    this.#shape = new RowShape(taker.fields, { between });
    this.#between = between;
  }

  /** Takes rows that are much like the one before, up to `most`; moves `at` behind them. */
  rows(bytes: Uint8Array, at: { start: number; line: number }, most: number): void {
    const samples = this.#taker.plain;
    if (samples) this.#shape.takeRows(bytes, at, { samples, most });
  }

  /** Where the row ends that begins at `start`, if it is like the one before it; else -1. */
  endOf(bytes: Uint8Array, start: number): number {
    if (start !== this.#ahead_start || bytes !== this.#ahead) {
      this.#ahead_end = this.#shape.read(bytes, start);
      this.#ahead_start = start;
      this.#ahead = bytes;
    }
    return this.#ahead_end;
  }

  /**
   * Takes or rejects the object in `bytes[start, end)`. False when the text ends inside of it,
   * which is for the caller to judge: the row is neither taken nor rejected then.
   */
  row(
    bytes: Uint8Array,
    start: number,
    { end, line }: { readonly end: number; readonly line: number },
  ): boolean {
    const is_like = this.endOf(bytes, start) === end;
    this.#ahead_start = -1;
    if (is_like) {
      this.#taker.take(bytes, line);
      return true;
    }
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    for (const field of this.#taker.fields) field.form = form.none;
    const stop = this.#object();
    if (stop === "ended") return false;
    if (stop === undefined) {
      this.#shape.learn(bytes, start, end);
      this.#taker.take(bytes, line);
    } else this.#taker.reject(bytes, line, stop.flaw);
    return true;
  }

  #object(): Stop | undefined {
    const first = this.#next();
    if (first !== 0x7b) return { flaw: this.#noObject(first) };
    this.#at++;
    let seen = 0;
    let byte = this.#next();
    if (byte === 0x7d) return this.#after();
    for (;;) {
      if (byte !== 0x22) return this.#unexpected();
      const key_start = ++this.#at;
      const key_stop = this.#string();
      if (key_stop !== undefined) return key_stop;
      const number = this.#key(key_start, this.#at - 1);
      if (typeof number !== "number") return number;
      if ((seen & (1 << number)) !== 0) return { flaw: `has ${row_fields[number]} twice` };
      seen |= 1 << number;
      if (this.#next() !== 0x3a) return this.#unexpected();
      this.#at++;
      const value_stop = this.#value(number);
      if (value_stop !== undefined) return value_stop;
      byte = this.#next();
      if (byte === 0x7d) return this.#after();
      if (byte !== 0x2c) return this.#unexpected();
      this.#at++;
      byte = this.#next();
    }
  }

  /** What is told of a row that begins with something else. */
  #noObject(first: number): string {
    if (first < 0) return "is empty: there is a comma too many";
    const is_array = first === 0x5b && this.#between === feed;
    return `must be a JSON object${is_array ? ": send an array of them as application/json" : ""}`;
  }

  /** What stands behind the object's last brace must be blank. */
  #after(): Stop | undefined {
    this.#at++;
    return this.#next() < 0 ? undefined : { flaw: "has text after its JSON object" };
  }

  /** The next byte that is not blank, left unread; -1 at the end. */
  #next(): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
        this.#at = at;
        return byte;
      }
    }
    this.#at = at;
    return -1;
  }

  /** Reads on behind the closing quote of the string whose first byte is next. */
  #string(): Stop | undefined {
    const bytes = this.#bytes;
    const end = this.#end;
    this.#escaped = false;
    for (let at = this.#at; at < end; at++) {
      const byte = bytes[at];
      if (byte === 0x22) {
        this.#at = at + 1;
        return undefined;
      }
      if (byte === 0x5c) {
        this.#escaped = true;
        at++;
      } else if (byte < 0x20) {
        return { flaw: "is not JSON: a control character in a text" };
      }
    }
    return "ended";
  }

  /** The field that the key in `[start, end)` names. */
  #key(start: number, end: number): number | Stop {
    const bytes = this.#bytes;
    const length = end - start;
    if (length < keys_by_length.length && !this.#escaped) {
      for (const key of keys_by_length[length]) {
        let i = 0;
        while (i < length && bytes[start + i] === key.bytes[i]) i++;
        if (i === length) return key.number;
      }
    }
    const text = strictTextOf(bytes.subarray(start - 1, end + 1));
    const name = text === undefined ? undefined : unescaped(text);
    if (name === undefined) return { flaw: "is not JSON: a key that is not valid text" };
    const number = field_numbers.get(name);
    if (number !== undefined) return number;
    const known = nearest(name, row_fields);
    const hint = known === undefined ? `known: ${row_fields.join(", ")}` : `did you mean ${known}?`;
    return { flaw: `has an unknown field ${JSON.stringify(name.slice(0, 40))}: ${hint}` };
  }

  #value(number: number): Stop | undefined {
    const byte = this.#next();
    const start = this.#at;
    if (byte === 0x22) {
      this.#at++;
      const stop = this.#string();
      if (stop !== undefined) return stop;
      if (this.#escaped) this.#mark(number, form.escaped, start);
      else this.#markInside(number, start);
      return undefined;
    }
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      while (this.#at < this.#end && isNumeric(this.#bytes[this.#at])) this.#at++;
      this.#mark(number, form.number, start);
      return undefined;
    }
    if (byte === 0x74) return this.#word("true", number, form.true);
    if (byte === 0x66) return this.#word("false", number, form.false);
    if (byte === 0x6e) return this.#word("null", number, form.none);
    if (byte === 0x7b || byte === 0x5b) {
      return { flaw: `${row_fields[number]} must not be an object or a list` };
    }
    return this.#unexpected();
  }

  #word(word: string, number: number, kind: number): Stop | undefined {
    const start = this.#at;
    for (let i = 0; i < word.length; i++, this.#at++) {
      if (this.#at === this.#end) return "ended";
      if (this.#bytes[this.#at] !== word.charCodeAt(i)) return this.#unexpected();
    }
    this.#mark(number, kind, start);
    return undefined;
  }

  #mark(number: number, kind: number, start: number): void {
    const field = this.#taker.fields[number];
    field.form = kind;
    field.start = start;
    field.end = this.#at;
    field.known = 0;
  }

  /** Marks a string without escapes by what is inside its quotes. */
  #markInside(number: number, start: number): void {
    const field = this.#taker.fields[number];
    field.form = form.string;
    field.start = start + 1;
    field.end = this.#at - 1;
    field.known = 0;
  }

  #unexpected(): Stop {
    if (this.#at >= this.#end) return "ended";
    const byte = this.#bytes[this.#at];
    const shown = byte > 0x20 && byte < 0x7f ? ` ${String.fromCharCode(byte)}` : "";
    return { flaw: `is not JSON: unexpected${shown} (byte 0x${byte.toString(16)})` };
  }
}
