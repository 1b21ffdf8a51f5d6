// What is expected, in words: also at night, and where nothing is known of it.
import { deepEqual } from "node:assert/strict";
import { ofExpected } from "../../../src/web/overview/expected.ts";

Deno.test("what is expected is told in words where it is nothing, or not known", () => {
  deepEqual([1500, 0, NaN, undefined].map((it) => ofExpected(it, "Wh")), [
    "of 1.50\u202fkWh expected",
    "nothing is expected so far",
    "no expected value yet",
    "no expected value yet",
  ]);
});
