// Texts of DuckDB's vectors, copied out in runs: a call for each of them is most of what they cost.
import { isValid, type Validity } from "../../model/data/chunk.ts";
import { copyFrom, duckdb } from "./symbols.ts";

/** What a text takes in a vector: its length, then its bytes if they are few, or where they lie. */
export const text_bytes = 16;
export const most_inside = 12;

/**
 * Texts as near to each other as this are copied together, with what lies between. That is memory
 * for sure: a gap shorter than a page of memory lies in the page of one of its sides.
 */
const near_bytes = 1024;

/** How much is copied together, unless one text is longer. */
const run_bytes = 256 * 1024;

/** Longer ones are copied by the engine's own copy, shorter ones faster without it. */
const short_bytes = 48;

/** Behind the last text there is room for so many bytes that a copy of whole words may touch. */
export const slack_bytes = 16;

/** Where each row's text belongs: that of row i at `offsets[first + i]`, up to the next one. */
type Rows = { readonly offsets: Int32Array; readonly first: number };

/** The same with the memory for them, which has its slack. */
export type TextPlaces = Rows & { readonly into: Uint8Array<ArrayBuffer> };

/** The texts of a vector's rows. */
export class Texts {
  readonly #rows: number;
  readonly #heads: DataView<ArrayBuffer>;
  /** The same, four a row: its length is the first, its place the last two. */
  readonly #words: Uint32Array<ArrayBuffer>;

  constructor(vector: bigint, rows: number) {
    this.#rows = rows;
    const heads = new Uint8Array(text_bytes * rows);
    copyFrom(duckdb().duckdb_vector_get_data(vector), heads);
    this.#heads = new DataView(heads.buffer);
    this.#words = new Uint32Array(heads.buffer);
  }

  /** Says where each text belongs, from the place of the first on: one behind the other. */
  measure({ offsets, first, valid }: Rows & { readonly valid: Validity | undefined }): void {
    let at = offsets[first];
    for (let row = 0; row < this.#rows; row++) {
      if (isValid(valid, first + row)) at += this.#words[4 * row];
      offsets[first + row + 1] = at;
    }
  }

  /** Puts all texts where they belong; a row without a text has no room there. */
  copy(places: TextPlaces): void {
    const { into, offsets, first } = places;
    const heads = this.#heads;
    const target = new DataView(into.buffer);
    for (let row = 0; row < this.#rows;) {
      const at = offsets[first + row];
      const length = offsets[first + row + 1] - at;
      if (length > most_inside) {
        row = this.#copyRun(row, places);
        continue;
      }
      const from = text_bytes * row++ + 4;
      if (length === 0) continue;
      target.setBigUint64(at, heads.getBigUint64(from, true), true);
      if (length > 8) target.setUint32(at + 8, heads.getUint32(from + 8, true), true);
    }
  }

  /** Puts long texts from a row on that lie near each other; gives the row behind the last one. */
  #copyRun(row: number, { into, offsets, first }: TextPlaces): number {
    let [low, high] = [Infinity, -Infinity];
    let end = row;
    for (; end < this.#rows; end++) {
      const length = offsets[first + end + 1] - offsets[first + end];
      if (length === 0) continue;
      if (length <= most_inside) break;
      const from = this.#placeOf(end);
      const to = from + length;
      if (end > row && (from > high + near_bytes || to < low - near_bytes)) break;
      if (end > row && Math.max(high, to) - Math.min(low, from) > run_bytes) break;
      low = Math.min(low, from);
      high = Math.max(high, to);
    }
    const run = new Uint8Array(new ArrayBuffer(high - low + slack_bytes), 0, high - low);
    copyFrom(BigInt(low), run);
    const [source, target] = [new DataView(run.buffer), new DataView(into.buffer)];
    for (let i = row; i < end; i++) {
      const at = offsets[first + i];
      const length = offsets[first + i + 1] - at;
      if (length === 0) continue;
      const from = this.#placeOf(i) - low;
      if (length > short_bytes) into.set(run.subarray(from, from + length), at);
      else {
        for (let k = 0; k < length; k += 8) {
          target.setBigUint64(at + k, source.getBigUint64(from + k, true), true);
        }
      }
    }
    return end;
  }

  /** The address of a long text; such numbers are whole as they are. */
  #placeOf(row: number): number {
    return this.#words[4 * row + 3] * 2 ** 32 + this.#words[4 * row + 2];
  }
}
