// Bulk insert: whole vectors of typed arrays handed to DuckDB's appender, 2 048 rows at a time.
import {
  type DuckDBAppender,
  DuckDBDataChunk,
  DuckDBTypeId,
  type DuckDBVector,
} from "@duckdb/node-api";
import { type Chunk, isValid, type Validity, type Vector, wordAt } from "../model/chunk.ts";

const vector_rows = 2048;

/** Appends the rows of `chunk`, whose vectors stand in the table's column order. */
export function appendChunk(appender: DuckDBAppender, chunk: Chunk): void {
  const types = chunk.vectors.map((_, i) => appender.columnType(i));
  for (let from = 0; from < chunk.rows; from += vector_rows) {
    const rows = Math.min(vector_rows, chunk.rows - from);
    const piece = DuckDBDataChunk.create(types, rows);
    chunk.vectors.forEach((vector, i) => fill(piece.getColumnVector(i), vector, { from, rows }));
    appender.appendDataChunk(piece);
  }
}

type Range = { readonly from: number; readonly rows: number };

function fill(target: DuckDBVector, source: Vector, range: Range): void {
  if (source.kind === "text" || target.type.typeId === DuckDBTypeId.BOOLEAN) {
    fillItems(target, source, range);
    return;
  }
  const { items, validity } = target as unknown as {
    items: Float64Array;
    validity: { data: BigUint64Array | null };
  };
  items.set((source.values as Float64Array).subarray(range.from, range.from + range.rows));
  if (source.valid) validity.data = bitsOf(source.valid, range);
  target.flush();
}

function fillItems(target: DuckDBVector, source: Vector, { from, rows }: Range): void {
  for (let i = 0; i < rows; i++) {
    target.setItem(i, isValid(source.valid, from + i) ? itemOf(source, from + i) : null);
  }
  target.flush();
}

function itemOf(source: Vector, row: number): string | boolean {
  if (source.kind !== "text") return Boolean(source.values[row]);
  return wordAt(source.words, source.codes ? source.codes[row] : row);
}

/** The validity of a range whose start is a multiple of 8, padded to whole words. */
function bitsOf(valid: Validity, { from, rows }: Range): BigUint64Array {
  const words = new BigUint64Array(Math.ceil(rows / 64));
  const bytes = new Uint8Array(words.buffer);
  bytes.set(valid.subarray(from >> 3, (from + rows + 7) >> 3));
  return words;
}
