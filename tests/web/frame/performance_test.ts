// What is expected, and where nothing is known of it.
import { deepEqual } from "node:assert/strict";
import { expectedOf } from "../../../src/web/frame/performance.ts";

Deno.test("a 0 that no model stands behind is no expectation", () => {
  // Dawn; full daylight; minutes whose weather has not come; one at night.
  const model = Float64Array.of(0, 3_642_875, 0, 0, 0);
  const coverage = Float64Array.of(1, 1, 0, 0, NaN);
  deepEqual([...expectedOf(model, coverage)], [0, 3_642_875, NaN, NaN, 0]);
});

Deno.test("what is expected stays where nothing was measured", () => {
  deepEqual([...expectedOf(Float64Array.of(5), Float64Array.of(0))], [5]);
});
