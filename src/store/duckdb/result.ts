// What a statement gives: columns, and rows in parts that are copied out of DuckDB's memory.
import { assert } from "../../base/assert.ts";
import {
  arrayOf,
  type Chunk,
  noneValid,
  type Validity,
  type Vector,
  wordAt,
} from "../../model/data/chunk.ts";
import type { FixedKind } from "../../model/data/kind.ts";
import { copyFrom, duckdb, DuckError, keeping, textAt } from "./symbols.ts";
import { slack_bytes, Texts } from "./texts.ts";

/** Types of columns, by DuckDB's number for them. */
export const Type = {
  BOOLEAN: 1,
  TINYINT: 2,
  SMALLINT: 3,
  INTEGER: 4,
  BIGINT: 5,
  UTINYINT: 6,
  USMALLINT: 7,
  UINTEGER: 8,
  UBIGINT: 9,
  FLOAT: 10,
  DOUBLE: 11,
  TIMESTAMP: 12,
  DATE: 13,
  HUGEINT: 16,
  VARCHAR: 17,
} as const;
export type Type = typeof Type[keyof typeof Type];

/** A plain value of a row: Int64 comes as a number and must be safe (instants are). */
export type Plain = string | number | boolean | null;

/** Rows of a result that lie in DuckDB's memory until it is closed; up to 2 048 of them. */
export class Part {
  readonly rows: number;
  readonly #handle: BigUint64Array<ArrayBuffer>;

  constructor(address: bigint) {
    this.#handle = BigUint64Array.of(address);
    this.rows = Number(duckdb().duckdb_data_chunk_get_size(address));
  }

