// Decodes samples from an Arrow IPC stream, column by column, without an object per row.
import { type Data, DataType, type RecordBatch, RecordBatchReader } from "apache-arrow";
import { Fault } from "../../base/fault.ts";
import { nearest } from "../../base/did_you_mean.ts";
import { arrowMessages } from "../arrow/frames.ts";
import { strictTextOf } from "../../base/bytes.ts";
import { qualityOf } from "../../model/samples/sample.ts";
import { earliest_us, instant_form, latest_us } from "../bytes/instant.ts";
import { Rejections } from "../bytes/rejections.ts";
import {
  has,
  instantColumn,
  integerColumn,
  need,
  type TextColumn,
  textColumn,
  type TextEntries,
  textValues,
  type ValueColumn,
  valueColumn,
} from "./arrow_column.ts";
import {
  type Decoded,
  type DecodeOptions,
  field_numbers,
  qualityAt,
  qualityFlaw,
  row_fields,
  textFlaw,
} from "./row_builder.ts";
import { ForecastBatchBuilder, SampleBatchBuilder } from "./sample_builder.ts";
import type { BodyTags } from "./tag_index.ts";

/**
 * Rows of an Arrow IPC stream; a row's line is its number counted from 1. A stream cut short (it
 * must end in its end-of-stream marker), compressed buffers, or a field of another type than
 * wanted is a `Fault` (invalid), and nothing of the body is taken.
 */
export async function decodeArrow(
  body: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): Promise<Decoded> {
  const rows = new ArrowRows(options);
  const source = { error: undefined as unknown };
  try {
    const reader = await RecordBatchReader.from(arrowMessages(noting(body, source), options.meter));
    await reader.open();
    need(reader.schema !== undefined);
    const fields = fieldsOf(reader.schema.fields.map((each) => each.name));
    for await (const batch of reader) rows.take(columnsOf(batch, fields));
  } catch (error) {
    if (source.error !== undefined) throw source.error;
    if (error instanceof Fault) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault("invalid", `the body is not a readable Arrow IPC stream: ${reason}`);
  }
  return rows.decoded();
}

/** The body as it is, noting what it throws: that is no fault of the stream's form. */
async function* noting(
  body: AsyncIterable<Uint8Array>,
  source: { error: unknown },
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (error) {
    source.error = error;
    throw error;
  }
}

/** By column of the stream, the number of the field that it is. */
function fieldsOf(names: readonly string[]): readonly number[] {
  const numbers = names.map((name) => {
    const number = field_numbers.get(name);
    if (number !== undefined) return number;
    const known = nearest(name, row_fields);
    const hint = known === undefined
      ? `known are ${row_fields.join(", ")}`
      : `did you mean ${known}?`;
    throw new Fault("invalid", `unknown field ${name}: ${hint}`);
  });
  const twice = numbers.find((number, i) => numbers.indexOf(number) !== i);
  if (twice !== undefined) throw new Fault("invalid", `field ${row_fields[twice]} comes twice`);
  return numbers;
}

function columnsOf(batch: RecordBatch, fields: readonly number[]): RowColumns {
  const found = new Map<string, Data>();
  fields.forEach((number, i) => {
    const data = batch.data.children[i];
    need(data !== undefined && data.length >= batch.numRows && data.offset === 0);
    if (!DataType.isNull(data.type)) found.set(row_fields[number], data);
  });
  const read = <T>(name: string, reader: (data: Data) => T | undefined, wanted: string) => {
    const data = found.get(name);
    const column = data === undefined ? undefined : reader(data);
    if (data === undefined || column !== undefined) return column;
    throw new Fault("invalid", `field ${name} must be ${wanted}, not ${data.type}`);
  };
  const instant = "Timestamp of any unit with a time zone, such as UTC";
  const text = "Utf8 or a dictionary of Utf8";
  const tag = read("tag", textColumn, text);
  const ts = read("ts", instantColumn, instant);
  if (tag === undefined || ts === undefined) {
    throw new Fault("invalid", "the stream needs the fields tag and ts");
  }
  return {
    rows: batch.numRows,
    tag,
    ts,
    value: read("value", valueColumn, "a number, a text or a boolean"),
    value_int: read("value_int", integerColumn, "a whole number"),
    value_str: read("value_str", textValues, text),
    quality: read("quality", textColumn, text),
    status_code: read("status_code", integerColumn, "a whole number"),
    issued_at: read("issued_at", instantColumn, instant),
  };
}

/** The columns of one record batch; instants are microseconds, NaN where there is none. */
type RowColumns = {
  readonly rows: number;
  readonly tag: TextColumn;
  readonly ts: Float64Array;
  readonly value: ValueColumn | undefined;
  readonly value_int: ValueColumn | undefined;
  readonly value_str: ValueColumn | undefined;
  readonly quality: TextColumn | undefined;
  readonly status_code: ValueColumn | undefined;
  readonly issued_at: Float64Array | undefined;
};

