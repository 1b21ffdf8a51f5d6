// The texts of losses and availability in the reader's language.
import { words } from "../frame/words.ts";
import { losses_en } from "../words/en/losses.ts";

export const say = words(losses_en, {
  de: async () => (await import("../words/de/losses.ts")).losses_de,
  es: async () => (await import("../words/es/losses.ts")).losses_es,
});
