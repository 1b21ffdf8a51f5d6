// Numbers as people read them: no zeros that could be taken for thousands.
import { equal } from "node:assert/strict";
import { quantityText, shortNumberText, unitHintText } from "../../../src/web/frame/number.ts";

Deno.test("a short number has no zeros at its end", () => {
  equal(shortNumberText(10, 3), "10");
  equal(shortNumberText(12.5, 3), "12.5");
  equal(shortNumberText(0.12345, 3), "0.123");
  equal(shortNumberText(0.1 + 0.2, 3), "0.3");
  equal(shortNumberText(-2.25, 3), "−2.25");
  equal(shortNumberText(1.9999, 3), "2");
});

Deno.test("a code is a whole number, and of no unit", () => {
  equal(quantityText(2, "code"), "2");
  equal(quantityText(2, "degC"), "2.00\u202fdegC");
  equal(quantityText(9_070_000, "W"), "9.07\u202fMW");
});

Deno.test("a unit that was taken for another one is named; else what may be wrong", () => {
  const hint = (divisor: number | null, read_as: string | null = null) => (
    unitHintText({ divisor, read_as, fits_as: read_as && "W" })
  );
  equal(hint(1000, "kW"), "W in place of kW? Divided by 1000 it fits.");
  equal(hint(1e6), "Is a unit, or the rated power, wrong by that? Divided by 1000000 it fits.");
  equal(hint(null), "Is the rated power right?");
});
