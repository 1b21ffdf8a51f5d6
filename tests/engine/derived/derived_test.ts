// Derived tags in a real database: what is computed from what, whatever comes first.
import assert from "node:assert/strict";
import fc from "../../help/costly.ts";
import { applySite } from "../../../src/engine/site/site.ts";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { openIngest, start_us, type TestIngest } from "../ingest/ingest_help.ts";
import { follow_nothing, plain } from "../../help/site.ts";

type TagEntry = NonNullable<SiteInput["tags"]>[number];

const inputs: readonly TagEntry[] = [
  { name: "a", unit: "W" },
  { name: "b", unit: "kW" },
  { name: "c", unit: "W" },
  { name: "word", encoding: "integer" },
];

async function openDerived(derived: readonly TagEntry[], path?: string): Promise<TestIngest> {
  const test = await openIngest(path);
  await declare(test, derived);
  return test;
}

async function declare({ database, catalog }: TestIngest, derived: readonly TagEntry[]) {
  const file = { ...plain, sensors: [], tags: [...inputs, ...derived] };
  let number = 0;
  const effects = { now_us: () => start_us, random: () => new Uint8Array(16).fill(number++) };
  const roll = { markStale: () => Promise.resolve(), wake() {} };
  const parts = { database, catalog, roll, follow: follow_nothing, effects };
  await applySite(parts, file, { dry_run: false });
}

/** A row of a tag so many milliseconds after the start. */
function row(tag: string, at_ms: number, value: number | null, more: object = {}) {
  const ts = new Date(start_us / 1000 + at_ms).toISOString();
  return { tag, ts, ...(value === null ? { quality: "bad" } : { value }), ...more };
}

/** What is stored of derived tags: `tag ms value quality status`. */
async function derivedOf({ stored, catalog }: TestIngest): Promise<readonly string[]> {
  const names = new Set(
    catalog.tags.filter(({ derived }) => derived !== null).map((it) => it.sensor_tag),
  );
  return (await stored()).map((it) => it.split(" ")).filter(([tag]) => names.has(tag)).map(
    ([tag, at_us, float, integer, , quality, status]) =>
      `${tag} ${Number(at_us) / 1000} ${float === "-" ? integer : float} ${quality} ${status}`,
  );
}

Deno.test("a derived tag is computed from the last samples of its inputs", async () => {
  const test = await openDerived([
    { name: "sum", unit: "kW", derived: { formula: "[a] + [b]", max_age_s: 10 } },
    { name: "twice", unit: "W", derived: { formula: "2 * [sum]", max_age_s: 0 } },
    { name: "trip", derived: { formula: "bit([word], 2)" } },
  ]);
  const answer = await test.send([
    row("a", -30_000, 500),
    row("b", -29_000, 1),
    row("a", -15_000, 700),
    row("a", -10_000, 800, { quality: "uncertain", status_code: 0x40000000 }),
    row("b", -10_000, 2),
    row("a", -5_000, null),
    row("word", -5_000, 6),
    row("word", -4_000, 3),
    row("sum", -3_000, 7),
  ]);
  assert.deepEqual([answer.accepted, answer.rejected_count], [8, 1]);
  assert.equal(answer.rejected[0].reason, "the tag is derived: the service computes it itself");
  assert.deepEqual(await derivedOf(test), [
    "sum -29000 1.5 - -",
    "sum -10000 2.8 1 1073741824",
    "sum -5000 - 2 -",
    "trip -5000 1 - -",
    "trip -4000 0 - -",
    "twice -29000 3000.0 - -",
    "twice -10000 5600.0 1 1073741824",
    "twice -5000 - 2 -",
  ]);
  await test.close();
});

Deno.test("a corrected or late input changes what was computed, a repeat nothing", async () => {
  const test = await openDerived([{
    name: "sum",
    unit: "W",
    derived: { formula: "[a] + [c]", max_age_s: 60 },
  }]);
  await test.send([row("a", 0, 1), row("c", 0, 1), row("c", 1000, 2), row("c", 2000, 3)]);
  const first = ["sum 0 2.0 - -", "sum 1000 3.0 - -", "sum 2000 4.0 - -"];
  assert.deepEqual(await derivedOf(test), first);
  assert.equal((await test.send([row("c", 1000, 2)])).duplicates, 1);
  assert.deepEqual(await derivedOf(test), first);
  await test.send([row("a", 500, 10)]);
  await test.send([row("c", 2000, 5)]);
  assert.deepEqual(await derivedOf(test), [
    "sum 0 2.0 - -",
    "sum 500 11.0 - -",
    "sum 1000 12.0 - -",
    "sum 2000 15.0 - -",
  ]);
  await test.close();
});

Deno.test("with every_s there is a sample at each step, of what was known then", async () => {
  const test = await openDerived([{
    name: "sum",
    unit: "W",
    derived: { formula: "[a] + [c]", max_age_s: 60, every_s: 10 },
  }]);
  for (const it of [row("a", -21_000, 1), row("c", -20_500, 2), row("a", -12_000, 5)]) {
    await test.send([it]);
  }
  await test.send([row("c", -9_000, 7), row("a", -8_000, 9)]);
  assert.deepEqual(await derivedOf(test), ["sum -20000 3.0 - -", "sum -10000 7.0 - -"]);
  await test.close();
});

