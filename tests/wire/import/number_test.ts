// How numbers of several countries are read, and which style a file's columns show.
import assert from "node:assert/strict";
import { detectNumbers, readNumber } from "../../../src/wire/import/number.ts";

const read: readonly [text: string, decimal: "." | ",", value: number][] = [
  ["1.5", ".", 1.5],
  ["-1,234.5", ".", -1234.5],
  ["1 234 567", ".", 1234567],
  ["1'234.5", ".", 1234.5],
  ["1’234.5", ".", 1234.5],
  ["1\u202f234,5", ",", 1234.5],
  ["123.456,00", ",", 123456],
  ["1.234", ",", 1234],
  ["0,5", ",", 0.5],
  ["+,5", ",", 0.5],
  ["1e3", ".", 1000],
  ["\u22121.234,5", ",", -1234.5],
  ["007", ".", 7],
  ["1.5", ",", NaN],
  ["1,5", ".", NaN],
  ["12,34,567", ".", NaN],
  ["1,234 567", ".", NaN],
  ["0.123,5", ",", NaN],
  ["1.234.56", ",", NaN],
  ["", ".", NaN],
  ["-", ".", NaN],
  ["0x10", ".", NaN],
  ["Infinity", ".", NaN],
];

for (const [text, decimal, value] of read) {
  Deno.test(`import number: ${JSON.stringify(text)} with ${decimal} is ${value}`, () => {
    assert.equal(readNumber(text, { decimal, grouped: true }), value);
  });
}

Deno.test("import number: thousands apart are none where nothing shows the decimal sign", () => {
  assert(Number.isNaN(readNumber("1,234", { decimal: ".", grouped: false })));
});

const styles: readonly [cells: readonly string[], decimal: "." | ",", grouped: boolean][] = [
  [["123.456,00", "1,5"], ",", true],
  [["1,234.5", "3"], ".", true],
  [["1 234,5"], ",", true],
  [["0,123", "1,234"], ",", true],
  [["1.234", "0.5"], ".", true],
  [["1.234", "12.345"], ".", false],
  [["1.234.567", "998"], ",", true],
  [["5", "6"], ".", false],
  [["run", "stop"], ".", false],
];

for (const [cells, decimal, grouped] of styles) {
  Deno.test(`import number: ${cells.join(" and ")} are written with ${decimal}`, () => {
    assert.deepEqual(detectNumbers([cells]), { decimal, grouped });
  });
}

for (const cells of [["1,234"], ["1.234", "998"], ["12,345", "7"]]) {
  Deno.test(`import number: ${cells.join(" and ")} could be either, and are refused`, () => {
    assert.throws(
      () => detectNumbers([cells]),
      /can't tell whether .* --decimal \. or --decimal ,/,
    );
    assert.equal(detectNumbers([cells], { decimal: "," }).decimal, ",");
  });
}
