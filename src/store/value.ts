// DuckDB's vectors and parameters as the model's typed arrays and plain values, and back.
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBDataChunk,
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
import { type Chunk, isValid, type Validity, type Vector, wordsOf } from "../model/chunk.ts";
import type { FixedKind } from "../model/kind.ts";

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
      const column = chunk.getColumnVector(i).toArray();
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

type Items = { readonly items: never; readonly validity: { data: BigUint64Array | null } };

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
  const values = arrayOf(kind, rows);
  const validity = new Gathered(rows);
  let at = 0;
  for (const part of parts as unknown as readonly Items[]) {
    const items = part.items as ArrayLike<number>;
    (values as Float64Array).set(items, at);
    validity.add(part.validity.data, at, items.length);
    at += items.length;
  }
  return { kind, values, valid: validity.bits } as Vector;
}

/** Text and booleans, which the binding gives item by item unless there are none. */
function gatherItems(parts: readonly DuckDBVector[], rows: number): Vector {
  if (parts[0].type.typeId === DuckDBTypeId.VARCHAR && parts.every(isEmpty)) {
    const words = { bytes: new Uint8Array(), offsets: new Int32Array(rows + 1) };
    return { kind: "text", words, valid: new Uint8Array((rows + 7) >> 3) };
  }
  const items = parts.flatMap((part) => part.toArray());
  let valid: Validity | undefined;
  if (items.includes(null)) {
    valid = new Uint8Array((rows + 7) >> 3);
    for (let i = 0; i < rows; i++) if (items[i] !== null) valid[i >> 3] |= 1 << (i & 7);
  }
  if (parts[0].type.typeId === DuckDBTypeId.BOOLEAN) {
    return { kind: "bool", values: Uint8Array.from(items, (item) => item ? 1 : 0), valid };
  }
  return { kind: "text", words: wordsOf(items.map((item) => (item ?? "") as string)), valid };
}

/** Whether no item of a vector has a value. */
function isEmpty(part: DuckDBVector): boolean {
  const { validity } = part as unknown as Items;
  if (validity.data === null) return false;
  const whole = part.itemCount >> 6;
  for (let i = 0; i < whole; i++) if (validity.data[i] !== 0n) return false;
  const rest = BigInt.asUintN(part.itemCount & 63, validity.data[whole] ?? 0n);
  return rest === 0n;
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

/** Validity bits put one behind the other; made only when some row has no value. */
class Gathered {
  bits: Validity | undefined;
  readonly #rows: number;

  constructor(rows: number) {
    this.#rows = rows;
  }

  add(from: BigUint64Array | null, at: number, count: number): void {
    if (from === null) return;
    const bits = this.bits ??= new Uint8Array((this.#rows + 7) >> 3).fill(0xff);
    const bytes = new Uint8Array(from.buffer, from.byteOffset, (count + 7) >> 3);
    if ((at & 7) === 0) {
      bits.set(bytes, at >> 3);
      return;
    }
    for (let i = 0; i < count; i++) {
      if ((bytes[i >> 3] >> (i & 7) & 1) === 0) bits[(at + i) >> 3] &= ~(1 << ((at + i) & 7));
    }
  }
}

/** A vector's numbers, its own array, with NaN put where it has none. */
export function numbersOf(vector: Vector): Float64Array {
  assert(vector.kind === "float64", "numbers are float64");
  const { values, valid } = vector;
  if (valid) { for (let i = 0; i < values.length; i++) if (!isValid(valid, i)) values[i] = NaN; }
  return values;
}
