// What an inverter's power, its peers and its counter say of its quarter-hours, and so of its days.
import { availability_limits } from "./limits.ts";
import { layClaims, merged, type StateSpan, type Verdict, verdict } from "./availability.ts";
import {
  type InverterFacts,
  isCurbed,
  isDim,
  isIdle,
  quarter_us,
  type Quarters,
  type Scene,
} from "./fact.ts";
import { GapJudge } from "./gap.ts";
import type { TimeSpan } from "../time/daylight.ts";

/** The inverters of a site that one data stream sees, over the local days of a scene. */
type Group = {
  readonly scene: Scene;
  readonly inverters: readonly InverterFacts[];
  /** The irradiance in the plane of array at an inverter, W/m²; NaN where none is known. */
  readonly poaOf: (n: number) => Quarters;
};

/** An inverter's states over the daylight of a local day. */
type InverterDay = { readonly day: number; readonly spans: readonly StateSpan[] };

const verdicts = {
  produces: verdict("full_capability", { evidence: "power" }),
  curbed: verdict("service_setpoint", {
    evidence: "power",
    detail: "it produces below what is expected by a setpoint",
  }),
  stopped: verdict("service_setpoint", { evidence: "power", detail: "a setpoint of nothing" }),
  dark: verdict("out_of_environmental_specification", {
    evidence: "power",
    detail: "too dark to produce",
  }),
  dark_silent: verdict("out_of_environmental_specification", {
    evidence: "peers",
    detail: "too dark to produce",
  }),
  down: verdict("forced_outage", { evidence: "peers", detail: "no power while its peers produce" }),
  unclear: verdict("unknown", { evidence: "none", detail: "no power, and nothing that says why" }),
  powerless: verdict("unknown", { evidence: "none", detail: "no reading of its power" }),
} as const;

/** Infers states of inverters where nobody said what they were. */
export class Inference {
  readonly #group: Group;
  readonly #crowd: Crowd;
  readonly gaps: GapJudge;

  constructor(group: Group) {
    this.#group = group;
    this.#crowd = new Crowd(group.scene, group.inverters);
    this.gaps = new GapJudge(group.scene, group.inverters);
  }

  /** The states of the `n`th inverter; `claims` are what was said of it outright, in any order. */
  daysOf(n: number, claims: readonly StateSpan[]): readonly InverterDay[] {
    const { scene } = this.#group;
    const found = this.#quartersOf(n);
    return scene.days.map(({ day, light }) => {
      const base = merged(light.flatMap((span) => spansOf(span, (q) => found[q - scene.from])));
      const within = claims.filter((claim) => light.some((span) => overlaps(span, claim)));
      return { day, spans: within.length === 0 ? base : layClaims(base, within) };
    });
  }

  #quartersOf(n: number): readonly Verdict[] {
    const { scene, inverters } = this.#group;
    const facts = inverters[n];
    const found: Verdict[] = new Array(scene.count).fill(verdicts.unclear);
    for (let i = 0; i < scene.count; i++) {
      if (scene.light_h[i] > 0 && facts.heard[i] === 1) found[i] = this.#heard(n, i);
    }
    const poa = this.#group.poaOf(n);
    for (const gap of this.gaps.gapsOf(n)) {
      const judged = this.gaps.judge(n, gap);
      for (let i = gap.from; i < gap.to; i++) {
        found[i] = poa[i] <= availability_limits.dark_poa_w_m2 ? verdicts.dark_silent : judged;
      }
    }
    return found;
  }

  #heard(n: number, i: number): Verdict {
    const { scene, inverters } = this.#group;
    const facts = inverters[n];
    const power_w = facts.power_w[i];
    if (Number.isNaN(power_w)) return verdicts.powerless;
    const curbed = isCurbed(facts, i);
    if (!isIdle(facts, power_w)) return curbed ? verdicts.curbed : verdicts.produces;
    const allowed_w = facts.setpoint_wh[i] / scene.light_h[i];
    if (curbed && isIdle(facts, allowed_w)) return verdicts.stopped;
    const poa = this.#group.poaOf(n);
    if (poa[i] <= availability_limits.dark_poa_w_m2) return verdicts.dark;
    if (this.#crowd.shareBeside(facts, i) >= availability_limits.peers_share) return verdicts.down;
    return isDim(poa[i], scene.low_sun[i]) ? verdicts.dark : verdicts.unclear;
  }
}

/** A span of daylight, each run of quarter-hours that have the very same verdict in one. */
function spansOf(span: TimeSpan, verdictAt: (quarter: number) => Verdict): readonly StateSpan[] {
  const spans: StateSpan[] = [];
  const end = Math.ceil(span.to_us / quarter_us);
  let from_us = span.from_us;
  for (let quarter = Math.floor(from_us / quarter_us); quarter < end; quarter++) {
    const found = verdictAt(quarter);
    if (quarter + 1 < end && verdictAt(quarter + 1) === found) continue;
    const to_us = Math.min(span.to_us, (quarter + 1) * quarter_us);
    spans.push({ from_us, to_us, ...found });
    from_us = to_us;
  }
  return spans;
}

function overlaps(a: TimeSpan, b: TimeSpan): boolean {
  return a.from_us < b.to_us && b.from_us < a.to_us;
}

/** Some inverters together: how many of them have a power in a quarter-hour, and produce. */
class Crowd {
  readonly #seen: Int32Array;
  readonly #producing: Int32Array;

  /** Counts the inverters of known capacity. */
  constructor({ count }: Scene, inverters: readonly InverterFacts[]) {
    this.#seen = new Int32Array(count);
    this.#producing = new Int32Array(count);
    for (const facts of inverters) {
      if (facts.capacity_w === null) continue;
      for (let i = 0; i < count; i++) {
        if (!isSeen(facts, i)) continue;
        this.#seen[i]++;
        if (produces(facts, i)) this.#producing[i]++;
      }
    }
  }

  /** The share of an inverter's peers that produce in quarter-hour `i`; NaN where none is seen. */
  shareBeside(own: InverterFacts, i: number): number {
    const counts = own.capacity_w !== null && isSeen(own, i);
    const seen = this.#seen[i] - Number(counts);
    return (this.#producing[i] - Number(counts && produces(own, i))) / seen;
  }
}

function isSeen({ heard, power_w }: InverterFacts, i: number): boolean {
  return heard[i] === 1 && !Number.isNaN(power_w[i]);
}

function produces({ power_w, capacity_w }: InverterFacts, i: number): boolean {
  return power_w[i] > availability_limits.producing_share * capacity_w!;
}
