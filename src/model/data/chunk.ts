// Rows by column in typed arrays: what passes between the database, the engine and the encoders.
// Loops over them look for a length once, and copy long numbers as words: until V8 has compiled a
// loop for good, a length is a call in each turn, and a BigInt an object.
import { assert } from "../../base/assert.ts";
import type { FixedKind, ValuesOf } from "./kind.ts";
import type { Column } from "./column.ts";
import { concat, textOf, utf8 } from "../../base/bytes.ts";

/** An ordered list of texts as UTF-8, word i at `offsets[i]..offsets[i + 1]` of `bytes`. */
export type Words = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offsets: Int32Array<ArrayBuffer>;
};

/**
 * Which rows have a value: bit i (least significant first) of byte i / 8 is 1 where row i has one.
 * The same layout as DuckDB's and Arrow's. Absent means every row has a value.
 */
export type Validity = Uint8Array<ArrayBuffer>;

/**
 * One column's values for the rows of a chunk. A row without a value is 0 there, and so are the
 * bits of validity behind the last row: the memory goes out as it is.
 */
export type Vector =
  | { [K in FixedKind]: { kind: K; values: ValuesOf[K]; valid?: Validity } }[FixedKind]
  /**
   * Text by code into a dictionary; the same `words` object in every chunk of an answer. A row
   * without a value has code 0: readers check codes even there.
   */
  | { kind: "text"; codes: Int32Array<ArrayBuffer>; words: Words; valid?: Validity }
  /** Text of the chunk's own: word i is row i's. A row without a value has an empty word. */
  | { kind: "text"; codes?: undefined; words: Words; valid?: Validity };

/**
 * Some rows: one vector for each column of its answer, each of `rows` values. Encoders pass its
 * arrays on without a copy: whoever made them never writes to them again.
 */
export type Chunk = { readonly rows: number; readonly vectors: readonly Vector[] };

/**
 * A whole answer: its columns, then its rows as they are made. Stopping the iteration frees
 * everything.
 */
export type Answer = {
  readonly columns: readonly Column[];
  readonly chunks: AsyncIterable<Chunk> | Iterable<Chunk>;
  /** Facts about the whole answer, for Arrow and Parquet metadata (such as `site_timezone`). */
  readonly metadata: Readonly<Record<string, string>>;
};

/** The words of a list of texts. Mostly they are of ASCII, where one call encodes all of them. */
export function wordsOf(texts: readonly string[]): Words {
  const bytes = utf8(texts.join(""));
  const offsets = offsetsOf(texts);
  // Any other character takes more bytes than it counts in a text's length.
  if (bytes.length === offsets[texts.length]) return { bytes, offsets };
  const parts = texts.map(utf8);
  return { bytes: concat(parts), offsets: offsetsOf(parts) };
}

/** Where each part begins, and the end. */
function offsetsOf(parts: readonly { readonly length: number }[]): Int32Array<ArrayBuffer> {
  const offsets = new Int32Array(parts.length + 1);
  for (let i = 0; i < parts.length; i++) offsets[i + 1] = offsets[i] + parts[i].length;
  return offsets;
}

/** Word `i` as text. */
export function wordAt(words: Words, i: number): string {
  return textOf(words.bytes.subarray(words.offsets[i], words.offsets[i + 1]));
}

/** Whether row `i` has a value. */
export function isValid(valid: Validity | undefined, i: number): boolean {
  return valid === undefined || bitOf(valid, i) === 1;
}

/** Whether any of the first `rows` rows has a value. */
export function hasAny({ valid }: Vector, rows: number): boolean {
  if (valid === undefined) return rows > 0;
  const whole = rows >> 3;
  for (let at = 0; at < whole; at++) if (valid[at] !== 0) return true;
  return (valid[whole] & (1 << (rows & 7)) - 1) !== 0;
}

