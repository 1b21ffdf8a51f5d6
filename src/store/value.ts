// DuckDB's vectors and parameters as the model's typed arrays and plain values, and back.
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBAppender,
  DuckDBDataChunk,
  DuckDBListValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  type DuckDBVector,
  INTEGER,
  LIST,
  VARCHAR,
} from "@duckdb/node-api";
import { assert } from "../base/assert.ts";
import {
  arrayOf,
  type Chunk,
  isValid,
  noneValid,
  setValid,
  type Validity,
  type Vector,
  wordAt,
  wordsOf,
} from "../model/data/chunk.ts";
import type { FixedKind } from "../model/data/kind.ts";

/**
 * What a named parameter of a statement takes. A whole number binds as BIGINT, a list by its items.
 */
export type Parameter =
  | string
  | number
  | bigint
  | boolean
  | null
  | Int32Array
  | readonly number[]
  | readonly string[];
export type Parameters = Readonly<Record<string, Parameter>>;

const empty_list: readonly DuckDBValue[] = [];

/** A parameter as the value and the type that DuckDB binds. */
export function bound(value: Parameter): { value: DuckDBValue; type: DuckDBType } {
  if (value === null) return { value, type: VARCHAR };
  if (typeof value === "string") return { value, type: VARCHAR };
  if (typeof value === "boolean") return { value, type: BOOLEAN };
  if (typeof value === "bigint") return { value, type: BIGINT };
  if (typeof value === "number") {
    return Number.isSafeInteger(value) && !Object.is(value, -0)
      ? { value: BigInt(value), type: BIGINT }
      : { value, type: DOUBLE };
  }
  if (value instanceof Int32Array) return list(Array.from(value), INTEGER);
  if (value.length === 0) return list(empty_list, VARCHAR);
  if (typeof value[0] === "string") return list(value as readonly string[], VARCHAR);
  const numbers = value as readonly number[];
  return numbers.every(Number.isSafeInteger)
    ? list(numbers.map(BigInt), BIGINT)
    : list(numbers, DOUBLE);
}

/** A statement with its parameters written into it; undefined where that is not safe for one. */
export function withLiterals(sql: string, parameters: Parameters): string | undefined {
  const literals = new Map<string, string>();
  for (const [name, value] of Object.entries(parameters)) {
    const literal = literalOf(value);
    if (literal === undefined) return undefined;
    literals.set(name, literal);
  }
  if (literals.size === 0) return sql;
  return sql.replaceAll(/\$(\w+)/g, (place, name) => literals.get(name) ?? place);
}

/** What DuckDB reads as the value and type that `bound` gives, as a part of any expression. */
function literalOf(value: Parameter): string | undefined {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "object") return listLiteralOf(value);
  if (typeof value === "string") {
    return plain_text.test(value) ? `CAST('${value}' AS VARCHAR)` : undefined;
  }
  if (typeof value === "bigint" || Number.isSafeInteger(value) && !Object.is(value, -0)) {
    return `CAST(${value} AS BIGINT)`;
  }
  // With an exponent it is read as a DOUBLE, to the last bit; without, as a DECIMAL.
  const is_plain = typeof value === "number" && Number.isFinite(value) && value !== 0;
  return is_plain ? `(${value.toExponential()})` : undefined;
}

/** Words and ids, which mean themselves between quotes; a secret is longer. */
const plain_text = /^[\w -]{0,40}$/;

/** More numbers than these are read faster out of one text. */
const most_items = 20;

function listLiteralOf(value: Int32Array | readonly number[] | readonly string[]) {
  const items: readonly (number | string)[] = [...value];
  if (!items.every(Number.isSafeInteger)) return undefined;
  const plain = items.length === 0 ? "VARCHAR" : "BIGINT";
  const list = items.length > most_items
    ? `string_split('${items.join(" ")}', ' ')`
    : `[${items.join()}]`;
  return `CAST(${list} AS ${value instanceof Int32Array ? "INTEGER" : plain}[])`;
}

function list(items: readonly DuckDBValue[], type: DuckDBType) {
  return { value: new DuckDBListValue(items), type: LIST(type) };
}

/** A plain value of a row: Int64 comes as a number and must be safe (instants are). */
export type Plain = string | number | boolean | null;

/**
 * The rows of some chunks of one result as objects. They are copies of a blank one, filled column
 * by column: three times as fast as each growing name by name.
 */
