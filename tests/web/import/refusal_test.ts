// Refusals have words in each language of the screens, and name the values that are told alone.
import { deepEqual, ok } from "node:assert/strict";
import { import_refusals } from "../../../src/model/samples/import.ts";
import { import_de } from "../../../src/web/words/de/import.ts";
import { import_en } from "../../../src/web/words/en/import.ts";
import { import_es } from "../../../src/web/words/es/import.ts";

const catalogues = { en: import_en, de: import_de, es: import_es };

for (const [language, texts] of Object.entries(catalogues)) {
  Deno.test(`each refusal of an import has words in ${language}, which name values it has`, () => {
    for (const [name, values] of Object.entries(import_refusals)) {
      const text = (texts as Readonly<Record<string, unknown>>)[`refused_${name}`];
      ok(typeof text === "string", name);
      const named = new Set(Array.from(text.matchAll(/\{(\w+)\}/g), ([, value]) => value));
      const told: ReadonlySet<string> = new Set(values);
      deepEqual([...named].filter((it) => !told.has(it)), [], name);
      if (values.length > 0) ok(named.size > 0, `${name} shows no value`);
    }
  });
}
