// Refusals of files that have words in other languages, too: see `import_refusals`.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import type { ImportRefusal, RefusalValues } from "../../model/samples/import.ts";

/** What is told of a refusal beside its sentence. */
export const refusal_schema = z.strictObject({
  name: z.string(),
  values: z.record(z.string(), z.string()),
});

/** A refusal (invalid) in a sentence, and as its name with values. */
export function importRefusal<Name extends ImportRefusal>(
  sentence: string,
  { name, values }: { readonly name: Name; readonly values: RefusalValues<Name> },
): Fault {
  const texts = Object.entries<string | number>(values).map(([key, it]) => [key, String(it)]);
  return new Fault("invalid", sentence, { told: { name, values: Object.fromEntries(texts) } });
}
