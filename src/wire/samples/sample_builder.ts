// Gathers decoded rows into the typed arrays of a batch, growing them as rows come.
import { type Meter, unmetered } from "../../base/budget.ts";
import { Fault } from "../../base/fault.ts";
import { textBytes } from "../../base/heap.ts";
import { halvesOf, noneValid, setValid } from "../../model/data/chunk.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { TagLane } from "../../model/plant/plant.ts";
import type { ForecastBatch, SampleBatch } from "../../model/samples/sample.ts";
import { BodyTags, TagIndex } from "./tag_index.ts";

/** One row as a caller has it. `ts_us` is whole microseconds; `quality` indexes `quality_names`. */
export type SampleRow = {
  readonly line: number;
  readonly tag: string;
  readonly ts_us: number;
  readonly value?: number | bigint | boolean | string | null;
  readonly status_code?: number | null;
  readonly quality?: number | null;
};

/** Who counts what is held of a body, and the names that are known from other bodies. */
export type BodyOptions = { readonly meter?: Meter; readonly tags?: TagIndex };

/** Bytes of a row in the arrays below, in those that few bodies need, and of a text's place. */
const sample_bytes = 25;
const rare_bytes = 13;
const forecast_bytes = 32;
const text_place_bytes = 48;

/** So many rows are made room for at once where the body before had as many: a megabyte or less. */
const sooner_rows = 32 * 1024;

/**
 * The arrays of a batch, for a run of rows with floats and nothing else but a quality, 255 where
 * there is none; `ts` as pairs of halves.
 */
export type PlainRows = {
  readonly tag: Int32Array;
  readonly line: Int32Array;
  readonly ts: Longs;
  readonly value: Float64Array;
  readonly quality: Uint8Array;
  /** The place of the first, and how many there is room for. */
  readonly at: number;
  readonly room: number;
};

/**
 * Builds a `SampleBatch`. Either `add` whole rows, or `start` a row and then say its value, quality
 * and status, which makes no object. More than `sample_limits.rows` rows is a `Fault` (too_large).
 * What it holds is counted before it is made, tags' names too.
 */
export class SampleBatchBuilder {
  readonly tags: BodyTags;
  readonly #lane: TagLane;
  readonly #meter: Meter;
  #rows = 0;
  #room = 0;
  #tag = new Int32Array(0);
  #line = new Int32Array(0);
  #ts = new Longs(0);
  #value = new Float64Array(0);
  #value_str = new Map<number, string>();
  #quality = new Uint8Array(0);
  #rare: RareRows | undefined;

