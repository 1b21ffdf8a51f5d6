// Names of tags that are kept from body to body: one number a name, counted, within a bound.
import assert from "node:assert/strict";
import { unmetered } from "../../../src/base/budget.ts";
import { sample_limits } from "../../../src/model/samples/limits.ts";
import { BodyTags, TagCache, TagIndex } from "../../../src/wire/samples/tag_index.ts";
import { utf8 } from "./decode_help.ts";

/** The number of a name, by its bytes in the middle of others. */
function codeAt(tags: BodyTags, name: string): number | string {
  const bytes = utf8.encode(`..${name}..`);
  return tags.codeAt(bytes, { start: 2, end: bytes.length - 2 });
}

Deno.test("a name has one number, however it comes and in whatever order", () => {
  const index = new TagIndex();
  const names = Array.from({ length: 3000 }, (_, i) => `tag ${i * 7919 % 3000} ü`);
  const first = new BodyTags(index, unmetered);
  const codes = names.map((name) => codeAt(first, name));
  const again = new BodyTags(index, unmetered);
  for (const [i, name] of [...names.entries()].reverse()) {
    assert.equal(codeAt(again, name), codes[i]);
    assert.equal(again.codeOf(name), codes[i]);
  }
  assert.deepEqual(index.names, names);
});

Deno.test("what is no name is told each time, and not kept", () => {
  const tags = new BodyTags(new TagIndex(), unmetered);
  for (let time = 0; time < 2; time++) {
    assert.equal(codeAt(tags, ""), "is empty");
    assert.equal(codeAt(tags, "a\tb"), "holds a control character");
  }
  assert.deepEqual(tags.names, []);
});

Deno.test("a body is counted what it adds, not what others brought", () => {
  const index = new TagIndex();
  const taken = [0, 0].map((_, body) => {
    let bytes = 0;
    const tags = new BodyTags(index, { take: (more) => bytes += more, give() {} });
    codeAt(tags, "a");
    codeAt(tags, `b${body}`);
    return bytes;
  });
  assert.ok(taken[0] > taken[1] && taken[1] > 0, taken.join());
  assert.equal(taken[0] + taken[1], index.held_bytes);
});

Deno.test("all projects begin anew once the names of one are too many", () => {
  const cache = new TagCache();
  const other = cache.of(2, "signal");
  const index = cache.of(1, "signal");
  assert.equal(cache.of(1, "signal"), index);
  assert.notEqual(cache.of(1, "model"), index);
  const tags = new BodyTags(index, unmetered);
  const long = "x".repeat(400);
  for (let i = 0; index.held_bytes < sample_limits.tag_cache_bytes; i++) codeAt(tags, long + i);
  assert.notEqual(cache.of(1, "signal"), index);
  assert.notEqual(cache.of(2, "signal"), other);
  // The body goes on with what it has.
  assert.equal(codeAt(tags, `${long}0`), 0);
  assert.equal(codeAt(tags, "last"), index.names.length - 1);
});
