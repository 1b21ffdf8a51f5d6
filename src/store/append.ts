// Bulk insert: whole vectors of typed arrays handed to DuckDB's appender, 2 048 rows at a time.
import {
  type DuckDBAppender,
  DuckDBDataChunk,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBVector,
} from "@duckdb/node-api";
import { type Chunk, isValid, type Validity, type Vector, wordAt } from "../model/data/chunk.ts";
import type { FixedKind } from "../model/data/kind.ts";

const vector_rows = 2048;

/** Appends the rows of `chunk`, whose vectors stand in the table's column order. */
export function appendChunk(appender: DuckDBAppender, chunk: Chunk): void {
  const types = chunk.vectors.map((_, i) => appender.columnType(i));
  const writers = chunk.vectors.map((vector, i) => writerOf(types[i], vector));
  let piece: DuckDBDataChunk | undefined;
  for (let from = 0; from < chunk.rows; from += vector_rows) {
    const rows = Math.min(vector_rows, chunk.rows - from);
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
    const bits = bitsOf(valid ?? allValid(rows), { from: valid ? from : 0, rows });
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

function allValid(rows: number): Validity {
  return new Uint8Array((rows + 7) >> 3).fill(0xff);
}
