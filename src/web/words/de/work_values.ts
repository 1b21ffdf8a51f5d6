// Priorities and statuses of work in German, as every page calls them.
import type { work_values_en } from "../en/work_values.ts";

export const work_values_de: typeof work_values_en = {
  priority_urgent: "dringend",
  priority_high: "hoch",
  priority_medium: "mittel",
  priority_low: "niedrig",
  status_open: "offen",
  status_in_progress: "in Arbeit",
  status_on_hold: "angehalten",
  status_resolved: "behoben",
  status_closed: "geschlossen",
  status_merged: "zusammengeführt",
  status_draft: "Entwurf",
  status_scheduled: "geplant",
  status_completed: "erledigt",
  status_cancelled: "storniert",
};
