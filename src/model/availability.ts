// The states of an inverter by IEC TS 63019, and what speaks for them.

/** Every state, and whether its time counts as unavailable; null: neither sum has it. */
export const states = {
  full_capability: false,
  partial_capability: false,
  service_setpoint: false,
  requested_shutdown: false,
  out_of_environmental_specification: false,
  out_of_electrical_specification: false,
  dc_side_outage: false,
  forced_outage: true,
  planned_corrective_action: true,
  scheduled_maintenance: true,
  suspended: true,
  unknown: null,
} as const satisfies Record<string, boolean | null>;

export type State = keyof typeof states;

/** What can speak for a state, the strongest first. */
export const evidences = [
  "override",
  "work_order",
  "grid",
  "status",
  "alarm",
  "peers",
  "counter",
  "power",
  "none",
] as const;
export type Evidence = typeof evidences[number];
