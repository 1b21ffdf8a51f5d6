// Vectors of DuckDB whose memory holds something else where a row has no value.
import assert from "node:assert/strict";
import { BIGINT, DOUBLE, DuckDBDataChunk, INTEGER, UINTEGER, VARCHAR } from "@duckdb/node-api";
import fc from "fast-check";
import { isValid, type Vector } from "../../src/model/data/chunk.ts";
import { gather } from "../../src/store/value.ts";

const types = [DOUBLE, BIGINT, INTEGER, UINTEGER, VARCHAR];

/** What lies in the memory of a row without a value. */
const left_over = 0x5a;

type Inside = {
  items: Float64Array | BigInt64Array | Int32Array | Uint32Array;
  validity: { data: BigUint64Array | null };
};

/** A chunk of those types: numbers that count from `first` on, and memory used before elsewhere. */
function chunkOf(has: readonly boolean[], first: number): DuckDBDataChunk {
  const chunk = DuckDBDataChunk.create(types, has.length);
  const validity = new BigUint64Array(Math.ceil(has.length / 64));
  const bits = new Uint8Array(validity.buffer).fill(left_over);
  has.forEach((one, i) => {
    if (one) bits[i >> 3] |= 1 << (i & 7);
    else bits[i >> 3] &= ~(1 << (i & 7));
  });
  types.forEach((type, column) => {
    const vector = chunk.getColumnVector(column);
    const inside = vector as unknown as Inside;
    inside.validity.data = validity;
    if (type === VARCHAR) return;
    new Uint8Array(inside.items.buffer, inside.items.byteOffset, inside.items.byteLength)
      .fill(left_over);
    const number = inside.items instanceof BigInt64Array ? BigInt : Number;
    has.forEach((one, i) => one && (inside.items[i] = number(first + i)));
  });
  if (has.some((one) => one)) fillTexts(chunk, { has, first });
  return chunk;
}

function fillTexts(
  chunk: DuckDBDataChunk,
  { has, first }: { readonly has: readonly boolean[]; readonly first: number },
): void {
  const vector = chunk.getColumnVector(types.indexOf(VARCHAR));
  has.forEach((one, i) => vector.setItem(i, one ? `${first + i}` : null));
}

/** Asserts that a vector has its rows' numbers, zeros elsewhere, and no bit behind its end. */
function assertClean(vector: Vector, has: readonly boolean[]): void {
  const { valid } = vector;
  assert.equal(valid === undefined, has.every((one) => one));
  has.forEach((one, i) => assert.equal(isValid(valid, i), one));
  if (valid) {
    assert.equal(valid.length, Math.ceil(has.length / 8));
    for (let i = has.length; i < 8 * valid.length; i++) assert.equal(isValid(valid, i), false);
  }
  if (vector.kind === "text") {
    const { offsets } = vector.words;
    has.forEach((one, i) => assert.equal(offsets[i + 1] - offsets[i], one ? `${i}`.length : 0));
    return;
  }
  assert.deepEqual(Array.from(vector.values, Number), has.map((one, i) => one ? i : 0));
}

/** Rows with and without a value: runs of words of validity, and mixed ones. */
const part = fc.oneof(
  fc.array(fc.boolean(), { minLength: 1, maxLength: 200 }),
  fc.array(fc.tuple(fc.nat({ max: 90 }), fc.boolean()), { minLength: 1, maxLength: 4 })
    .map((runs) => runs.flatMap(([length, one]) => Array.from({ length: length + 1 }, () => one))),
  fc.constantFrom(1, 8, 31, 32, 33, 64, 2048).chain((length) =>
    fc.boolean().map((one) => Array.from({ length }, () => one))
  ),
);

Deno.test("a row without a value is zero, whatever DuckDB's memory holds there", () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
      const firsts = parts.map((_, i) => parts.slice(0, i).flat().length);
      const chunk = gather(parts.map((has, i) => chunkOf(has, firsts[i])));
      assert.equal(chunk.rows, parts.flat().length);
      for (const vector of chunk.vectors) assertClean(vector, parts.flat());
    }),
    { numRuns: 150 },
  );
});
