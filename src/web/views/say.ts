// The saved views' texts in the reader's language.
import { words } from "../frame/words.ts";
import { views_en } from "../words/en/views.ts";

export const say = words(views_en, {
  de: async () => (await import("../words/de/views.ts")).views_de,
  es: async () => (await import("../words/es/views.ts")).views_es,
});
