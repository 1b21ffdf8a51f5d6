// Parts of a chunk, and its booleans as bits: what the columnar encoders have in common.
import type { Chunk, Validity, Vector } from "../../model/data/chunk.ts";

/** A chunk in parts of at most `rows` rows, a multiple of 8; none is empty, nothing is copied. */
export function* sliceChunk(chunk: Chunk, rows: number): Generator<Chunk, void> {
  if (chunk.rows > 0 && chunk.rows <= rows) {
    yield chunk;
    return;
  }
  for (let from = 0; from < chunk.rows; from += rows) {
    const to = Math.min(from + rows, chunk.rows);
    yield {
      rows: to - from,
      vectors: chunk.vectors.map((vector) => sliceVector(vector, from, to)),
    };
  }
}

/** Bytes of 0 and 1 as bits, least significant first. */
export function packBits(values: Uint8Array): Validity {
  const bits = new Uint8Array((values.length + 7) >> 3);
  for (let i = 0, { length } = values; i < length; i++) bits[i >> 3] |= values[i] << (i & 7);
  return bits;
}

function sliceVector(vector: Vector, from: number, to: number): Vector {
  const valid = vector.valid?.subarray(from >> 3, (to + 7) >> 3);
  if (vector.kind !== "text") {
    return { ...vector, values: vector.values.subarray(from, to), valid } as Vector;
  }
  if (vector.codes) return { ...vector, codes: vector.codes.subarray(from, to), valid };
  const words = { bytes: vector.words.bytes, offsets: vector.words.offsets.subarray(from, to + 1) };
  return { kind: "text", words, valid };
}
