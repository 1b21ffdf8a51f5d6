// The saved views' texts in German.
import type { views_en } from "../en/views.ts";

export const views_de: typeof views_en = {
  title: "Ansichten",
  saved: "Gespeicherte Ansichten",
  none: "Von dieser Seite ist noch keine Ansicht gespeichert.",
  past: "Ein Rückblick zeigt die Ansichten, die sich seit seinem Zeitpunkt nicht geändert " +
    "haben. Zum Speichern zurück zu jetzt.",
  by: (name) => `von ${name}`,
  shown: "wird gezeigt",
  save_shown: "Gezeigtes speichern",
  span: "Die letzten Stunden oder Tage laufen mit der Zeit mit; gewählte Grenzen bleiben.",
  name: "Name",
  change: "Ändern",
  change_of: (name) => `„${name}“ ändern`,
  replace: "Auch durch das ersetzen, was gerade gezeigt wird",
  remove: "Entfernen",
  remove_of: (name) => `„${name}“ für alle entfernen?`,
  was_saved: (name) => `Gespeichert: ${name}`,
  was_removed: (name) => `Entfernt: ${name}`,
  save: "Speichern",
  copy_address: "Adresse kopieren",
};
