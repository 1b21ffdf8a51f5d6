// What spans of losses and states come to by a moment. Energies in Wh, instants in ms.
import { named_losses, type NamedLoss } from "../frame/performance.ts";

/** Energy by loss, in Wh. */
export type LossAccount = Readonly<Record<NamedLoss, number>>;

/** The energy of each loss in spans that ended by the moment; of a span that goes on none is. */
export function accountOf(
  { to, part, energy }: {
    readonly to: Float64Array;
    readonly part: readonly (string | null)[];
    readonly energy: Float64Array;
  },
  until_ms: number,
): LossAccount {
  const sums = Object.fromEntries(named_losses.map((name) => [name, 0])) as Record<string, number>;
  part.forEach((name, i) => {
    if (name !== null && name in sums && to[i] <= until_ms) sums[name] += energy[i];
  });
  return sums as LossAccount;
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
