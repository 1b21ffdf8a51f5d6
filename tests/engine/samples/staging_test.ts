// Rows that are staged in runs are those that are staged one by one.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { PlainTags } from "../../../src/engine/catalog/settled_tags.ts";
import { type SampleSource, SampleStage, sourceOf } from "../../../src/engine/samples/staging.ts";
import { isValid } from "../../../src/model/data/chunk.ts";
import { SampleBatchBuilder } from "../../../src/wire/samples/sample_builder.ts";

const latest_us = 30;
const tags: PlainTags = {
  tag_no: Int32Array.of(1, 2, 3, 0),
  closed_us: Float64Array.of(-Infinity, 5, -Infinity, 0),
  most: Float64Array.of(Number.MAX_VALUE, Number.MAX_VALUE, 100, 0),
};
const far_us = 4_294_967_296;

const row = fc.record({
  tag: fc.constantFrom("a", "a", "b", "c", "d"),
  ts_us: fc.oneof(fc.nat(31), fc.constant(far_us)),
  value: fc.constantFrom(1, 1, 2.5, -0, 101, Infinity, null, 3n),
  quality: fc.constantFrom(null, null, 0, 1, 2),
  status_code: fc.constantFrom(null, null, null, 0, 2 ** 31),
});

/** The rows of a stage as texts: everything that is stored of each. */
function rowsOf(stage: SampleStage): readonly string[] {
  const { rows, vectors } = stage.chunk(7);
  return Array.from({ length: rows }, (_, i) => {
    const cells = vectors.map((vector) => {
      if (!isValid(vector.valid, i)) return "-";
      const value = "values" in vector ? vector.values[i] : "text";
      return Object.is(value, -0) ? "-0" : String(value);
    });
    return `${cells.join(" ")} ${stage.ownerAt(i)}`;
  });
}

/** Stages a row by itself; whether it was new. */
function putOne(stage: SampleStage, source: SampleSource, row: number, owner: number): boolean {
  const { batch } = source;
  const is_float = batch.quality[row] !== 2 && !Number.isNaN(batch.value[row]);
  const store_as = isValid(batch.int_valid, row) ? "integer" : is_float ? "float" : "none";
  return stage.put(source, { row, tag_no: batch.tag[row] + 1, store_as, owner });
}

Deno.test("rows that are staged in runs are those that are staged one by one", () => {
  fc.assert(fc.property(fc.array(fc.array(row, { maxLength: 40 }), { maxLength: 4 }), (bodies) => {
    const [runs, singles] = [new SampleStage(200), new SampleStage(200)];
    for (let round = 0; round < 2; round++) {
      for (const [owner, body] of bodies.entries()) {
        const builder = new SampleBatchBuilder();
        for (const name of ["a", "b", "c", "d"]) builder.tags.codeOf(name);
        body.forEach((row, line) => builder.add({ ...row, line }));
        const source = sourceOf(builder.build());
        const told = body.map((_, row) => putOne(singles, source, row, owner));
        for (let row = 0; row < body.length;) {
          const next = runs.putPlain(source, { from: row, to: body.length, owner }, {
            tags,
            latest_us,
          });
          for (; row < next; row++) {
            const { tag, ts_us, value, quality } = body[row];
            assert.equal(told[row], true);
            assert.ok(tag !== "d" && ts_us <= latest_us && (tag !== "b" || ts_us >= 5));
            assert.ok(typeof value === "number" && Number.isFinite(value) && quality !== 2);
            assert.ok(tag !== "c" || value <= 100);
          }
          if (row === body.length) break;
          assert.equal(putOne(runs, source, row, owner), told[row++]);
        }
      }
      assert.deepEqual(rowsOf(runs), rowsOf(singles));
      // What was there leaves nothing behind.
      runs.clear();
      singles.clear();
    }
  }));
});