/** What is looked up once for all rows of a record batch. */
type Lookup = {
  readonly entries: readonly (TextEntries | undefined)[];
  /** The number of a tag's entry, or why it is no tag. */
  readonly tag: (entry: number) => number | string;
  /** Numbers of entries that were asked for; -1 of others. */
  readonly codes: Int32Array;
  /** The number of a quality's entry, 255 where it names none. */
  readonly qualities: Uint8Array | undefined;
};

/** Takes the rows of one body, record batch after record batch. */
class ArrowRows {
  readonly #forecast: boolean;
  readonly #rejections: Rejections;
  readonly #samples: SampleBatchBuilder;
  readonly #forecasts: ForecastBatchBuilder;
  #line = 0;
  #lookup: Lookup | undefined;

  constructor({ lane, ...options }: DecodeOptions) {
    this.#forecast = lane === "forecast";
    this.#rejections = new Rejections(options.meter);
    this.#samples = new SampleBatchBuilder(lane === "model" ? "model" : "signal", options);
    this.#forecasts = new ForecastBatchBuilder(options);
  }

  /** Takes or rejects every row of one record batch. */
  take(columns: RowColumns): void {
    const tags = this.#forecast ? this.#forecasts.tags : this.#samples.tags;
    const lookup = this.#lookup = lookupOf(columns, tags, this.#lookup);
    for (let i = 0; i < columns.rows; i++) {
      const plain = this.#takePlain(columns, lookup, i);
      i += plain;
      this.#line += plain;
      if (i === columns.rows) break;
      this.#line++;
      const entry = columns.tag.codes[i];
      const tag = entry < 0 ? "has no tag" : lookup.tag(entry);
      const reason = typeof tag === "string"
        ? tag
        : instantFlaw("ts", columns.ts[i]) ?? this.#row(columns, i, { tag, lookup });
      if (reason === undefined) continue;
      const name = typeof tag === "number" ? tags.names[tag] : null;
      this.#rejections.add({ line: this.#line, tag: name, reason });
    }
  }

  /** Everything that was taken and rejected. */
  decoded(): Decoded {
    const batch = this.#forecast ? this.#forecasts.build() : this.#samples.build();
    return {
      batches: batch.rows === 0 ? [] : [batch],
      rejected: this.#rejections.shown,
      rejected_count: this.#rejections.count,
    };
  }

  /** Takes rows from row `from` on that are floats without a flaw; how many. */
  #takePlain(columns: RowColumns, lookup: Lookup, from: number): number {
    const { codes, qualities } = lookup;
    const { ts, tag, quality, value } = columns;
    if (this.#forecast || value?.kind !== "float" || !isBare(columns)) return 0;
    const into = this.#samples.plain(columns.rows - from);
    const { values, valid } = value;
    let [i, at] = [from, into.at];
    for (const to = from + into.room; i < to; i++, at++) {
      const entry = tag.codes[i];
      if (entry < 0) break;
      const code = codes[entry] >= 0 ? codes[entry] : lookup.tag(entry);
      const value = values[i];
      if (typeof code === "string") break;
      if (!(isInstant(ts[i]) && Number.isFinite(value) && has(valid, i))) break;
      into.quality[at] = no_quality;
      if (quality && qualities && quality.codes[i] >= 0) {
        into.quality[at] = qualities[quality.codes[i]];
        if (into.quality[at] === no_quality) break;
      }
      into.tag[at] = code;
      into.line[at] = this.#line + i - from + 1;
      into.ts.setNumber(at, ts[i]);
      into.value[at] = value;
    }
    this.#samples.took(i - from);
    return i - from;
  }

  #row(
    columns: RowColumns,
    i: number,
    { tag, lookup }: { readonly tag: number; readonly lookup: Lookup },
  ): string | undefined {
    if (this.#forecast) return this.#takeForecast(columns, i, tag);
    if (columns.issued_at && !Number.isNaN(columns.issued_at[i])) {
      return "issued_at belongs to lane=forecast";
    }
    const status = statusAt(columns.status_code, i);
    if (status === undefined) return "status_code must be a whole number from 0 to 4294967295";
    let quality = status < 0 ? -1 : qualityOf(status);
    if (columns.quality && lookup.qualities && columns.quality.codes[i] >= 0) {
      quality = lookup.qualities[columns.quality.codes[i]];
      if (quality === no_quality) return "quality must be good, uncertain or bad";
      const flaw = status < 0 ? undefined : qualityFlaw(quality, status);
      if (flaw !== undefined) return flaw;
    }
    const source = sourceAt(columns, i);
    if (source === "several") return "has more than one of value, value_int and value_str";
    if (source === undefined && quality !== 2) return "has no value, and its quality is not bad";
    const flaw = source && valueFlaw(source, i);
    if (flaw !== undefined) return flaw;
    this.#samples.start(tag, columns.ts[i], this.#line);
    if (source !== undefined) this.#value(source, i);
    if (quality >= 0) this.#samples.quality(quality);
    if (status >= 0) this.#samples.status(status);
    return undefined;
  }

  #value(source: ValueColumn, i: number): void {
    if (source.kind === "float") this.#samples.float(source.values[i]);
    else if (source.kind === "big") this.#samples.integer(source.values[i]);
    else if (source.kind === "small") this.#samples.small(source.values[i]);
    else if (source.kind === "bool") this.#samples.small(has(source.values, i) ? 1 : 0);
    else this.#samples.text(textAt(source.values, i) ?? "");
  }

  #takeForecast(columns: RowColumns, i: number, tag: number): string | undefined {
    const issued_at = columns.issued_at?.[i] ?? NaN;
    const flaw = instantFlaw("issued_at", issued_at);
    if (flaw !== undefined) return flaw;
    if (columns.value_int || columns.value_str || columns.quality || columns.status_code) {
      return "a forecast has no fields but tag, ts, issued_at and value";
    }
    const { value } = columns;
    if (value?.kind !== "float" || !has(value.valid, i) || !Number.isFinite(value.values[i])) {
      return "value of a forecast must be a finite float";
    }
    this.#forecasts.start(tag, columns.ts[i], this.#line);
    this.#forecasts.issued(issued_at, value.values[i]);
    return undefined;
  }
}

