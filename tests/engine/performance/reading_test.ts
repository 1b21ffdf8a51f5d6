// How an answer is cut into slabs: a small one first, the others at the ends of days.
import assert from "node:assert/strict";
import { answer_limits } from "../../../src/model/data/limits.ts";
import { type AnswerPlan, cutSlabs } from "../../../src/engine/performance/reading.ts";
import { axisOf } from "../../../src/model/time/bucket.ts";

const minutes = 1440;

/** What is cut of a plan: minutes of some days of as many sensors. */
function planOf(days: number, sensors: number): AnswerPlan {
  const range = { from_day: 20_000, to_day: 20_000 + days };
  const axis = axisOf("OneMinute", { range, timezones: ["America/Phoenix"] });
  return { axis, selection: { sensors: Array(sensors) } } as unknown as AnswerPlan;
}

Deno.test("a large answer starts with a small slab; the others end with their days", () => {
  const [first, ...others] = cutSlabs(planOf(4, 500));
  assert.deepEqual(first, { from: 0, to: Math.floor(answer_limits.cells_of_first_slab / 500) });
  const ends = others.map(({ to }) => to);
  assert.deepEqual(ends, [minutes, 2 * minutes, 3 * minutes, 4 * minutes]);
  assert.deepEqual(others.map(({ from }) => from), [first.to, ...ends.slice(0, -1)]);
});

Deno.test("an answer of one slab is not cut", () => {
  assert.deepEqual([...cutSlabs(planOf(1, 500))], [{ from: 0, to: minutes }]);
});

Deno.test("a slab has one position at least, however many sensors there are", () => {
  const slabs = [...cutSlabs(planOf(1, answer_limits.cells_per_slab + 1))];
  assert.equal(slabs.length, minutes);
});
