// Tests how query text becomes values, and what is said of text that does not.
import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { Fault } from "../../../src/base/fault.ts";
import { parseInput } from "../../../src/http/frame/input.ts";
import type { Param } from "../../../src/model/data/param.ts";

const common = { in: "query", required: false, doc: "A parameter." } as const;
const params: readonly Param[] = [
  { ...common, name: "text", kind: "text" },
  { ...common, name: "many", kind: "text", repeated: true },
  { ...common, name: "at", kind: "instant" },
  { ...common, name: "day", kind: "time" },
  { ...common, name: "count", kind: "integer", minimum: 1, maximum: 10, default: 3 },
  { ...common, name: "on", kind: "flag", default: true },
  { ...common, name: "one", kind: "text", values: ["a", "b"] },
  { ...common, name: "word", kind: "text", values: ["inverter", "meter"] },
];

function parse(query: string) {
  return parseInput(params, { query, path: {} });
}

function flawsOf(query: string): string[] {
  try {
    parse(query);
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.flaws.map(({ path, message }) => `${path}: ${message}`);
  }
}

Deno.test("absent parameters have their default, an empty list, or no value", () => {
  deepEqual(parse(""), {
    text: undefined,
    many: [],
    at: undefined,
    day: undefined,
    count: 3,
    on: true,
    one: undefined,
    word: undefined,
  });
});

Deno.test("values are read by their kind", () => {
  const query = "text=a%2Bb+c&many=1&many=2&at=2026-06-01T02:00:00.000001%2B02:00" +
    "&day=2024-02-29&count=10&on=false&one=b&word=meter";
  deepEqual(parse(query), {
    text: "a+b c",
    many: ["1", "2"],
    at: Date.UTC(2026, 5, 1) * 1000 + 1,
    day: "2024-02-29",
    count: 10,
    on: false,
    one: "b",
    word: "meter",
  });
});

Deno.test("an instant survives the plus sign of an offset that nobody encoded", () => {
  equal(parse("at=2026-06-01T00:00:00+00:00").at, Date.UTC(2026, 5, 1) * 1000);
});

const wrong = {
  "at=2026-06-01 05:00:00": "at: has no offset",
  "at=2026-06-31T05:00:00Z": "at: names a day that does not exist",
  "at=9999-06-01T05:00:00Z": "at: lies outside the years",
  "day=2023-02-29": "day: give a day",
  "day=2026-6-1": "day: give a day",
  "day=9999-01-01": "day: give a day",
  "day=2026-06-01T25:00": "day: give a day",
  "count=0": "count: give a whole number from 1 to 10",
  "count=11": "count: give",
  "count=01": "count: give",
  "count=1.0": "count: give",
  "count=1e1": "count: give",
  "count=99999999999999999999": "count: give",
  "on=1": "on: give true or false",
  "one=c": "one: give one of a, b",
  "word=invertr": 'word: there is no "invertr"; meant inverter?',
  "text=": "text: give a text",
  "text=a&text=b": "text: give it once",
  "text=%ZZ": "text: is not percent-encoded UTF-8",
  "%ZZ=1": "query: is not percent-encoded UTF-8",
  "conut=1": "conut: there is no such parameter; meant count?",
  "__proto__=1": "__proto__: there is no such parameter",
};

Deno.test("each wrong parameter is named with the form that is wanted", () => {
  for (const [query, start] of Object.entries(wrong)) {
    const flaws = flawsOf(query);
    equal(flaws.length, 1, query);
    equal(flaws[0].slice(0, start.length), start);
  }
});

Deno.test("a required parameter that is missing is named", () => {
  const required: readonly Param[] = [{ ...params[0], required: true }];
  throws(() => parseInput(required, { query: "", path: {} }), /text: is required/);
});

Deno.test("no query makes anything but values or a fault, and text comes back as it was", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (query) => void flawsOf(query)));
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
      equal(parse(`text=${encodeURIComponent(text)}`).text, text);
    }),
  );
});
