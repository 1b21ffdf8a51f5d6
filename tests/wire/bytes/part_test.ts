// The bytes of a part of an answer say what was put into them.
import { deepEqual, equal, throws } from "node:assert/strict";
import { concat } from "../../../src/base/bytes.ts";
import { decodePart, encodePart, type Part } from "../../../src/wire/bytes/part.ts";

const bytesOf = (part: Part) => concat(encodePart(part));

Deno.test("facts and numbers come out of a part as they went in, to the last bit", () => {
  const facts = [{ project_id: "p1", svc_block_id: null, sites: [["ä", 2]] }];
  const all = new Float64Array([1 / 3, NaN, -0, Infinity, 5e-324]);
  const numbers = { value: all.subarray(1, 4), none: new Float64Array(), other: all };
  const bytes = bytesOf({ facts, numbers });
  // Wherever they lie in memory.
  for (const place of [0, 1, 4]) {
    const there = new Uint8Array(bytes.length + place);
    there.set(bytes, place);
    const read = decodePart(there.subarray(place));
    deepEqual(read.facts, facts);
    deepEqual(Object.keys(read.numbers), ["value", "none", "other"]);
    for (const [name, values] of Object.entries(numbers)) {
      equal(values.every((it, i) => Object.is(it, read.numbers[name][i])), true, name);
      equal(read.numbers[name].length, values.length);
    }
  }
  deepEqual(decodePart(bytesOf({})), { facts: null, numbers: {} });
});

Deno.test("numbers of a part are not copied, to send them and to read them", () => {
  const value = Float64Array.of(1, 2, 3);
  for (const facts of ["", "a", "ab", "abc", "abcd", "abcde", "ä", "äa"]) {
    const pieces = encodePart({ facts, numbers: { value } });
    equal(pieces.at(-1)!.buffer, value.buffer);
    const bytes = concat(pieces);
    equal(decodePart(bytes).numbers.value.buffer, bytes.buffer, facts);
  }
});

Deno.test("a part that was cut off is none", () => {
  const bytes = bytesOf({ numbers: { value: new Float64Array(4) } });
  throws(() => decodePart(bytes.subarray(0, bytes.length - 8)));
  throws(() => decodePart(bytes.subarray(0, 12)));
});
