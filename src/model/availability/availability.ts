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
