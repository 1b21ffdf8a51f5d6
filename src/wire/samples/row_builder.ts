// Checks one text row's fields and takes the row into a batch, or says why it is rejected.
import type { Meter } from "../../base/budget.ts";
import { holdAt, type Span, strictTextOf, utf8 } from "../../base/bytes.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import {
  type ForecastBatch,
  numberHint,
  qualityOf,
  type Rejection,
  type SampleBatch,
} from "../../model/samples/sample.ts";
import { instant_form, instantAt, instantFlaw } from "../bytes/instant.ts";
import { asciiAt, int64At, numberAt } from "../bytes/number.ts";
import { Rejections } from "../bytes/rejections.ts";
import { ForecastBatchBuilder, SampleBatchBuilder } from "./sample_builder.ts";
import { type BodyTags, tagFlaw, type TagIndex } from "./tag_index.ts";

/** What a body's rows become: samples of a lane, or a forecast's rows. */
export type IngestLane = "signal" | "model" | "forecast";

/** How a body is decoded: what its rows become, and who counts what is held of it. */
export type DecodeOptions = {
  readonly lane: IngestLane;
  readonly meter: Meter;
  /** The names that are known from other bodies of the same project and lane. */
  readonly tags?: TagIndex;
};

/** What a body held: rows by lane, and the rows that could not be read. */
export type Decoded = {
  readonly batches: readonly (SampleBatch | ForecastBatch)[];
  /** The first `limits.rejected_shown` of `rejected_count`. */
  readonly rejected: readonly Rejection[];
  readonly rejected_count: number;
};

/** The fields of a row; `sensor_tag` is another name of `tag`. */
export const row_fields = [
  "tag",
  "ts",
  "value",
  "value_int",
  "value_str",
  "quality",
  "status_code",
  "issued_at",
] as const;

/** Number of a field in `row_fields`, by its name. */
export const field_numbers: ReadonlyMap<string, number> = new Map<string, number>([
  ...row_fields.map((name, i) => [name, i] as const),
  ["sensor_tag", 0],
]);

/** Numbers of the fields in `row_fields`. */
export const field = {
  tag: 0,
  ts: 1,
  value: 2,
  value_int: 3,
  value_str: 4,
  quality: 5,
  status_code: 6,
  issued_at: 7,
} as const;

/** How a field was written: `escaped` is a JSON string with a backslash, its quotes included. */
export const form = {
  none: 0,
  number: 1,
  string: 2,
  escaped: 3,
  true: 4,
  false: 5,
  nested: 6,
} as const;

/**
 * Where a field of a row lies and how it is written; `form.none` where the row has it not. What is
 * `known` by a number, other than 0, is the same text wherever it is known by that.
 */
export type RowField = { form: number; start: number; end: number; known: number };

const qualities = ["good", "uncertain", "bad"];
const quality_bytes = qualities.map(utf8);

/** The number of the quality that a run of `bytes` names, or undefined. */
export function qualityAt(bytes: Uint8Array, { start, end }: Span): number | undefined {
  for (let quality = 0; quality < quality_bytes.length; quality++) {
    const name = quality_bytes[quality];
    if (name.length === end - start && holdAt(bytes, start, name)) return quality;
  }
  return undefined;
}

/** Why a source's quality and status code can't stand together, or undefined. */
export function qualityFlaw(quality: number, status_code: number): string | undefined {
  const of_status = qualityOf(status_code);
  if (quality === of_status) return undefined;
  return `quality ${qualities[quality]} contradicts status_code ${status_code}, ` +
    `which is ${qualities[of_status]}`;
}

/**
 * Takes rows of which a reader has marked each field's form and place. A row is taken whole or
 * rejected with its line and a reason; nothing here throws for a row's sake.
 */
export class RowTaker {
  readonly rejections: Rejections;
  /** The row's fields by number, for its reader to mark in the bytes that `take` gets. */
  readonly fields: readonly RowField[] = row_fields.map(
    () => ({ form: 0, start: 0, end: 0, known: 0 }),
  );
  readonly #lane: IngestLane;
  /** What was read last of texts that are known. */
  #instant_known = 0;
  #instant_us = NaN;
  #quality_known = 0;
  #quality_read: number | undefined;
  readonly #samples: SampleBatchBuilder;
  readonly #forecasts: ForecastBatchBuilder;

  constructor({ lane, ...options }: DecodeOptions) {
    this.#lane = lane;
    this.rejections = new Rejections(options.meter);
    this.#samples = new SampleBatchBuilder(lane === "model" ? "model" : "signal", options);
    this.#forecasts = new ForecastBatchBuilder(options);
  }

