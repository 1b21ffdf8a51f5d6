// Rounded figures: they add up to the rounded sum, whatever the values are.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  apportion,
  axisText,
  roundingOf,
  stepOf,
  stepsText,
} from "../../../src/web/frame/rounded.ts";

Deno.test("the largest remainders get what is left", () => {
  // 33.4 + 33.3 + 33.3 = 100: 33 each leaves one, for the largest remainder.
  deepEqual(apportion([33.4, 33.3, 33.3], 1), [34, 33, 33]);
  // Rounded one by one these would be 3 + 3 + 3 = 9 of 7.5, which is 8.
  deepEqual(apportion([2.5, 2.5, 2.5], 1), [3, 3, 2]);
  deepEqual(apportion([0.26, 0.74], 0.1), [3, 7]);
});

Deno.test("parts below zero and unknown ones add up too", () => {
  deepEqual(apportion([10.6, -0.8, NaN], 1), [11, -1, 0]);
  deepEqual(apportion([], 1), []);
  deepEqual(apportion([-5e-324, 0], 1000), [0, 0]);
});

Deno.test("a total from outside is kept", () => {
  deepEqual(apportion([1.2, 1.2], 1, 3), [2, 1]);
  deepEqual(apportion([1.2, 1.2], 1, 1), [1, 0]);
});

Deno.test("without a total, or without a step, it ends", () => {
  deepEqual(apportion([1.2, 1.2], 1, NaN), [1, 1]);
  deepEqual(apportion([0, 0], 0, 1000), [NaN, NaN]);
});

Deno.test("any values add up to their rounded sum, each next to its own", () => {
  const values = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1 });
  fc.assert(fc.property(values, (values) => {
    const steps = apportion(values, 1000);
    const sum = values.reduce((a, b) => a + b, 0);
    // Rounded, a little below zero is -0.
    equal(steps.reduce((a, b) => a + b, 0), Math.round(sum / 1000) + 0);
    ok(steps.every((it, i) => Math.abs(it - values[i] / 1000) < 1 + 1e-6));
  }));
});

Deno.test("an axis tells its half from its end, however small both are of the sum", () => {
  const ticks = (greatest: number) => {
    const rounding = { unit: "MWh", divisor: 1e6, decimals: 1 };
    return [1, 0.5, 0].map((share) => axisText(share * greatest, greatest, rounding));
  };
  deepEqual(ticks(129e3), ["0.129", "0.065", "0.000"]);
  deepEqual(ticks(1.5e6), ["1.50", "0.75", "0.00"]);
  deepEqual(ticks(250e6), ["250.0", "125.0", "0.0"]);
  deepEqual(ticks(1), ["0.000", "0.000", "0.000"]);
});

Deno.test("a sum has four or five figures", () => {
  const text = (value: number) => {
    const rounding = roundingOf(value, "Wh");
    const steps = Math.round(value / stepOf(rounding));
    return `${stepsText(steps, rounding).replaceAll(",", "")} ${rounding.unit}`;
  };
  equal(text(1_182_698_417), "1182.7 MWh");
  equal(text(25_676_057), "25.68 MWh");
  equal(text(9_500_000), "9500.0 kWh");
  equal(text(0), "0.00 Wh");
});
