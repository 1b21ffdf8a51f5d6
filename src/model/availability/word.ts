// States, evidences and losses in words, for people.
import type { Evidence, State } from "./availability.ts";

/** What each state means. */
export const state_docs: Readonly<Record<State, string>> = {
  full_capability: "Can produce all that its modules offer.",
  partial_capability: "Derated: it runs, but with reduced power.",
  service_setpoint: "Limited by a setpoint or a grid service.",
  requested_shutdown: "Stopped on request, for example of the grid operator or the customer.",
  out_of_environmental_specification:
    "Conditions are outside its specification, such as heat, wind, snow or too little light.",
  out_of_electrical_specification: "The grid is outside its specification: a grid outage.",
  dc_side_outage: "Ready, but without power from the DC side.",
  forced_outage: "Stopped by a fault or a trip, or for an unknown reason.",
  planned_corrective_action: "Stopped for a repair.",
  scheduled_maintenance: "Stopped for planned maintenance.",
  suspended: "It cannot run and work on it has stopped, for example for safety or a missing part.",
  unknown: "There is no evidence for any state. Its time is in neither sum.",
};

/** What each evidence is, the strongest first. */
export const evidence_docs: Readonly<Record<Evidence, string>> = {
  override: "An operator's override, with its reason and author.",
  work_order:
    "A work order in progress on the inverter or on a device above it, until the work is no " +
    "longer in progress or its line is completed or skipped. Corrective, emergency and warranty " +
    "work: planned_corrective_action; any other: scheduled_maintenance.",
  grid: "A grid outage: the voltage at the meter.",
  status: "The inverter's own status or event word, by the codes of its device model.",
  alarm: "An alarm of class trip or fault, of a rule or a source, on the inverter or on a device " +
    "above it, from raised to cleared, whatever its status.",
  peers: "No power while at least half of its peers produce and POA is over 50 W/m².",
  counter: "Its energy counter over a gap in communication: the produced share counts as " +
    "available, the share missing compared with its peers as unavailable.",
  power: "Its power: it produces.",
  none: "No evidence.",
};
