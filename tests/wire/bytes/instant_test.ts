// Instants and numbers read from bytes, against the runtime's own readers.
import assert from "node:assert/strict";
import fc from "fast-check";
import { utf8 } from "../../../src/base/bytes.ts";
import { earliest_us, instantFlaw, instantOf, latest_us } from "../../../src/wire/bytes/instant.ts";
import { int64At, numberAt } from "../../../src/wire/bytes/number.ts";

Deno.test("an instant of any form is the runtime's instant to the microsecond", () => {
  fc.assert(fc.property(
    fc.integer({ min: earliest_us + 86_400_000_000, max: latest_us - 86_400_000_000 }),
    fc.integer({ min: -14 * 60, max: 14 * 60 }),
    fc.integer({ min: 0, max: 9 }),
    (us, offset, digits) => {
      const wall = new Date(Math.floor(us / 1e6) * 1000 + offset * 60_000).toISOString();
      const fraction = `${String(us % 1e6).padStart(6, "0")}789`.slice(0, digits);
      const pad = (n: number) => String(Math.floor(n)).padStart(2, "0");
      const size = Math.abs(offset);
      const zone = `${offset < 0 ? "-" : "+"}${pad(size / 60)}:${pad(size % 60)}`;
      const point = digits === 0 ? "" : `.${fraction}`;
      const wanted = Math.floor(us / 1e6) * 1e6 + Number(fraction.slice(0, 6).padEnd(6, "0"));
      for (const text of [`${wall.slice(0, 19)}${point}${zone}`]) {
        assert.equal(instantOf(text), wanted, text);
        assert.equal(instantOf(text.replace("T", " ")), wanted);
        assert.equal(instantOf(text.replace(/:(\d\d)$/, "$1")), wanted);
      }
    },
  ));
});

Deno.test("every day of four centuries' pattern exists exactly where the calendar has it", () => {
  for (const year of [1970, 1999, 2000, 2023, 2024, 2100, 2200]) {
    for (let month = 1; month <= 12; month++) {
      for (let day = 28; day <= 32; day++) {
        const date = [month, day].map((n) => String(n).padStart(2, "0")).join("-");
        const real = new Date(Date.UTC(year, month - 1, day)).getUTCMonth() === month - 1;
        assert.equal(!Number.isNaN(instantOf(`${year}-${date}T00:00:00Z`)), real && day < 32);
      }
    }
  }
});

Deno.test("what is no instant is told why", () => {
  const flaws: Readonly<Record<string, RegExp>> = {
    "": /must be an ISO 8601/,
    "yesterday": /must be an ISO 8601/,
    "2026-06-01": /must be/,
    "2026-06-01T00:00:00": /has no offset/,
    "2026-02-30T00:00:00Z": /day that does not exist, 2026-02 has 28 days/,
    "2026-13-45T00:00:00Z": /day that does not exist, there is no month 13/,
    "2026-06-01T25:00:00Z": /time that does not exist, there is no hour 25/,
    "2026-06-01T00:00Z": /must be/,
    "2026-06-01T00:00:00.Z": /must be/,
    "2026-06-01T00:00:00.1234567890Z": /must be/,
    "2026-06-01T00:00:00+24:00": /must be/,
    "2026-06-01T00:00:00Zulu": /must be/,
    "1969-12-31T23:59:59Z": /outside the years/,
    "2201-01-01T00:00:00Z": /outside the years/,
    "9999-01-01T00:00:00Z": /outside the years/,
    "+02026-06-01T00:00:00Z": /must be/,
  };
  for (const [text, reason] of Object.entries(flaws)) {
    assert.ok(Number.isNaN(instantOf(text)), text);
    assert.match(instantFlaw(text), reason, text);
  }
});

Deno.test("a number is read as JSON reads it, or not at all", () => {
  const read = (text: string) => numberAt(utf8(text), { start: 0, end: text.length });
  const numbers = fc.oneof(
    fc.double().map((value) => JSON.stringify(value)),
    fc.tuple(fc.bigInt(), fc.nat(), fc.integer({ min: -400, max: 400 }))
      .map(([whole, part, power]) => `${whole}.${part}e${power}`),
    fc.stringMatching(/^[-+.e0-9]{1,8}$/),
  );
  fc.assert(
    fc.property(numbers, (text) => {
      let wanted = NaN;
      try {
        wanted = JSON.parse(text) ?? NaN;
      } catch { /* no number */ }
      assert.ok(Object.is(read(text), wanted), text);
    }),
    { numRuns: 5000 },
  );
});

Deno.test("whole numbers are exact to both ends of Int64 and end there", () => {
  const read = (text: string) => int64At(utf8(text), { start: 0, end: text.length });
  fc.assert(fc.property(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), (value) => {
    const fits = BigInt.asIntN(64, value) === value;
    const got = read(String(value));
    assert.equal(got === undefined ? undefined : BigInt(got), fits ? value : undefined);
  }));
  for (const text of ["", "-", "+1", "01", "1.0", "1e3", " 1"]) assert.equal(read(text), undefined);
});