  constructor(lane: TagLane = "signal", { meter = unmetered, tags }: BodyOptions = {}) {
    this.#lane = lane;
    this.#meter = meter;
    this.tags = new BodyTags(tags ?? new TagIndex(), meter);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adds one row. A number is a float, a bigint an Int64, a boolean an Int64 of 0 or 1. */
  add(row: SampleRow): void {
    this.start(this.tags.codeOf(row.tag), row.ts_us, row.line);
    const { value } = row;
    if (typeof value === "number") this.float(value);
    else if (typeof value === "bigint") this.integer(value);
    else if (typeof value === "boolean") this.small(value ? 1 : 0);
    else if (typeof value === "string") this.text(value);
    if (row.quality !== null && row.quality !== undefined) this.quality(row.quality);
    if (row.status_code !== null && row.status_code !== undefined) this.status(row.status_code);
  }

  /** Begins a row without a value, of tag number `tag` (see `tags`); what follows is said of it. */
  start(tag: number, ts_us: number, line: number): void {
    if (this.#rows === this.#room) this.#grow();
    const row = this.#rows++;
    this.#tag[row] = tag;
    this.#line[row] = line;
    this.#ts.setNumber(row, ts_us);
    this.#value[row] = NaN;
    this.#quality[row] = 255;
  }

  /** How many rows it has room for before it grows. */
  get left(): number {
    return this.#room - this.#rows;
  }

  /** Room for rows to be filled by column, of which there will be about `wanted`. */
  plain(wanted: number): PlainRows {
    if (this.#rows === this.#room && this.#room < sample_limits.rows) this.#grow(wanted);
    return {
      tag: this.#tag,
      line: this.#line,
      ts: this.#ts,
      value: this.#value,
      quality: this.#quality,
      at: this.#rows,
      room: Math.min(wanted, this.#room - this.#rows),
    };
  }

  /** Takes the first `rows` that were filled. */
  took(rows: number): void {
    this.#rows += rows;
  }

  float(value: number): void {
    this.#value[this.#rows - 1] = value;
  }

  integer(value: bigint): void {
    const row = this.#rows - 1;
    const { value_int, int_valid } = this.#rare ??= this.#newRare();
    value_int.values[row] = value;
    setValid(int_valid, row);
  }

  /** An integer within ±2^53. */
  small(value: number): void {
    const row = this.#rows - 1;
    const { value_int, int_valid } = this.#rare ??= this.#newRare();
    value_int.setNumber(row, value);
    setValid(int_valid, row);
  }

  text(value: string): void {
    this.#meter.take(text_place_bytes + textBytes(value));
    this.#value_str.set(this.#rows - 1, value);
  }

  quality(quality: number): void {
    this.#quality[this.#rows - 1] = quality;
  }

  status(status_code: number): void {
    const row = this.#rows - 1;
    const rare = this.#rare ??= this.#newRare();
    rare.status_code[row] = status_code;
    setValid(rare.status_valid, row);
  }

  /** The rows so far as a batch. The builder must not be used any further. */
  build(): SampleBatch {
    const rows = this.#rows;
    this.tags.noteRows(rows);
    const rare = this.#rare ?? noneRare(rows);
    return {
      lane: this.#lane,
      rows,
      tags: this.tags.names,
      tag: this.#tag.subarray(0, rows),
      ts: this.#ts.values.subarray(0, rows),
      value: this.#value.subarray(0, rows),
      value_int: rare.value_int.values.subarray(0, rows),
      int_valid: rare.int_valid.subarray(0, (rows + 7) >> 3),
      value_str: this.#value_str,
      quality: this.#quality.subarray(0, rows),
      status_code: rare.status_code.subarray(0, rows),
      status_valid: rare.status_valid.subarray(0, (rows + 7) >> 3),
      line: this.#line.subarray(0, rows),
    };
  }

  #grow(wanted = 1): void {
    // A body of few rows is none of those.
    const soon = this.#room === 0 ? 0 : Math.min(sooner_rows, 1.05 * this.tags.last_rows);
    const room = nextRoom(this.#room, Math.max(wanted, soon - this.#room));
    this.#meter.take((room - this.#room) * sample_bytes);
    this.#room = room;
    this.#tag = grown(this.#tag, new Int32Array(room));
    this.#line = grown(this.#line, new Int32Array(room));
    this.#ts = new Longs(room, this.#ts);
    this.#value = grown(this.#value, new Float64Array(room));
    this.#quality = grown(this.#quality, new Uint8Array(room));
    if (this.#rare) this.#rare = this.#newRare(this.#rare);
  }

  #newRare(before?: RareRows): RareRows {
    const room = this.#room;
    this.#meter.take(rare_bytes * (room - (before?.status_code.length ?? 0)));
    return rareRows(room, before);
  }
}

/** What few bodies have: values of integers, codes of states. */
type RareRows = {
  readonly value_int: Longs;
  readonly int_valid: Uint8Array<ArrayBuffer>;
  readonly status_code: Uint32Array<ArrayBuffer>;
  readonly status_valid: Uint8Array<ArrayBuffer>;
};

function rareRows(room: number, before?: RareRows): RareRows {
  const rare = {
    value_int: new Longs(room, before?.value_int),
    int_valid: noneValid(room),
    status_code: new Uint32Array(room),
    status_valid: noneValid(room),
  };
  if (before) {
    rare.int_valid.set(before.int_valid);
    rare.status_code.set(before.status_code);
    rare.status_valid.set(before.status_valid);
  }
  return rare;
}

/** All batches without such rows share these, which nobody writes to. */
let none_rare: RareRows | undefined;

function noneRare(rows: number): RareRows {
  if (none_rare === undefined || rows > none_rare.status_code.length) {
    none_rare = rareRows(2 * rows);
  }
  return none_rare;
}

/** Builds a `ForecastBatch`, within the same bound. */
export class ForecastBatchBuilder {
  readonly tags: BodyTags;
  readonly #meter: Meter;
  #rows = 0;
  #room = 0;
  #tag = new Int32Array(0);
  #line = new Int32Array(0);
  #ts = new Longs(0);
  #issued_at = new Longs(0);
  #value = new Float64Array(0);

  constructor({ meter = unmetered, tags }: BodyOptions = {}) {
    this.#meter = meter;
    this.tags = new BodyTags(tags ?? new TagIndex(), meter);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adds one row, of tag number `tag` (see `tags`), without its value. */
  start(tag: number, ts_us: number, line: number): void {
    if (this.#rows === this.#room) this.#grow();
    const row = this.#rows++;
    this.#tag[row] = tag;
    this.#line[row] = line;
    this.#ts.setNumber(row, ts_us);
  }

  /** What the row started last says, and when its run was issued. */
  issued(issued_at_us: number, value: number): void {
    this.#issued_at.setNumber(this.#rows - 1, issued_at_us);
    this.#value[this.#rows - 1] = value;
  }

  /** The rows so far as a batch. The builder must not be used any further. */
  build(): ForecastBatch {
    const rows = this.#rows;
    return {
      lane: "forecast",
      rows,
      tags: this.tags.names,
      tag: this.#tag.subarray(0, rows),
      ts: this.#ts.values.subarray(0, rows),
      issued_at: this.#issued_at.values.subarray(0, rows),
      value: this.#value.subarray(0, rows),
      line: this.#line.subarray(0, rows),
    };
  }

  #grow(): void {
    const room = nextRoom(this.#room);
    this.#meter.take((room - this.#room) * forecast_bytes);
    this.#room = room;
    this.#tag = grown(this.#tag, new Int32Array(room));
    this.#line = grown(this.#line, new Int32Array(room));
    this.#ts = new Longs(room, this.#ts);
    this.#issued_at = new Longs(room, this.#issued_at);
    this.#value = grown(this.#value, new Float64Array(room));
  }
}

/** Int64s that can be written from a number without making a BigInt; little-endian. */
export class Longs {
  readonly values: BigInt64Array<ArrayBuffer>;
  readonly #halves: Int32Array;

  constructor(room: number, before?: Longs) {
    this.values = new BigInt64Array(room);
    this.#halves = halvesOf(this.values);
    if (before) this.values.set(before.values);
  }

  setNumber(at: number, value: number): void {
    const high = Math.floor(value / 4_294_967_296);
    this.#halves[2 * at] = value - high * 4_294_967_296;
    this.#halves[2 * at + 1] = high;
  }
}

function nextRoom(room: number, wanted = 1): number {
  if (room >= sample_limits.rows) {
    throw new Fault("too_large", `one body takes at most ${sample_limits.rows} rows: send several`);
  }
  const next = Math.max(1024, room * 2, Math.ceil((room + wanted) / 8) * 8);
  return Math.min(next, Math.ceil(sample_limits.rows / 8) * 8);
}

function grown<A extends { set(from: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