/** Whether each of the first `rows` rows has a value. */
export function hasAll({ valid }: Pick<Vector, "valid">, rows: number): boolean {
  if (valid === undefined) return true;
  const whole = rows >> 3;
  for (let at = 0; at < whole; at++) if (valid[at] !== 0xff) return false;
  const rest = (1 << (rows & 7)) - 1;
  return (valid[whole] & rest) === rest;
}

/** The bit of row `i`. */
export function bitOf(valid: Uint8Array, i: number): number {
  return valid[i >> 3] >> (i & 7) & 1;
}

/** A validity of `rows` rows, none of which has a value. */
export function noneValid(rows: number): Validity {
  return new Uint8Array((rows + 7) >> 3);
}

/** Marks row `i` as having a value. */
export function setValid(valid: Validity, i: number): void {
  valid[i >> 3] |= 1 << (i & 7);
}

/** Int64s as pairs of 32-bit halves, the lower one first: what is read there makes no BigInt. */
export function halvesOf(values: BigInt64Array): Int32Array<ArrayBuffer> {
  return new Int32Array(values.buffer as ArrayBuffer, values.byteOffset, values.length * 2);
}

/** The Int64 number `i` of such pairs, where it lies within 2^53. */
export function int64At(halves: Int32Array, i: number): number {
  return halves[2 * i + 1] * 4_294_967_296 + (halves[2 * i] >>> 0);
}

/** Absent where every cell has a value. */
export function validityOf(cells: readonly unknown[]): Validity | undefined {
  if (!cells.includes(null)) return undefined;
  const valid = noneValid(cells.length);
  cells.forEach((cell, i) => cell !== null && setValid(valid, i));
  return valid;
}

/** An array for `rows` values of `kind`. */
export function arrayOf<K extends FixedKind>(kind: K, rows: number) {
  return new arrays[kind](rows);
}

const arrays = {
  float64: Float64Array,
  int64: BigInt64Array,
  instant: BigInt64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  bool: Uint8Array,
} as const;

/** A vector of some cells, which are numbers, flags or null. */
export function fixedVector(kind: FixedKind, cells: readonly unknown[]): Vector {
  const values = arrayOf(kind, cells.length);
  if (values instanceof BigInt64Array) {
    cells.forEach((cell, i) => values[i] = BigInt(cell as number | null ?? 0));
  } else cells.forEach((cell, i) => values[i] = Number(cell));
  return { kind, values, valid: validityOf(cells) } as Vector;
}

/** A vector of the finite ones of some values (`v - v` is 0); the others are null. */
export function finiteVector(values: Float64Array<ArrayBuffer>): Vector {
  const valid = noneValid(values.length);
  for (let i = 0, { length } = values; i < length; i++) {
    if (values[i] - values[i] === 0) setValid(valid, i);
    else values[i] = 0;
  }
  return { kind: "float64", values, valid };
}

/** Instants in microseconds, null where one is NaN; a BigInt of each would be an object. */
export function instantVector(us: Float64Array): Vector {
  const values = new BigInt64Array(us.length);
  const halves = halvesOf(values);
  const valid = noneValid(us.length);
  for (let i = 0, { length } = us; i < length; i++) {
    if (us[i] !== us[i]) continue;
    const high = Math.floor(us[i] / 4_294_967_296);
    halves[2 * i] = us[i] - high * 4_294_967_296;
    halves[2 * i + 1] = high;
    setValid(valid, i);
  }
  return { kind: "instant", values, valid };
}

/** A vector's whole numbers, its own array: 0 where it has none. */
export function int32sOf(vector: Vector): Int32Array<ArrayBuffer> {
  assert(vector.kind === "int32", "whole numbers are int32");
  return vector.values;
}

/** A vector's numbers, its own array, with NaN put where it has none. */
export function numbersOf(vector: Vector): Float64Array {
  assert(vector.kind === "float64", "numbers are float64");
  const { values, valid } = vector;
  if (valid === undefined) return values;
  // Rows without a value mostly follow one another: those of a byte are told at once.
  for (let at = 0, { length } = valid; at < length; at++) {
    if (valid[at] === 0xff) continue;
    const from = 8 * at;
    while (valid[at + 1] === 0 && valid[at] === 0) at++;
    const to = Math.min(8 * at + 8, values.length);
    if (valid[at] === 0) values.fill(NaN, from, to);
    else for (let i = from; i < to; i++) if (!isValid(valid, i)) values[i] = NaN;
  }
  return values;
}

