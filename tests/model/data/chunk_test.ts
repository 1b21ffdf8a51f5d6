// Words of texts; parts of chunks: the first rows as a chunk of their own.
import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import {
  type Chunk,
  firstRows,
  fixedVector,
  hasAny,
  instantVector,
  isValid,
  noneValid,
  numbersOf,
  setValid,
  takeRows,
  wordsOf,
} from "../../../src/model/data/chunk.ts";

Deno.test("words are their texts' bytes, of any script", () => {
  const texts = fc.array(
    fc.oneof(fc.string({ unit: "binary-ascii" }), fc.constantFrom("é", "\ud83d", "\ude00", "€")),
  );
  const encoder = new TextEncoder();
  fc.assert(fc.property(texts, (texts) => {
    const { bytes, offsets } = wordsOf(texts);
    deepEqual(offsets.length, texts.length + 1);
    const words = texts.map((_, i) => bytes.slice(offsets[i], offsets[i + 1]));
    deepEqual(words, texts.map((text) => encoder.encode(text)));
    deepEqual(bytes.length, offsets[texts.length]);
  }));
});

Deno.test("instants are made of numbers, whatever their sign; NaN is none", () => {
  const some = fc.constantFrom(NaN, -1, 2 ** 31, 2 ** 32, -(2 ** 32));
  fc.assert(fc.property(fc.array(fc.oneof(fc.maxSafeInteger(), some)), (us) => {
    const cells = us.map((it) => Number.isNaN(it) ? null : it);
    const wanted = fixedVector("instant", cells);
    const made = instantVector(Float64Array.from(us));
    deepEqual(made, { ...wanted, valid: wanted.valid ?? made.valid });
    deepEqual(us.map((_, i) => isValid(made.valid, i)), cells.map((cell) => cell !== null));
  }));
});

Deno.test("the first rows of a chunk are those, with nothing behind them", () => {
  const cells = fc.array(fc.option(fc.integer({ min: -9, max: 9 })), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(cells, fc.nat(40), (cells, wanted) => {
      const rows = Math.min(wanted, cells.length);
      const numbers = fixedVector("int32", cells);
      const texts = cells.map((cell) => cell === null ? "" : `é${cell}`);
      const { valid } = numbers;
      const codes = Int32Array.from(cells, (_, row) => row % 3);
      const chunk: Chunk = {
        rows: cells.length,
        vectors: [
          numbers,
          { kind: "text", words: wordsOf(texts), valid },
          { kind: "text", words: wordsOf(["a", "b", "c"]), codes, valid },
        ],
      };
      const first = firstRows(chunk, rows);
      deepEqual(first.rows, rows);
      // The same rows taken one by one; validity says there what it says here.
      const places = Uint32Array.from({ length: rows }, (_, row) => row);
      first.vectors.forEach((vector, i) => {
        const bits = vector.valid ?? new Uint8Array((rows + 7) >> 3).fill(255);
        const taken = takeRows(chunk.vectors[i], places);
        for (let row = 0; row < rows; row++) {
          const has = taken.valid === undefined || (taken.valid[row >> 3] >> (row & 7) & 1) === 1;
          deepEqual((bits[row >> 3] >> (row & 7) & 1) === 1, has);
        }
        if (vector.valid && (rows & 7) !== 0) deepEqual(vector.valid[rows >> 3] >> (rows & 7), 0);
        deepEqual({ ...vector, valid: undefined }, { ...taken, valid: undefined });
      });
    }),
    { numRuns: 100 },
  );
});

Deno.test("numbers are NaN where a vector has none, in runs of any length", () => {
  const run = fc.record({
    cell: fc.constantFrom(null, 1.5),
    rows: fc.integer({ max: 40, min: 1 }),
  });
  fc.assert(fc.property(fc.array(run), (runs) => {
    const cells = runs.flatMap(({ cell, rows }) => Array.from({ length: rows }, () => cell));
    const numbers = numbersOf(fixedVector("float64", cells));
    deepEqual(Array.from(numbers), cells.map((cell) => cell ?? NaN));
  }));
});

Deno.test("a vector has any value if one of the rows asked for has one", () => {
  const values = new Int32Array(24);
  equal(hasAny({ kind: "int32", values }, 24), true);
  equal(hasAny({ kind: "int32", values }, 0), false);
  for (const row of [0, 7, 8, 17, 23]) {
    const valid = noneValid(24);
    equal(hasAny({ kind: "int32", values, valid }, 24), false);
    setValid(valid, row);
    for (const rows of [0, row, row + 1, 24]) {
      equal(hasAny({ kind: "int32", values, valid }, rows), rows > row, `${row} of ${rows}`);
    }
  }
});
