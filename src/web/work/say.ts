// The work page's texts in the reader's language.
import { words } from "../frame/words.ts";
import { work_en } from "../words/en/work.ts";

export const say = words(work_en, {
  de: async () => (await import("../words/de/work.ts")).work_de,
  es: async () => (await import("../words/es/work.ts")).work_es,
});
