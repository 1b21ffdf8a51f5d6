// The sample rows of one transaction: each row once, the last one sent, by column.
import {
  bitOf,
  type Chunk,
  halvesOf,
  int64At,
  noneValid,
  type Vector,
  type Words,
  wordsOf,
} from "../../model/data/chunk.ts";
import type { Encoding } from "../../model/plant/plant.ts";
import type { SampleBatch } from "../../model/samples/sample.ts";
import type { TimeSpan } from "../../model/time/daylight.ts";
import type { PlainTags } from "../catalog/settled_tags.ts";

/** Which column holds a row's value: its tag's encoding, or none for a sample without a value. */
export type StoreAs = Encoding | "none";

/** Rows of a batch with the views that the stage copies from. */
export type SampleSource = {
  readonly batch: SampleBatch;
  readonly ts: Int32Array;
  readonly value_int: Int32Array;
  readonly has_status: boolean;
};

/** A batch as a source of rows. */
export function sourceOf(batch: SampleBatch): SampleSource {
  const has_status = batch.status_valid.some((bits) => bits !== 0);
  return { batch, ts: halvesOf(batch.ts), value_int: halvesOf(batch.value_int), has_status };
}

/** A row of a source, and whom it is counted for. */
type StagedFacts = { readonly row: number; readonly tag_no: number; readonly owner: number };

/** The same as it is to be stored. */
type StagedRow = StagedFacts & { readonly store_as: StoreAs };

/** Rows [from, to) of a source, all counted for one. */
type StagedRun = { readonly from: number; readonly to: number; readonly owner: number };

const bad = 2;

/**
 * Holds up to `capacity` rows by column and finds repeats among them. Int64s are copied as pairs of
 * 32-bit halves (little-endian), which makes no BigInt.
 */
