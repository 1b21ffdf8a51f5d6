// Queries in PromQL as they are read: what each form means, and that nothing else is thrown.
import assert, { equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { Fault } from "../../../src/base/fault.ts";
import { labelsOfTag, tagOfLabels } from "../../../src/model/samples/labels.ts";
import { durationOf, parsePromQl } from "../../../src/wire/samples/promql.ts";

/** A query as one line of what it means. */
function meaning(query: string): string {
  return JSON.stringify(
    parsePromQl(query),
    (name, value) => ["kind", "step"].includes(name) ? undefined : value,
  )
    .replaceAll('"', "");
}

Deno.test("each form of a query means what Prometheus says", () => {
  const selector = (matchers: string, range = "null", offset = 0) =>
    `{matchers:[${matchers}],range_us:${range},offset_us:${offset}}`;
  const equals = (name: string, value: string) => `{name:${name},op:=,value:${value}}`;
  const a = equals("__name__", "a");
  const meanings: readonly (readonly [string, string])[] = [
    ["a", selector(a)],
    ['a{b="c",}', selector(`${a},${equals("b", "c")}`)],
    [`{"a", 'b'=\`c\`}`, selector(`${a},${equals("b", "c")}`)],
    ['a{b="\\u00e4\\x41"}', selector(`${a},${equals("b", "äA")}`)],
    ["a offset 1h30m", selector(a, "null", 5.4e9)],
    ["a offset -90", selector(a, "null", -9e7)],
    [
      "2 - a + a offset 10s",
      `{op:+,is_bool:false,left:{op:-,is_bool:false,left:{value:2},right:${selector(a)}},right:${
        selector(a, "null", 1e7)
      }}`,
    ],
    ["-a offset 5s", `{op:*,is_bool:false,left:{value:-1},right:${selector(a, "null", 5e6)}}`],
    ["rate(a[5m])", `{name:rate,selector:${selector(a, "300000000")}}`],
    ["0x1F", "{value:31}"],
    ["1e3", "{value:1000}"],
    ["-2", "{value:-2}"],
    ["5m", "{value:300}"],
    [
      "-a ^ 2",
      `{op:*,is_bool:false,left:{value:-1},right:{op:^,is_bool:false,left:${
        selector(a)
      },right:{value:2}}}`,
    ],
    [
      "sum by (b) (a) > bool 1",
      `{op:>,is_bool:true,left:{op:sum,labels:[b],is_without:false,operand:${
        selector(a)
      }},right:{value:1}}`,
    ],
    ["avg without () (a)", `{op:avg,labels:[],is_without:true,operand:${selector(a)}}`],
  ];
  for (const [query, meant] of meanings) assert.equal(meaning(query), meant, query);
  for (const query of ["(a - a) offset 5s", "sum(a) offset 5s", "a offset 5s offset 6s"]) {
    throws(() => parsePromQl(query), /is not understood here/, query);
  }
  for (const query of ['{a!=""}', '{a=~".+"}', '{a!~"|x"}', 'b{a=~".*"}']) parsePromQl(query);
  for (const query of ["{}", '{a=~".*"}', '{a!="x"}', '{a!~"x"}']) {
    throws(() => parsePromQl(query), /needs a metric/, query);
  }
});

Deno.test("a duration is a number of seconds or units in their order", () => {
  for (const [text, s] of [["90", 90], ["0.5", 0.5], ["1m30s", 90], ["2w", 1_209_600]] as const) {
    assert.equal(durationOf(text), s * 1e6);
  }
  for (const text of ["", "m", "5 m", "1x", "-1m", "1.5m", "5mm"]) {
    assert.throws(() => durationOf(text), Fault, text);
  }
});

const token = fc.constantFrom(
  ...["a", "sum", "by", "rate", "(", ")", "[", "]", "{", "}", "5m", "1", ":", ",", "=", "!=", "=~"],
  ...['"x"', "'", "`", "offset", "@", "+", "-", "*", "/", "%", "^", ">", "==", "bool", "and", "or"],
  ...["on", "group_left", "avg_over_time", "#", "\n", " ", "\\", "ü", "{", "}", "without", "inf"],
);

Deno.test("no text is anything but an expression or a fault", () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 25 }), fc.constantFrom("", " "), (parts, gap) => {
      try {
        parsePromQl(parts.join(gap));
      } catch (error) {
        assert.ok(error instanceof Fault && error.code === "invalid", `${error}`);
      }
    }),
    { numRuns: 5000 },
  );
  assert.throws(() => parsePromQl("1+".repeat(300) + "1"), /nests at most/);
  assert.throws(() => parsePromQl("1+".repeat(4000) + "1"), Fault);
  assert.throws(() => parsePromQl("a".repeat(10_000)), /at most 8192 characters/);
});

Deno.test("labels make a tag, and that tag these labels", () => {
  const text = fc.string({ unit: "binary", maxLength: 6 });
  const name = fc.oneof(fc.constantFrom("a", "site_1", "B"), text.filter((it) => it !== ""));
  const value = fc.oneof(fc.constantFrom("7", 'a "b"', "\\", "\n", "}", ","), text);
  fc.assert(fc.property(fc.dictionary(name, value), name, (others, metric) => {
    const labels = new Map(Object.entries(others).filter(([, value]) => value !== ""));
    labels.set("__name__", metric);
    const tag = tagOfLabels([...labels]);
    const found = labelsOfTag(tag);
    assert.deepEqual(found, labels, tag);
  }));
  for (const tag of ["inv1.p_kw", "inv,id=7.p", "a{b}", 'a{b="c"', 'a{c="d",b="e"}', "{}", "a{}"]) {
    assert.deepEqual(labelsOfTag(tag), new Map([["__name__", tag]]), tag);
  }
});

/** Whether the one matcher of a query beside its metric takes a text. */
function takes(pattern: string, text: string): boolean {
  const expr = parsePromQl(`a{b=~${JSON.stringify(pattern)}}`);
  return expr.kind === "selector" && expr.matchers[1].matches(text);
}

Deno.test("a choice of words is looked up, and means what the pattern does", () => {
  const words = ["inv1", "INV 2", "a/b:c-d", "x.y", "", "inv", "a|b", "a\\", "b", "a\\b"];
  for (
    const pattern of [
      "inv1|INV 2|a/b:c-d",
      "x\\.y|inv",
      "inv1|",
      "inv1||inv",
      "inv.",
      "a\\|b",
      "a\\\\|b",
      "a\\\\b",
    ]
  ) {
    const regular = new RegExp(`^(?:${pattern})$`, "s");
    for (const word of words) equal(takes(pattern, word), regular.test(word), `${pattern} ${word}`);
  }
});

Deno.test("a pattern that would take long is refused before it is tried", () => {
  const patterns = [
    "((?:a?){1000})",
    "(a?){50}".repeat(60),
    "(((a{20}){20}){20})",
    "[a-z]{90}".repeat(40),
  ];
  for (const pattern of [...patterns, "x.".repeat(600)]) {
    throws(() => takes(pattern, "a"), Fault, pattern);
  }
  equal(takes(Array.from({ length: 150 }, (_, i) => `INV-${i}`).join("|"), "INV-149"), true);
});

Deno.test("a time of over a hundred years is refused", () => {
  throws(() => parsePromQl("a offset -9999999y"), /over 100 years/);
  throws(() => parsePromQl("rate(a[200y5000w])"), /over 100 years/);
});
