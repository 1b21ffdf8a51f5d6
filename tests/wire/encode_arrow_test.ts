// An Arrow answer beside the same one written by the library of its project, byte by byte.
import assert from "node:assert/strict";
import {
  Bool,
  type Data,
  type DataType,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  Int8,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Uint32,
  Utf8,
  Vector as ArrowVector,
} from "apache-arrow";
import type { Answer, Chunk, Vector, Words } from "../../src/model/data/chunk.ts";
import type { Column } from "../../src/model/data/column.ts";
import { answer_limits } from "../../src/model/data/limits.ts";
import { packBits, sliceChunk } from "../../src/wire/bytes/slice.ts";
import { answerOf, bytesOf, chunksOf, every_column, everyCell, sizesOf } from "./encode_help.ts";

const shapes = [
  ...[[0, 1], [1, 1], [7, 3], [64, 64], [1500, 1], [3000, 1000]],
  // More than a batch holds, and a batch that begins in the middle of a chunk.
  [150_000, 100_000],
] as const;

for (const [rows, chunk_rows] of shapes) {
  Deno.test(`arrow: ${rows} rows of chunks of ${chunk_rows} have the library's bytes`, async () => {
    const cells = everyCell(rows);
    for (const width of [1, 4, 9, every_column.length]) {
      const columns = every_column.slice(-width);
      const chunks = chunksOf(columns, cells.slice(-width), sizesOf(rows, chunk_rows));
      const { bytes } = await bytesOf(answerOf(columns, chunks), "arrow");
      assert(equals(bytes, libraryBytes(columns, chunks)), `${width} columns`);
    }
  });
}

Deno.test("arrow: words that take the place of others are sent, and those again", async () => {
  const columns = every_column.slice(-4);
  const [a, b] = [5, 40].map((rows) =>
    chunksOf(columns, everyCell(rows).slice(-4), sizesOf(rows, rows))
  );
  const chunks = [...a, ...b, ...b, ...a];
  const { bytes } = await bytesOf(answerOf(columns, chunks), "arrow");
  assert(equals(bytes, libraryBytes(columns, chunks)));
});

function equals(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** The stream as the library writes it. */
function libraryBytes(columns: readonly Column[], chunks: readonly Chunk[]): Uint8Array {
  const { metadata } = answerOf(columns, []);
  const schema = schemaOf({ columns, metadata });
  const dictionaries = new Map<Words, ArrowVector<Utf8>>();
  const writer = new RecordBatchStreamWriter({ autoDestroy: false });
  writer.reset(undefined, schema);
  for (const chunk of chunks) {
    for (const { rows, vectors } of sliceChunk(chunk, answer_limits.batch_rows)) {
      const children = vectors.map((vector, i) =>
        dataOf(vector, { type: schema.fields[i].type, rows, dictionaries })
      );
      const type = new Struct(schema.fields);
      const data = makeData({ type, length: rows, nullCount: 0, children });
      writer.write(new RecordBatch(schema, data));
    }
  }
  writer.close();
  return writer.toUint8Array(true);
}

const types = {
  text: new Utf8(),
  float64: new Float64(),
  int64: new Int64(),
  int32: new Int32(),
  uint32: new Uint32(),
  bool: new Bool(),
  instant: new TimestampMicrosecond("UTC"),
};

function schemaOf({ columns, metadata }: Pick<Answer, "columns" | "metadata">): Schema {
  const fields = columns.map(({ name, kind, dictionary, nullable, doc, unit, values }, i) => {
    const index = dictionary === "constant" || values ? new Int8() : new Int32();
    const type = dictionary ? new Dictionary(new Utf8(), index, i) : types[kind];
    const facts = new Map(Object.entries(unit === undefined ? { doc } : { doc, unit }));
    return new Field(name, type, nullable, facts);
  });
  return new Schema(fields, new Map(Object.entries(metadata)));
}

type Shape = {
  readonly type: DataType;
  readonly rows: number;
  readonly dictionaries: Map<Words, ArrowVector<Utf8>>;
};

function dataOf(vector: Vector, { type, rows, dictionaries }: Shape): Data {
  const common = { length: rows, nullBitmap: vector.valid };
  if (vector.kind === "text" && vector.codes) {
    const { words, codes } = vector;
    const length = words.offsets.length - 1;
    const dictionary = dictionaries.get(words) ?? new ArrowVector([utf8Data(words, { length })]);
    dictionaries.set(words, dictionary);
    const as_dictionary = type as Dictionary;
    const data = as_dictionary.indices.bitWidth === 8 ? new Int8Array(codes) : codes;
    return makeData({ ...common, type: as_dictionary, data, dictionary });
  }
  if (vector.kind === "text") return utf8Data(vector.words, common);
  if (vector.kind === "bool") {
    return makeData({ ...common, type: type as Bool, data: packBits(vector.values) });
  }
  return makeData({ ...common, type: type as Float64, data: vector.values as Float64Array });
}

function utf8Data(
  { bytes, offsets }: Words,
  common: { readonly length: number; readonly nullBitmap?: Uint8Array },
): Data<Utf8> {
  return makeData({ ...common, type: new Utf8(), valueOffsets: offsets, data: bytes });
}
