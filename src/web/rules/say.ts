// The rules page's texts in the reader's language.
import { words } from "../frame/words.ts";
import { rules_en } from "../words/en/rules.ts";

export const say = words(rules_en, {
  de: async () => (await import("../words/de/rules.ts")).rules_de,
  es: async () => (await import("../words/es/rules.ts")).rules_es,
});
