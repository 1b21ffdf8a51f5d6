// Damaged exports: whatever is imported without a word has lost no row.
import assert from "node:assert/strict";
import { fuzzImports } from "./fuzz.ts";

Deno.test("import: of damaged exports none is taken with a row lost", async () => {
  const count = await fuzzImports({ files: 150, seed: 7, stored_every: 30 });
  assert.equal(count.taken + count.rejected + count.refused, 150);
  assert(Math.min(count.taken, count.rejected, count.refused) > 5, JSON.stringify(count));
});