  /** The address of a column. */
  column(i: number): bigint {
    return duckdb().duckdb_data_chunk_get_vector(this.#handle[0], BigInt(i));
  }

  close(): void {
    duckdb().duckdb_destroy_data_chunk(this.#handle);
  }
}

/** A result that nobody closed is freed once nobody can read it any more. */
const forgotten = new FinalizationRegistry((memory: Uint8Array<ArrayBuffer>) =>
  duckdb().duckdb_destroy_result(memory)
);

/** The result of a statement. It needs the connection no more if it was made whole. */
export class Result {
  readonly names: readonly string[];
  readonly types: readonly Type[];
  readonly #memory: Uint8Array<ArrayBuffer>;
  #is_open = true;

  /** Of the memory that DuckDB wrote it to; throws what DuckDB says went wrong. */
  constructor(memory: Uint8Array<ArrayBuffer>, state: number) {
    this.#memory = memory;
    forgotten.register(this, memory, this);
    if (state !== 0) this.#fail();
    const columns = Number(duckdb().duckdb_column_count(memory));
    const numbers = Array.from({ length: columns }, (_, i) => BigInt(i));
    this.names = numbers.map((i) => textAt(duckdb().duckdb_column_name(memory, i)));
    this.types = numbers.map((i) => duckdb().duckdb_column_type(memory, i) as Type);
  }

  /** All rows as objects. Closes the result. */
  rows(): Record<string, Plain>[] {
    return this.#finish(() => this.#parts().flatMap((part) => plainRows(part, this)));
  }

  /** All rows in one chunk. Closes the result. */
  chunk(): Chunk {
    return this.#finish(() => gather(this.#parts(), this.types));
  }

  /** The rows in chunks of `parts` parts, in memory from `room` if so. Closes the result. */
  *chunks(parts: number, room?: Room): Generator<Chunk, void> {
    try {
      for (;;) {
        const some = this.#parts(parts);
        if (some.length === 0) return;
        yield gather(some, this.types, room);
      }
    } finally {
      this.close();
    }
  }

  /** The next part of a result that is made while it is read. */
  async next(): Promise<Part | undefined> {
    const address = await keeping([this.#memory], duckdb().fetch_chunk_later(this.#memory));
    if (address !== 0n) return new Part(address);
    if (duckdb().duckdb_result_error(this.#memory) !== 0n) this.#fail();
  }

  close(): void {
    if (!this.#is_open) return;
    this.#is_open = false;
    forgotten.unregister(this);
    duckdb().duckdb_destroy_result(this.#memory);
  }

  #finish<T>(read: () => T): T {
    try {
      return read();
    } finally {
      this.close();
    }
  }

  /** The next parts, at most `count`. */
  #parts(count = Infinity): Part[] {
    const parts: Part[] = [];
    while (parts.length < count) {
      const address = duckdb().duckdb_fetch_chunk(this.#memory);
      if (address === 0n) break;
      parts.push(new Part(address));
    }
    return parts;
  }

  #fail(): never {
    const kind = duckdb().duckdb_result_error_type(this.#memory);
    const error = new DuckError(textAt(duckdb().duckdb_result_error(this.#memory)), kind);
    this.close();
    throw error;
  }
}

/** The rows of a result in chunks, each made when it is asked for; they are read once. */
export class ResultPieces implements Iterable<Chunk> {
  readonly #result: Result;
  readonly #parts: number;

  /** Of `parts` parts each. */
  constructor(result: Result, parts: number) {
    this.#result = result;
    this.#parts = parts;
  }

  [Symbol.iterator](): Iterator<Chunk> {
    return this.#result.chunks(this.#parts);
  }

  /**
   * For who is done with each before the next: that takes its memory. A collection of garbage
   * follows soon where each has its own, and takes longer than reading them.
   */
  inTurn(): Iterable<Chunk> {
    return this.#result.chunks(this.#parts, new Room());
  }
}

type Width = { readonly bytes: number; readonly read: (view: DataView, at: number) => Plain };

/** How values of a type lie in memory, one behind the other; texts are another matter. */
const widths: Partial<Record<Type, Width>> = {
  [Type.BOOLEAN]: { bytes: 1, read: (view, at) => view.getUint8(at) !== 0 },
  [Type.TINYINT]: { bytes: 1, read: (view, at) => view.getInt8(at) },
  [Type.SMALLINT]: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  [Type.INTEGER]: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  [Type.BIGINT]: { bytes: 8, read: (view, at) => safe(view.getBigInt64(at, true)) },
  [Type.UTINYINT]: { bytes: 1, read: (view, at) => view.getUint8(at) },
  [Type.USMALLINT]: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  [Type.UINTEGER]: { bytes: 4, read: (view, at) => view.getUint32(at, true) },
  [Type.UBIGINT]: { bytes: 8, read: (view, at) => safe(view.getBigUint64(at, true)) },
  [Type.FLOAT]: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  [Type.DOUBLE]: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  [Type.HUGEINT]: {
    bytes: 16,
    read: (view, at) => safe((view.getBigInt64(at + 8, true) << 64n) + view.getBigUint64(at, true)),
  },
};

function safe(value: bigint): number {
  const number = Number(value);
  assert(Number.isSafeInteger(number), "an Int64 outside the safe range");
  return number;
}

/** The rows of a part as objects: copies of a blank one, filled column by column. Closes it. */
function plainRows(part: Part, { names, types }: Result): Record<string, Plain>[] {
  const blank: Record<string, Plain> = Object.fromEntries(names.map((name) => [name, null]));
  const rows = Array.from({ length: part.rows }, () => ({ ...blank }));
  for (const [i, name] of names.entries()) {
    const vector = part.column(i);
    const words = wordsAt(vector, part.rows);
    if (words && noneOf(words, part.rows)) continue;
    const read = readerOf(types[i], { vector, rows: part.rows });
    for (let at = 0; at < rows.length; at++) {
      if (words === undefined || (words[at >> 5] >> (at & 31) & 1) === 1) rows[at][name] = read(at);
    }
  }
  part.close();
  return rows;
}

type Place = { readonly vector: bigint; readonly rows: number };

/** Reads single values of a column. */
function readerOf(type: Type, { vector, rows }: Place): (row: number) => Plain {
  if (type === Type.VARCHAR) {
    const { words } = gatherTexts([{ vector, rows }], rows);
    return (row) => wordAt(words, row);
  }
  const width = widths[type];
  assert(width !== undefined, `no plain value of DuckDB's type ${type}: cast it in the statement`);
  const bytes = new Uint8Array(width.bytes * rows);
  copyFrom(duckdb().duckdb_vector_get_data(vector), bytes);
  const view = new DataView(bytes.buffer);
  return (row) => width.read(view, width.bytes * row);
}

const kinds: Partial<Record<Type, FixedKind>> = {
  [Type.BOOLEAN]: "bool",
  [Type.DOUBLE]: "float64",
  [Type.BIGINT]: "int64",
  [Type.INTEGER]: "int32",
  [Type.UINTEGER]: "uint32",
};

/** Arrays for values, one a column, that chunk after chunk takes. */
class Room {
  readonly #arrays: Values[] = [];

  /** The array of a column, made where it is too short; what was in it is in it still. */
  take(column: number, kind: FixedKind, rows: number): Values {
    const known = this.#arrays[column];
    if (known === undefined || known.length < rows) this.#arrays[column] = arrayOf(kind, rows);
    return this.#arrays[column].subarray(0, rows);
  }
}

/**
 * The values of some parts of one result, gathered into a chunk, in memory from `room` if so.
 * Closes the parts.
 */
export function gather(parts: readonly Part[], types: readonly Type[], room?: Room): Chunk {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const vectors = types.map((type, i): Vector => {
    const places = parts.map((part) => ({ vector: part.column(i), rows: part.rows }));
    if (type === Type.VARCHAR) return gatherTexts(places, rows);
    const kind = kinds[type];
    assert(kind !== undefined, `no kind for DuckDB's type ${type}: cast it in the statement`);
    const gathered = new Gathered(room?.take(i, kind, rows) ?? arrayOf(kind, rows));
    for (const place of places) gathered.add(place);
    return { kind, values: gathered.values, valid: gathered.valid } as Vector;
  });
  for (const part of parts) part.close();
  return { rows, vectors };
}

function gatherTexts(places: readonly Place[], rows: number): Vector & { kind: "text" } {
  const gathered = new Gathered(new Uint8Array(rows));
  const has_some = places.map((place) => gathered.mark(place));
  const { valid } = gathered;
  const offsets = new Int32Array(rows + 1);
  const parts: { readonly texts: Texts; readonly first: number }[] = [];
  let at = 0;
  for (const [i, { vector, rows }] of places.entries()) {
    if (has_some[i]) {
      const texts = new Texts(vector, rows);
      texts.measure({ offsets, first: at, valid });
      parts.push({ texts, first: at });
    } else offsets.fill(offsets[at], at + 1, at + rows + 1);
    at += rows;
  }
  const into = new Uint8Array(new ArrayBuffer(offsets[rows] + slack_bytes), 0, offsets[rows]);
  for (const { texts, first } of parts) texts.copy({ into, offsets, first });
  return { kind: "text", words: { bytes: into, offsets }, valid };
}

/** The validity of a vector's rows, 32 of them a word; undefined where all have a value. */
function wordsAt(vector: bigint, rows: number): Int32Array | undefined {
  const at = duckdb().duckdb_vector_get_validity(vector);
  if (at === 0n) return undefined;
  const bytes = new Uint8Array(4 * ((rows + 31) >> 5));
  copyFrom(at, bytes);
  return new Int32Array(bytes.buffer);
}

function noneOf(words: Int32Array, count: number): boolean {
  const whole = count >> 5;
  for (let i = 0; i < whole; i++) if (words[i] !== 0) return false;
  return (words[whole] & ((1 << (count & 31)) - 1)) === 0;
}

type Values = ReturnType<typeof arrayOf>;

/**
 * Values put one behind the other; zero where a row has none, for nothing else may go out: the
 * place of such a row holds what lay in DuckDB's memory.
 */
class Gathered {
  readonly values: Values;
  /** Made only when some row has no value; 0 behind the last row. */
  valid: Validity | undefined;
  /** The same memory as numbers, whose zero is that of every kind. */
  readonly #slots: Float64Array | Int32Array | Uint8Array;
  #rows = 0;

  constructor(values: Values) {
    const { buffer, BYTES_PER_ELEMENT: width } = this.values = values;
    const slots = { 1: Uint8Array, 4: Int32Array, 8: Float64Array }[width as 1 | 4 | 8];
    this.#slots = new slots(buffer);
  }

  add({ vector, rows }: Place): void {
    const { buffer, BYTES_PER_ELEMENT: width } = this.values;
    const words = wordsAt(vector, rows);
    if (!words || !noneOf(words, rows)) {
      const into = new Uint8Array(buffer, width * this.#rows, width * rows);
      copyFrom(duckdb().duckdb_vector_get_data(vector), into);
    }
    this.#take(words, rows);
  }

  /** Only takes which rows have a value; says whether one may have. */
  mark({ vector, rows }: Place): boolean {
    const words = wordsAt(vector, rows);
    this.#take(words, rows);
    return words === undefined || !noneOf(words, rows);
  }

  #take(words: Int32Array | undefined, rows: number): void {
    const at = this.#rows;
    this.#rows += rows;
    if (words === undefined) return;
    if (noneOf(words, rows)) return this.#clear(at, at + rows);
    for (let i = 0; i < words.length; i++) {
      const from = at + 32 * i;
      const to = Math.min(from + 32, at + rows);
      if (words[i] === 0) this.#clear(from, to);
      else if (words[i] !== -1) this.#clearEach(from, ~words[i] & -1 >>> (32 + from - to));
    }
  }

  /** Takes the rows from..to as rows without a value. */
  #clear(from: number, to: number): void {
    const valid = this.valid ??= allValid(this.values.length);
    this.#slots.fill(0, from, to);
    let row = from;
    for (; row < to && (row & 7) !== 0; row++) valid[row >> 3] &= ~(1 << (row & 7));
    valid.fill(0, row >> 3, to >> 3);
    for (row = Math.max(row, to & ~7); row < to; row++) valid[row >> 3] &= ~(1 << (row & 7));
  }

  /** Takes each row of `absent`, bits from row `from` on, as one without a value. */
  #clearEach(from: number, absent: number): void {
    if (absent === 0) return;
    const valid = this.valid ??= allValid(this.values.length);
    const slots = this.#slots;
    for (let rest = absent; rest !== 0; rest &= rest - 1) {
      const row = from + 31 - Math.clz32(rest & -rest);
      slots[row] = 0;
      valid[row >> 3] &= ~(1 << (row & 7));
    }
  }
}

function allValid(rows: number): Validity {
  const valid = noneValid(rows).fill(0xff);
  if ((rows & 7) !== 0) valid[rows >> 3] = (1 << (rows & 7)) - 1;
  return valid;
}
