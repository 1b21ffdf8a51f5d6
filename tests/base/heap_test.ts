// Memory that is given back.
import { equal } from "node:assert/strict";
import { release } from "../../src/base/heap.ts";

Deno.test("memory is given back once, whichever parts of it are named", () => {
  const all = new Uint32Array(8);
  const other = new Uint32Array(8);
  release(all.subarray(2, 4), all);
  release(all);
  equal(all.length, 0);
  equal(all.buffer.byteLength, 0);
  equal(other.length, 8);
});