  /** Takes the row whose fields are marked, or rejects it. */
  take(bytes: Uint8Array, line: number): void {
    const flaw = this.#lane === "forecast"
      ? this.#takeForecast(bytes, line)
      : this.#takeSample(bytes, line);
    if (flaw !== undefined) this.reject(bytes, line, flaw);
  }

  /** Where rows of samples go that need no look at their fields; undefined where none do. */
  get plain(): SampleBatchBuilder | undefined {
    return this.#lane === "forecast" ? undefined : this.#samples;
  }

  /** Rejects the row, naming its tag where that can be read. */
  reject(bytes: Uint8Array, line: number, reason: string): void {
    const tag = this.#textOf(bytes, field.tag);
    const named = tag !== undefined && tagFlaw(tag) === undefined;
    this.rejections.add({ line, tag: named ? tag : null, reason });
  }

  /** Everything that was taken and rejected. The taker must not be used any further. */
  decoded(): Decoded {
    const batch = this.#lane === "forecast" ? this.#forecasts.build() : this.#samples.build();
    return {
      batches: batch.rows === 0 ? [] : [batch],
      rejected: this.rejections.shown,
      rejected_count: this.rejections.count,
    };
  }

  #takeSample(bytes: Uint8Array, line: number): string | undefined {
    const tag = this.#tag(bytes, this.#samples.tags);
    if (typeof tag === "string") return tag;
    const ts = this.#instant(bytes, field.ts);
    if (Number.isNaN(ts)) return this.#instantFlaw(bytes, field.ts);
    if (this.fields[field.issued_at].form !== form.none) {
      return "issued_at belongs to lane=forecast";
    }
    const status = this.#status(bytes);
    if (status === undefined) return "status_code must be a whole number from 0 to 4294967295";
    const quality = this.#quality(bytes, status);
    if (typeof quality === "string") return quality;
    const value = this.#value(bytes);
    if (typeof value === "object") return value.flaw;
    if (value === undefined && quality !== 2) return "has no value, and its quality is not bad";
    this.#samples.start(tag, ts, line);
    if (typeof value === "number") this.#samples.float(value);
    else if (typeof value === "bigint") this.#samples.integer(value);
    else if (typeof value === "string") this.#samples.text(value);
    if (quality >= 0) this.#samples.quality(quality);
    if (status >= 0) this.#samples.status(status);
    return undefined;
  }

  #takeForecast(bytes: Uint8Array, line: number): string | undefined {
    const tag = this.#tag(bytes, this.#forecasts.tags);
    if (typeof tag === "string") return tag;
    const ts = this.#instant(bytes, field.ts);
    if (Number.isNaN(ts)) return this.#instantFlaw(bytes, field.ts);
    const issued_at = this.#instant(bytes, field.issued_at);
    if (Number.isNaN(issued_at)) return this.#instantFlaw(bytes, field.issued_at);
    for (let i: number = field.value_int; i < field.issued_at; i++) {
      if (this.fields[i].form !== form.none) return `${row_fields[i]} has no place in a forecast`;
    }
    if (this.fields[field.value].form !== form.number) {
      return "value of a forecast must be a number";
    }
    const value = numberAt(bytes, this.fields[field.value]);
    if (!Number.isFinite(value)) return numberFlaw(value);
    this.#forecasts.start(tag, ts, line);
    this.#forecasts.issued(issued_at, value);
    return undefined;
  }

  #tag(bytes: Uint8Array, tags: BodyTags): number | string {
    const kind = this.fields[field.tag].form;
    if (kind === form.string) {
      const code = tags.codeAt(bytes, this.fields[field.tag]);
      return typeof code === "number" ? code : `tag ${code}`;
    }
    if (kind === form.none) return "has no tag";
    if (kind !== form.escaped) return "tag must be a text";
    const name = this.#textOf(bytes, field.tag);
    if (name === undefined) return "tag is not valid text";
    const flaw = tagFlaw(name);
    return flaw === undefined ? tags.codeOf(name) : `tag ${flaw}`;
  }

  #instant(bytes: Uint8Array, number: number): number {
    const field = this.fields[number];
    if (field.form !== form.string) return NaN;
    if (field.known === 0) return instantAt(bytes, field);
    if (field.known !== this.#instant_known) {
      this.#instant_us = instantAt(bytes, field);
      this.#instant_known = field.known;
    }
    return this.#instant_us;
  }

  #instantFlaw(bytes: Uint8Array, number: number): string {
    const name = row_fields[number];
    if (this.fields[number].form === form.none) return `has no ${name}`;
    const text = this.fields[number].form === form.string ? this.#textOf(bytes, number) : undefined;
    return text === undefined ? `${name} must be ${instant_form}` : `${name} ${instantFlaw(text)}`;
  }

  /** The status code, -1 without one, undefined when it is none. */
  #status(bytes: Uint8Array): number | undefined {
    const kind = this.fields[field.status_code].form;
    if (kind === form.none) return -1;
    if (kind !== form.number) return undefined;
    const code = int64At(bytes, this.fields[field.status_code]);
    return typeof code === "number" && code >= 0 && code <= 0xffffffff ? code : undefined;
  }

  /** The quality's number, -1 without one, or what is wrong. A status code alone implies it. */
  #quality(bytes: Uint8Array, status: number): number | string {
    const kind = this.fields[field.quality].form;
    if (kind === form.none) return status < 0 ? -1 : qualityOf(status);
    if (kind !== form.string) return "quality must be good, uncertain or bad";
    const quality = this.#qualityAt(bytes, this.fields[field.quality]);
    if (quality === undefined) return "quality must be good, uncertain or bad";
    return status < 0 ? quality : qualityFlaw(quality, status) ?? quality;
  }

  /** Most rows have that of the row before. */
  #qualityAt(bytes: Uint8Array, field: RowField): number | undefined {
    if (field.known === 0) return qualityAt(bytes, field);
    if (field.known !== this.#quality_known) {
      this.#quality_read = qualityAt(bytes, field);
      this.#quality_known = field.known;
    }
    return this.#quality_read;
  }

  #value(bytes: Uint8Array): number | bigint | string | undefined | { readonly flaw: string } {
    const { value, value_int, value_str } = field;
    const fields = this.fields;
    const given = Number(fields[value].form > 0) + Number(fields[value_int].form > 0) +
      Number(fields[value_str].form > 0);
    if (given === 0) return undefined;
    if (given > 1) return { flaw: "has more than one of value, value_int and value_str" };
    if (fields[value_int].form !== form.none) return this.#integer(bytes);
    if (fields[value].form === form.number) {
      const number = numberAt(bytes, this.fields[value]);
      if (Number.isFinite(number)) return number;
      return { flaw: numberFlaw(number) + numberHint(asciiAt(bytes, this.fields[value])) };
    }
    if (fields[value].form === form.true) return 1n;
    if (fields[value].form === form.false) return 0n;
    const which = fields[value].form === form.none ? value_str : value;
    if (fields[which].form !== form.string && fields[which].form !== form.escaped) {
      const wanted = which === value ? "a number, a text, true or false" : "a text";
      return { flaw: `${row_fields[which]} must be ${wanted}` };
    }
    return this.#text(bytes, which);
  }

  #integer(bytes: Uint8Array): bigint | { readonly flaw: string } {
    const kind = this.fields[field.value_int].form;
    const digits = kind === form.number || kind === form.string
      ? int64At(bytes, this.fields[field.value_int])
      : undefined;
    if (digits !== undefined) return BigInt(digits);
    return { flaw: "value_int must be whole digits from -2^63 to 2^63 - 1" };
  }

  #text(bytes: Uint8Array, number: number): string | { readonly flaw: string } {
    const text = this.#textOf(bytes, number);
    const name = row_fields[number];
    if (text === undefined) return { flaw: `${name} is not valid text` };
    const flaw = textFlaw(text);
    return flaw === undefined ? text : { flaw: `${name} ${flaw}` };
  }

  /** The text of a field, or undefined when it has none: absent, broken UTF-8, a bad escape. */
  #textOf(bytes: Uint8Array, number: number): string | undefined {
    const { form: kind, start, end } = this.fields[number];
    if (kind !== form.string && kind !== form.escaped) return undefined;
    const text = strictTextOf(bytes.subarray(start, end));
    return text === undefined || kind === form.string ? text : unescaped(text);
  }
}

/** Why a text can't be a value, or undefined: the end of a sentence that begins with its field. */
export function textFlaw(text: string): string | undefined {
  if (text.length > sample_limits.text_value_length) {
    return `is longer than ${sample_limits.text_value_length} characters`;
  }
  if (text.includes("\0")) return "holds a NUL character";
  return text.isWellFormed() ? undefined : "holds half of a surrogate pair";
}

/** The text of a JSON string with its quotes, or undefined when an escape in it is none. */
export function unescaped(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}

function numberFlaw(value: number): string {
  return Number.isNaN(value) ? "value is not a number" : "value is beyond the range of a double";
}
