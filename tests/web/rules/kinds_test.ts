// The forms of rules against the service's own schema: the same fields, the same usual values.
import { deepEqual, equal, ok } from "node:assert/strict";
import { z } from "zod";
import { rule_form } from "../../../src/model/rules/form.ts";
import { rule_kinds } from "../../../src/model/rules/kind.ts";
import { kind_documentation, kinds } from "../../../src/model/rules/kinds.ts";
import { type Definition, definitionOf, draftOf, withKind } from "../../../src/web/rules/draft.ts";
import { fieldsOf } from "../../../src/web/rules/kinds.ts";
import { rules_en } from "../../../src/web/words/en/rules.ts";

const words: Readonly<Record<string, unknown>> = rules_en;

/** Words that a field's schema takes; undefined where it is no choice. */
function optionsOf(schema: z.ZodType): readonly unknown[] | undefined {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return optionsOf(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodEnum ? schema.options : undefined;
}

for (const kind of rule_kinds) {
  Deno.test(`the form of ${kind} has the fields that the service takes`, () => {
    const shape = kinds[kind].form.shape as Readonly<Record<string, z.ZodType>>;
    const fields = fieldsOf(kind);
    deepEqual(
      fields.map(({ name }) => name).toSorted(),
      Object.keys(shape).filter((name) => name !== "kind").toSorted(),
    );
    for (const field of fields) {
      const { name, type, is_required = false } = field;
      const schema = shape[name];
      equal(!schema.safeParse(undefined).success, is_required, name);
      if (schema instanceof z.ZodDefault && type !== "labels") {
        equal(field.usual, schema.def.defaultValue, name);
      }
      if (type === "choice") deepEqual(field.options, optionsOf(schema), name);
      ok(words[`field_${name}`] ?? words[`way_${name}`], `a word for ${name}`);
      if (type === "choice" && name !== "operator") {
        for (const option of field.options) ok(words[`option_${option}`], option);
      }
    }
    ok(words[`kind_${kind}`] && words[`holds_${kind}`]);
  });
}

Deno.test("a rule goes through the form unchanged", () => {
  for (const { kind, example } of kind_documentation) {
    const wanted = rule_form.parse(example);
    const { definition, flaws } = definitionOf(draftOf(wanted));
    deepEqual(flaws, [], kind);
    deepEqual(rule_form.parse(definition), wanted, kind);
  }
});

Deno.test("bits of a mask and names of codes are written as people read them", () => {
  const { texts } = draftOf({
    kind: "bitmask",
    mask: 129,
    labels: { 0: "Ground fault", 7: "Hot" },
  });
  equal(texts.mask, "0, 7");
  equal(texts.labels, "0 = Ground fault\n7 = Hot");
  const wide = draftOf({ kind: "bitmask", mask: "9223372036854775808" });
  equal(wide.texts.mask, "63");
});

Deno.test("what is missing or wrong is said, and a rule switched off stays so", () => {
  const threshold: Definition = { kind: "threshold", key: "a", name: "A", enabled: false };
  const draft = draftOf({ ...threshold, threshold: 5 });
  deepEqual(definitionOf(draft).flaws, [{ name: "operator", flaw: "missing" }]);
  equal(definitionOf(draft).definition.enabled, false);
  const codes = draftOf({ kind: "enum", key: "a", name: "A" });
  const texts = { ...codes.texts, codes: "1, two", labels: "one" };
  deepEqual(definitionOf({ ...codes, texts }).flaws, [
    { name: "codes", flaw: "wrong" },
    { name: "labels", flaw: "wrong" },
  ]);
});

Deno.test("another kind keeps what both have", () => {
  const { kind, texts } = withKind(
    draftOf({ kind: "threshold", name: "A", threshold: 5, deadband: 2 }),
    "outside",
  );
  equal(kind, "outside");
  equal(texts.name, "A");
  equal(texts.deadband, "2");
  equal(texts.threshold, undefined);
  equal(texts.low, "");
});
