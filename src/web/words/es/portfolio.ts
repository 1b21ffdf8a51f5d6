// The portfolio's texts in Spanish.
import type { portfolio_en } from "../en/portfolio.ts";

export const portfolio_es: typeof portfolio_en = {
  title: "Cartera, lo peor primero",
  days: (days) => `los últimos ${days} días enteros`,
  plant: "Planta",
  trend: "Por día",
  trend_of: (plant) => `Índice emparejado de ${plant} por día`,
  energy: "Energía",
  expected: "Esperada, según las consignas",
  coverage: "Medido",
  availability: "Disponibilidad",
  alarms: "Alarmas activas",
  no_alarms: "ninguna",
};