export class SampleStage {
  #rows = 0;
  readonly #tag_no: Int32Array<ArrayBuffer>;
  readonly #owner: Int32Array<ArrayBuffer>;
  readonly #ts: BigInt64Array<ArrayBuffer>;
  readonly #ts_halves: Int32Array<ArrayBuffer>;
  readonly #received_at: BigInt64Array<ArrayBuffer>;
  readonly #value: Float64Array<ArrayBuffer>;
  readonly #value_valid: Uint8Array<ArrayBuffer>;
  readonly #value_int: BigInt64Array<ArrayBuffer>;
  readonly #int_halves: Int32Array<ArrayBuffer>;
  readonly #int_valid: Uint8Array<ArrayBuffer>;
  readonly #value_str = new Map<number, string>();
  /** The words of rows none of which has a text. */
  readonly #no_words: Words;
  readonly #quality: Uint8Array<ArrayBuffer>;
  readonly #quality_valid: Uint8Array<ArrayBuffer>;
  readonly #status_code: Uint32Array<ArrayBuffer>;
  readonly #status_valid: Uint8Array<ArrayBuffer>;
  /** Rows by the hash of (tag, ts), -1 where none; open addressing, at most half full. */
  #slots = new Int32Array(0);
  /** So many rows have a slot: none until one comes that is not after all others of its tag. */
  #slotted = 0;
  /** The newest `ts` of each tag. */
  #newest = new Float64Array(0);
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#tag_no = new Int32Array(capacity);
    this.#owner = new Int32Array(capacity);
    this.#ts = new BigInt64Array(capacity);
    this.#ts_halves = halvesOf(this.#ts);
    this.#received_at = new BigInt64Array(capacity);
    this.#value = new Float64Array(capacity);
    this.#value_valid = noneValid(capacity);
    this.#value_int = new BigInt64Array(capacity);
    this.#int_halves = halvesOf(this.#value_int);
    this.#int_valid = noneValid(capacity);
    this.#no_words = { bytes: new Uint8Array(0), offsets: new Int32Array(capacity + 1) };
    this.#quality = new Uint8Array(capacity);
    this.#quality_valid = noneValid(capacity);
    this.#status_code = new Uint32Array(capacity);
    this.#status_valid = noneValid(capacity);
  }

  get rows(): number {
    return this.#rows;
  }

  clear(): void {
    this.#rows = 0;
    this.#value_str.clear();
    this.#newest.fill(-Infinity);
    if (this.#slotted > 0) this.#slots.fill(-1);
    this.#slotted = 0;
  }

  /** The instants of all rows, in microseconds. */
  get instants(): BigInt64Array<ArrayBuffer> {
    return this.#ts.subarray(0, this.#rows);
  }

  /** The instants of the first and the last of them, in microseconds; of none they are infinite. */
  get span(): TimeSpan {
    let [from_us, to_us] = [Infinity, -Infinity];
    for (let row = 0, rows = this.#rows; row < rows; row++) {
      const ts_us = this.tsAt(row);
      if (ts_us < from_us) from_us = ts_us;
      if (ts_us > to_us) to_us = ts_us;
    }
    return { from_us, to_us };
  }

  tagAt(row: number): number {
    return this.#tag_no[row];
  }

  tsAt(row: number): number {
    return int64At(this.#ts_halves, row);
  }

  /** Whether no later row of its tag was put; one that was dropped counts, for it is stored. */
  isLast(row: number): boolean {
    return this.tsAt(row) === this.#newest[this.#tag_no[row]];
  }

  ownerAt(row: number): number {
    return this.#owner[row];
  }

  /** A row's value, an integer as a number where that is exact; null for a bad sample. */
  valueAt(row: number): number | bigint | string | null {
    if (bitOf(this.#value_valid, row) === 1) return this.#value[row];
    if (bitOf(this.#int_valid, row) === 0) return this.#value_str.get(row) ?? null;
    const high = this.#int_halves[2 * row + 1];
    if (high <= -exact_high || high >= exact_high) return this.#value_int[row];
    return int64At(this.#int_halves, row);
  }

  /** A row's quality; null where the source reports none. */
  qualityAt(row: number): number | null {
    return bitOf(this.#quality_valid, row) === 1 ? this.#quality[row] : null;
  }

  /** A row's OPC UA status; null where the source reports none. */
  statusAt(row: number): number | null {
    return bitOf(this.#status_valid, row) === 1 ? this.#status_code[row] : null;
  }

  /** This stage where it has room for so many rows more, else a larger one with the same rows. */
  withRoom(rows: number): SampleStage {
    if (this.#rows + rows <= this.#capacity) return this;
    const larger = new SampleStage(this.#rows + rows);
    for (let row = 0; row < this.#rows; row++) larger.#copy(this, row, row);
    larger.#rows = this.#rows;
    larger.#newest = this.#newest.slice();
    return larger;
  }

  /**
   * Takes the rows of a run that are stored as they come: a number each, of a tag of numbers, up to
   * `latest_us`, none of whose time is here. Gives the first that is to be looked at by itself.
   */
  putPlain(
    source: SampleSource,
    { from, to, owner }: StagedRun,
    { tags, latest_us }: { readonly tags: PlainTags; readonly latest_us: number },
  ): number {
    const { ts, batch: { tag, value, quality } } = source;
    const { tag_no: tag_nos, closed_us, most } = tags;
    let row = from;
    for (let at = this.#rows; row < to; row++, at++) {
      const code = tag[row];
      const tag_no = tag_nos[code];
      const ts_us = int64At(ts, row);
      if (
        tag_no === 0 || ts_us > latest_us || ts_us < closed_us[code] ||
        !(Math.abs(value[row]) <= most[code]) || quality[row] === bad
      ) break;
      this.#writeFacts(at, source, { row, tag_no, owner });
      if (!this.#isNewest(tag_no, ts_us) && this.#find(at) >= 0) break;
      setBit(this.#value_valid, at, 1);
      setBit(this.#int_valid, at, 0);
      this.#value[at] = value[row] + 0;
    }
    this.#rows += row - from;
    return row;
  }

  /** Takes a row. False when the same stands here already; another of its (tag, ts) gives way. */
  put(source: SampleSource, staged: StagedRow): boolean {
    const at = this.#rows;
    this.#write(at, source, staged);
    const before = this.#isNewest(staged.tag_no, this.tsAt(at)) ? -1 : this.#find(at);
    if (before < 0) {
      this.#rows++;
      return true;
    }
    const same = this.#same(before, at);
    if (!same) this.#copy(this, at, before);
    this.#value_str.delete(at);
    return !same;
  }

  /** Takes out rows, given in rising order. Nothing can be put after that until `clear`. */
  drop(rows: ArrayLike<number>): void {
    let next = 0;
    let to = 0;
    for (let from = 0; from < this.#rows; from++) {
      if (next < rows.length && rows[next] === from) next++;
      else if (to++ !== from) this.#copy(this, from, to - 1);
    }
    for (let row = to; row < this.#rows; row++) this.#value_str.delete(row);
    this.#rows = to;
  }

  /** The rows in the column order of table `sample`, all received at `received_us`. */
  chunk(received_us: number): Chunk {
    const rows = this.#rows;
    const received_at = this.#received_at.fill(BigInt(received_us), 0, rows).subarray(0, rows);
    return {
      rows,
      vectors: [
        { kind: "int32", values: this.#tag_no.subarray(0, rows) },
        { kind: "instant", values: this.instants },
        { kind: "instant", values: received_at },
        ...this.#valueVectors(),
      ],
    };
  }

  /** The given rows as table `suspect` has them: their number, tag, ts and values. */
  pick(rows: Int32Array<ArrayBuffer>): Chunk {
    const picked = new SampleStage(rows.length);
    rows.forEach((row, i) => picked.#copy(this, row, i));
    picked.#rows = rows.length;
    return {
      rows: rows.length,
      vectors: [
        { kind: "int32", values: rows },
        { kind: "int32", values: picked.#tag_no },
        { kind: "instant", values: picked.#ts },
        ...picked.#valueVectors(),
      ],
    };
  }

  #valueVectors(): readonly Vector[] {
    const rows = this.#rows;
    const text_valid = noneValid(rows);
    for (const row of this.#value_str.keys()) setBit(text_valid, row, 1);
    return [
      { kind: "float64", values: this.#value.subarray(0, rows), valid: this.#value_valid },
      { kind: "int64", values: this.#value_int.subarray(0, rows), valid: this.#int_valid },
      { kind: "text", words: this.#words(), valid: text_valid },
      { kind: "bool", values: this.#quality.subarray(0, rows), valid: this.#quality_valid },
      { kind: "uint32", values: this.#status_code.subarray(0, rows), valid: this.#status_valid },
    ];
  }

  #words(): Words {
    if (this.#value_str.size === 0) return this.#no_words;
    return wordsOf(Array.from({ length: this.#rows }, (_, i) => this.#value_str.get(i) ?? ""));
  }

  /** Writes what every row has, whatever its value. */
  #writeFacts(at: number, { batch, ts, has_status }: SampleSource, staged: StagedFacts): void {
    const { row } = staged;
    this.#tag_no[at] = staged.tag_no;
    this.#owner[at] = staged.owner;
    this.#ts_halves[2 * at] = ts[2 * row];
    this.#ts_halves[2 * at + 1] = ts[2 * row + 1];
    this.#quality[at] = batch.quality[row];
    setBit(this.#quality_valid, at, batch.quality[row] === no_quality ? 0 : 1);
    setBit(this.#status_valid, at, has_status ? bitOf(batch.status_valid, row) : 0);
    if (has_status) this.#status_code[at] = batch.status_code[row];
  }

  #write(at: number, source: SampleSource, staged: StagedRow): void {
    this.#writeFacts(at, source, staged);
    const { batch, value_int } = source;
    const { row, store_as } = staged;
    const was_float = !Number.isNaN(batch.value[row]);
    setBit(this.#value_valid, at, store_as === "float" ? 1 : 0);
    setBit(this.#int_valid, at, store_as === "integer" ? 1 : 0);
    if (store_as === "float") {
      // No -0: the database stores equal numbers beside each other as one of them.
      this.#value[at] = (was_float ? batch.value[row] : Number(batch.value_int[row])) + 0;
    } else if (store_as === "integer" && was_float) {
      this.#value_int[at] = BigInt(batch.value[row]);
    } else if (store_as === "integer") {
      this.#int_halves[2 * at] = value_int[2 * row];
      this.#int_halves[2 * at + 1] = value_int[2 * row + 1];
    } else if (store_as === "string") {
      this.#value_str.set(at, batch.value_str.get(row) as string);
    }
  }

  /** Whether a row is after all others of its tag, which it then is the newest of. */
  #isNewest(tag_no: number, ts_us: number): boolean {
    if (tag_no >= this.#newest.length) {
      const newest = new Float64Array(Math.max(tag_no + 1, 2 * this.#newest.length));
      newest.fill(-Infinity).set(this.#newest);
      this.#newest = newest;
    }
    if (ts_us <= this.#newest[tag_no]) return false;
    this.#newest[tag_no] = ts_us;
    return true;
  }

  /** The row before `at` of the same (tag, ts), or -1; `at` has its slot then. */
  #find(at: number): number {
    if (this.#slots.length === 0) {
      this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(this.#capacity * 2))).fill(-1);
    }
    for (; this.#slotted < at; this.#slotted++) {
      this.#slots[this.#slotOf(this.#slotted)] = this.#slotted;
    }
    const slot = this.#slotOf(at);
    const before = this.#slots[slot];
    if (before < 0) this.#slots[slot] = this.#slotted++;
    return before;
  }

  /** The slot of the row with the (tag, ts) of row `at`, or the free one where it belongs. */
  #slotOf(at: number): number {
    const mask = this.#slots.length - 1;
    const low = this.#ts_halves[2 * at];
    const high = this.#ts_halves[2 * at + 1];
    const tag_no = this.#tag_no[at];
    let hash = Math.imul(low, 0x9e3779b1) ^ Math.imul(tag_no, 0x85ebca6b) ^ high;
    hash ^= hash >>> 15;
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      const row = this.#slots[slot];
      if (row < 0) return slot;
      if (
        this.#tag_no[row] === tag_no && this.#ts_halves[2 * row] === low &&
        this.#ts_halves[2 * row + 1] === high
      ) return slot;
    }
  }

  #same(a: number, b: number): boolean {
    return sameCell(this.#value_valid, this.#value, [a, b]) &&
      sameCell(this.#int_valid, this.#value_int, [a, b]) &&
      this.#value_str.get(a) === this.#value_str.get(b) &&
      sameCell(this.#quality_valid, this.#quality, [a, b]) &&
      sameCell(this.#status_valid, this.#status_code, [a, b]);
  }

  #copy(source: SampleStage, from: number, to: number): void {
    this.#tag_no[to] = source.#tag_no[from];
    this.#owner[to] = source.#owner[from];
    this.#ts[to] = source.#ts[from];
    this.#value[to] = source.#value[from];
    this.#value_int[to] = source.#value_int[from];
    this.#quality[to] = source.#quality[from];
    this.#status_code[to] = source.#status_code[from];
    setBit(this.#value_valid, to, bitOf(source.#value_valid, from));
    setBit(this.#int_valid, to, bitOf(source.#int_valid, from));
    setBit(this.#quality_valid, to, bitOf(source.#quality_valid, from));
    setBit(this.#status_valid, to, bitOf(source.#status_valid, from));
    const text = source.#value_str.get(from);
    if (text === undefined) this.#value_str.delete(to);
    else this.#value_str.set(to, text);
  }
}

/** What stands for the quality of a row whose source reports none. */
const no_quality = 255;

/** Int64s whose upper half lies between -2^21 and 2^21 are within 2^53. */
const exact_high = 2 ** 21;

function sameCell(
  valid: Uint8Array,
  values: ArrayLike<number | bigint>,
  [a, b]: readonly [number, number],
): boolean {
  const has = bitOf(valid, a);
  return has === bitOf(valid, b) && (has === 0 || values[a] === values[b]);
}

function setBit(bits: Uint8Array, i: number, bit: number): void {
  bits[i >> 3] = (bits[i >> 3] & ~(1 << (i & 7))) | (bit << (i & 7));
}
