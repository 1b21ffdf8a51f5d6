// Puts chunks of rows into a table, through pieces that DuckDB copies.
import { assert } from "../../base/assert.ts";
import {
  type Chunk,
  isValid,
  type Validity,
  type Vector,
  wordAt,
  type Words,
} from "../../model/data/chunk.ts";
import { Type } from "./result.ts";
import { cText, duckdb, DuckError, Handle, lengthText, memoryAt, textAt } from "./symbols.ts";
import { most_inside, text_bytes } from "./texts.ts";

/** How many rows one of DuckDB's vectors has at most. */
const piece_rows = 2048;

/** Rows [from, to) of a chunk. */
type ChunkPart = { readonly chunk: Chunk; readonly from: number; readonly to: number };

/** Rows [from, from + rows). */
type Range = { readonly from: number; readonly rows: number };

/** The memory of a vector's values, which stays where it is; of texts it is their bytes. */
type Items = { set(values: ArrayLike<number>): void };

type ItemsOf = { readonly BYTES_PER_ELEMENT: number; new (memory: ArrayBuffer): object };

/** How a type's values lie in memory. */
const arrays: Partial<Record<Type, ItemsOf>> = {
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
type Target = { readonly vector: bigint; readonly items: Items };

/** So many rows are worth another thread's time. */
const many_rows = 1024;

/** Appends to one table; part of the open transaction, if one is. */
export class Appender {
  readonly #handle = new Handle();
  readonly #piece: BigUint64Array<ArrayBuffer>;
  readonly #targets: readonly Target[];

  /** Takes all columns of a table, or those named: of the others, rows have the default. */
  constructor(connection: bigint, table: string, names: readonly string[] = []) {
    const { memory } = this.#handle;
    const place = [null, null, cText(table)] as const;
    this.#check(duckdb().duckdb_appender_create_ext(connection, ...place, memory));
    const { address } = this.#handle;
    for (const name of names) {
      this.#check(duckdb().duckdb_appender_add_column(address, cText(name)));
    }
    const count = Number(duckdb().duckdb_appender_column_count(address));
    const columns = new BigUint64Array(count).map((_, i) =>
      duckdb().duckdb_appender_column_type(address, BigInt(i))
    );
    const piece = duckdb().duckdb_create_data_chunk(columns, BigInt(count));
    this.#piece = BigUint64Array.of(piece);
    this.#targets = Array.from(columns, (column, i) => {
      const vector = duckdb().duckdb_data_chunk_get_vector(piece, BigInt(i));
      const type = duckdb().duckdb_get_type_id(column) as Type;
      duckdb().duckdb_destroy_logical_type(BigUint64Array.of(column));
      return { vector, items: itemsAt(vector, type) };
    });
  }

  /** Appends rows whose vectors stand in the order of the columns. */
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

  /** Hands over what was appended: it is checked then. Of many rows, another thread does it. */
  async flush(rows: number): Promise<void> {
    const { address } = this.#handle;
    const { duckdb_appender_flush, flush_beside } = duckdb();
    this.#check(rows < many_rows ? duckdb_appender_flush(address) : await flush_beside(address));
  }

  /** The same where no transaction is open: it is one, and whoever commits waits for the disk. */
  async commit(): Promise<void> {
    this.#check(await duckdb().flush_beside(this.#handle.address));
  }

  /** What was not put in, as that failed, goes: closing would try once more. */
  close(): void {
    duckdb().duckdb_appender_clear(this.#handle.address);
    duckdb().duckdb_destroy_data_chunk(this.#piece);
    duckdb().duckdb_appender_destroy(this.#handle.memory);
  }

  #check(state: number): void {
    if (state === 0) return;
    const { address } = this.#handle;
    const data = BigUint64Array.of(duckdb().duckdb_appender_error_data(address));
    const kind = duckdb().duckdb_error_data_error_type(data[0]);
    duckdb().duckdb_destroy_error_data(data);
    throw new DuckError(textAt(duckdb().duckdb_appender_error(address)), kind);
  }
}

function itemsAt(vector: bigint, type: Type): Items {
  const data = duckdb().duckdb_vector_get_data(vector);
  if (type === Type.VARCHAR) return new Uint8Array(memoryAt(data, text_bytes * piece_rows));
  const array = arrays[type];
  assert(array, `no column of DuckDB's type ${type} can be appended to`);
  return new array(memoryAt(data, array.BYTES_PER_ELEMENT * piece_rows)) as Items;
}

type Given = { readonly source: Vector; readonly range: Range };

function put({ vector, items }: Target, { source, range }: Given): void {
  const { from, rows } = range;
  if (source.valid) putValidity(vector, { valid: source.valid, from, rows });
  if (source.kind === "text") {
    assert(items instanceof Uint8Array, "texts go into a column of texts");
    putTexts({ vector, bytes: items as Uint8Array<ArrayBuffer> }, { source, range });
  } else items.set((source.values as Float64Array).subarray(from, from + rows));
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

/**
 * Sets only the rows that have a text, which is what costs; what a dictionary's word is in a piece
 * is made once.
 */
function putTexts(
  { vector, bytes }: { readonly vector: bigint; readonly bytes: Uint8Array<ArrayBuffer> },
  { source: { valid, words, codes }, range: { from, rows } }: {
    readonly source: Vector & { kind: "text" };
    readonly range: Range;
  },
): void {
  const rows_of: number[] = [];
  for (let i = 0; i < rows; i++) {
    if (!isValid(valid, from + i)) continue;
    const word = codes ? codes[from + i] : from + i;
    const same = rows_of[word];
    if (same !== undefined) {
      bytes.copyWithin(text_bytes * i, text_bytes * same, text_bytes * (same + 1));
    } else if (!putShort(bytes, { words, word, row: i })) {
      // Read as text first: broken sequences are stored by nobody.
      const long = lengthText(wordAt(words, word));
      duckdb().duckdb_vector_assign_string_element_len(vector, BigInt(i), ...long);
    }
    if (codes) rows_of[word] = i;
  }
}

/** Puts a text of a few ASCII characters where DuckDB would; says whether it is one. */
function putShort(
  bytes: Uint8Array<ArrayBuffer>,
  { words, word, row }: { readonly words: Words; readonly word: number; readonly row: number },
): boolean {
  const from = words.offsets[word];
  const length = words.offsets[word + 1] - from;
  if (length > most_inside) return false;
  const at = text_bytes * row;
  bytes.fill(0, at, at + text_bytes);
  bytes[at] = length;
  for (let i = 0; i < length; i++) {
    const byte = words.bytes[from + i];
    if (byte > 0x7f) return false;
    bytes[at + 4 + i] = byte;
  }
  return true;
}
