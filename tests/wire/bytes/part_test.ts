// The bytes of a part of an answer say what was put into them.
import { deepEqual, equal, throws } from "node:assert/strict";
import { decodePart, encodePart } from "../../../src/wire/bytes/part.ts";

Deno.test("facts and numbers come out of a part as they went in, to the last bit", () => {
  const facts = [{ project_id: "p1", svc_block_id: null, sites: [["ä", 2]] }];
  const all = new Float64Array([1 / 3, NaN, -0, Infinity, 5e-324]);
  const numbers = { value: all.subarray(1, 4), none: new Float64Array(), other: all };
  const read = decodePart(encodePart({ facts, numbers }));
  deepEqual(read.facts, facts);
  deepEqual(Object.keys(read.numbers), ["value", "none", "other"]);
  for (const [name, values] of Object.entries(numbers)) {
    equal(values.every((it, i) => Object.is(it, read.numbers[name][i])), true, name);
    equal(read.numbers[name].length, values.length);
  }
  deepEqual(decodePart(encodePart({})), { facts: null, numbers: {} });
});

Deno.test("a part that was cut off is none", () => {
  const bytes = encodePart({ numbers: { value: new Float64Array(4) } });
  throws(() => decodePart(bytes.subarray(0, bytes.length - 8)));
  throws(() => decodePart(bytes.subarray(0, 12)));
});
