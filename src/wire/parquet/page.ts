// The pages of one Parquet column: which rows have a value, and those values, plain or by code.
// https://parquet.apache.org/docs/file-format/data-pages/
import { constants, zstdCompressSync } from "node:zlib";
import { assert } from "../../base/assert.ts";
import { concat } from "../../base/bytes.ts";
import { isValid, type Validity, type Vector, type Words } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import { i32, struct, thriftBytes, type ThriftField, varint } from "./thrift.ts";
import { packBits } from "../bytes/slice.ts";

/** Numbers of the format's encodings that are used here. */
export const encodings = { plain: 0, rle: 3, rle_dictionary: 8 } as const;

/** One column's values for the rows of one page. */
type PageRows = { readonly rows: number; readonly vector: Vector };

/** One page as it goes out, and how many bytes it would be without compression. */
type Page = { readonly parts: readonly Uint8Array[]; readonly raw_bytes: number };
export type Pages = { readonly dictionary: Page | undefined; readonly data: readonly Page[] };

/** The pages of a column in one row group. */
export function pagesOf(column: Column, pages: readonly PageRows[]): Pages {
  if (!column.dictionary) {
    const data = pages.map((page) => dataPage(column, page, plainValues(page)));
    return { dictionary: undefined, data };
  }
  const used = new UsedWords();
  const codes = pages.map((page) => used.codesOf(page));
  const width = 32 - Math.clz32(Math.max(1, used.count - 1));
  const data = pages.map((page, i) => dataPage(column, page, codeBytes(codes[i], width)));
  return { dictionary: dictionaryPage(used), data };
}

/** The words of a dictionary that a row group uses, numbered in the order of their first use. */
class UsedWords {
  #words: Words | undefined;
  #numbers = new Int32Array(0);
  readonly #used: number[] = [];

  get count(): number {
    return this.#used.length;
  }

