// Paths in JSON: what stands at them, and what is wrong with them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { parsePath, valueAt } from "../../../src/model/sources/json_path.ts";

function at(path: string, data: unknown): unknown {
  const found = parsePath(path);
  assert.ok(typeof found !== "string", `${path} ${found}`);
  return valueAt(found, data);
}

Deno.test("a path leads to a member, an element, or the whole", () => {
  const data = { a: { b: [{ c: 5 }, 6], "d.e": 7 }, 0: "zero" };
  assert.equal(at("a.b[0].c", data), 5);
  assert.equal(at("$.a.b[1]", data), 6);
  assert.equal(at('a["d.e"]', data), 7);
  assert.equal(at("$", 3), 3);
  assert.equal(at("[1]", [1, 2]), 2);
  assert.equal(at("0", data), "zero");
  assert.equal(at("a.x.y", data), undefined);
  assert.equal(at("a.b[9]", data), undefined);
  assert.equal(at("constructor", data), undefined);
  assert.equal(at("__proto__", data), undefined);
  assert.equal(at("a.length", { a: "text" }), undefined);
});

Deno.test("a star at the end means each member", () => {
  assert.deepEqual(parsePath("a.*"), { steps: ["a"], is_each: true });
  assert.deepEqual(parsePath("*"), { steps: [], is_each: true });
  assert.deepEqual(parsePath("$.*"), { steps: [], is_each: true });
});

Deno.test("what is no path says where it can't be read", () => {
  for (
    const path of ["a..b", "a.", "a[", "a[x]", "a[-1]", "*.a", "a.*.b", 'a["b]', "$a", "a b[", ".a"]
  ) {
    assert.match(String(parsePath(path)), /can't be read at/, path);
  }
  assert.match(String(parsePath("")), /empty/);
  assert.match(String(parsePath(Array(20).fill("a").join("."))), /more than 16 steps/);
});

Deno.test("a path that is written from its steps leads where they lead", () => {
  const step = fc.oneof(fc.nat(20), fc.string({ minLength: 1, maxLength: 6, unit: "binary" }));
  fc.assert(fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
    fc.pre(steps.every((it) => typeof it === "number" || !/\p{Cc}/u.test(it)));
    const path = "$" + steps.map((it) => typeof it === "number" ? `[${it}]` : quoted(it)).join("");
    const data = steps.toReversed().reduce<unknown>((inner, it) => ({ [it]: inner }), "here");
    assert.equal(at(path, data), steps.includes("__proto__") ? at(path, data) : "here");
  }));
});

function quoted(name: string): string {
  return `["${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"]`;
}
