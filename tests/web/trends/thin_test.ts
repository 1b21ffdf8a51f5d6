// Thinned curves: what a screen shows stays, gaps stay gaps, and a million values are quick.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { flags, type Samples } from "../../../src/web/trends/samples.ts";
import { aligned, thin } from "../../../src/web/trends/thin.ts";

const series = (
  points: readonly (readonly [at: number, value: number, flag?: number])[],
): Samples => ({
  instants: Float64Array.from(points, ([at]) => at),
  values: Float64Array.from(points, ([, value]) => value),
  flags: Uint8Array.from(points, ([, , flag = flags.good]) => flag),
});
const view = { from_ms: 0, to_ms: 1000, pixels: 10, gap_ms: 200 };

Deno.test("few values stay as they are", () => {
  const few = series([[0, 1], [100, 2], [200, 3]]);
  deepEqual([...thin(few, view).values], [1, 2, 3]);
});

Deno.test("values beyond the span are left out, but for one on each side", () => {
  const all = series(Array.from({ length: 30 }, (_, i) => [i * 100 - 1000, i]));
  deepEqual([...thin(all, view).instants], [
    ...[-100, 0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000],
  ]);
});

Deno.test("of a pixel the first, least, greatest and last stay, in their order", () => {
  const values = [5, 9, 1, 4, 3, 6];
  const dense = series(
    Array.from({ length: 600 }, (_, i) => [i * 100 / 6 * 0.1 * 10, values[i % 6]]),
  );
  const { values: thinned } = thin(dense, { ...view, to_ms: 10_000, pixels: 100 });
  deepEqual([...thinned.slice(0, 5)], [5, 9, 1, 6, 5]);
});

Deno.test("a gap parts the curve, and only a gap", () => {
  const { instants, values } = thin(series([[0, 1], [100, 2], [700, 3]]), view);
  deepEqual([...instants], [0, 100, 400, 700]);
  deepEqual([...values], [1, 2, NaN, 3]);
});

Deno.test("a gap between dense values stays", () => {
  const points = Array.from({ length: 400 }, (_, i) => [i < 200 ? i : i + 600, i] as const);
  const { instants, values } = thin(series(points), view);
  const at = values.findIndex(Number.isNaN);
  deepEqual([instants[at - 1], instants[at + 1]], [199, 800]);
  equal(values.filter(Number.isNaN).length, 1);
});

Deno.test("a bad value among good ones of its pixel is seen", () => {
  const points = Array.from(
    { length: 1000 },
    (_, i) => i === 555 ? [i, NaN, flags.bad] as const : [i, 1] as const,
  );
  equal(thin(series(points), view).flags.filter((it) => it === flags.bad).length, 1);
});

Deno.test("the least and the greatest of every span survive, and not many points more", () => {
  fc.assert(fc.property(
    fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 100, maxLength: 800 }),
    fc.integer({ min: 5, max: 40 }),
    (values, pixels) => {
      const dense = series(values.map((value, i) => [i, value]));
      const thinned = thin(dense, { from_ms: 0, to_ms: values.length, pixels, gap_ms: 10 });
      equal(Math.min(...thinned.values), Math.min(...values));
      equal(Math.max(...thinned.values), Math.max(...values));
      ok(thinned.values.length <= Math.max(2 * pixels, 5 * (pixels + 2)));
      ok(thinned.instants.every((at, i) => i === 0 || at > thinned.instants[i - 1]));
    },
  ));
});

Deno.test("values that are rarer than gaps, but denser than pixels, are one curve", () => {
  const sparse = series(Array.from({ length: 1000 }, (_, i) => [i * 20, i % 7]));
  const { values } = thin(sparse, { from_ms: 0, to_ms: 20_000, pixels: 20, gap_ms: 10 });
  ok(!values.some(Number.isNaN));
});

Deno.test("curves stand over the instants of all of them", () => {
  const a = series([[0, 1], [200, 2, flags.carried], [400, 3]]);
  const b = series([[100, 7], [200, NaN, flags.bad], [300, 8, flags.uncertain]]);
  const { instants, layers: [first, second] } = aligned([a, b]);
  deepEqual([...instants], [0, 100, 200, 300, 400]);
  deepEqual(first.line, [1, null, null, null, 3]);
  deepEqual(first.carried, [1, undefined, 2, undefined, 3]);
  deepEqual(second.line, [undefined, 7, null, 8, undefined]);
  deepEqual(second.bad, [undefined, undefined, 7, undefined, undefined]);
  deepEqual(second.uncertain, [undefined, undefined, undefined, 8, undefined]);
});

Deno.test("a value between gaps is drawn by itself, and no other", () => {
  const curve = series([[0, 1], [100, 2], [700, 3], [1300, 4], [1400, NaN, flags.bad], [1500, 5]]);
  const { instants, layers: [{ line, lone }] } = aligned([
    thin(curve, { ...view, to_ms: 2000, pixels: 20 }),
    series([[50, 7]]),
  ]);
  const shown = (column: readonly (number | null | undefined)[]) =>
    Array.from(instants, (at, i) => [at, column[i]]).filter(([, value]) =>
      (value ?? null) !== null
    );
  deepEqual(shown(lone), [[700, 3], [1300, 4], [1500, 5]]);
  deepEqual(shown(line), [[0, 1], [100, 2], [700, 3], [1300, 4], [1500, 5]]);
  deepEqual(aligned([series([[0, 1]])]).layers[0].lone, [1]);
});