export function plainRows(
  names: readonly string[],
  chunks: readonly DuckDBDataChunk[],
): Record<string, Plain>[] {
  const blank: Record<string, Plain> = Object.fromEntries(names.map((name) => [name, null]));
  return chunks.flatMap((chunk) => {
    const rows = Array.from({ length: chunk.rowCount }, () => ({ ...blank }));
    for (const [i, name] of names.entries()) {
      const vector = chunk.getColumnVector(i);
      if (isEmpty(vector)) continue;
      const column = vector.toArray();
      for (let at = 0; at < rows.length; at++) rows[at][name] = plainOf(column[at]);
    }
    return rows;
  });
}

function plainOf(value: DuckDBValue): Plain {
  if (typeof value !== "bigint") {
    assert(value === null || typeof value !== "object", "no plain value: cast it in the statement");
    return value;
  }
  const number = Number(value);
  assert(Number.isSafeInteger(number), "an Int64 outside the safe range");
  return number;
}

/**
 * A vector of the binding as it is inside. The place of a row without a value holds what lay in
 * DuckDB's memory, and so do the bits of validity behind the last row.
 */
type Items = {
  readonly items: ArrayLike<number>;
  readonly validity: { readonly data: BigUint64Array | null };
};

const kinds: Partial<Record<DuckDBTypeId, FixedKind>> = {
  [DuckDBTypeId.DOUBLE]: "float64",
  [DuckDBTypeId.BIGINT]: "int64",
  [DuckDBTypeId.INTEGER]: "int32",
  [DuckDBTypeId.UINTEGER]: "uint32",
};

/** The values of some chunks of one result, gathered into one. Copies: the chunks may be freed. */
export function gather(chunks: readonly DuckDBDataChunk[]): Chunk {
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rowCount, 0);
  const width = chunks[0]?.columnCount ?? 0;
  const vectors = Array.from(
    { length: width },
    (_, i) => gatherColumn(chunks.map((chunk) => chunk.getColumnVector(i)), rows),
  );
  return { rows, vectors };
}

function gatherColumn(parts: readonly DuckDBVector[], rows: number): Vector {
  const type = parts[0].type.typeId;
  if (type === DuckDBTypeId.VARCHAR || type === DuckDBTypeId.BOOLEAN) {
    return gatherItems(parts, rows);
  }
  const kind = kinds[type];
  assert(kind !== undefined, `no kind for DuckDB type ${parts[0].type}: cast it in the statement`);
  const gathered = new Gathered(arrayOf(kind, rows));
  for (const part of parts as unknown as readonly Items[]) gathered.add(part);
  return { kind, values: gathered.values, valid: gathered.valid } as Vector;
}

/** Text and booleans, which the binding gives item by item unless there are none. */
function gatherItems(parts: readonly DuckDBVector[], rows: number): Vector {
  if (parts[0].type.typeId === DuckDBTypeId.VARCHAR && parts.every(isEmpty)) {
    const words = { bytes: new Uint8Array(), offsets: new Int32Array(rows + 1) };
    return { kind: "text", words, valid: noneValid(rows) };
  }
  const items = parts.flatMap((part) => part.toArray());
  let valid: Validity | undefined;
  if (items.includes(null)) {
    valid = noneValid(rows);
    for (let i = 0; i < rows; i++) if (items[i] !== null) setValid(valid, i);
  }
  if (parts[0].type.typeId === DuckDBTypeId.BOOLEAN) {
    return { kind: "bool", values: Uint8Array.from(items, (item) => item ? 1 : 0), valid };
  }
  return { kind: "text", words: wordsOf(items.map((item) => (item ?? "") as string)), valid };
}

/** Whether no item of a vector has a value. */
function isEmpty(part: DuckDBVector): boolean {
  const { data } = (part as unknown as Items).validity;
  return data !== null && noneOf(wordsIn(data, part.itemCount), part.itemCount);
}

/** The validity of `count` rows, 32 of them a word; -1 where all have a value. */
function wordsIn(data: BigUint64Array, count: number): Int32Array {
  return new Int32Array(data.buffer, data.byteOffset, (count + 31) >> 5);
}

function noneOf(words: Int32Array, count: number): boolean {
  const whole = count >> 5;
  for (let i = 0; i < whole; i++) if (words[i] !== 0) return false;
  return (words[whole] & ((1 << (count & 31)) - 1)) === 0;
}

