// The record of rule kinds: whole by type, each kind documented by a rule of its own form.
import { deepEqual, equal } from "node:assert/strict";
import { shortRule } from "../../../src/model/rules/entry.ts";
import { rule_form } from "../../../src/model/rules/form.ts";
import { rule_kinds, type RuleKind } from "../../../src/model/rules/kind.ts";
import {
  definitionOf,
  kind_documentation,
  kinds,
  type NamedKind,
} from "../../../src/model/rules/kinds.ts";

/** What the record must be. */
type Kinds = { readonly [K in RuleKind]: NamedKind<K> };

/** A threshold without one of its parts. */
function lacking<Part extends keyof typeof kinds.threshold>(part: Part) {
  const { [part]: _, ...rest } = kinds.threshold;
  return { ...kinds, threshold: rest };
}

/** `deno check` fails where one of these lines is no error: each forgets a part. */
function forgotten() {
  const { outside: _, ...others } = kinds;
  // @ts-expect-error: a kind is missing
  others satisfies Kinds;
  // @ts-expect-error: a kind stands under another's name
  ({ ...kinds, threshold: kinds.stale }) satisfies Kinds;
  // @ts-expect-error: no form
  lacking("form") satisfies Kinds;
  // @ts-expect-error: no documentation
  lacking("documentation") satisfies Kinds;
  // @ts-expect-error: no check of its fields
  lacking("flawsOf") satisfies Kinds;
  // @ts-expect-error: no condition
  lacking("conditionOf") satisfies Kinds;
  // @ts-expect-error: no params
  lacking("paramsOf") satisfies Kinds;
  // @ts-expect-error: no judge
  lacking("judge") satisfies Kinds;
  // @ts-expect-error: no labels
  lacking("labels") satisfies Kinds;
  // @ts-expect-error: no needs
  lacking("needs") satisfies Kinds;
  return kinds satisfies Kinds;
}

Deno.test("every kind is in the record, in the form of rules and in the documentation", () => {
  deepEqual(Object.keys(forgotten()), rule_kinds);
  deepEqual(rule_form.options.map((form) => form.shape.kind.value), rule_kinds);
  deepEqual(kind_documentation.map(({ kind }) => kind), rule_kinds);
});

Deno.test("the example of a kind is a right rule of it, and says nothing needless", () => {
  for (const { kind, example } of kind_documentation) {
    const entry = rule_form.parse(example);
    equal(entry.kind, kind);
    deepEqual(definitionOf(entry).flawsOf(entry), []);
    const said = Object.keys(shortRule(entry));
    deepEqual(said.toSorted(), Object.keys(example).toSorted());
  }
});

Deno.test("a deviation's params have its span where it is not a minute", () => {
  const { conditionOf, documentation: { example }, form, paramsOf } = kinds.deviation;
  const paramsAt = (span_minutes?: number) =>
    paramsOf(conditionOf(form.parse({ ...example, span_minutes })));
  const usual = { from: "peers", side: "below", limit_pct: 20, min_expected: 50_000 };
  deepEqual(paramsAt(), usual);
  deepEqual(paramsAt(1), usual);
  deepEqual(paramsAt(60), { ...usual, span_minutes: 60 });
});

Deno.test("the params of a kind are those that its documentation names", () => {
  for (const { example, params } of kind_documentation) {
    const entry = rule_form.parse(example);
    const condition = definitionOf(entry).conditionOf(entry);
    for (const name of Object.keys(definitionOf(entry).paramsOf(condition))) {
      equal(new RegExp(`\\b${name}\\b`).test(params), true, `${entry.kind}: ${name}`);
    }
  }
});
