// The saved views' texts in Spanish.
import type { views_en } from "../en/views.ts";

export const views_es: typeof views_en = {
  title: "Vistas",
  saved: "Vistas guardadas",
  none: "Aún no hay ninguna vista guardada de esta página.",
  past: "Una repetición muestra las vistas que no han cambiado desde su momento. Vuelva al " +
    "presente para guardar una.",
  by: (name) => `por ${name}`,
  shown: "en pantalla",
  save_shown: "Guardar lo que se muestra",
  span: "Las últimas horas o días avanzan con el tiempo; los límites elegidos permanecen.",
  name: "Nombre",
  change: "Cambiar",
  change_of: (name) => `Cambiar «${name}»`,
  replace: "Guardar también en su lugar lo que se muestra ahora",
  remove: "Quitar",
  remove_of: (name) => `¿Quitar «${name}» para todos?`,
  was_saved: (name) => `Guardada: ${name}`,
  was_removed: (name) => `Quitada: ${name}`,
  save: "Guardar",
  copy_address: "Copiar la dirección",
};