/** The first rows of a chunk, in the same memory. */
export function firstRows({ vectors }: Chunk, rows: number): Chunk {
  return { rows, vectors: vectors.map((vector) => firstOf(vector, rows)) };
}

function firstOf(vector: Vector, rows: number): Vector {
  const valid = vector.valid?.slice(0, (rows + 7) >> 3);
  if (valid && (rows & 7) !== 0) valid[rows >> 3] &= (1 << (rows & 7)) - 1;
  if (vector.kind !== "text") {
    return { kind: vector.kind, values: vector.values.subarray(0, rows), valid } as Vector;
  }
  const { words, codes } = vector;
  if (codes) return { kind: "text", words, codes: codes.subarray(0, rows), valid };
  const offsets = words.offsets.subarray(0, rows + 1);
  const bytes = words.bytes.subarray(0, offsets[rows]);
  return { kind: "text", words: { bytes, offsets }, valid };
}

/** Some rows of a vector, in the order of their places. */
export function takeRows(vector: Vector, places: Uint32Array): Vector {
  const valid = vector.valid && takeValid(vector.valid, places);
  if (vector.kind !== "text") {
    const values = arrayOf(vector.kind, places.length);
    takeValues(vector.values, { places, into: values });
    return { kind: vector.kind, values, valid } as Vector;
  }
  const { words, codes } = vector;
  if (!codes) return { kind: "text", words: takeWords(words, places), valid };
  const values = new Int32Array(places.length);
  takeWhole(codes, { places, into: values });
  return { kind: "text", words, codes: values, valid };
}

/** Copies what lies at some places: a loop for each width, as one for all is far slower. */
function takeValues(
  from: ValuesOf[FixedKind],
  { places, into }: { readonly places: Uint32Array; readonly into: ValuesOf[FixedKind] },
): void {
  if (from instanceof Uint8Array) {
    for (let i = 0, { length } = places; i < length; i++) into[i] = from[places[i]];
  } else if (from.BYTES_PER_ELEMENT === 4) {
    takeWhole(wholesIn(from), { places, into: wholesIn(into) });
  } else takePairs(wholesIn(from), { places, into: wholesIn(into) });
}

/** The memory of values as whole numbers, which a copy leaves as they are; long ones are two. */
function wholesIn({ buffer, byteOffset, byteLength }: ValuesOf[FixedKind]): Int32Array {
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}

type Taken = { readonly places: Uint32Array; readonly into: Int32Array };

function takeWhole(from: Int32Array, { places, into }: Taken): void {
  for (let i = 0, { length } = places; i < length; i++) into[i] = from[places[i]];
}

function takePairs(from: Int32Array, { places, into }: Taken): void {
  for (let i = 0, { length } = places; i < length; i++) {
    const at = places[i] << 1;
    into[2 * i] = from[at];
    into[2 * i + 1] = from[at + 1];
  }
}

function takeValid(valid: Validity, places: Uint32Array): Validity | undefined {
  const taken = noneValid(places.length);
  let is_whole = true;
  for (let i = 0, { length } = places; i < length; i++) {
    if (isValid(valid, places[i])) setValid(taken, i);
    else is_whole = false;
  }
  return is_whole ? undefined : taken;
}

function takeWords({ bytes, offsets }: Words, places: Uint32Array): Words {
  const taken = new Int32Array(places.length + 1);
  places.forEach((at, i) => taken[i + 1] = taken[i] + offsets[at + 1] - offsets[at]);
  const into = new Uint8Array(taken[places.length]);
  if (into.length > 0) {
    places.forEach((at, i) => into.set(bytes.subarray(offsets[at], offsets[at + 1]), taken[i]));
  }
  return { bytes: into, offsets: taken };
}
