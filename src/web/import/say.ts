// The import page's texts in the reader's language.
import { words } from "../frame/words.ts";
import { import_en } from "../words/en/import.ts";

export const say = words(import_en, {
  de: async () => (await import("../words/de/import.ts")).import_de,
  es: async () => (await import("../words/es/import.ts")).import_es,
});
