// The states of inverters and the parts of the loss account, as the service names them.
import { evidences, type State, states } from "../../model/availability/availability.ts";
import { loss_evidences, type LossPart } from "../../model/availability/loss.ts";

export type { LossPart, State };

/** What can tell of a state or of a loss. */
export const evidence_names = [...evidences, ...loss_evidences] as const;
export type EvidenceName = typeof evidence_names[number];

/** The states that count as unavailable. */
export const out_states = (Object.keys(states) as State[]).filter((it) => states[it] === true);

/** A stretch of one state, and what speaks for it. */
export type StateSpan = {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly state: State;
  readonly evidence: EvidenceName;
  readonly detail: string | null;
  /** Who overrode it, and why. */
  readonly override?: { readonly author: string; readonly reason: string };
};

/** A stretch in which energy was lost; no energy where the stretch is not over yet. */
export type LostSpan = {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly part: LossPart;
  readonly energy_wh: number;
  readonly evidence: EvidenceName;
  readonly detail: string | null;
};

/** Whether the inverter was out of service. */
export function isOut(state: State): boolean {
  return states[state] === true;
}

/** What of some spans lies in another, the longest first. */
export function overlapping<T extends { readonly from_ms: number; readonly to_ms: number }>(
  spans: readonly T[],
  { from_ms, to_ms }: { readonly from_ms: number; readonly to_ms: number },
): readonly T[] {
  const shared = (it: T) => Math.min(it.to_ms, to_ms) - Math.max(it.from_ms, from_ms);
  return spans.filter((it) => shared(it) > 0).toSorted((a, b) => shared(b) - shared(a));
}
