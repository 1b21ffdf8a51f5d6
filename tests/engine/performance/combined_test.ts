// Values of several sensors have the same digits as one in any order, and of any parts.
import { deepEqual, equal } from "node:assert/strict";
import { Combined } from "../../../src/engine/performance/combined.ts";
import type { OverSensors } from "../../../src/model/plant/measure.ts";

const ways: readonly OverSensors[] = [
  ...["sum", "mean", "max", "min", "same", "capacity_mean", "power_mean"] as const,
];

/** Values of many sizes, whose plain sum depends on their order; some are absent. */
const values = Float64Array.from({ length: 101 }, (_, i) => {
  if (i % 17 === 3) return NaN;
  return Math.sin(i) * 10 ** (i % 11 - 3) / 7;
});
const weights = values.map((_, i) => 1 + (i * 31 % 13) / 7);

function filled(op: OverSensors, order: readonly number[]): Combined {
  const combined = Combined.of(1, op);
  combined.clear(1);
  for (const at of order) {
    const cells = new Int32Array(1);
    combined.add(values.subarray(at, at + 1), { cells, weights: weights.subarray(at, at + 1) });
  }
  return combined;
}

const forward = Array.from(values.keys());
const orders = [
  forward,
  forward.toReversed(),
  forward.toSorted((a, b) => a * 37 % 101 - b * 37 % 101),
];

Deno.test("values are combined to the same digits in any order, and of parts", () => {
  const plain = orders.map((order) => order.reduce((sum, at) => sum + (values[at] || 0), 0));
  equal(new Set(plain).size > 1, true, "their plain sum depends on it");
  for (const op of ways) {
    const [wanted] = filled(op, forward).finish();
    for (const order of orders) {
      equal(filled(op, order).finish()[0], wanted, op);
      for (const at of [0, 1, 40, 100]) {
        const whole = Combined.of(1, op);
        whole.clear(1);
        for (const part of [order.slice(at), order.slice(0, at)]) {
          whole.take(filled(op, part).sums(1), new Int32Array(1));
        }
        equal(whole.finish()[0], wanted, op);
      }
    }
  }
});

Deno.test("of 0 and -0 the one or the other comes first, and 0 is told", () => {
  for (const op of ways) {
    for (const zeros of [[0, -0], [-0, 0], [-0, -0]]) {
      const combined = Combined.of(1, op);
      combined.clear(1);
      combined.add(Float64Array.from(zeros), { cells: new Int32Array(2) });
      equal(combined.finish()[0], 0, op);
    }
  }
});

Deno.test("a mean is weighted where each shard knows each weight, else it is plain", () => {
  const of = (weight: number) => {
    const combined = Combined.of(1, "capacity_mean");
    combined.clear(1);
    const cells = new Int32Array(2);
    combined.add(Float64Array.of(1, 3), { cells, weights: Float64Array.of(3, weight) });
    return combined.sums(1);
  };
  const whole = (...parts: ReturnType<typeof of>[]) => {
    const combined = Combined.of(1, "capacity_mean");
    combined.clear(1);
    for (const part of parts) combined.take(part, new Int32Array(1));
    return Array.from(combined.finish());
  };
  deepEqual(whole(of(1), of(1)), [1.5]);
  deepEqual(whole(of(1), of(NaN)), [2]);
  deepEqual(whole(), [NaN]);
});

Deno.test("a sum that is no number any more is as large as it was before", () => {
  const combined = Combined.of(1, "sum");
  combined.clear(1);
  combined.add(Float64Array.of(1.7e308, 1.7e308, -5), { cells: new Int32Array(3) });
  deepEqual(Array.from(combined.finish()), [Infinity]);
});

Deno.test("cleared cells are as new ones, whatever came to them or did not", () => {
  const kept = Combined.of(4, "mean");
  for (const [size, ...values] of [[4, NaN, NaN], [2, NaN], [4, 7, NaN, 3], [3, NaN], [4, 1]]) {
    const fresh = Combined.of(4, "mean");
    const cells = Int32Array.from(values.keys());
    const [wanted, found] = [fresh, kept].map((combined) => {
      combined.clear(size);
      combined.add(Float64Array.from(values), { cells });
      return [...combined.finish().subarray(0, size)];
    });
    deepEqual(found, wanted);
    equal(wanted.length, size);
  }
});
