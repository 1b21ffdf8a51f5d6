// What spans of losses and states come to by a moment. Energies in Wh, instants in ms.
import { named_losses, type NamedLoss } from "../frame/performance.ts";

/** Energy by loss, in Wh. */
export type LossAccount = Readonly<Record<NamedLoss, number>>;

const quarter_ms = 15 * 60_000;

/** Losses of inverters, span by span. */
export type LossSpans = {
  readonly hierarchy_id: readonly (string | null)[];
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly part: readonly (string | null)[];
  readonly energy: Float64Array;
};

/** What inverters made less than was expected, quarter-hour by quarter-hour. */
export type Shortfalls = {
  readonly hierarchy_id: readonly (string | null)[];
  readonly instants: Float64Array;
  readonly energy: Float64Array;
};

/** The spans that had begun at a moment and went on after it, by the inverter they are of. */
export function runningAt(
  { hierarchy_id, from, to, part }: LossSpans,
  at_ms: number,
): Map<string, number[]> {
  const running = new Map<string, number[]>();
  part.forEach((name, i) => {
    if (!isNamed(name) || !(from[i] < at_ms && at_ms < to[i])) return;
    const id = hierarchy_id[i]!;
    running.set(id, [...running.get(id) ?? [], i]);
  });
  return running;
}

/**
 * The energy of each loss by the moment. A span that went on after it has told its energy only
 * later: until the moment it lost what its inverter then made less than was expected, without what
 * spans that had ended tell of that time; several of an inverter lost equal parts.
 */
export function accountOf(
  spans: LossSpans,
  until_ms: number,
  shortfalls?: Shortfalls,
): LossAccount {
  const { hierarchy_id, from, to, part, energy } = spans;
  const sums = Object.fromEntries(named_losses.map((name) => [name, 0])) as Record<string, number>;
  part.forEach((name, i) => {
    if (isNamed(name) && to[i] <= until_ms) sums[name] += energy[i];
  });
  if (!shortfalls) return sums as LossAccount;
  for (const [id, running] of runningAt(spans, until_ms)) {
    const from_ms = Math.min(...running.map((i) => from[i]));
    let left = 0;
    shortfalls.instants.forEach((at, i) => {
      const is_its = shortfalls.hierarchy_id[i] === id && at >= from_ms &&
        at + quarter_ms <= until_ms;
      if (is_its) left += Math.max(0, shortfalls.energy[i] || 0);
    });
    hierarchy_id.forEach((it, i) => {
      if (it === id && from[i] >= from_ms && to[i] <= until_ms && isNamed(part[i])) {
        left -= energy[i];
      }
    });
    for (const i of running) sums[part[i]!] += Math.max(0, left) / running.length;
  }
  return sums as LossAccount;
}

function isNamed(part: string | null): part is NamedLoss {
  return (named_losses as readonly (string | null)[]).includes(part);
}

/** States of inverters, span by span; `unavailable` is a share of one, NaN where not known. */
type States = {
  readonly hierarchy_id: readonly (string | null)[];
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly unavailable: Float64Array;
};

/**
 * The time-based availability by capacity, of the spans up to the moment (IEC TS 63019); NaN where
 * no inverter of a known capacity has any.
 */
export function availabilityOf(
  { hierarchy_id, from, to, unavailable }: States,
  until_ms: number,
  capacities_w: ReadonlyMap<string | null, number>,
): number {
  let [all, lost] = [0, 0];
  hierarchy_id.forEach((id, i) => {
    const span_ms = Math.min(to[i], until_ms) - from[i];
    const capacity_w = capacities_w.get(id) ?? NaN;
    if (!(span_ms > 0) || Number.isNaN(unavailable[i]) || Number.isNaN(capacity_w)) return;
    all += span_ms * capacity_w;
    lost += span_ms * capacity_w * unavailable[i];
  });
  return all > 0 ? 1 - lost / all : NaN;
}
