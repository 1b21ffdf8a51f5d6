// The data health's texts in the reader's language.
import { health_en } from "../words/en/health.ts";
import { words } from "../frame/words.ts";

export const say = words(health_en, {
  de: async () => (await import("../words/de/health.ts")).health_de,
  es: async () => (await import("../words/es/health.ts")).health_es,
});

/** A measure's name in words: `active_power` as "active power". */
export function measureText(measure: string): string {
  return measure.replaceAll("_", " ");
}
