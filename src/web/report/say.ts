// The report's texts in the reader's language.
import { words } from "../frame/words.ts";
import { report_en } from "../words/en/report.ts";

export const say = words(report_en, {
  de: async () => (await import("../words/de/report.ts")).report_de,
  es: async () => (await import("../words/es/report.ts")).report_es,
});
