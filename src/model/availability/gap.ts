// Gaps in communication, judged by the energy counter across them.
import { availability_limits } from "./limits.ts";
import { type Verdict, verdict } from "./availability.ts";
import { type InverterFacts, isIdle, quarter_h, type Quarters, type Scene } from "./fact.ts";
import { Crowd, isTold, madeOf } from "./made.ts";

/** A run of daylight in which nothing tells of an inverter; it may go on over nights. */
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
const powerless = verdict("unknown", { evidence: "none", detail: "no reading of its power" });

/**
 * A quarter-hour alone between two that are told, or at the edge of the light beside one: readings
 * come no oftener, or a little late. It says what the one beside it says; -1 for no such.
 */
function besideOf({ light_h, count }: Scene, facts: InverterFacts, i: number): number {
  const tells = (k: number) => light_h[k] > 0 && isTold(facts, k);
  // Where the scene ends within the light, more of it is to come.
  const isDark = (k: number) => k < count ? !(light_h[k] > 0) : light_h[i] < quarter_h;
  if (tells(i - 1) && (tells(i + 1) || isDark(i + 1))) return i - 1;
  return isDark(i - 1) && tells(i + 1) ? i + 1 : -1;
}

/** The gaps of an inverter, in order, and what is no gap though nothing tells of it. */
function gapsOf(scene: Scene, facts: InverterFacts) {
  const { count, light_h } = scene;
  const gaps: Gap[] = [];
  const bridges = new Map<number, number>();
  const mute = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    if (light_h[i] === 0 || isTold(facts, i)) continue;
    const beside = besideOf(scene, facts, i);
    if (beside >= 0) bridges.set(i, beside);
    else mute[i] = 1;
  }
  let open: Omit<Gap, "resumed"> | undefined;
  let begun = false;
  for (let i = 0; i < count; i++) {
    if (light_h[i] === 0 || bridges.has(i)) continue;
    if (mute[i] === 1 || isEdge(facts, mute, i)) {
      open = { from: open?.from ?? i, to: i + 1, begun };
      continue;
    }
    begun = true;
    if (open) gaps.push({ ...open, resumed: i });
    open = undefined;
  }
  if (open) gaps.push({ ...open, resumed: undefined });
  return { gaps, bridges };
}

/** Whether no power beside a gap is for the counter across the gap to tell. */
function isEdge(facts: InverterFacts, mute: Uint8Array, i: number): boolean {
  return facts.has_counter && (mute[i - 1] === 1 || mute[i + 1] === 1) &&
    Number.isNaN(facts.counter_wh[i]) && isIdle(facts, facts.power_w[i]);
}

/** The inverters of a site of one data stream, and the irradiance at each of them. */
export type Group = {
  readonly scene: Scene;
  readonly inverters: readonly InverterFacts[];
  /** In the plane of array, W/m²; NaN where none is known. */
  readonly poaOf: (n: number) => Quarters;
};

/** Judges the gaps of a group's inverters. */
export class GapJudge {
  readonly #group: Group;
  readonly #found: readonly ReturnType<typeof gapsOf>[];
  /** What each inverter made, in Wh, that of gaps spread over them. */
  readonly made_wh: readonly Quarters[];
  /** The same in hours at rated power. */
  readonly crowd: Crowd;
  /** Of it, what was heard: nothing of gaps. */
  readonly #heard: Crowd;

  constructor(group: Group) {
    this.#group = group;
    const { scene, inverters } = group;
    this.#found = inverters.map((facts) => gapsOf(scene, facts));
    this.made_wh = inverters.map((facts) => madeOf(scene, facts));
    this.#heard = this.#crowdOf(this.made_wh);
    inverters.forEach((facts, n) => {
      for (const gap of this.gapsOf(n)) this.#spread({ facts, n, gap });
    });
    this.crowd = this.#crowdOf(this.made_wh);
  }

  /** The gaps of the `n`th inverter. */
  gapsOf(n: number): readonly Gap[] {
    return this.#found[n].gaps;
  }

  /** Quarter-hours that nothing tells of, each with the one beside it that speaks for it. */
  bridgesOf(n: number): ReadonlyMap<number, number> {
    return this.#found[n].bridges;
  }