  /** The new codes of the rows that have a value. */
  codesOf({ rows, vector }: PageRows): Int32Array<ArrayBuffer> {
    assert(vector.kind === "text" && vector.codes, "a dictionary column holds codes");
    this.#words ??= vector.words;
    assert(vector.words === this.#words, "a column has one dictionary for the whole answer");
    if (this.#numbers.length === 0) {
      this.#numbers = new Int32Array(this.#words.offsets.length).fill(-1);
    }
    const { codes, valid } = vector;
    const numbers = this.#numbers;
    const out = new Int32Array(rows);
    let count = 0;
    for (let row = 0; row < rows; row++) {
      if (!isValid(valid, row)) continue;
      const code = codes[row];
      if (numbers[code] < 0) numbers[code] = this.#used.push(code) - 1;
      out[count++] = numbers[code];
    }
    return out.subarray(0, count);
  }

  /** The words as plain values. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#words ? plainWords(this.#words, this.#used) : new Uint8Array(0);
  }
}

function dictionaryPage(used: UsedWords): Page {
  const facts = struct([1, i32(used.count)], [2, i32(encodings.plain)]);
  return pageOf([used.bytes()], { type: page_types.dictionary, facts: [7, facts] });
}

function dataPage(
  { nullable, dictionary }: Column,
  { rows, vector }: PageRows,
  values: Uint8Array,
): Page {
  const facts = struct(
    [1, i32(rows)],
    [2, i32(dictionary ? encodings.rle_dictionary : encodings.plain)],
    [3, i32(encodings.rle)],
    [4, i32(encodings.rle)],
  );
  const parts = nullable ? [...levelParts(vector.valid, rows), values] : [values];
  return pageOf(parts, { type: page_types.data, facts: [5, facts] });
}

/** A page's body, compressed as one, behind its header. */
function pageOf(
  body: readonly Uint8Array[],
  { type, facts }: { readonly type: number; readonly facts: ThriftField },
): Page {
  const raw = concat(body);
  const compressed = zstdCompressSync(raw, fast);
  const header = thriftBytes(
    struct([1, i32(type)], [2, i32(raw.length)], [3, i32(compressed.length)], facts),
  );
  return { parts: [header, compressed], raw_bytes: header.length + raw.length };
}

const page_types = { data: 0, dictionary: 2 } as const;

/** 2 ms for a page of 512 KiB at most; level 3 takes twice as long for 1 % less. */
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Definition levels behind their length. */
function levelParts(valid: Validity | undefined, rows: number): Uint8Array[] {
  const levels = levelBytes(valid, rows);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, levels.length, true);
  return [length, levels];
}

/** The values of the rows that have one, as they are in memory. */
function plainValues({ rows, vector }: PageRows): Uint8Array {
  if (vector.kind === "text") return plainWords(vector.words, validRows(vector.valid, rows));
  const values = vector.valid ? packed(vector.values, vector.valid, rows) : vector.values;
  if (vector.kind === "bool") return packBits(values as Uint8Array);
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

type Values = Exclude<Vector, { kind: "text" }>["values"];

/** The values of valid rows, one behind the other. */
function packed(values: Values, valid: Validity, rows: number): Values {
  const out = values.slice() as Float64Array<ArrayBuffer>;
  const from = values as Float64Array;
  let count = 0;
  for (let row = 0; row < rows; row++) if (isValid(valid, row)) out[count++] = from[row];
  return out.subarray(0, count);
}

function validRows(valid: Validity | undefined, rows: number): Int32Array {
  const out = new Int32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (isValid(valid, row)) out[count++] = row;
  return out.subarray(0, count);
}

/** Words by number, each behind its length. */
function plainWords(
  { bytes, offsets }: Words,
  numbers: ArrayLike<number>,
): Uint8Array<ArrayBuffer> {
  let size = 4 * numbers.length;
  for (let i = 0; i < numbers.length; i++) size += offsets[numbers[i] + 1] - offsets[numbers[i]];
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  let at = 0;
  for (let i = 0; i < numbers.length; i++) {
    const from = offsets[numbers[i]];
    const length = offsets[numbers[i] + 1] - from;
    view.setUint32(at, length, true);
    out.set(bytes.subarray(from, from + length), at + 4);
    at += 4 + length;
  }
  return out;
}

/** Runs shorter than this are packed: packed values come in groups of eight. */
const group = 8;

/** Which of `rows` rows have a value, as levels of one bit: validity is packed as Parquet's are. */
function levelBytes(valid: Validity | undefined, rows: number): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  if (valid === undefined) {
    varint(rows * 2, out);
    return Uint8Array.from([...out, 1]);
  }
  const groups = Math.ceil(rows / group);
  varint(groups * 2 + 1, out);
  const bytes = new Uint8Array(out.length + groups);
  bytes.set(out);
  bytes.set(valid.subarray(0, groups), out.length);
  return bytes;
}

/** Codes below 2^`width`, behind one byte that says the width (1 to 24). */
function codeBytes(
  codes: Int32Array,
  width: number,
): Uint8Array<ArrayBuffer> {
  const count = codes.length;
  const out = new HybridWriter(count, width);
  let packed_from = 0;
  let at = 0;
  while (at < count) {
    const run = runAt(codes, at);
    if (run < group) {
      at += group;
      continue;
    }
    out.pack(codes, packed_from, at);
    out.repeat(codes[at], run);
    at += run;
    packed_from = at;
  }
  out.pack(codes, packed_from, count);
  return out.bytes();
}

/** How many equal codes stand at `at`. */
function runAt(codes: Int32Array, at: number): number {
  let end = at + 1;
  while (end < codes.length && codes[end] === codes[at]) end++;
  return end - at;
}

/**
 * Writes Parquet's hybrid of run lengths and packed bits:
 * https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
 */
class HybridWriter {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #width: number;
  #at = 1;

  constructor(count: number, width: number) {
    // Every group of eight is packed, or part of a run that takes no more; each has a header.
    this.#bytes = new Uint8Array(1 + Math.ceil(count / group + 1) * (width + 6));
    this.#bytes[0] = width;
    this.#width = width;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#at);
  }

  /** A run of one code. */
  repeat(code: number, times: number): void {
    this.#header(times * 2);
    for (let bits = 0; bits < this.#width; bits += 8) {
      this.#bytes[this.#at++] = code >>> bits & 0xff;
    }
  }

  /** Codes from..to one behind the other, filled up with zeros to groups of eight. */
  pack(codes: Int32Array, from: number, to: number): void {
    if (from === to) return;
    const groups = Math.ceil((to - from) / group);
    this.#header(groups * 2 + 1);
    const end = this.#at + groups * this.#width;
    let pending = 0;
    let bits = 0;
    for (let i = from; i < to; i++) {
      pending |= codes[i] << bits;
      for (bits += this.#width; bits >= 8; bits -= 8) {
        this.#bytes[this.#at++] = pending & 0xff;
        pending >>>= 8;
      }
    }
    if (bits > 0) this.#bytes[this.#at] = pending;
    this.#at = end;
  }

  #header(value: number): void {
    const out: number[] = [];
    varint(value, out);
    for (const byte of out) this.#bytes[this.#at++] = byte;
  }
}
