// Puts chunks of rows into a table, through pieces that DuckDB copies.
import { assert } from "../../base/assert.ts";
import { type Chunk, isValid, type Validity, type Vector, wordAt } from "../../model/data/chunk.ts";
import { Type } from "./result.ts";
import { cText, duckdb, Handle, lengthText, memoryAt, textAt } from "./symbols.ts";

/** How many rows one of DuckDB's vectors has at most. */
const piece_rows = 2048;

/** Rows [from, to) of a chunk. */
export type ChunkPart = { readonly chunk: Chunk; readonly from: number; readonly to: number };

/** Rows [from, from + rows). */
type Range = { readonly from: number; readonly rows: number };

type Items = { set(values: ArrayLike<number>): void };

/** How a type's values lie in memory; texts are put there by DuckDB. */
const arrays: Partial<
  Record<Type, { BYTES_PER_ELEMENT: number; new (buffer: ArrayBuffer): object }>
> = {
  [Type.BOOLEAN]: Uint8Array,
  [Type.TINYINT]: Int8Array,
  [Type.SMALLINT]: Int16Array,
  [Type.INTEGER]: Int32Array,
  [Type.BIGINT]: BigInt64Array,
  [Type.UTINYINT]: Uint8Array,
  [Type.USMALLINT]: Uint16Array,
  [Type.UINTEGER]: Uint32Array,
  [Type.UBIGINT]: BigUint64Array,
  [Type.FLOAT]: Float32Array,
  [Type.DOUBLE]: Float64Array,
  [Type.TIMESTAMP]: BigInt64Array,
  [Type.DATE]: Int32Array,
};

/** One column of the piece. */
type Target = { readonly vector: bigint; readonly items: Items | undefined };

/** Appends to one table; part of the open transaction, if one is. It works in this thread. */
export class Appender {
  readonly #handle = new Handle();
  readonly #piece: BigUint64Array<ArrayBuffer>;
  readonly #targets: readonly Target[];

  constructor(connection: bigint, table: string) {
    const { memory } = this.#handle;
    const place = [null, null, cText(table)] as const;
    this.#check(duckdb().duckdb_appender_create_ext(connection, ...place, memory));
    const { address } = this.#handle;
    const count = Number(duckdb().duckdb_appender_column_count(address));
    const columns = new BigUint64Array(count).map((_, i) =>
      duckdb().duckdb_appender_column_type(address, BigInt(i))
    );
    const piece = duckdb().duckdb_create_data_chunk(columns, BigInt(count));
    this.#piece = BigUint64Array.of(piece);
    this.#targets = Array.from(columns, (column, i) => {
      const vector = duckdb().duckdb_data_chunk_get_vector(piece, BigInt(i));
      const array = arrays[duckdb().duckdb_get_type_id(column) as Type];
      duckdb().duckdb_destroy_logical_type(BigUint64Array.of(column));
      return { vector, items: array && itemsAt(vector, array) };
    });
  }

  /** Appends rows whose vectors stand in the table's column order. */
  append({ chunk: { vectors }, from, to }: ChunkPart): void {
    const [piece] = this.#piece;
    for (let at = from; at < to; at += piece_rows) {
      const range = { from: at, rows: Math.min(piece_rows, to - at) };
      duckdb().duckdb_data_chunk_reset(piece);
      duckdb().duckdb_data_chunk_set_size(piece, BigInt(range.rows));
      for (const [i, target] of this.#targets.entries()) put(target, { source: vectors[i], range });
      this.#check(duckdb().duckdb_append_data_chunk(this.#handle.address, piece));
    }
  }

  /** Hands over what was appended: it is checked then. */
  flush(): void {
    this.#check(duckdb().duckdb_appender_flush(this.#handle.address));
  }

  close(): void {
    duckdb().duckdb_destroy_data_chunk(this.#piece);
    duckdb().duckdb_appender_destroy(this.#handle.memory);
  }

  #check(state: number): void {
    if (state === 0) return;
    throw new Error(textAt(duckdb().duckdb_appender_error(this.#handle.address)));
  }
}

/** The memory of a vector's values, which stays where it is. */
function itemsAt(
  vector: bigint,
  array: { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBuffer): object },
): Items {
  const bytes = array.BYTES_PER_ELEMENT * piece_rows;
  return new array(memoryAt(duckdb().duckdb_vector_get_data(vector), bytes)) as Items;
}

type Given = { readonly source: Vector; readonly range: Range };

function put({ vector, items }: Target, { source, range }: Given): void {
  const { from, rows } = range;
  if (source.valid) putValidity(vector, { valid: source.valid, from, rows });
  if (source.kind === "text") return putTexts(vector, { source, range });
  assert(items, "numbers go into a column of numbers");
  items.set((source.values as Float64Array).subarray(from, from + rows));
}

/** Of a range whose start is a multiple of 8. */
function putValidity(
  vector: bigint,
  { valid, from, rows }: Range & { readonly valid: Validity },
): void {
  duckdb().duckdb_vector_ensure_validity_writable(vector);
  const bytes = memoryAt(duckdb().duckdb_vector_get_validity(vector), piece_rows >> 3);
  new Uint8Array(bytes).set(valid.subarray(from >> 3, (from + rows + 7) >> 3));
}

/** Sets only the rows that have a text, which is what costs; each dictionary word is read once. */
function putTexts(
  vector: bigint,
  { source: { valid, words, codes }, range: { from, rows } }: {
    readonly source: Vector & { kind: "text" };
    readonly range: Range;
  },
): void {
  const known: ReturnType<typeof lengthText>[] = [];
  for (let i = 0; i < rows; i++) {
    if (!isValid(valid, from + i)) continue;
    // Read as text first: broken sequences are stored by nobody.
    const word = codes
      ? known[codes[from + i]] ??= lengthText(wordAt(words, codes[from + i]))
      : lengthText(wordAt(words, from + i));
    duckdb().duckdb_vector_assign_string_element_len(vector, BigInt(i), ...word);
  }
}
