// The texts on users, tokens and sessions in the reader's language.
import { words } from "../frame/words.ts";
import { access_en } from "../words/en/access.ts";

export const say = words(access_en, {
  de: async () => (await import("../words/de/access.ts")).access_de,
  es: async () => (await import("../words/es/access.ts")).access_es,
});
