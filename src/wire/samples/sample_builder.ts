// Gathers decoded rows into the typed arrays of a batch, growing them as rows come.
import { type Meter, unmetered } from "../../base/budget.ts";
import { Fault } from "../../base/fault.ts";
import { textBytes } from "../../base/heap.ts";
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

/** Bytes of a row in the arrays below, and of a text's place among them. */
const sample_bytes = 38;
const forecast_bytes = 32;
const text_place_bytes = 48;

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
  #ts = new Longs();
  #value = new Float64Array(0);
  #value_int = new Longs();
  #int_valid = new Uint8Array(0);
  #value_str = new Map<number, string>();
  #quality = new Uint8Array(0);
  #status_code = new Uint32Array(0);
  #status_valid = new Uint8Array(0);

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

  float(value: number): void {
    this.#value[this.#rows - 1] = value;
  }

  integer(value: bigint): void {
    const row = this.#rows - 1;
    this.#value_int.values[row] = value;
    this.#int_valid[row >> 3] |= 1 << (row & 7);
  }

  /** An integer within ±2^53. */
  small(value: number): void {
    const row = this.#rows - 1;
    this.#value_int.setNumber(row, value);
    this.#int_valid[row >> 3] |= 1 << (row & 7);
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
    this.#status_code[row] = status_code;
    this.#status_valid[row >> 3] |= 1 << (row & 7);
  }

  /** The rows so far as a batch. The builder must not be used any further. */
  build(): SampleBatch {
    const rows = this.#rows;
    return {
      lane: this.#lane,
      rows,
      tags: this.tags.names,
      tag: this.#tag.subarray(0, rows),
      ts: this.#ts.values.subarray(0, rows),
      value: this.#value.subarray(0, rows),
      value_int: this.#value_int.values.subarray(0, rows),
      int_valid: this.#int_valid.subarray(0, (rows + 7) >> 3),
      value_str: this.#value_str,
      quality: this.#quality.subarray(0, rows),
      status_code: this.#status_code.subarray(0, rows),
      status_valid: this.#status_valid.subarray(0, (rows + 7) >> 3),
      line: this.#line.subarray(0, rows),
    };
  }

  #grow(): void {
    const room = nextRoom(this.#room);
    this.#meter.take((room - this.#room) * sample_bytes);
    this.#room = room;
    this.#tag = grown(this.#tag, new Int32Array(room));
    this.#line = grown(this.#line, new Int32Array(room));
    this.#ts.grow(room);
    this.#value = grown(this.#value, new Float64Array(room));
    this.#value_int.grow(room);
    this.#int_valid = grown(this.#int_valid, new Uint8Array(room >> 3));
    this.#quality = grown(this.#quality, new Uint8Array(room));
    this.#status_code = grown(this.#status_code, new Uint32Array(room));
    this.#status_valid = grown(this.#status_valid, new Uint8Array(room >> 3));
  }
}

/** Builds a `ForecastBatch`, within the same bound. */
export class ForecastBatchBuilder {
  readonly tags: BodyTags;
  readonly #meter: Meter;
  #rows = 0;
  #room = 0;
  #tag = new Int32Array(0);
  #line = new Int32Array(0);
  #ts = new Longs();
  #issued_at = new Longs();
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
    this.#ts.grow(room);
    this.#issued_at.grow(room);
    this.#value = grown(this.#value, new Float64Array(room));
  }
}

/** Int64s that can be written from a number without making a BigInt; little-endian. */
class Longs {
  values = new BigInt64Array(0);
  #halves = new Int32Array(0);

  setNumber(at: number, value: number): void {
    const high = Math.floor(value / 4_294_967_296);
    this.#halves[2 * at] = value - high * 4_294_967_296;
    this.#halves[2 * at + 1] = high;
  }

  grow(room: number): void {
    this.values = grown(this.values, new BigInt64Array(room));
    this.#halves = new Int32Array(this.values.buffer);
  }
}

function nextRoom(room: number): number {
  if (room >= sample_limits.rows) {
    throw new Fault("too_large", `one body takes at most ${sample_limits.rows} rows: send several`);
  }
  return Math.min(Math.max(1024, room * 2), Math.ceil(sample_limits.rows / 8) * 8);
}

function grown<A extends { set(from: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
