// What losses of a day had come to by a moment.
import { deepEqual, equal } from "node:assert/strict";
import { accountOf, runningAt } from "../../../src/web/overview/account.ts";

const quarter = 900_000;

/** Inverter `a`: clipping ended after two quarter-hours, and it is out from the second one. */
const spans = {
  hierarchy_id: ["a", "a", "b"],
  from: Float64Array.of(0, quarter, 0),
  to: Float64Array.of(2 * quarter, 10 * quarter, 10 * quarter),
  part: ["clipping", "unavailability", "unknown"],
  energy: Float64Array.of(5, 900, 70),
};
const shortfalls = {
  hierarchy_id: ["a", "a", "a", "a", "b"],
  instants: Float64Array.of(0, quarter, 2 * quarter, 3 * quarter, quarter),
  energy: Float64Array.of(5, 100, NaN, 110, 9),
};

Deno.test("what goes on lost what was missing until the moment", () => {
  const { unavailability, clipping } = accountOf(spans, 3 * quarter, shortfalls);
  deepEqual([unavailability, clipping], [100, 5]);
  equal(accountOf(spans, 4 * quarter, shortfalls).unavailability, 210);
});

Deno.test("what spans that ended tell of that time is not counted twice", () => {
  const inside = { ...spans, from: Float64Array.of(quarter, quarter, 0) };
  equal(accountOf(inside, 3 * quarter, shortfalls).unavailability, 95);
});

Deno.test("what goes on beside another loss takes half of it", () => {
  const both = { ...spans, to: Float64Array.of(9 * quarter, 10 * quarter, 10 * quarter) };
  const { unavailability, clipping } = accountOf(both, 2 * quarter, shortfalls);
  deepEqual([unavailability, clipping], [52.5, 52.5]);
});

Deno.test("a span that is over has its energy, one that has not begun none", () => {
  equal(accountOf(spans, 10 * quarter, shortfalls).unavailability, 900);
  equal(accountOf(spans, quarter, shortfalls).unavailability, 0);
  deepEqual([...runningAt(spans, quarter)], [["a", [0]]]);
});
