// A rule as it stands in the form, and the definition that it makes. Pure.
import { rule_kinds, type RuleKind } from "../../model/rules/kind.ts";
import { type Field, fieldsOf } from "./kinds.ts";

/** A rule's definition, as the service takes and gives it. */
export type Definition = Readonly<Record<string, unknown>>;

/** What stands in the form: every field's text; a flag's is "yes" or nothing. */
export type Draft = { readonly kind: RuleKind; readonly texts: Readonly<Record<string, string>> };

/** What is wrong with a field, as a word of the catalogue. */
export type Flaw = { readonly name: string; readonly flaw: "missing" | "wrong" };

/** What a form begins with. */
export function emptyDraft(kind: RuleKind): Draft {
  return draftOf({ kind, component: "inverter", measure: "active_power" });
}

/** What stands in the form of a definition. */
export function draftOf(definition: Definition): Draft {
  const kind = rule_kinds.find((it) => it === definition.kind)!;
  const texts = fieldsOf(kind).map((field) => [field.name, textOf(field, definition[field.name])]);
  return { kind, texts: Object.fromEntries(texts) };
}

/** The same texts for another kind, as far as it has their fields. */
export function withKind({ texts }: Draft, kind: RuleKind): Draft {
  const usual = draftOf({ kind }).texts;
  const kept = Object.entries(texts).filter(([name]) => Object.hasOwn(usual, name));
  return { kind, texts: { ...usual, ...Object.fromEntries(kept) } };
}

function textOf(field: Field, value: unknown): string {
  const given = value ?? field.usual;
  if (given === undefined || given === false) return "";
  if (given === true) return "yes";
  if (field.type === "labels") {
    return Object.entries(given as Readonly<Record<string, string>>)
      .map(([number, label]) => `${number} = ${label}`).join("\n");
  }
  if (field.name === "mask" && !Array.isArray(given)) {
    return bitsOf(BigInt(String(given))).join(", ");
  }
  return Array.isArray(given) ? given.join(", ") : String(given);
}

/** The bits that are set in a mask. */
function bitsOf(mask: bigint): readonly number[] {
  return Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => (mask >> BigInt(bit)) & 1n);
}

/** The definition that a form makes, and what is wrong with it. */
export function definitionOf(
  { kind, texts }: Draft,
): { readonly definition: Definition; readonly flaws: readonly Flaw[] } {
  const definition: Record<string, unknown> = { kind };
  const flaws: Flaw[] = [];
  for (const field of fieldsOf(kind)) {
    const { name } = field;
    const text = (texts[name] ?? "").trim();
    const value = text === "" ? unsaid(field) : valueOf(field, text);
    if (text === "" && field.is_required) flaws.push({ name, flaw: "missing" });
    else if (value === wrong) flaws.push({ name, flaw: "wrong" });
    else if (value !== undefined) definition[name] = value;
  }
  return { definition, flaws };
}

const wrong = Symbol("wrong");

/** What an empty field says: of a flag that is usually set, that it is not. */
function unsaid({ type, usual }: Field): boolean | undefined {
  return type === "flag" && usual !== undefined ? false : undefined;
}

function valueOf({ type }: Field, text: string): unknown {
  switch (type) {
    case "flag":
      return true;
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : wrong;
    case "numbers": {
      const numbers = text.split(/[\s,;]+/).filter((it) => it !== "").map(Number);
      return numbers.every(Number.isSafeInteger) ? numbers : wrong;
    }
    case "labels": {
      const lines = text.split("\n").filter((it) => it.trim() !== "")
        .map((line) => /^\s*(-?\d+)\s*=\s*(.+?)\s*$/.exec(line));
      if (!lines.every((it) => it !== null)) return wrong;
      return Object.fromEntries(lines.map(([, number, label]) => [number, label]));
    }
    default:
      return text;
  }
}
