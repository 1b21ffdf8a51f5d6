// Shared work: whatever parts throw, the others are done, once each.
import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { Fault } from "../../src/base/fault.ts";
import { together } from "../../src/base/together.ts";

/** Works on parts as a transaction does: all of them, or none where one throws. */
function worker(throwing: ReadonlySet<number>) {
  const done: number[] = [];
  let calls = 0;
  return {
    done,
    get calls() {
      return calls;
    },
    work(parts: readonly number[]): Promise<void> {
      calls++;
      const guilty = parts.find((part) => throwing.has(part));
      if (guilty !== undefined) return Promise.reject(new Error(`part ${guilty}`));
      done.push(...parts);
      return Promise.resolve();
    },
  };
}

Deno.test("parts that throw fail alone, with what they threw; others are done", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.boolean(), { maxLength: 60 }),
    async (throws) => {
      const parts = throws.map((_, i) => i);
      const guilty = parts.filter((i) => throws[i]);
      const { done, work } = worker(new Set(guilty));
      const failed = await together(parts, work);
      deepEqual(failed.map(({ part }) => part), guilty);
      for (const { part, error } of failed) equal((error as Error).message, `part ${part}`);
      deepEqual(done, parts.filter((i) => !throws[i]));
    },
  ));
});

Deno.test("one that throws among a thousand is found in some twenty tries", async () => {
  const parts = Array.from({ length: 1_000 }, (_, i) => i);
  const tried = worker(new Set([617]));
  deepEqual((await together(parts, tried.work)).map(({ part }) => part), [617]);
  equal(tried.calls, 21);
});

Deno.test("a Fault is no part's own: it fails all that share it, untried", async () => {
  let calls = 0;
  const full = new Fault("unavailable", "the disk is full");
  const failed = await together([1, 2, 3], () => {
    calls++;
    return Promise.reject(full);
  });
  deepEqual(failed, [1, 2, 3].map((part) => ({ part, error: full })));
  equal(calls, 1);
});
