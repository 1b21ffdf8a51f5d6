// Decodes samples from InfluxDB line protocol, as a Telegraf sends it: most lines from their bytes.
import { type Meter, unmetered } from "../../base/budget.ts";
import { type Span, strictTextOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { body_limits } from "../bytes/limits.ts";
import { readLines } from "../bytes/lines.ts";
import { asciiAt, exact_powers } from "../bytes/number.ts";
import { Rejections } from "../bytes/rejections.ts";
import {
  broken_off,
  cutHint,
  type LineTimes,
  reachOf,
  readPoint,
  readValue,
  seriesName,
  type StampUnit,
  stampUnit,
} from "./line_text.ts";
import type { Decoded } from "./row_builder.ts";
import { SampleBatchBuilder } from "./sample_builder.ts";
import type { SeriesIndex } from "./series_index.ts";
import type { TagIndex } from "./tag_index.ts";

/** Rows of a line protocol body. A line is taken whole or rejected. */
export async function decodeLines(
  body: AsyncIterable<Uint8Array>,
  options: LineTimes & { readonly meter?: Meter; readonly tags?: TagIndex },
): Promise<Decoded> {
  const { meter = unmetered, tags } = options;
  const builder = new SampleBatchBuilder("signal", { meter, tags });
  const rejections = new Rejections(meter);
  const reader = new LineReader(builder, options);
  await readLines(body, {
    line: (bytes, { start, end, line, ended }) => {
      if (reader.take(bytes, { start, end, line })) return;
      const text = strictTextOf(bytes.subarray(start, end))?.trim();
      if (text === "" || text?.startsWith("#")) return;
      const point = text === undefined ? "is not UTF-8" : readPoint(text, options);
      if (typeof point !== "string") {
        for (const [tag, value] of point.values) {
          builder.add({ line, tag, ts_us: point.ts_us, value });
        }
      } else if (!ended && point === broken_off) {
        throw new Fault("invalid", `the body broke off in line ${line}`);
      } else {
        const hint = point === broken_off ? cutHint(text!) : "";
        rejections.add({ line, tag: null, reason: `${point}${hint}` });
      }
    },
    some: (bytes, at, most) => reader.takeSome(bytes, at, most),
    tooLong: (line) => {
      const reason = `is longer than ${body_limits.ingest_line_bytes} bytes`;
      rejections.add({ line, tag: null, reason });
    },
    meter,
  });
  return {
    batches: builder.rows === 0 ? [] : [builder.build()],
    rejected: rejections.shown,
    rejected_count: rejections.count,
  };
}

/** Fields of a line that is read here at most. */
const most_fields = 1024;

/** So many times at most the short way is passed by after lines that were not for it. */
const most_waits = 64;

const [feed, space, quote, comma, equals, backslash] = [0x0a, 0x20, 0x22, 0x2c, 0x3d, 0x5c];
const [minus, point, i, u] = [0x2d, 0x2e, 0x69, 0x75];

/**
 * Takes the lines that need no more than a look at their bytes: nothing escaped, no text as value,
 * nothing wrong. Any other line it leaves alone, for `readPoint` to judge; what it takes, that
 * would take alike.
 */
class LineReader {
  readonly #builder: SampleBatchBuilder;
  readonly #series: SeriesIndex;
  readonly #now_us: number;
  /** Whether each timestamp tells its own unit. */
  readonly #is_auto: boolean;
  #scale_us = 1;
  #cut = 0;
  readonly #from_us: number;
  readonly #to_us: number;
  readonly #tags = new Int32Array(most_fields);
  readonly #values = new Float64Array(most_fields);
  readonly #whole = new Uint8Array(most_fields);
  #fields = 0;
  #ts_us = NaN;
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);
  /** Where the last line of these bytes ends. */
  #last_feed = -1;
  /** How often in a row the short way was none, and how often it is still passed by. */
  #missed = 0;
  #waits = 0;

  constructor(builder: SampleBatchBuilder, { precision, now_us }: LineTimes) {
    this.#builder = builder;
    this.#series = builder.tags.series;
    this.#now_us = now_us;
    this.#is_auto = precision === "auto";
    this.#use(stampUnit(precision, 0));
    const { from_us, to_us } = reachOf(now_us);
    this.#from_us = from_us;
    this.#to_us = to_us;
  }

  /** Adds the samples of a line; false, and nothing added, where that is not for here. */
  take(bytes: Uint8Array, { start, end, line }: Span & { readonly line: number }): boolean {
    let last = end;
    while (last > start && isBlank(bytes[last - 1])) last--;
    const stamp = this.#readFields(bytes, { start, end: last });
    if (stamp < 0) return false;
    const ts_us = stamp === last ? this.#now_us : this.#stampAt(bytes, { start: stamp, end: last });
    if (Number.isNaN(ts_us)) return false;
    this.#put(ts_us, line);
    return true;
  }

  /**
   * The short way: takes lines from `at` on, up to `most`, as long as their series and fields are
   * those that came next the time before, which are found without a look for where they end. `at`
   * is then that of the first line that is for `take`, or is not whole.
   */
  takeSome(bytes: Uint8Array, at: { start: number; line: number }, most: number): void {
    if (this.#waits > 0) {
      this.#waits--;
      return;
    }
    this.#lookAt(bytes);
    const series = this.#series;
    for (let left = most; left > 0 && at.start < this.#last_feed; left--) {
      series.holdPlace();
      const end = this.#likeBefore(bytes, at.start);
      if (end < 0 || end - at.start > body_limits.ingest_line_bytes) {
        series.goBack();
        this.#missed = Math.min(this.#missed + 1, most_waits);
        this.#waits = this.#missed;
        return;
      }
      this.#put(this.#ts_us, at.line++);
      at.start = end + 1;
      this.#missed = 0;
    }
  }

  /** Reads a line of names that are guessed, and its timestamp; where its feed is, or -1. */
  #likeBefore(bytes: Uint8Array, start: number): number {
    const known = this.#series;
    const length = known.nextAt(this.#view, start);
    if (length < 0 || bytes[start + length] !== space) return -1;
    const series = known.takeNext();
    let at = start + length + 1;
    let field = 0;
    for (;; field++, at++) {
      const length = field === most_fields ? -1 : known.nextFieldAt(this.#view, at);
      if (length < 0 || bytes[at + length] !== equals) return -1;
      const code = known.takeNextField(series);
      if (code < 0) return -1;
      this.#tags[field] = code;
      at = this.#readValue(bytes, { start: at + length + 1, end: bytes.length }, field);
      if (at < 0) return -1;
      if (bytes[at] !== comma) break;
    }
    this.#fields = field + 1;
    // Behind the blank that ended the value.
    let end = ++at;
    while (isDigit(bytes[end])) end++;
    if (end === at || bytes[end] !== feed) return -1;
    this.#ts_us = this.#stampAt(bytes, { start: at, end });
    return Number.isNaN(this.#ts_us) ? -1 : end;
  }

  #lookAt(bytes: Uint8Array): void {
    if (bytes === this.#bytes) return;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    // What lies before it is read without a look for the end of the bytes.
    this.#last_feed = bytes.lastIndexOf(feed);
  }

  #put(ts_us: number, line: number): void {
    const builder = this.#builder;
    for (let field = 0, count = this.#fields; field < count; field++) {
      builder.start(this.#tags[field], ts_us, line);
      if (this.#whole[field] === 1) builder.small(this.#values[field]);
      else builder.float(this.#values[field]);
    }
  }

  /** Reads everything before the timestamp; where that begins, the end without one, -1 as above. */
  #readFields(bytes: Uint8Array, { start, end }: Span): number {
    let at = start;
    while (at < end && bytes[at] !== space && bytes[at] !== backslash) at++;
    // A comment, a blank that is none of ours, a line of a series alone.
    if (at === end || bytes[at] !== space || !isPlain(bytes[start])) return -1;
    const tags = this.#builder.tags;
    const series = tags.seriesAt(bytes, { start, end: at }, seriesName);
    if (series === undefined) return -1;
    while (bytes[at] === space) at++;
    for (let field = 0; field < most_fields; field++) {
      const from = at;
      while (at < end && !isStop(bytes[at])) at++;
      if (at === end || bytes[at] !== equals || at === from) return -1;
      const code = tags.fieldAt(series, bytes, { start: from, end: at });
      if (code < 0) return -1;
      this.#tags[field] = code;
      at = this.#readValue(bytes, { start: at + 1, end }, field);
      if (at < 0) return -1;
      if (bytes[at] === comma && at < end) {
        at++;
        continue;
      }
      this.#fields = field + 1;
      while (at < end && bytes[at] === space) at++;
      return at;
    }
    return -1;
  }

  /** Reads a value as that of a field; where it ends, or -1. */
  #readValue(bytes: Uint8Array, { start, end }: Span, field: number): number {
    let at = start;
    const negative = bytes[at] === minus;
    if (negative) at++;
    const first = at;
    let mantissa = 0;
    for (; isDigit(bytes[at]); at++) mantissa = mantissa * 10 + (bytes[at] - 0x30);
    let digits = at - first;
    let decimals = 0;
    let whole = 0;
    if (bytes[at] === point) {
      const behind = ++at;
      for (; isDigit(bytes[at]); at++) mantissa = mantissa * 10 + (bytes[at] - 0x30);
      decimals = at - behind;
      digits += decimals;
    } else if (bytes[at] === i || bytes[at] === u) {
      at++;
      whole = 1;
    }
    const is_exact = digits > 0 && decimals <= 22 && mantissa <= Number.MAX_SAFE_INTEGER;
    if (!is_exact || digits > 20 || (at < end && bytes[at] !== comma && bytes[at] !== space)) {
      return this.#readOther(bytes, { start, end }, field);
    }
    const value = mantissa / exact_powers[decimals];
    this.#values[field] = negative ? -value : value;
    this.#whole[field] = whole;
    return at;
  }

  /** The same for a value of another form: an exponent, a word. */
  #readOther(bytes: Uint8Array, { start, end }: Span, field: number): number {
    let at = start;
    for (; at < end && bytes[at] !== comma && bytes[at] !== space; at++) {
      if (bytes[at] === backslash || bytes[at] === quote) return -1;
    }
    const value = readValue(asciiAt(bytes, { start, end: at }));
    if (typeof value !== "number" && typeof value !== "boolean") return -1;
    this.#values[field] = Number(value);
    this.#whole[field] = typeof value === "boolean" ? 1 : 0;
    return at;
  }

  /** The microseconds that a timestamp says, or NaN where it may say none. */
  #stampAt(bytes: Uint8Array, { start, end }: Span): number {
    if (end - start > 19) return NaN;
    if (this.#is_auto) this.#use(stampUnit("auto", end - start));
    const kept = end - this.#cut;
    // In halves that fit into 32 bits.
    const middle = Math.max(start, kept - 8);
    let [at, high, low] = [start, 0, 0];
    for (; at < middle && isDigit(bytes[at]); at++) high = high * 10 + (bytes[at] - 0x30);
    for (; at < kept && isDigit(bytes[at]); at++) low = low * 10 + (bytes[at] - 0x30);
    while (at < end && isDigit(bytes[at])) at++;
    if (at < end) return NaN;
    const us = (high * 1e8 + low) * this.#scale_us;
    return us >= this.#from_us && us <= this.#to_us ? us : NaN;
  }

  #use({ scale_us, cut }: StampUnit): void {
    this.#scale_us = scale_us;
    this.#cut = cut;
  }
}

/** A line's first sign that is neither blank nor the mark of a comment. */
function isPlain(byte: number): boolean {
  return byte > space && byte < 0x7f && byte !== 0x23;
}

function isBlank(byte: number): boolean {
  return byte === space || byte === 0x09 || byte === 0x0d;
}

/** What ends the name of a field, or a part of it that is escaped. */
function isStop(byte: number): boolean {
  return byte === equals || byte === comma || byte === space || byte === backslash;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
