// The states of an inverter by IEC TS 63019, and what tells of them, in the reader's language.
import { say } from "./say.ts";

/** Every state, the good one first. */
export const state_names = [
  "full_capability",
  "partial_capability",
  "service_setpoint",
  "requested_shutdown",
  "out_of_environmental_specification",
  "out_of_electrical_specification",
  "dc_side_outage",
  "forced_outage",
  "planned_corrective_action",
  "scheduled_maintenance",
  "suspended",
  "unknown",
] as const;
export type StateName = typeof state_names[number];

/** A state in words; one that is not known as it is. */
export function stateText(state: string): string {
  const name = state_names.find((it) => it === state);
  return name ? say()[`state_${name}`] : state;
}

const evidence_names = [
  ...["override", "work_order", "grid", "status", "alarm", "peers", "counter", "power"] as const,
  ...["none", "setpoint", "rating", "strings", "declared"] as const,
] as const;

/** What tells of a state or a loss, in words, with its details. */
export function evidenceText(evidence: string | null, detail: string | null): string {
  const name = evidence_names.find((it) => it === evidence);
  const text = name ? say()[`evidence_${name}`] : evidence ?? "";
  return detail ? `${text}: ${detail}` : text;
}
