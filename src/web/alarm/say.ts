// The alarms' texts in the reader's language.
import { words } from "../frame/words.ts";
import { alarms_en } from "../words/en/alarms.ts";

export const say = words(alarms_en, {
  de: async () => (await import("../words/de/alarms.ts")).alarms_de,
  es: async () => (await import("../words/es/alarms.ts")).alarms_es,
});
