// The states of an inverter by IEC TS 63019, what speaks for them, and how long each lasted.
import type { TimeSpan } from "../time/daylight.ts";

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

/** Classes of alarms that say that a device can't run. */
export const outage_classes: readonly string[] = ["trip", "fault"];

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

/** A state and what speaks for it. */
export type Verdict = {
  readonly state: State;
  readonly evidence: Evidence;
  /** In words, the same for the same reason; null where the evidence says it all. */
  readonly detail: string | null;
  /** How much of the time counts as unavailable, 0 to 1; null where nothing is known. */
  readonly unavailable: number | null;
};

/** A stretch of one state. */
export type StateSpan = TimeSpan & Verdict;

/** How long an inverter's daylight was, how much of it is known, and what was unavailable of it. */
export type DaySums = {
  readonly daylight_s: number;
  readonly basis_s: number;
  readonly unavailable_s: number;
};

/** A verdict whose whole time counts as its state says. */
export function verdict(
  state: State,
  { evidence, detail = null }: { readonly evidence: Evidence; readonly detail?: string | null },
): Verdict {
  const unavailable = states[state] === null ? null : Number(states[state]);
  return { state, evidence, detail, unavailable };
}

/**
 * Lays what was said outright over what was inferred: `base` is in order and without overlaps,
 * and keeps its extent; `claims` come in any order, and where two meet the stronger evidence
 * holds, of the same evidence the later in the list. Neighbours that are equal become one.
 */
export function layClaims(
  base: readonly StateSpan[],
  claims: readonly StateSpan[],
): readonly StateSpan[] {
  const rank = ({ evidence }: StateSpan) => evidences.indexOf(evidence);
  const weakest_first = claims.toSorted((a, b) => rank(b) - rank(a));
  return merged(weakest_first.reduce<readonly StateSpan[]>(layOver, base));
}

/** The spans' time, in seconds. */
export function sumSpans(spans: readonly StateSpan[]): DaySums {
  const sums = { daylight_s: 0, basis_s: 0, unavailable_s: 0 };
  for (const { from_us, to_us, unavailable } of spans) {
    const seconds = (to_us - from_us) / 1_000_000;
    sums.daylight_s += seconds;
    if (unavailable === null) continue;
    sums.basis_s += seconds;
    sums.unavailable_s += seconds * unavailable;
  }
  return sums;
}

/** Spans in order, those that touch and say the same made one. */
export function merged(spans: readonly StateSpan[]): readonly StateSpan[] {
  const out: StateSpan[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last?.to_us === span.from_us && saysSame(last, span)) {
      out[out.length - 1] = { ...last, to_us: span.to_us };
    } else out.push(span);
  }
  return out;
}

/** Copies what the claim does not touch in one go: some days have a thousand claims. */
function layOver(spans: readonly StateSpan[], claim: StateSpan): readonly StateSpan[] {
  const first = spans.findIndex(({ to_us }) => to_us > claim.from_us);
  if (first < 0) return spans;
  let end = first;
  while (end < spans.length && spans[end].from_us < claim.to_us) end++;
  const covered = spans.slice(first, end).flatMap((span) => covering(span, claim));
  return [...spans.slice(0, first), ...covered, ...spans.slice(end)];
}

function covering(span: StateSpan, claim: StateSpan): readonly StateSpan[] {
  const from_us = Math.max(span.from_us, claim.from_us);
  const to_us = Math.min(span.to_us, claim.to_us);
  const parts = [{ ...span, to_us: from_us }, { ...claim, from_us, to_us }, {
    ...span,
    from_us: to_us,
  }];
  return parts.filter((part) => part.from_us < part.to_us);
}

function saysSame(a: Verdict, b: Verdict): boolean {
  return a.state === b.state && a.evidence === b.evidence && a.detail === b.detail &&
    a.unavailable === b.unavailable;
}
