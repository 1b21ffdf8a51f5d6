// Gaps in communication, judged by the energy counter across them.
import { availability_limits } from "./limits.ts";
import { type Verdict, verdict } from "./availability.ts";
import { type InverterFacts, quarter_h, type Quarters, type Scene } from "./fact.ts";

/** A run of daylight in which nothing was heard from an inverter; it may go on over nights. */
export type Gap = {
  /** Its quarter-hours in the scene, `[from, to)`, nights between them included. */
  readonly from: number;
  readonly to: number;
  /** Whether the inverter was heard before it in the scene. */
  readonly begun: boolean;
  /** The quarter-hour of daylight in which it was heard again; undefined for not in the scene. */
  readonly resumed: number | undefined;
};

const silent = verdict("unknown", { evidence: "none", detail: "nothing was heard" });

/** The gaps of an inverter, in order. */
function gapsOf({ count, light_h }: Scene, { heard }: InverterFacts): readonly Gap[] {
  const gaps: Gap[] = [];
  let open: Omit<Gap, "resumed"> | undefined;
  let begun = false;
  for (let i = 0; i < count; i++) {
    if (light_h[i] === 0) continue;
    if (heard[i] === 0) {
      open = { from: open?.from ?? i, to: i + 1, begun };
      continue;
    }
    begun = true;
    if (open) gaps.push({ ...open, resumed: i });
    open = undefined;
  }
  if (open) gaps.push({ ...open, resumed: undefined });
  return gaps;
}

/** Judges the gaps of a site's inverters of one data stream. */
export class GapJudge {
  readonly #scene: Scene;
  readonly #inverters: readonly InverterFacts[];
  readonly #gaps: readonly (readonly Gap[])[];
  /** What each inverter made over the quarter-hours of a gap, in hours at its rated power. */
  readonly #made = new Map<string, Quarters>();

  constructor(scene: Scene, inverters: readonly InverterFacts[]) {
    this.#scene = scene;
    this.#inverters = inverters;
    this.#gaps = inverters.map((facts) => gapsOf(scene, facts));
  }

  /** The gaps of the `n`th inverter. */
  gapsOf(n: number): readonly Gap[] {
    return this.#gaps[n];
  }

  /**
   * What its counter says of a gap of the `n`th inverter. What it made of what its peers made (or
   * its model, where it has no peers) was available, the rest was not.
   */
  judge(n: number, gap: Gap): Verdict {
    const own = this.#inverters[n];
    const { capacity_w } = own;
    if (!own.has_counter || capacity_w === null || !gap.begun || !gap.resumed) return silent;
    const span = unheardOf(this.#scene, own, gap);
    const expected_h = this.#expectedHours(n, gap, span);
    if (Number.isNaN(expected_h)) return silent;
    if (expected_h < availability_limits.producing_share * span.hours) {
      return verdict("out_of_environmental_specification", {
        evidence: "peers",
        detail: "its peers stood still too",
      });
    }
    const made_h = madeUnheard(own, span) / capacity_w;
    if (Number.isNaN(made_h)) return silent;
    const share = Math.min(1, made_h / expected_h);
    return {
      state: share < 0.5 ? "forced_outage" : "full_capability",
      evidence: "counter",
      detail: `${Math.round(share * 100)} % of what was expected was made over the gap`,
      unavailable: 1 - share,
    };
  }

  #expectedHours(n: number, gap: Gap, span: Unheard): number {
    const whole = this.#madeOver(gap);
    const peers = this.#inverters.flatMap((peer, p) => {
      if (p === n || peer.capacity_w === null) return [];
      const made_h = Number.isNaN(whole[p])
        ? this.#madeInSame(p, gap)
        : whole[p] + span.edges.reduce((sum, { i, part }) => sum + part * hoursAt(peer, i), 0);
      return Number.isNaN(made_h) ? [] : [made_h];
    });
    return peers.length > 0 ? medianOf(peers) : this.#modelOver(n, gap);
  }

  /** What each inverter's power says it made over a gap; NaN where it was not heard throughout. */
  #madeOver({ from, to }: Gap): Quarters {
    const key = `${from} ${to}`;
    const found = this.#made.get(key);
    if (found) return found;
    const made = Float64Array.from(this.#inverters, (facts) => {
      let sum = 0;
      for (let i = from; i < to; i++) {
        if (this.#scene.light_h[i] === 0) continue;
        sum += facts.heard[i] === 1
          ? facts.power_w[i] * this.#scene.light_h[i] / facts.capacity_w!
          : NaN;
      }
      return sum;
    });
    this.#made.set(key, made);
    return made;
  }

  /** What the counter of a peer with the very same gap says that it made. */
  #madeInSame(p: number, { from, to }: Gap): number {
    const peer = this.#inverters[p];
    const same = this.#gaps[p].find((it) => it.from === from && it.to === to);
    if (!same?.begun || !same.resumed || !peer.has_counter) return NaN;
    return madeUnheard(peer, unheardOf(this.#scene, peer, same)) / peer.capacity_w!;
  }

  #modelOver(n: number, { from, to }: Gap): number {
    const { setpoint_wh, capacity_w } = this.#inverters[n];
    let sum = 0;
    for (let i = from; i < to; i++) if (this.#scene.light_h[i] > 0) sum += setpoint_wh[i];
    return sum / capacity_w!;
  }
}

/**
 * The time in which nothing was heard: the gap and the unheard parts of the quarter-hours around
 * it. `[first, last]` is what the counter is read over.
 */
type Unheard = {
  readonly first: number;
  readonly last: number;
  readonly edges: readonly { readonly i: number; readonly part: number }[];
  readonly hours: number;
};

function unheardOf({ light_h, count }: Scene, own: InverterFacts, gap: Gap): Unheard {
  const { from, to, resumed } = gap;
  const has_before = from > 0 && own.covered[from - 1] > 0;
  const last = counterRead(own, { from: resumed!, to: Math.min(count, resumed! + look) });
  const edges = Array.from({ length: last + 1 - resumed! }, (_, i) => resumed! + i);
  if (has_before) edges.unshift(from - 1);
  let hours = 0;
  for (let i = from; i < to; i++) hours += light_h[i];
  return {
    first: has_before ? from - 1 : from,
    last,
    edges: edges.map((i) => ({ i, part: 1 - own.covered[i] })),
    hours,
  };
}

const look = availability_limits.gap_counter_quarters;

/** The first quarter-hour that has a reading of the counter; the first of all if none has. */
function counterRead(
  { energy_wh }: InverterFacts,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  for (let i = from; i < to; i++) if (!Number.isNaN(energy_wh[i])) return i;
  return from;
}

/** What a counter counted while nothing was heard: all of it, less what the power around shows. */
function madeUnheard(own: InverterFacts, { first, last, edges }: Unheard): number {
  let counted = NaN;
  for (let i = first; i <= last; i++) {
    const amount = own.energy_wh[i];
    if (!Number.isNaN(amount)) counted = (counted || 0) + amount;
  }
  const shown = edges.reduce((sum, { i }) => sum + (own.power_w[i] * own.covered[i] || 0), 0);
  return Math.max(0, counted - shown * quarter_h);
}

function hoursAt({ power_w, capacity_w }: InverterFacts, i: number): number {
  return (power_w[i] * quarter_h || 0) / capacity_w!;
}

function medianOf(values: number[]): number {
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  return values.length % 2 === 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}
