// Whether words that come in the other order are noticed, and right ones are left alone.
import { equal, ok } from "node:assert/strict";
import type { RegisterType, WordOrder } from "../../../src/model/sources/register.ts";
import { bytesOf, WordOrderWatch } from "../../../src/wire/sources/register.ts";

/** What is said of values that a device sends with its words in one order, read in another. */
function said(
  values: readonly number[],
  { type, sent, read }: {
    readonly type: RegisterType;
    readonly sent: WordOrder;
    readonly read: WordOrder;
  },
) {
  const watch = new WordOrderWatch({ type, words: read });
  const others = values.map((value) => watch.other(bytesOf(value, { type, words: sent })!));
  return others.filter((it) => it !== undefined);
}

const powers = Array.from({ length: 40 }, (_, i) => Math.round(4_000 + 3_000 * Math.sin(i)));
const wrong = [["big", "little"], ["little", "big"]] as const;

for (const type of ["int32", "uint32", "int64", "uint64", "float32", "float64"] as const) {
  Deno.test(`${type}: the other order is told once, the right one never`, () => {
    const is_float = type.startsWith("float");
    const values = is_float ? powers.map((it) => it + 0.37) : powers;
    for (const [sent, read] of wrong) {
      const others = said([0, 0, ...values], { type, sent, read });
      equal(others.length, 1);
      ok(powers.includes(Math.round(Number(others[0]) - (is_float ? 0.37 : 0))));
      equal(said([0, 0, ...values], { type, sent, read: sent }).length, 0);
    }
  });
}

Deno.test("a value that stays, grows slowly, or is small is no sign of another order", () => {
  for (const type of ["int32", "float32"] as const) {
    for (const words of ["big", "little"] as const) {
      const order = { type, sent: words, read: words };
      equal(said(new Array(1_000).fill(5_000_000), order).length, 0);
      equal(said(powers.map((_, i) => 5_000_000 + i), order).length, 0);
      equal(said(powers.map((_, i) => i % 2), order).length, 0);
    }
  }
  equal(said(powers.map((_, i) => -i), { type: "int32", sent: "big", read: "big" }).length, 0);
  // A bit or two of a word of bits.
  const bits = powers.map((_, i) => (i % 4) * 0x10000);
  equal(said(bits, { type: "uint32", sent: "big", read: "big" }).length, 0);
});

Deno.test("what is one register has no order", () => {
  equal(said(powers, { type: "uint16", sent: "big", read: "little" }).length, 0);
});
