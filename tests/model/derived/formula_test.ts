// Formulas: what is read, what is computed, and what is refused in which words.
import assert from "node:assert/strict";
import { derivedFlaws } from "../../../src/model/derived/check.ts";
import { compile, type Values } from "../../../src/model/derived/compile.ts";
import { derive, type DerivedSample } from "../../../src/model/derived/derived.ts";
import { convertedFlaw } from "../../../src/model/derived/converted.ts";
import { parseFormula } from "../../../src/model/derived/formula.ts";
import { unitMeant } from "../../../src/model/derived/unit.ts";

const units = new Map<string, string | null>([
  ...[["a", "W"], ["b", "kW"], ["e", "kWh"], ["n", null], ["v", "V"], ["i", "A"]] as const,
  ...[["q", "kvar"], ["t", "°C"], ["soc", "%"], ["odd", "widgets"], ["a[1]-x", "W"]] as const,
]);

function valueOf(text: string, values: Values, unit: string | null = null): number {
  return compile(parseFormula(text), { units, unit }).valueOf(values);
}

function refused(text: string, unit: string | null = null): string {
  try {
    compile(parseFormula(text), { units, unit });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("a formula computes sums, products, bounds and bits in the unit that is wanted", () => {
  assert.equal(valueOf("[a] + [b]", [500, 1.5], "kW"), 2);
  assert.equal(valueOf("[a] + [b]", [500, 1.5], "W"), 2000);
  assert.equal(valueOf("[b] - [a] / 2", [1, 500], "kW"), 0.75);
  assert.equal(valueOf("-[a] * 2 - -3 W", [4], "W"), -5);
  assert.equal(valueOf("2 * ([a] + 1 kW)", [1], "W"), 2002);
  assert.equal(valueOf("[v] * [i]", [400, 10], "kW"), 4);
  assert.equal(valueOf("[b] * 0.25 h", [2], "kWh"), 0.5);
  assert.equal(valueOf("[e] / 0.5 h", [2], "kW"), 4);
  assert.equal(valueOf("[a] / [b]", [500, 2]), 0.25);
  assert.equal(valueOf("min([a], [b], 3 kW)", [4000, 5], "W"), 3000);
  assert.equal(valueOf("max(0, [a])", [-7], "W"), 0);
  assert.equal(valueOf("sum([a], [b], -1 W)", [1, 1], "W"), 1000);
  assert.equal(valueOf("100 % - [soc]", [30], "%"), 70);
  assert.equal(valueOf("[odd] * 2", [3], "widgets"), 6);
  assert.equal(valueOf("[a[1]]-x]", [3], "W"), 3);
  assert.equal(valueOf("bit([n], 3)", [8]), 1);
  assert.equal(valueOf("bit([n], 63)", [-1]), 1);
  assert.equal(valueOf("bit([n], 62)", [2n ** 62n + 1n]), 1);
  assert.equal(valueOf("bit([n], 0)", [0.5]), NaN);
  assert.equal(valueOf("1e2 * [n]", [1.5]), 150);
  assert.equal(valueOf("[n] * 5 / 2", [2]), 5);
});

Deno.test("units that do not fit are refused in words", () => {
  assert.equal(refused("[b] + [e]", "kW"), "adds kWh to kW");
  assert.equal(refused("max([a], [t])", "W"), "compares °C with W");
  assert.equal(refused("[a] + [q]", "W"), "adds kvar to W");
  assert.equal(refused("[a] + 5", "W"), "adds a plain number to W");
  assert.equal(refused("[a] + [n]", "W"), "adds a plain number to W");
  assert.equal(refused("[a] + [b]", "kWh"), "gives W, and the tag's unit is kWh");
  assert.equal(refused("[a] + [b]"), "gives W: say the tag's unit");
  assert.equal(refused("[a] * [b]", "W"), "gives W·kW, and the tag's unit is W");
  assert.equal(
    refused("[n] * 2", "kW"),
    "gives a plain number, and the tag's unit is kW; n has no unit: say it under tags",
  );
  assert.equal(refused("[n] / 0"), "divides by 0");
});

Deno.test("a word that looks like a unit is told which one is meant", () => {
  const words = ["Watt", "kilowatt hours", "KW", "mw", "Celsius", "foo", "kW", "kVAr"];
  assert.deepEqual(words.map(unitMeant), [
    ...["; meant W?", "; meant kWh?", "; meant kW?", "; meant mW or MW?", "; meant °C?"],
    ...["", "", ""],
  ]);
  assert.equal(refused("[a]", "Watt"), "gives W, and the tag's unit is Watt; meant W?");
  assert.equal(
    refused("[a] + 5 Watt"),
    "has 5 Watt: Watt is no known unit, such as kW or %; meant W?",
  );
});

Deno.test("what is converted already is not converted by hand", () => {
  const flawOf = (text: string, unit: string | null) =>
    convertedFlaw(parseFormula(text), { units, unit });
  const twice = "divides by 1000, and W becomes kW by itself: leave that out";
  assert.equal(flawOf("[a] / 1000", "kW"), twice);
  assert.equal(flawOf("-([a] + [b]) / 1e3", "kW"), twice);
  assert.equal(flawOf("[a] / 1000 + [b]", "kW"), twice);
  assert.match(flawOf("0.001 * [a]", "kW")!, /^multiplies by 0\.001, and W becomes kW/);
  assert.match(flawOf("[b] * 1000", "W")!, /^multiplies by 1000, and kW becomes W/);
  for (const text of ["[a] / 100", "[a] * 1000", "[b] / 1000", "[a] / 2 + [b] / 3"]) {
    assert.equal(flawOf(text, "kW"), undefined, text);
  }
  assert.equal(flawOf("[n] / 1000", null), undefined);
});

Deno.test("a text that is no formula is refused with what to write", () => {
  const how = "write it as [tag] + [tag] * 0.5, with + - * / ( ), numbers such as 5 or 5 kW, " +
    "and sum, min, max and bit([tag], 3)";
  assert.equal(refused("[a] +"), `can't be read at its end: ${how}`);
  assert.equal(refused("([a]"), `can't be read at its end () is missing): ${how}`);
  assert.equal(refused("[a] [b]"), `can't be read at "[b]": ${how}`);
  assert.equal(refused("INV-1.p_w + 1"), 'has "INV-1.p_w": write the name of a tag as [INV-1.p_w]');
  assert.equal(refused("avg([a])"), "has avg(…): give one of sum, min, max, bit");
  assert.equal(
    refused("bit([a], 64)"),
    "has a bit that can't be read: write bit([tag], 3), " +
      "bits are 0 to 63",
  );
  assert.equal(
    refused("bit(3, [a])"),
    "has a bit that can't be read: write bit([tag], 3), " +
      "bits are 0 to 63",
  );
  assert.equal(refused("[a] + 1e400 W"), "has 1e400, which is too large");
  assert.equal(refused("[a] + 5 kx"), "has 5 kx: kx is no known unit, such as kW or %");
  // What is no unit is not tried piece by piece, or told, in all its length.
  assert.ok(refused(`[a] + 5 ${"k".repeat(19_000)}`).length < 150);
  assert.equal(
    refused("(".repeat(40) + "[a]"),
    "has brackets within brackets, more than 32",
  );
  assert.match(refused("[a]+".repeat(6_000)), /^has more than 20000 characters$/);
});

Deno.test("derived tags with unknown names, cycles or too many levels are refused", () => {
  const known = new Map<string, string | null>([["INV-1.p_w", "W"], ["INV-2.p_w", "W"]]);
  const flawsOf = (formulas: Readonly<Record<string, string>>) => {
    const all = new Map(known);
    for (const name of Object.keys(formulas)) all.set(name, "W");
    const derived = Object.entries(formulas).map(([name, formula], i) => ({
      ...{ name, unit: "W", encoding: null, path: `tags[${i}]` },
      entry: { formula, max_age_s: 300, on_change: false },
    }));
    return derivedFlaws(derived, all).map(({ path, message }) => `${path} ${message}`);
  };
  assert.deepEqual(flawsOf({ s: "[INV-1.p_w] + [INV-2.p_w]", t: "[s] * 2" }), []);
  assert.deepEqual(flawsOf({ s: "[INV-1.pw]" }), [
    'tags[0].derived.formula there is no tag "INV-1.pw"; meant INV-1.p_w?',
  ]);
  assert.deepEqual(flawsOf({ s: "5 W" }), [
    "tags[0].derived.formula names no tag: write a name in brackets, such as [INV-1.p_w]",
  ]);
  assert.deepEqual(flawsOf({ s: "[t]", t: "[u] + [INV-1.p_w]", u: "[s]", w: "[w]" }), [
    ...[0, 1, 2, 3].map((i) =>
      `tags[${i}].derived.formula leads round: it needs itself, or tags that do`
    ),
  ]);
  const chain = Object.fromEntries(
    Array.from({ length: 9 }, (_, i) => [`c${i}`, i === 0 ? "[INV-1.p_w]" : `[c${i - 1}]`]),
  );
  assert.deepEqual(flawsOf(chain), [
    "tags[8].derived.formula is derived over 9 levels of derived tags, more than 8",
  ]);
});

Deno.test("a derived sample has the worst quality of its inputs, and that one's status", () => {
  const formula = compile(parseFormula("[a] / [n]"), { units, unit: "W" });
  const sample = (value: number | null, quality: number | null, status_code: number | null) => (
    { ts_us: 1, value, quality, status_code }
  );
  const made = (...inputs: DerivedSample[]) => {
    const { value, quality, status_code } = derive(formula, { inputs, ts_us: 2, most: 1e6 });
    return [value, quality, status_code];
  };
  assert.deepEqual(made(sample(6, null, null), sample(2, null, null)), [3, null, null]);
  assert.deepEqual(made(sample(6, 0, 0), sample(2, 1, 0x40000000)), [3, 1, 0x40000000]);
  assert.deepEqual(made(sample(null, 2, 0x80000000), sample(2, 1, 9)), [null, 2, 0x80000000]);
  assert.deepEqual(made(sample(1, 0, 0), sample(null, null, null)), [null, 2, 0x80740000]);
  assert.deepEqual(made(sample(1, 0, 0), sample(0, 0, 0)), [null, 2, 0x803c0000]);
  assert.deepEqual(made(sample(1e7, 0, 0), sample(1, 0, 0)), [null, 2, 0x803c0000]);
});
