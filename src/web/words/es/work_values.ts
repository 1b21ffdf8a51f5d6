// Priorities and statuses of work in Spanish, as every page calls them.
import type { work_values_en } from "../en/work_values.ts";

export const work_values_es: typeof work_values_en = {
  priority_urgent: "urgente",
  priority_high: "alta",
  priority_medium: "media",
  priority_low: "baja",
  status_open: "abierta",
  status_in_progress: "en curso",
  status_on_hold: "en espera",
  status_resolved: "resuelta",
  status_closed: "cerrada",
  status_merged: "fusionada",
  status_draft: "borrador",
  status_scheduled: "programada",
  status_completed: "completada",
  status_cancelled: "cancelada",
};
