// The texts of the page of inverters in the reader's language.
import { wordIn, words } from "../frame/words.ts";
import { inverters_en } from "../words/en/inverters.ts";

export const say = words(inverters_en, {
  de: async () => (await import("../words/de/inverters.ts")).inverters_de,
  es: async () => (await import("../words/es/inverters.ts")).inverters_es,
});

/** What a measure is called; one without a word of its own by its name. */
export function nameOfMeasure(measure: string): string {
  return wordIn(say(), `measure_${measure}`) ?? measure.replaceAll("_", " ");
}

/** A unit as it is read: the degree with its sign. */
export function unitSign(unit: string): string {
  return { degC: "°C", "W/m2": "W/m²", code: "", "1": "" }[unit] ?? unit;
}
