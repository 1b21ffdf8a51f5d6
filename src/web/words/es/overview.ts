// The overview's texts in Spanish.
import type { overview_en } from "../en/overview.ts";

export const overview_es: typeof overview_en = {
  power_now: "Potencia ahora",
  of_expected: (quantity) => `de ${quantity} esperados`,
  energy_so_far: "Energía hasta ahora",
  index: "Índice de rendimiento",
  irradiance: "Irradiancia",
  in_plane: "en el plano de los módulos",
  inverters: "Inversores",
  producing: "produciendo",
  power_chart: "Potencia y lo esperado",
  actual: "medida",
  expected: "esperada",
  tiles: (time) => `Inversores a las ${time}: potencia como parte de la esperada`,
  no_tiles: "Hoy no ha pasado todavía ningún cuarto de hora de luz.",
  no_curve: "Hoy no se ha medido nada. Los datos aparecen en cuanto la planta los envía.",
};
