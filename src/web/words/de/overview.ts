// The overview's texts in German.
import type { overview_en } from "../en/overview.ts";

export const overview_de: typeof overview_en = {
  power_now: "Leistung jetzt",
  of_expected: (quantity) => `von ${quantity} erwartet`,
  energy_so_far: "Energie bis jetzt",
  index: "Leistungsindex",
  irradiance: "Einstrahlung",
  in_plane: "in der Modulebene",
  inverters: "Wechselrichter",
  producing: "speisen ein",
  power_chart: "Leistung und Erwartung",
  actual: "gemessen",
  expected: "erwartet",
  tiles: (time) => `Wechselrichter um ${time}: Leistung als Teil der erwarteten`,
  no_tiles: "Heute ist noch keine Viertelstunde Tageslicht vergangen.",
  no_curve:
    "Heute wurde noch nichts gemessen. Daten erscheinen hier, sobald die Anlage sie sendet.",
};
