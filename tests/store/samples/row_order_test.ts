// Rows come in the order of their keys, however many different ones there are.
import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import { halvesOf } from "../../../src/model/data/chunk.ts";
import { type Key, keysOfMoments, orderOf } from "../../../src/store/samples/page.ts";

/** The same by comparing all with all; rows of the same keys stay as they are. */
function compared(columns: readonly ArrayLike<number>[], rows: number): number[] {
  const byColumns = (a: number, b: number) => {
    const column = columns.find((values) => values[a] !== values[b]);
    return column === undefined ? a - b : column[a] - column[b];
  };
  return Array.from({ length: rows }, (_, row) => row).sort(byColumns);
}

/** Numbers from a seed, below `size`. */
function numbersOf(count: number, { seed, size }: { seed: number; size: number }): Float64Array {
  let state = seed;
  return Float64Array.from({ length: count }, () => {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    return (state >>> 0) % size;
  });
}

const seeds = { seed: fc.integer(), size: fc.constantFrom(1, 2, 50, 5_000, 2 ** 31) };
/** Steps of times: of one second, of a minute, and so long that they don't fit into a word. */
const steps_us = [1, 60_000_000, 2 ** 19] as const;

function timesIn(us: Float64Array): Int32Array {
  return halvesOf(BigInt64Array.from(us, BigInt));
}

Deno.test("rows are ordered by moments of any number, then by lines", () => {
  const column = fc.record(seeds);
  const step = fc.constantFrom(...steps_us);
  fc.assert(
    fc.property(
      fc.constantFrom(0, 1, 7, 300, 9_000),
      column,
      column,
      step,
      (rows, some, others, step_us) => {
        const stamps = numbersOf(rows, some).map((it) => it - 5);
        const times = numbersOf(rows, others).map((it) => it * step_us);
        const lines = Uint32Array.from(numbersOf(rows, { seed: 1, size: 2_000 }));
        const line: Key = { codes: lines, size: 2_000 };
        const by_stamp = [...keysOfMoments(timesIn(times), timesIn(stamps)), line];
        deepEqual([...orderOf(by_stamp, rows)], compared([stamps, times, lines], rows));
        const by_time = [...keysOfMoments(timesIn(times)), line];
        deepEqual([...orderOf(by_time, rows)], compared([times, lines], rows));
      },
    ),
    { numRuns: 30 },
  );
});

Deno.test("rows no two of which are alike are ordered as well, however they lie", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9_000 }), fc.record(seeds), (rows, some) => {
      const by_chance = compared([numbersOf(rows, some)], rows);
      const lines = Uint32Array.from(by_chance, (place) => place % 7);
      const times = Float64Array.from(by_chance, (place) => 60_000_000 * Math.floor(place / 7));
      const keys = [...keysOfMoments(timesIn(times)), { codes: lines, size: 7 }];
      deepEqual([...orderOf(keys, rows)], compared([times, lines], rows));
    }),
    { numRuns: 20 },
  );
});

Deno.test("rows that lie in order stay so", () => {
  const codes = Uint32Array.of(0, 0, 3, 3, 8);
  deepEqual([...orderOf([{ codes, size: 9 }], 5)], [0, 1, 2, 3, 4]);
});
