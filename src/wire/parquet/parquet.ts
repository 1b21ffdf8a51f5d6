// Answers as a Parquet file, written in one pass: row groups as they fill, the footer at the end.
// https://parquet.apache.org/docs/file-format/
import { utf8 } from "../../base/bytes.ts";
import { limits } from "../../base/limits.ts";
import type { Answer, Chunk } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import { type Pages, pagesOf } from "./page.ts";
import { type ColumnChunk, footerBytes, type RowGroup } from "./schema.ts";
import { Pieces } from "../bytes/pieces.ts";
import { sliceChunk } from "../bytes/slice.ts";

/**
 * The rows of an answer as a Parquet file. Holds one row group in memory, which is closed when it
 * has `limits.parquet_group_rows` rows or, by less than `limits.batch_rows`, more.
 */
export async function* encodeParquet(answer: Answer): AsyncGenerator<Uint8Array, void> {
  const file = new ParquetFile(answer.columns);
  let pending: Chunk[] = [];
  let rows = 0;
  for await (const chunk of answer.chunks) {
    for (const batch of sliceChunk(chunk, limits.batch_rows)) {
      pending.push(batch);
      rows += batch.rows;
      if (rows < limits.parquet_group_rows) continue;
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
