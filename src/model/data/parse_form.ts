// Reads plain data by a form, such as a request's body, or refuses it with every flaw.
import * as z from "zod";
import type { Fault, Flaw } from "../../base/fault.ts";
import { formFlaws } from "./form_flaw.ts";

/** Data of the right form. Throws what `refuse` makes of its flaws. */
export function parseForm<T extends z.ZodObject>(
  form: T,
  data: unknown,
  { refuse }: { readonly refuse: (flaws: readonly Flaw[]) => Fault },
): z.output<T> {
  const parsed = form.safeParse(data, { reportInput: true });
  if (parsed.success) return parsed.data;
  const keysAt = (path: readonly PropertyKey[]) => keysOf(form, path);
  throw refuse(parsed.error.issues.flatMap((issue) => formFlaws(issue, keysAt)));
}

/** The keys that an object at a place of the form may have. */
function keysOf(form: z.ZodObject, path: readonly PropertyKey[]): readonly string[] {
  let at: z.core.$ZodType = form;
  for (const part of path) at = inner(bare(at), part) ?? form;
  const end = bare(at);
  return end instanceof z.ZodObject ? Object.keys(end.shape) : [];
}

function inner(form: z.core.$ZodType, part: PropertyKey): z.core.$ZodType | undefined {
  if (form instanceof z.ZodArray) return form.element;
  return form instanceof z.ZodObject ? form.shape[String(part)] : undefined;
}

/** A form without what makes it optional or nullable. */
function bare(form: z.core.$ZodType): z.core.$ZodType {
  const isWrapped = form instanceof z.ZodOptional || form instanceof z.ZodNullable;
  return isWrapped ? bare(form.unwrap()) : form;
}
