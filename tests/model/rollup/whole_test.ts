// Whole quarter-hours: which ones are, and what their values come to.
import assert, { equal } from "node:assert/strict";
import fc from "fast-check";
import { isValid, noneValid, setValid } from "../../../src/model/data/chunk.ts";
import { QuarterCells, WholeSpan } from "../../../src/model/rollup/whole.ts";

type Row = readonly [cell: number, stamp: number, value: number | null, holds?: 0 | 1];

function cellsOf(quarters: number, rows: readonly Row[], carry = 0): QuarterCells {
  const cells = new QuarterCells(new Int32Array(quarters).fill(carry));
  const valid = noneValid(rows.length);
  rows.forEach(([, , value], i) => value !== null && setValid(valid, i));
  cells.add({
    rows: rows.length,
    cell: Int32Array.from(rows, ([cell]) => cell),
    received_at: BigInt64Array.from(rows, ([, stamp]) => BigInt(stamp)),
    value: Float64Array.from(rows, ([, , value]) => value ?? 7),
    valid,
    holds: Uint8Array.from(rows, ([, , , holds = 1]) => holds),
  });
  return cells;
}

/** One sample in each minute of quarter-hour `place`, stored in falling order. */
const wholeOf = (place: number, value: (minute: number) => number | null): Row[] =>
  Array.from({ length: 15 }, (_, i) => [place * 15 + 14 - i, 1e15 + i, value(14 - i)]);

Deno.test("a quarter-hour is whole with one sample in each minute, neither more nor less", () => {
  const rows = [0, 1, 2, 3].flatMap((place) => wholeOf(place, (minute) => minute))
    .filter(([cell]) => cell !== 15 + 7);
  const cells = cellsOf(5, [...rows, [2 * 15, 2e15, 1]]);
  const { place, upto } = cells.wholes();
  assert.deepEqual([...place], [0, 3]);
  assert.deepEqual([...upto], [10n ** 15n + 14n, 10n ** 15n + 14n]);
});

Deno.test("a quarter-hour is whole where each gap repeats the value before it", () => {
  const minutes = (...held: readonly (readonly [number, 0 | 1])[]) =>
    held.map(([minute, holds]): Row => [minute, 1e15, 1, holds]);
  const seenOf = (rows: readonly Row[], carry: number) => {
    const { place, seen, seen_valid } = cellsOf(1, rows, carry).wholes();
    return place.length === 0 ? undefined : isValid(seen_valid, 0) ? seen[0] : null;
  };
  const fives = minutes([0, 1], [5, 1], [10, 1]);
  equal(seenOf(fives, 4), 0b10000100001);
  equal(seenOf(fives, 3), undefined);
  equal(seenOf(minutes([0, 1]), 14), 1);
  equal(seenOf(minutes([0, 1]), 13), undefined);
  // The first minute may repeat what other quarter-hours have.
  equal(seenOf(minutes([5, 1], [10, 1]), 100), undefined);
  // What does not hold ends what is carried, and may be the last, or with no gap behind it.
  equal(seenOf(minutes([0, 1], [5, 0], [10, 1]), 100), undefined);
  equal(seenOf(minutes([0, 1], [5, 0], [6, 1], [14, 0]), 7), 0b100000001100001);
  equal(seenOf(minutes([0, 1], [0, 1]), 100), undefined);
  equal(seenOf(wholeOf(0, () => null).map(([cell, at]): Row => [cell, at, null, 0]), 0), null);
});

Deno.test("sums are made in the order of minutes, of light ones and dark ones apart", () => {
  // 1e16 + 1 + 1 is 1e16, but 1 + 1 + 1e16 is not.
  const values = [1, 1, 1e16, null, Infinity, -2, 1, 1, 1, 1, 1, 1, 1, 1, NaN];
  const cells = cellsOf(1, wholeOf(0, (minute) => values[minute]));
  const { place, light, n, value, minimum, maximum, last, last_minute } = cells.sums(
    Int32Array.of(0b111111),
  );
  assert.deepEqual([...place], [0, 0]);
  assert.deepEqual([...light], [1, 0]);
  assert.deepEqual([...n], [4, 8]);
  assert.deepEqual([...value], [1 + 1 + 1e16 - 2, 8]);
  assert.deepEqual([...minimum], [-2, 1]);
  assert.deepEqual([...maximum], [1e16, 1]);
  assert.deepEqual([...last], [-2, 1]);
  assert.deepEqual([...last_minute], [5, 13]);
});

Deno.test("a quarter-hour without values is whole, and has no sum", () => {
  const cells = cellsOf(2, wholeOf(1, () => null));
  assert.deepEqual([...cells.wholes().place], [1]);
  assert.equal(cells.sums(Int32Array.of(0, 32767)).place.length, 0);
});

Deno.test("in whatever order and parts samples come, they come to the same", () => {
  const row = fc.tuple(fc.nat(44), fc.integer({ min: 1, max: 2 ** 52 }), fc.double());
  fc.assert(fc.property(fc.array(row), fc.nat(2), fc.array(fc.nat(32767)), (more, left, seed) => {
    const rows: Row[] = [0, 1, 2].flatMap((place) =>
      wholeOf(place, (minute) => Math.sin(minute + place) * 1e3)
    ).filter(([cell]) => cell % 15 !== left || seed.length > 0);
    const all = [...rows, ...more];
    const shuffled = all.map((row, i) => ({ row, key: (i * 7919 + (seed[i] ?? 0)) % 1009 }))
      .sort((a, b) => a.key - b.key).map(({ row }) => row);
    const light = Int32Array.of(seed[0] ?? 0, 32767, 21845);
    const [a, b] = [cellsOf(3, all), cellsOf(3, shuffled)];
    assert.deepEqual(b.wholes(), a.wholes());
    const seen = new Set(a.wholes().place);
    for (let place = 0; place < 3; place++) {
      const own = all.filter(([cell]) => Math.floor(cell / 15) === place);
      const is_whole = own.length === 15 && new Set(own.map(([cell]) => cell)).size === 15;
      assert.equal(seen.has(place), is_whole);
    }
    assert.deepEqual(b.sums(light), a.sums(light));
  }));
});

Deno.test("whole quarter-hours may be anywhere until it is known where they are", () => {
  const span = new WholeSpan();
  const of_minutes = (from_minute: number, to_minute: number) => ({ from_minute, to_minute });
  assert.ok(!span.is_known && !span.is_empty && span.meets(of_minutes(7, 8)));
  span.settle(undefined);
  assert.ok(span.is_known && span.is_empty && !span.meets(of_minutes(-1e9, 1e9)));
  span.note(of_minutes(31, 32));
  const places = [of_minutes(0, 30), of_minutes(29, 31), of_minutes(44, 45), of_minutes(45, 60)];
  assert.deepEqual(places.map((it) => span.meets(it)), [false, true, true, false]);
  span.note(of_minutes(75, 91));
  assert.deepEqual([span.meets(of_minutes(50, 51)), span.meets(of_minutes(104, 200))], [
    true,
    true,
  ]);
  assert.ok(!span.meets(of_minutes(105, 200)));
  const { notes } = span;
  span.settle(of_minutes(75, 90));
  assert.equal(span.notes, notes);
  span.note(of_minutes(75, 76));
  assert.notEqual(span.notes, notes);
  assert.deepEqual([span.meets(of_minutes(50, 75)), span.meets(of_minutes(89, 90))], [false, true]);
});
