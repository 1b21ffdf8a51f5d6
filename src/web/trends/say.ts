// The trends' texts in the reader's language.
import { wordIn, words } from "../frame/words.ts";
import { trends_en } from "../words/en/trends.ts";

export const say = words(trends_en, {
  de: async () => (await import("../words/de/trends.ts")).trends_de,
  es: async () => (await import("../words/es/trends.ts")).trends_es,
});

/** What a measure is called; one without a word of its own by the dictionary's name. */
export function measureName(measure: string): string {
  return wordIn(say(), `measure_${measure}`) ?? measure.replaceAll("_", " ");
}
