// States, evidences and losses in words, for people.
import type { Evidence, State } from "./availability.ts";

/** What each state means. */
export const state_docs: Readonly<Record<State, string>> = {
  full_capability: "Able to give all that its modules offer.",
  partial_capability: "Derated: it gives less than it could, and runs.",
  service_setpoint: "Held below its capability by a setpoint or a grid service.",
  requested_shutdown: "Stopped on request, such as the grid operator's or the customer's.",
  out_of_environmental_specification:
    "Outside of the conditions that it is made for, such as heat, wind, snow or too little light.",
  out_of_electrical_specification: "Outside of the grid that it is made for: a grid outage.",
  dc_side_outage: "Ready, but nothing comes from its DC side.",
  forced_outage: "Stopped by a fault or a trip, or for no reason that anything tells.",
  planned_corrective_action: "Stopped to repair something.",
  scheduled_maintenance: "Stopped for maintenance that was planned.",
  suspended: "Work on it has stopped and it can't run, such as for safety or a missing part.",
  unknown: "Nothing speaks for any state; its time counts in neither sum.",
};

/** What each evidence is, the strongest first. */
export const evidence_docs: Readonly<Record<Evidence, string>> = {
  override: "An operator's override, with its reason and author.",
  work_order:
    "A work order that was in progress on it or on what it hangs on, from then until it " +
    "was not, or its line was completed or skipped. Corrective, emergency and warranty work: " +
    "planned_corrective_action; any other: scheduled_maintenance.",
  grid: "A grid outage: the voltage at the meter.",
  status: "The inverter's own status or event word, by the codes of its device model.",
  alarm:
    "An alarm of the class trip or fault, a rule's or a source's, on the inverter or on what " +
    "it hangs on, from when it was raised until it was cleared; whatever its place in the queue.",
  peers: "No power while at least half of its peers produce and POA is over 50 W/m².",
  counter: "Its energy register over a gap in communication: what it produced counts as " +
    "available, what is missing against its peers as unavailable.",
  power: "Its power: it produces.",
  none: "Nothing spoke.",
};
