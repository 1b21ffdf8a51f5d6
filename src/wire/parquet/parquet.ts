// Answers as a Parquet file, written in one pass: row groups as they fill, the footer at the end.
// https://parquet.apache.org/docs/file-format/
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
import { utf8 } from "../../base/bytes.ts";
import { answer_limits } from "../../model/data/limits.ts";
import type { Answer, Chunk } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import type { Kind } from "../../model/data/kind.ts";
import { encodings, type Pages, pagesOf } from "./page.ts";
import { flags, i32, i64, i8, list, struct, text, type Thrift, thriftBytes } from "./thrift.ts";
import { Pieces } from "../bytes/pieces.ts";
import { sliceChunk } from "../bytes/slice.ts";

/**
 * The rows of an answer as a Parquet file. Holds one row group in memory, which is closed when it
 * has `answer_limits.parquet_group_rows` rows or, by less than `answer_limits.batch_rows`, more.
 */
export async function* encodeParquet(answer: Answer): AsyncGenerator<Uint8Array, void> {
  const file = new ParquetFile(answer.columns);
  let pending: Chunk[] = [];
  let rows = 0;
  for await (const chunk of answer.chunks) {
    for (const batch of sliceChunk(chunk, answer_limits.batch_rows)) {
      pending.push(batch);
      rows += batch.rows;
      if (rows < answer_limits.parquet_group_rows) continue;
      yield* file.addGroup(pending);
      pending = [];
      rows = 0;
    }
  }
  if (rows > 0) yield* file.addGroup(pending);
  yield* file.end(answer.metadata);
}

const magic = utf8("PAR1");

/** A file while it is written: counts bytes, remembers where everything lies. */
class ParquetFile {
  readonly #columns: readonly Column[];
  readonly #pieces = new Pieces();
  readonly #groups: RowGroup[] = [];
  #position = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    this.#add([magic]);
  }

  *addGroup(batches: readonly Chunk[]): Generator<Uint8Array, void> {
    const chunks: ColumnChunk[] = [];
    const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
    for (const [i, column] of this.#columns.entries()) {
      const pages = batches.map((batch) => ({ rows: batch.rows, vector: batch.vectors[i] }));
      chunks.push(this.#addColumn(pagesOf(column, pages), rows));
      yield* this.#pieces.full();
    }
    this.#groups.push({ rows, chunks });
  }

  *end(metadata: Readonly<Record<string, string>>): Generator<Uint8Array, void> {
    const footer = footerBytes(this.#columns, { groups: this.#groups, metadata });
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, footer.length, true);
    this.#add([footer, length, magic]);
    yield* this.#pieces.rest();
  }

  #addColumn({ dictionary, data }: Pages, values: number): ColumnChunk {
    const from = this.#position;
    if (dictionary) this.#add(dictionary.parts);
    const data_offset = this.#position;
    for (const page of data) this.#add(page.parts);
    return {
      values,
      bytes: this.#position - from,
      raw_bytes: data.reduce((sum, page) => sum + page.raw_bytes, dictionary?.raw_bytes ?? 0),
      data_offset,
      dictionary_offset: dictionary && from,
    };
  }

  #add(parts: readonly Uint8Array[]): void {
    for (const part of parts) {
      this.#pieces.add(part);
      this.#position += part.length;
    }
  }
}

/** Numbers of the format's enums that are used here. */
const codecs = { zstd: 6 } as const;
const repetitions = { required: 0, optional: 1 } as const;

type Type = { readonly physical: number; readonly converted?: number; readonly logical?: Thrift };

const types: { readonly [K in Kind]: Type } = {
  bool: { physical: 0 },
  int32: { physical: 1 },
  uint32: {
    physical: 1,
    converted: 13,
    logical: struct([10, struct([1, i8(32)], [2, flags.no])]),
  },
  int64: { physical: 2 },
  instant: {
    physical: 2,
    converted: 10,
    logical: struct([8, struct([1, flags.yes], [2, struct([2, struct()])])]),
  },
  float64: { physical: 5 },
  text: { physical: 6, converted: 0, logical: struct([1, struct()]) },
};

/** One column of one row group as it lies in the file; offsets are from the file's start. */
type ColumnChunk = {
  readonly values: number;
  readonly bytes: number;
  /** What `bytes` would be without compression. */
  readonly raw_bytes: number;
  readonly data_offset: number;
  /** Undefined where the chunk has no dictionary. */
  readonly dictionary_offset: number | undefined;
};
type RowGroup = { readonly rows: number; readonly chunks: readonly ColumnChunk[] };

/** The footer: schema, where everything lies, and facts about the whole answer. */
function footerBytes(
  columns: readonly Column[],
  { groups, metadata }: {
    readonly groups: readonly RowGroup[];
    readonly metadata: Readonly<Record<string, string>>;
  },
): Uint8Array<ArrayBuffer> {
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const facts = Object.entries(metadata).map(([key, value]) =>
    struct([1, text(key)], [2, text(value)])
  );
  return thriftBytes(struct(
    [1, i32(2)],
    [2, list([struct([4, text("row")], [5, i32(columns.length)]), ...columns.map(element)])],
    [3, i64(rows)],
    [4, list(groups.map((group) => rowGroup(columns, group)))],
    [5, facts.length === 0 ? undefined : list(facts)],
    [6, text("wattkeeper")],
  ));
}

function element({ name, kind, nullable }: Column): Thrift {
  const { physical, converted, logical } = types[kind];
  return struct(
    [1, i32(physical)],
    [3, i32(nullable ? repetitions.optional : repetitions.required)],
    [4, text(name)],
    [6, converted === undefined ? undefined : i32(converted)],
    [10, logical],
  );
}

function rowGroup(columns: readonly Column[], { rows, chunks }: RowGroup): Thrift {
  const raw_bytes = chunks.reduce((sum, chunk) => sum + chunk.raw_bytes, 0);
  return struct(
    [1, list(columns.map((column, i) => columnChunk(column, chunks[i])))],
    [2, i64(raw_bytes)],
    [3, i64(rows)],
  );
}

function columnChunk({ name, kind }: Column, chunk: ColumnChunk): Thrift {
  const has_dictionary = chunk.dictionary_offset !== undefined;
  const used = has_dictionary
    ? [encodings.plain, encodings.rle, encodings.rle_dictionary]
    : [encodings.plain, encodings.rle];
  const facts = struct(
    [1, i32(types[kind].physical)],
    [2, list(used.map(i32))],
    [3, list([text(name)])],
    [4, i32(codecs.zstd)],
    [5, i64(chunk.values)],
    [6, i64(chunk.raw_bytes)],
    [7, i64(chunk.bytes)],
    [9, i64(chunk.data_offset)],
    [11, has_dictionary ? i64(chunk.dictionary_offset) : undefined],
  );
  return struct([2, i64(0)], [3, facts]);
}