Deno.test("with on_change there is a sample of each change, and when carry_s is over", async () => {
  const test = await openDerived([{
    name: "on",
    carry_s: 60,
    derived: { formula: "bit([word], 0)", on_change: true },
  }]);
  for (const [at_s, value] of [[0, 1], [10, 3], [20, 5], [30, 2], [40, 2], [95, 0], [96, 1]]) {
    await test.send([row("word", 1000 * (at_s - 100), value)]);
  }
  const shown = ["on -100000 1 - -", "on -70000 0 - -", "on -5000 0 - -", "on -4000 1 - -"];
  assert.deepEqual(await derivedOf(test), shown);
  // What was no change is one now.
  await test.send([row("word", -85_000, 4)]);
  assert.deepEqual(await derivedOf(test), [
    ...[shown[0], "on -85000 0 - -", "on -80000 1 - -"],
    ...shown.slice(1),
  ]);
  await test.close();
});

const declared: readonly TagEntry[] = [
  { name: "d1", unit: "W", derived: { formula: "[a] - 0.5 * [b]", max_age_s: 4 } },
  { name: "d2", unit: "W", derived: { formula: "max([c], [d1], 3 W)", max_age_s: 7 } },
  { name: "d3", unit: "W", derived: { formula: "[a] + [c]", max_age_s: 6, every_s: 5 } },
  { name: "d4", unit: "W", derived: { formula: "[d3] + [d2]", max_age_s: 3 } },
  { name: "d5", unit: "kW", derived: { formula: "min([d1], [d2])", max_age_s: 0 } },
];

Deno.test("no order of arrival changes what is computed, nor does a restart between", () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(
        fc.record({
          tag: fc.constantFrom("a", "b", "c"),
          at_s: fc.integer({ min: -40, max: 0 }),
          value: fc.oneof(fc.integer({ min: 0, max: 8 }), fc.constant(null)),
        }),
        { selector: ({ tag, at_s }) => `${tag} ${at_s}`, maxLength: 40 },
      ),
      fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 12 }),
      fc.nat(10),
      fc.boolean(),
      async (samples, keys, sizes, restart_after, is_old) => {
        const base_ms = is_old ? -3 * 3_600_000 : 0;
        const rows = samples.map(({ tag, at_s, value }) => row(tag, base_ms + 1000 * at_s, value));
        const whole = await openDerived(declared);
        await whole.send(rows);
        const wanted = await derivedOf(whole);
        await whole.close();
        assert.deepEqual(wanted.toSorted(), byHand(samples, base_ms).toSorted());
        const pieces = await openDerived(declared);
        const shuffled = rows.map((it, i) => ({ it, key: keys[i] }))
          .sort((a, b) => a.key - b.key).map(({ it }) => it);
        for (let from = 0, i = 0; from < shuffled.length; i++) {
          const to = from + sizes[i % sizes.length];
          await pieces.send(shuffled.slice(from, to));
          from = to;
          if (i === restart_after) await pieces.restart();
        }
        assert.deepEqual(await derivedOf(pieces), wanted);
        await pieces.close();
      },
    ),
    { numRuns: 8 },
  ));

type Given = { readonly tag: string; readonly at_s: number; readonly value: number | null };

/** The same worked out plainly: each formula at each of its instants, over all samples. */
function byHand(samples: readonly Given[], base_ms: number): readonly string[] {
  const known = new Map<string, Given[]>();
  const put = (it: Given) => known.set(it.tag, [...known.get(it.tag) ?? [], it]);
  samples.forEach(put);
  const compute = (
    tag: string,
    inputs: readonly string[],
    { age, step = 1, of }: {
      readonly age: number;
      readonly step?: number;
      readonly of: (values: readonly number[]) => number;
    },
  ) => {
    const all = inputs.flatMap((name) => known.get(name) ?? []);
    for (const at_s of new Set(all.map((it) => Math.floor(it.at_s / step) * step))) {
      const found = inputs.map((name) =>
        known.get(name)?.filter((it) => it.at_s <= at_s && it.at_s >= at_s - age)
          .sort((a, b) => b.at_s - a.at_s)[0]
      );
      if (found.some((it) => it === undefined)) continue;
      const values = found.map((it) => it!.value);
      put({ tag, at_s, value: values.includes(null) ? null : of(values as number[]) });
    }
  };
  compute("d1", ["a", "b"], { age: 4, of: ([a, b]) => a - 500 * b });
  compute("d2", ["c", "d1"], { age: 7, of: (values) => Math.max(3, ...values) });
  compute("d3", ["a", "c"], { age: 6, step: 5, of: ([a, c]) => a + c });
  compute("d4", ["d3", "d2"], { age: 3, of: ([a, b]) => a + b });
  compute("d5", ["d1", "d2"], { age: 0, of: (values) => Math.min(...values) / 1000 });
  return [...known.values()].flat().filter(({ tag }) => tag.startsWith("d"))
    .map(({ tag, at_s, value }) => {
      const text = value === null ? "-" : Number.isInteger(value) ? `${value}.0` : `${value}`;
      return `${tag} ${base_ms + 1000 * at_s} ${text} ${value === null ? 2 : "-"} -`;
    });
}