/** Values put one behind the other; zero where a row has none, for nothing else may go out. */
class Gathered {
  /** All zero at first. */
  readonly values: ReturnType<typeof arrayOf>;
  /** Made only when some row has no value; 0 behind the last row. */
  valid: Validity | undefined;
  /** The same memory as numbers, whose zero is that of every kind. */
  readonly #slots: Float64Array | Int32Array;
  #rows = 0;

  constructor(values: ReturnType<typeof arrayOf>) {
    const { buffer, BYTES_PER_ELEMENT: width } = this.values = values;
    this.#slots = width === 8 ? new Float64Array(buffer) : new Int32Array(buffer);
  }

  add({ items, validity: { data } }: Items): void {
    const at = this.#rows;
    const count = items.length;
    this.#rows += count;
    const words = data && wordsIn(data, count);
    if (words && noneOf(words, count)) return this.#clear(at, at + count);
    (this.values as Float64Array).set(items, at);
    if (words === null) return;
    for (let i = 0; i < words.length; i++) {
      const from = at + 32 * i;
      const to = Math.min(from + 32, at + count);
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

const vector_rows = 2048;

/** Rows [from, to) of a chunk. */
type ChunkPart = { readonly chunk: Chunk; readonly from: number; readonly to: number };

/** Appends rows [from, to) of `chunk`, whose vectors stand in the table's column order. */
export function appendPart(appender: DuckDBAppender, { chunk, ...part }: ChunkPart): void {
  const types = chunk.vectors.map((_, i) => appender.columnType(i));
  const writers = chunk.vectors.map((vector, i) => writerOf(types[i], vector));
  let piece: DuckDBDataChunk | undefined;
  for (let { from } = part; from < part.to; from += vector_rows) {
    const rows = Math.min(vector_rows, part.to - from);
    // The appender copies a piece, so that the next one can be filled in the same place.
    if (piece?.rowCount !== rows) piece = DuckDBDataChunk.create(types, rows);
    for (const [i, write] of writers.entries()) write(piece.getColumnVector(i), { from, rows });
    appender.appendDataChunk(piece);
  }
}

type Range = { readonly from: number; readonly rows: number };
type Writer = (target: DuckDBVector, range: Range) => void;

/** The binding's vector as it is inside: values, and one bit a row for those that have one. */
type Inside = {
  readonly items: { set(values: ArrayLike<number>): void };
  readonly validity: { data: BigUint64Array | null };
};

function writerOf(type: DuckDBType, source: Vector): Writer {
  if (source.kind === "text") return textWriter(source);
  if (type.typeId === DuckDBTypeId.BOOLEAN) return booleanWriter(source);
  return (target, range) => {
    const inside = target as unknown as Inside;
    const values = source.values as Float64Array;
    inside.items.set(values.subarray(range.from, range.from + range.rows));
    if (source.valid) inside.validity.data = bitsOf(source.valid, range);
    target.flush();
  };
}

/** Sets only the rows that have a text, which is what costs; decodes each dictionary word once. */
function textWriter(source: Vector & { kind: "text" }): Writer {
  const { valid, words, codes } = source;
  const known: string[] = [];
  const wordOf = (code: number) => known[code] ??= wordAt(words, code);
  return (target, { from, rows }) => {
    const bits = bitsOf(valid ?? everyValid(rows), { from: valid ? from : 0, rows });
    (target as unknown as Inside).validity.data = bits;
    for (let i = 0; i < rows; i++) {
      if (!isValid(valid, from + i)) continue;
      target.setItem(i, codes ? wordOf(codes[from + i]) : wordAt(words, from + i));
    }
    target.flush();
  };
}

function booleanWriter(source: Vector & { kind: FixedKind }): Writer {
  return (target, { from, rows }) => {
    for (let i = 0; i < rows; i++) {
      target.setItem(i, isValid(source.valid, from + i) ? source.values[from + i] === 1 : null);
    }
    target.flush();
  };
}

/** The validity of a range whose start is a multiple of 8, padded to whole words. */
function bitsOf(valid: Validity, { from, rows }: Range): BigUint64Array {
  const words = new BigUint64Array(Math.ceil(rows / 64));
  const bytes = new Uint8Array(words.buffer);
  bytes.set(valid.subarray(from >> 3, (from + rows + 7) >> 3));
  return words;
}

function everyValid(rows: number): Validity {
  return new Uint8Array((rows + 7) >> 3).fill(0xff);
}
