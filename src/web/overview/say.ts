// The overview's texts in the reader's language.
import { words } from "../frame/words.ts";
import { overview_en } from "../words/en/overview.ts";

export const say = words(overview_en, {
  de: async () => (await import("../words/de/overview.ts")).overview_de,
  es: async () => (await import("../words/es/overview.ts")).overview_es,
});
