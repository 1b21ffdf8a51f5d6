// The portfolio's texts in German.
import type { portfolio_en } from "../en/portfolio.ts";

export const portfolio_de: typeof portfolio_en = {
  title: "Portfolio, das Schlechteste zuerst",
  days: (days) => `die letzten ${days} ganzen Tage`,
  plant: "Anlage",
  trend: "Nach Tag",
  trend_of: (plant) => `Abgeglichener Index von ${plant} nach Tag`,
  energy: "Energie",
  expected: "Erwartet, soweit Vorgaben es erlauben",
  coverage: "Gemessen",
  availability: "Verfügbarkeit",
  alarms: "Anstehende Alarme",
  no_alarms: "keine",
};
