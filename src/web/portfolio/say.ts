// The portfolio's texts in the reader's language.
import { words } from "../frame/words.ts";
import { portfolio_en } from "../words/en/portfolio.ts";

export const say = words(portfolio_en, {
  de: async () => (await import("../words/de/portfolio.ts")).portfolio_de,
  es: async () => (await import("../words/es/portfolio.ts")).portfolio_es,
});
