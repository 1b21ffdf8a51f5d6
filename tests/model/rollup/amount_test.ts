// Amounts from rates and intervals, and values that hold, minute by minute.
import { deepEqual, equal } from "node:assert/strict";
import { addIntervals, holdMeans, integrate } from "../../../src/model/rollup/amount.ts";
import { minute_us, noValues, type Readings, usableOf } from "../../../src/model/time/series.ts";

Deno.test("integral: a linear power gives each minute its own trapezoid", () => {
  const minutes = noValues({ from_minute: 0, to_minute: 3 });
  integrate(readingsOf([[0, 0], [2, 120]]), minutes);
  deepEqual([...minutes.values], [0.5, 1.5, NaN]);
});

Deno.test("integral: neighbours more than 15 minutes apart add nothing", () => {
  const minutes = noValues({ from_minute: 0, to_minute: 40 });
  integrate(readingsOf([[0, 60], [15, 60], [31, 60]]), minutes);
  deepEqual([...minutes.values.subarray(0, 15)], Array(15).fill(1));
  equal(minutes.values.subarray(15).every(Number.isNaN), true);
});

Deno.test("interval: an amount is spread over the interval that its time starts or ends", () => {
  const at_start = noValues({ from_minute: 0, to_minute: 4 });
  addIntervals(readingsOf([[2, 10]]), { interval_s: 120, at: "start" }, at_start);
  deepEqual([...at_start.values], [NaN, NaN, 5, 5]);
  const at_end = noValues({ from_minute: 0, to_minute: 4 });
  addIntervals(readingsOf([[2, 10]]), { interval_s: 120, at: "end" }, at_end);
  deepEqual([...at_end.values], [5, 5, NaN, NaN]);
});

Deno.test("hold: a minute's value is weighted by how long each value held in it", () => {
  const minutes = noValues({ from_minute: 0, to_minute: 4 });
  holdMeans(readingsOf([[0.5, 10], [1.25, 30]]), 60, minutes);
  deepEqual([...minutes.values], [10, 25, 30, NaN]);
});

Deno.test("hold: an unusable sample ends it", () => {
  const minutes = noValues({ from_minute: 0, to_minute: 3 });
  holdMeans(readingsOf([[0, 10], [1, NaN]]), 3600, minutes);
  deepEqual([...minutes.values], [10, NaN, NaN]);
});

Deno.test("readings: usable ones keep their order and times", () => {
  const usable = usableOf(readingsOf([[0, 1], [1, NaN], [2, 3]]));
  deepEqual([...usable.value], [1, 3]);
  deepEqual([...usable.ts], [0, 2 * minute_us]);
});

function readingsOf(samples: readonly (readonly [number, number])[]): Readings {
  return {
    ts: Float64Array.from(samples, ([minute]) => minute * minute_us),
    value: Float64Array.from(samples, ([, value]) => value),
  };
}