/** What stands for the quality of a row that has none, and of an entry that names none. */
const no_quality = 255;

/** Whether rows have no columns but these: tag, ts, value, quality. */
function isBare({ value_int, value_str, status_code, issued_at }: RowColumns): boolean {
  return !(value_int || value_str || status_code || issued_at);
}

function isInstant(us: number): boolean {
  return us >= earliest_us && us <= latest_us;
}

function instantFlaw(name: string, us: number): string | undefined {
  if (isInstant(us)) return undefined;
  return Number.isNaN(us)
    ? `has no ${name}: it must be ${instant_form}`
    : `${name} lies outside the years 1970 to 2200`;
}

/** The one column that has a value in row `i`; a NaN is none. */
function sourceAt(columns: RowColumns, i: number): ValueColumn | "several" | undefined {
  let source: ValueColumn | undefined;
  for (const column of [columns.value, columns.value_int, columns.value_str]) {
    if (column === undefined || !hasValue(column, i)) continue;
    if (source !== undefined) return "several";
    source = column;
  }
  return source;
}

function hasValue(column: ValueColumn, i: number): boolean {
  if (column.kind === "text") return column.values.codes[i] >= 0;
  return has(column.valid, i) && (column.kind !== "float" || !Number.isNaN(column.values[i]));
}

function valueFlaw(source: ValueColumn, i: number): string | undefined {
  if (source.kind === "float") {
    return Number.isFinite(source.values[i]) ? undefined : "value is not a finite number";
  }
  if (source.kind === "big") {
    const value = source.values[i];
    return BigInt.asIntN(64, value) === value ? undefined : "value_int is beyond 2^63 - 1";
  }
  if (source.kind !== "text") return undefined;
  const text = textAt(source.values, i);
  if (text === undefined) return "value is not UTF-8";
  const flaw = textFlaw(text);
  return flaw && `value ${flaw}`;
}

/** The status code of row `i`, -1 without one, undefined when it is none. */
function statusAt(column: ValueColumn | undefined, i: number): number | undefined {
  if (column === undefined || !hasValue(column, i) || column.kind === "text") return -1;
  const code = Number(column.values[i]);
  return code >= 0 && code <= 0xffffffff ? code : undefined;
}

function textAt(column: TextColumn, i: number): string | undefined {
  const { entries } = column;
  const entry = column.codes[i];
  return strictTextOf(
    bytesOf(entries, entry).subarray(entries.starts[entry], entries.ends[entry]),
  );
}

function bytesOf(entries: TextEntries, entry: number): Uint8Array {
  return entries.sources[entries.source?.[entry] ?? 0];
}

/** What the batch before looked up, if this one shares its dictionaries, which may be large. */
function lookupOf(columns: RowColumns, tags: BodyTags, before: Lookup | undefined): Lookup {
  const entries = [columns.tag.entries, columns.quality?.entries];
  if (before && entries.every((each, i) => each === before.entries[i])) return before;
  return {
    entries,
    ...tagsOf(columns.tag.entries, tags),
    qualities: columns.quality && qualitiesOf(columns.quality.entries),
  };
}

/** A look-up of entries in the body's tags that asks for each entry once. */
function tagsOf(entries: TextEntries, tags: BodyTags): Pick<Lookup, "tag" | "codes"> {
  const codes = new Int32Array(entries.starts.length).fill(-1);
  const tag = (entry: number) => {
    if (codes[entry] >= 0) return codes[entry];
    const span = { start: entries.starts[entry], end: entries.ends[entry] };
    const code = tags.codeAt(bytesOf(entries, entry), span);
    if (typeof code === "string") return `tag ${code}`;
    codes[entry] = code;
    return code;
  };
  return { tag, codes };
}

function qualitiesOf(entries: TextEntries): Uint8Array {
  return Uint8Array.from(
    entries.starts,
    (start, entry) =>
      qualityAt(bytesOf(entries, entry), { start, end: entries.ends[entry] }) ?? no_quality,
  );
}
