// Where the texts of numbers stand that were met last.
import { isValid, type Validity } from "../../model/data/chunk.ts";
import type { Place } from "./text_piece.ts";
import type { TextStore } from "./text_store.ts";

/**
 * Finds the texts of numbers in a store, or prints them there. To print one takes long, and rows
 * often have the number of a row before, or of another column.
 */
export class TextTable {
  readonly #store: TextStore;
  readonly #print: (value: number) => void;
  /** Of each number its bits, lower half first, then where its text begins and ends: 0 is none. */
  readonly #entries: Int32Array;
  readonly #shift: number;

  /** A table of 2^`bits` numbers that `print` puts into the store. */
  constructor(
    store: TextStore,
    { bits, print }: { readonly bits: number; readonly print: (value: number) => void },
  ) {
    this.#store = store;
    this.#print = print;
    this.#shift = 32 - bits;
    this.#entries = new Int32Array(4 * 2 ** bits);
  }

  /** Writes where the texts of rows stand; those without a value have an empty one. */
  find(
    values: Float64Array,
    { from, to, spans, at, step, valid }: Place & { readonly valid: Validity | undefined },
  ): void {
    const entries = this.#entries;
    const shift = this.#shift;
    const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
    for (let row = from, i = at; row < to; row++, i += step) {
      if (!isValid(valid, row)) {
        spans[i] = spans[i + 1] = 0;
        continue;
      }
      const low = halves[2 * row];
      const high = halves[2 * row + 1];
      const mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca77);
      const entry = 4 * (Math.imul(mixed ^ mixed >>> 15, 0x2c1b3c6d) >>> shift);
      if (entries[entry] !== low || entries[entry + 1] !== high || entries[entry + 3] === 0) {
        entries[entry] = low;
        entries[entry + 1] = high;
        entries[entry + 2] = this.#store.length;
        this.#print(values[row]);
        entries[entry + 3] = this.#store.length;
      }
      spans[i] = entries[entry + 2];
      spans[i + 1] = entries[entry + 3];
    }
  }

  /** Forgets all numbers, whose texts are cut off. */
  clear(): void {
    this.#entries.fill(0);
  }
}
