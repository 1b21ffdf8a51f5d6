// Answers as an Arrow IPC stream: a chunk's typed arrays and validity go out as they are.
import {
  AsyncByteQueue,
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
import { giveWay, isLongTurn } from "../../base/effects.ts";
import { answer_limits } from "../../model/data/limits.ts";
import type { Answer, Chunk, Vector, Words } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import type { Kind } from "../../model/data/kind.ts";
import { Pieces } from "../bytes/pieces.ts";
import { packBits, sliceChunk } from "../bytes/slice.ts";

/**
 * The rows of an answer as an Arrow IPC stream of uncompressed batches of at most
 * `answer_limits.batch_rows` rows
 * (arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format).
 */
export async function* encodeArrow(answer: Answer): AsyncGenerator<Uint8Array, void> {
  const pieces = new Pieces();
  const schema = schemaOf(answer);
  const dictionaries = new Map<Words, ArrowVector<Utf8>>();
  const writer = new RecordBatchStreamWriter({ autoDestroy: false });
  writer.reset(new Sink(pieces), schema);
  for await (const chunk of answer.chunks) {
    for (const batch of sliceChunk(chunk, answer_limits.batch_rows)) {
      if (isLongTurn()) await giveWay();
      writer.write(batchOf(schema, batch, dictionaries));
      yield* pieces.full();
    }
  }
  writer.close();
  yield* pieces.rest();
}

/** Where the writer of the Arrow library puts its bytes. */
class Sink extends AsyncByteQueue {
  readonly #pieces: Pieces;

  constructor(pieces: Pieces) {
    super();
    this.#pieces = pieces;
  }

  override write(bytes: Uint8Array): void {
    this.#pieces.add(bytes);
  }
}

const types: { readonly [K in Kind]: DataType } = {
  text: new Utf8(),
  float64: new Float64(),
  int64: new Int64(),
  int32: new Int32(),
  uint32: new Uint32(),
  bool: new Bool(),
  instant: new TimestampMicrosecond("UTC"),
};

function schemaOf({ columns, metadata }: Answer): Schema {
  const fields = columns.map((column, i) =>
    new Field(column.name, typeOf(column, i), column.nullable, factsOf(column))
  );
  return new Schema(fields, new Map(Object.entries(metadata)));
}

function typeOf(column: Column, i: number): DataType {
  if (!column.dictionary) return types[column.kind];
  return new Dictionary(new Utf8(), hasFewWords(column) ? new Int8() : new Int32(), i);
}

/**
 * Whether a byte holds the codes of a dictionary column, in every answer: an answer's first rows
 * may not decide, for tables of one type can be put one behind the other.
 */
function hasFewWords({ dictionary, values }: Column): boolean {
  return dictionary === "constant" || values !== undefined && values.length <= 128;
}

function factsOf({ doc, unit }: Column): Map<string, string> {
  return new Map(Object.entries(unit === undefined ? { doc } : { doc, unit }));
}

function batchOf(
  schema: Schema,
  { rows, vectors }: Chunk,
  dictionaries: Map<Words, ArrowVector<Utf8>>,
): RecordBatch {
  const children = vectors.map((vector, i) =>
    dataOf(vector, { type: schema.fields[i].type, rows, dictionaries })
  );
  const type = new Struct(schema.fields);
  return new RecordBatch(schema, makeData({ type, length: rows, nullCount: 0, children }));
}

type Shape = {
  readonly type: DataType;
  readonly rows: number;
  readonly dictionaries: Map<Words, ArrowVector<Utf8>>;
};

function dataOf(vector: Vector, { type, rows, dictionaries }: Shape): Data {
  const common = { length: rows, nullBitmap: vector.valid };
  if (vector.kind === "text" && vector.codes) {
    let dictionary = dictionaries.get(vector.words);
    if (dictionary === undefined) {
      const length = vector.words.offsets.length - 1;
      dictionary = new ArrowVector([utf8Data(vector.words, { length })]);
      dictionaries.set(vector.words, dictionary);
    }
    const data = codesOf(type as Dictionary, { words: vector.words, codes: vector.codes });
    return makeData({ ...common, type: type as Dictionary, data, dictionary });
  }
  if (vector.kind === "text") return utf8Data(vector.words, common);
  if (vector.kind === "bool") {
    return makeData({ ...common, type: type as Bool, data: packBits(vector.values) });
  }
  return makeData({ ...common, type: type as Float64, data: vector.values as Float64Array });
}

/** The codes of a batch in a column of one word. */
const only_word = new Int8Array(answer_limits.batch_rows);

/** Codes as their type has them. */
function codesOf(
  { indices }: Dictionary,
  { words, codes }: { readonly words: Words; readonly codes: Int32Array },
): Int32Array | Int8Array {
  if (indices.bitWidth !== 8) return codes;
  const isOne = words.offsets.length === 2;
  return isOne ? only_word.subarray(0, codes.length) : new Int8Array(codes);
}

function utf8Data(
  { bytes, offsets }: Words,
  common: { readonly length: number; readonly nullBitmap?: Uint8Array },
): Data<Utf8> {
  return makeData({ ...common, type: new Utf8(), valueOffsets: offsets, data: bytes });
}
