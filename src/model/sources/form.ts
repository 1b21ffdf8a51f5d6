// A source as a site file or a request writes it: its form, and its definition as kept text.
import * as z from "zod";
import { meant } from "../../base/did_you_mean.ts";
import { source_kinds } from "./kind.ts";
import { source_definitions, type SourceEntry, type SourceForm } from "./kinds.ts";

type Forms = readonly [SourceForm, ...SourceForm[]];

/** The form of a source; `z.output` has every default. */
export const source_form = z.discriminatedUnion(
  "kind",
  source_kinds.map((kind) => source_definitions[kind].form) as unknown as Forms,
  { error: ({ input }) => kindFlaw(input) },
);

/** A source as it is written: defaults may be left out. */
export type SourceInput = z.input<typeof source_form>;

function kindFlaw(input: unknown): string {
  const { kind } = (input ?? {}) as { readonly kind?: unknown };
  const known = source_kinds.join(", ");
  if (kind === undefined) return `is missing: one of ${known}`;
  return `give one of ${known}${meant(String(kind), source_kinds)}`;
}

/** The JSON that is kept of a source, the same for the same definition. */
export function sourceText(entry: SourceEntry): string {
  return JSON.stringify(entry);
}

/** The definition that `sourceText` made a text of; what is newer than it is as usual. */
export function parseSource(text: string): SourceEntry {
  return source_form.parse(JSON.parse(text));
}

/** The definition without what goes without saying. */
export function shortSource(entry: SourceEntry): SourceInput {
  return withoutUsual(entry, source_definitions[entry.kind].form) as SourceInput;
}

/** Leaves out, at every depth, what is as it is where it is left out. */
function withoutUsual(value: unknown, form: z.ZodType): unknown {
  const bare = form instanceof z.ZodOptional || form instanceof z.ZodDefault
    ? form.unwrap() as z.ZodType
    : form;
  if (bare instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => withoutUsual(item, bare.element as z.ZodType));
  }
  if (!(bare instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const said = Object.entries(value).filter(([name, field]) => {
    const own = bare.shape[name];
    return !(own instanceof z.ZodDefault) ||
      JSON.stringify(own.def.defaultValue) !== JSON.stringify(field);
  });
  return Object.fromEntries(
    said.map(([name, field]) => [name, withoutUsual(field, bare.shape[name] as z.ZodType)]),
  );
}
