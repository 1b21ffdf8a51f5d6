// Answers as an Arrow IPC stream: a chunk's typed arrays and validity go out as they are.
// arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
import { giveWay, isLongTurn } from "../../base/effects.ts";
import { answer_limits } from "../../model/data/limits.ts";
import type { Answer, Chunk, Validity, Vector, Words } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import type { Kind } from "../../model/data/kind.ts";
import { Pieces } from "../bytes/pieces.ts";
import { packBits, sliceChunk } from "../bytes/slice.ts";
import { type FlatField, FlatWriter } from "./flatbuffer.ts";

/** The rows of an answer in uncompressed batches of at most `answer_limits.batch_rows` rows. */
export async function* encodeArrow(
  { columns, metadata, chunks }: Answer,
): AsyncGenerator<Uint8Array, void> {
  const pieces = new Pieces();
  pieces.add(schemaMessage(columns, metadata));
  // By column, the dictionary that its codes are of until another is sent.
  const sent: Words[] = [];
  for await (const chunk of chunks) {
    for (const batch of sliceChunk(chunk, answer_limits.batch_rows)) {
      if (isLongTurn()) await giveWay();
      batch.vectors.forEach((vector, i) => {
        if (vector.kind !== "text" || !vector.codes || vector.words === sent[i]) return;
        sent[i] = vector.words;
        addDictionary(pieces, i, vector.words);
      });
      addBatch(pieces, columns, batch);
      yield* pieces.full();
    }
  }
  pieces.add(stream_end);
  yield* pieces.rest();
}

const continuation = -1;
const stream_end = bytesOf(Int32Array.of(continuation, 0));

/** Numbers of `Message.fbs` and `Schema.fbs`, which those of slots below follow too. */
const version_5 = 4;
const kinds_of_header = { schema: 1, dictionary: 2, batch: 3 } as const;

/** A message up to its body: how long its header is, then the header, in steps of eight bytes. */
function message(
  writer: FlatWriter,
  { kind, header, body_bytes }: {
    readonly kind: keyof typeof kinds_of_header;
    readonly header: number;
    readonly body_bytes: number;
  },
): Uint8Array {
  const root = writer.table([
    [0, "int16", version_5],
    [2, "place", header],
    [1, "int8", kinds_of_header[kind]],
    [3, "int64", body_bytes],
  ]);
  const flat = writer.message(root);
  const length = (flat.length + 7) & ~7;
  const bytes = new Uint8Array(8 + length);
  bytes.set(bytesOf(Int32Array.of(continuation, length)));
  bytes.set(flat, 8);
  return bytes;
}

function schemaMessage(columns: readonly Column[], metadata: Answer["metadata"]): Uint8Array {
  const writer = new FlatWriter();
  const fields = writer.list(columns.map((column, i) => fieldOf(writer, column, i)));
  const header = writer.table([[1, "place", fields], [2, "place", factsOf(writer, metadata)]]);
  return message(writer, { kind: "schema", header, body_bytes: 0 });
}

/** A column as a field of the schema. */
function fieldOf(writer: FlatWriter, column: Column, i: number): number {
  const { name, nullable, doc, unit } = column;
  const dictionary = column.dictionary ? encodingOf(writer, column, i) : 0;
  const { number, write } = types[column.dictionary ? "text" : column.kind];
  const type = write(writer);
  const children = writer.list([]);
  const facts = factsOf(writer, unit === undefined ? { doc } : { doc, unit });
  return writer.table([
    ...[[3, "place", type], [2, "int8", number], [5, "place", children]] satisfies FlatField[],
    ...[[1, "int8", Number(nullable)], [0, "place", writer.text(name)]] satisfies FlatField[],
    ...[[4, "place", dictionary], [6, "place", facts]] satisfies FlatField[],
  ]);
}

/** Of what kind a column's codes are, and of which dictionary: it has the column's number. */
function encodingOf(writer: FlatWriter, column: Column, i: number): number {
  const index = intType(writer, hasFewWords(column) ? 8 : 32, { is_signed: true });
  return writer.table([[0, "int64", i], [1, "place", index]]);
}

/**
 * Whether a byte holds the codes of a dictionary column, in every answer: an answer's first rows
 * may not decide, for tables of one type can be put one behind the other.
 */
function hasFewWords({ dictionary, values }: Column): boolean {
  return dictionary === "constant" || values !== undefined && values.length <= 128;
}

/** Texts by name; 0 for none. */
function factsOf(writer: FlatWriter, facts: Readonly<Record<string, string>>): number {
  const pairs = Object.entries(facts).map(([name, fact]) => {
    const [key, value] = [writer.text(name), writer.text(fact)];
    return writer.table([[0, "place", key], [1, "place", value]]);
  });
  return pairs.length === 0 ? 0 : writer.list(pairs);
}

type Type = { readonly number: number; readonly write: (writer: FlatWriter) => number };

const [int, float, utf8_text, bool, timestamp] = [2, 3, 5, 6, 10];
const [double_precision, microseconds] = [2, 2];

