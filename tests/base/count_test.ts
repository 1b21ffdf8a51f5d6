// Counts are grouped by thousands, as the runtime does it.
import { equal } from "node:assert/strict";
import { countText } from "../../src/base/count.ts";

Deno.test("a count has a comma before every three digits from its end", () => {
  for (const count of [0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, -1_234, 2 ** 53 - 1]) {
    equal(countText(count), count.toLocaleString("en-US"));
  }
});
