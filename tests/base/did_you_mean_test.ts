// The nearest word: the same as by comparing with all of them, and quickly told.
import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { nearest } from "../../src/base/did_you_mean.ts";

/** Edits from one word to the other, computed whole. */
function plainDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, change));
    }
    row = next;
  }
  return row[b.length];
}

function plainNearest(word: string, known: readonly string[]): string | undefined {
  const near = known.map((candidate) => {
    const [a, b] = [word.toLowerCase(), candidate.toLowerCase()];
    const edits = a.length > 100 || b.length > 100 ? Infinity : plainDistance(a, b);
    const allowed = Math.min(candidate.length - 1, 5, Math.max(2, candidate.length / 3));
    return { candidate, edits: edits <= allowed ? edits : Infinity };
  });
  const least = Math.min(...near.map(({ edits }) => edits));
  const nearest = near.filter(({ edits }) => edits === least && edits < Infinity)
    .map(({ candidate }) => candidate);
  const begins = (it: string) => it.toLowerCase().startsWith(word.toLowerCase());
  return nearest.find(begins) ?? nearest[0];
}

/** A word and others, most of them made from it by a few edits. */
function words(letters: string, maxLength: number) {
  const letter = fc.constantFrom(...letters);
  const word = fc.string({ unit: letter, maxLength });
  const edit = fc.record({
    at: fc.nat(maxLength),
    out: fc.nat(2),
    put: fc.string({ unit: letter, maxLength: 2 }),
  });
  return fc.record({
    word,
    edits: fc.array(fc.array(edit, { maxLength: 6 }), { maxLength: 8 }),
    others: fc.array(word, { maxLength: 4 }),
  }).map(({ word, edits, others }) => {
    const edited = edits.map((own) =>
      own.reduce((text, { at, out, put }) => text.slice(0, at) + put + text.slice(at + out), word)
    );
    return { word, known: [...edited, ...others] };
  });
}

Deno.test("of words as near, one that begins with what was written is meant", () => {
  equal(nearest("val", ["tag", "ts", "value", "value_int"]), "value");
});

Deno.test("the nearest word is the one that comparing all of them whole gives", () => {
  for (const [letters, length] of [["ab", 12], ["/abcdeİK{}_", 40], ["aé€b", 110]] as const) {
    fc.assert(
      fc.property(words(letters, length), ({ word, known }) => {
        equal(nearest(word, known), plainNearest(word, known));
      }),
      { numRuns: 2_000 },
    );
  }
});

Deno.test("of many candidates few are compared whole", () => {
  const known = Array.from({ length: 20_000 }, (_, i) => `plant_7/inverter_${i}/dc_power`);
  const took = (find: typeof plainNearest) => {
    const from_ms = performance.now();
    equal(find("plant_7/invreter_3141/dc_power", known), "plant_7/inverter_3141/dc_power");
    equal(find("x".repeat(29), known), undefined);
    return performance.now() - from_ms;
  };
  // Others may take the processor meanwhile: the quickest of some is what it takes.
  const quickest = (find: typeof plainNearest) =>
    Math.min(...Array.from({ length: 5 }, () => took(find)));
  const [quick_ms, plain_ms] = [quickest(nearest), quickest(plainNearest)];
  ok(quick_ms < plain_ms / 4, `${quick_ms} ms, and ${plain_ms} ms by comparing all`);
});