const types: { readonly [K in Kind]: Type } = {
  text: { number: utf8_text, write: (writer) => writer.table([]) },
  float64: { number: float, write: (writer) => writer.table([[0, "int16", double_precision]]) },
  int64: { number: int, write: (writer) => intType(writer, 64, { is_signed: true }) },
  int32: { number: int, write: (writer) => intType(writer, 32, { is_signed: true }) },
  uint32: { number: int, write: (writer) => intType(writer, 32, { is_signed: false }) },
  bool: { number: bool, write: (writer) => writer.table([]) },
  instant: {
    number: timestamp,
    write: (writer) => {
      const zone = writer.text("UTC");
      return writer.table([[0, "int16", microseconds], [1, "place", zone]]);
    },
  },
};

function intType(
  writer: FlatWriter,
  bits: number,
  { is_signed }: { readonly is_signed: boolean },
): number {
  return writer.table([[0, "int32", bits], [1, "int8", Number(is_signed)]]);
}

/** Vectors on their way: of each its rows and how many have no value, then the bytes of all. */
class Body {
  readonly #nodes: [rows: number, nulls: number][] = [];
  readonly #places: [at: number, bytes: number][] = [];
  readonly #buffers: Uint8Array[] = [];
  bytes = 0;

  /** Adds a vector of so many rows. */
  add(rows: number, valid: Validity | undefined, ...buffers: readonly Uint8Array[]): void {
    const nulls = valid ? rows - countBits(valid) : 0;
    this.#nodes.push([rows, nulls]);
    for (const buffer of [valid && nulls > 0 ? valid : no_bytes, ...buffers]) {
      const padded = (buffer.length + 7) & ~7;
      this.#places.push([this.bytes, padded]);
      this.#buffers.push(buffer);
      this.bytes += padded;
    }
  }

  /** Writes the header of a batch of `rows` rows; gives its place. */
  header(writer: FlatWriter, rows: number): number {
    const nodes = writer.pairs(this.#nodes);
    const places = writer.pairs(this.#places);
    return writer.table([[0, "int64", rows], [1, "place", nodes], [2, "place", places]]);
  }

  send(pieces: Pieces): void {
    for (const buffer of this.#buffers) {
      if (buffer.length > 0) pieces.add(buffer);
      if (buffer.length % 8 > 0) pieces.add(paddings[buffer.length % 8]);
    }
  }
}

const no_bytes = new Uint8Array(0);
/** What fills the last eight bytes, by how many there are. */
const paddings = Array.from({ length: 8 }, (_, bytes) => new Uint8Array(8 - bytes));

function countBits(bits: Uint8Array): number {
  let count = 0;
  for (let i = 0, { length } = bits; i < length; i++) count += bits_of[bits[i]];
  return count;
}

const bits_of = Uint8Array.from(
  { length: 256 },
  (_, byte) => byte.toString(2).replaceAll("0", "").length,
);

function addDictionary(pieces: Pieces, number: number, words: Words): void {
  const body = new Body();
  const rows = words.offsets.length - 1;
  body.add(rows, undefined, ...wordBytes(words));
  const writer = new FlatWriter();
  const batch = body.header(writer, rows);
  const header = writer.table([[0, "int64", number], [1, "place", batch]]);
  pieces.add(message(writer, { kind: "dictionary", header, body_bytes: body.bytes }));
  body.send(pieces);
}

function addBatch(pieces: Pieces, columns: readonly Column[], { rows, vectors }: Chunk): void {
  const body = new Body();
  vectors.forEach((vector, i) => body.add(rows, vector.valid, ...buffersOf(vector, columns[i])));
  const writer = new FlatWriter();
  const header = body.header(writer, rows);
  pieces.add(message(writer, { kind: "batch", header, body_bytes: body.bytes }));
  body.send(pieces);
}

function buffersOf(vector: Vector, column: Column): readonly Uint8Array[] {
  if (vector.kind === "bool") return [packBits(vector.values)];
  if (vector.kind !== "text") return [bytesOf(vector.values)];
  if (!vector.codes) return wordBytes(vector.words);
  return [bytesOf(hasFewWords(column) ? smallCodes(vector.codes, vector.words) : vector.codes)];
}

/** The codes of a batch in a column of one word. */
const only_word = new Int8Array(answer_limits.batch_rows);

function smallCodes(codes: Int32Array, { offsets }: Words): Int8Array<ArrayBuffer> {
  const is_one = offsets.length === 2;
  return is_one ? only_word.subarray(0, codes.length) : new Int8Array(codes);
}

/** Where words begin and end, from 0 on, and their text. */
function wordBytes({ bytes, offsets }: Words): readonly Uint8Array[] {
  const [begin, end] = [offsets[0], offsets[offsets.length - 1]];
  const from_0 = begin === 0 ? offsets : offsets.map((offset) => offset - begin);
  return [bytesOf(from_0), bytes.subarray(begin, end)];
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