  /**
   * What its counter says of the quarter-hours of a gap of the `n`th inverter. What it made of what
   * its peers made (or its model, where none was heard) was available, the rest was not; of time
   * in which no peer was heard either it says nothing. Undefined where the peers stood still.
   */
  judge(n: number, gap: Gap): (i: number) => Verdict | undefined {
    const { scene: { light_h }, inverters } = this.#group;
    const facts = inverters[n];
    const unheard = (i: number) => facts.heard[i] === 1 ? powerless : silent;
    const across = acrossOf(this.#group, { facts, n, gap });
    if (across === undefined) return unheard;
    const expectedAt = this.#expectation(n, gap);
    const isCompared = (i: number) =>
      expectedAt(i) >= availability_limits.producing_share * light_h[i];
    let [expected_h, shape, whole] = [0, 0, 0];
    for (const it of across.parts) {
      whole += it.shape;
      if (!isCompared(it.i)) continue;
      shape += it.shape;
      expected_h += it.part * expectedAt(it.i);
    }
    const made_h = across.made_wh * shape / whole / facts.capacity_w!;
    const judged = expected_h > 0 ? judgedBy(Math.min(1, made_h / expected_h)) : silent;
    return (i) => {
      if (isCompared(i)) return judged;
      return Number.isNaN(expectedAt(i)) ? unheard(i) : undefined;
    };
  }

  /**
   * What the peers made in a quarter-hour. Where none of them was heard all the gap it is the
   * model's to say: what they all lack is no measure. Without a model their counters tell.
   */
  #expectation(n: number, { from, to }: Gap): (i: number) => number {
    const { scene: { light_h }, inverters } = this.#group;
    const { setpoint_wh, capacity_w } = inverters[n];
    const peersAt = (i: number) => this.crowd.medianBeside(n, i);
    for (let i = from; i < to; i++) {
      if (light_h[i] > 0 && !Number.isNaN(this.#heard.medianBeside(n, i))) return peersAt;
    }
    return (i) => Number.isNaN(setpoint_wh[i]) ? peersAt(i) : setpoint_wh[i] / capacity_w!;
  }

  #crowdOf(made_wh: readonly Quarters[]): Crowd {
    const { scene, inverters } = this.#group;
    const rates = inverters.map(({ capacity_w }, n) =>
      made_wh[n].map((wh) => wh / (capacity_w ?? NaN))
    );
    return new Crowd(scene, rates);
  }

  /** Spreads what a counter counted over a gap, so that peers can be compared with it. */
  #spread(subject: Subject): void {
    const across = acrossOf(this.#group, subject);
    if (across === undefined) return;
    const made_wh = this.made_wh[subject.n];
    const whole = across.parts.reduce((sum, { shape }) => sum + shape, 0);
    for (const { i, shape } of across.parts) {
      if (Number.isNaN(made_wh[i])) made_wh[i] = across.made_wh * shape / whole;
    }
  }
}

function judgedBy(share: number): Verdict {
  return {
    state: share < 0.5 ? "forced_outage" : "full_capability",
    evidence: "counter",
    detail: `${Math.round(share * 100)} % of what was expected was made over the gap`,
    unavailable: 1 - share,
  };
}

type Subject = { readonly facts: InverterFacts; readonly n: number; readonly gap: Gap };

/** What a counter says of a gap. */
type Across = {
  /** What was made while nothing was heard. */
  readonly made_wh: number;
  /**
   * The time in which nothing was heard: the daylight of the gap and the unheard parts of the
   * quarter-hours around it, each with how much light it had.
   */
  readonly parts: readonly { readonly i: number; readonly part: number; readonly shape: number }[];
};

/** Undefined where no counter tells. */
function acrossOf(
  { scene: { light_h, count }, poaOf }: Group,
  { facts, n, gap: { from, to, begun, resumed } }: Subject,
): Across | undefined {
  const { capacity_w, covered, has_counter } = facts;
  if (!has_counter || capacity_w === null || !begun || resumed === undefined) return undefined;
  const has_before = from > 0 && covered[from - 1] > 0;
  const last = counterRead(facts, { from: resumed, to: Math.min(count, resumed + look) });
  const edges = Array.from({ length: last + 1 - resumed }, (_, i) => resumed + i);
  if (has_before) edges.unshift(from - 1);
  const made_wh = madeUnheard(facts, { first: has_before ? from - 1 : from, last, edges });
  if (Number.isNaN(made_wh)) return undefined;
  const poa = poaOf(n);
  const parts = [];
  for (let i = from; i < to; i++) {
    const shape = light_h[i] * Math.max(1, poa[i] || 0);
    if (light_h[i] > 0) parts.push({ i, part: 1, shape });
  }
  for (const i of edges) {
    const part = 1 - covered[i];
    parts.push({ i, part, shape: part * light_h[i] * Math.max(1, poa[i] || 0) });
  }
  return { made_wh, parts };
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

/** What the counter is read over, and the quarter-hours of it around the gap. */
type Reading = {
  readonly first: number;
  readonly last: number;
  readonly edges: readonly number[];
};

/** What a counter counted while nothing was heard: all of it, less what the power around shows. */
function madeUnheard(facts: InverterFacts, { first, last, edges }: Reading): number {
  let counted = NaN;
  for (let i = first; i <= last; i++) {
    const amount = facts.energy_wh[i];
    if (!Number.isNaN(amount)) counted = (counted || 0) + amount;
  }
  const shown = edges.reduce((sum, i) => sum + (facts.power_w[i] * facts.covered[i] || 0), 0);
  return Math.max(0, counted - shown * quarter_h);
}
