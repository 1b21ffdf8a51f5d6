// What an inverter's power, its peers and its counter say of its quarter-hours, and so of its days.
import { availability_limits } from "./limits.ts";
import { layClaims, merged, type StateSpan, type Verdict, verdict } from "./availability.ts";
import { type CounterWord, counterWord } from "./counter_word.ts";
import { eachQuarter, isCurbed, isDim, isIdle, quarter_us, type Scene } from "./fact.ts";
import { GapJudge, type Group } from "./gap.ts";
import { isDoubtful, isTold } from "./made.ts";
import type { TimeSpan } from "../time/daylight.ts";

/** An inverter's states over the daylight of a local day. */
type InverterDay = { readonly day: number; readonly spans: readonly StateSpan[] };

const verdicts = {
  produces: verdict("full_capability", { evidence: "power" }),
  counted: verdict("full_capability", {
    evidence: "counter",
    detail: "its energy climbs as its peers' does: the reading of its power is wrong",
  }),
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
  standstill: verdict("out_of_environmental_specification", {
    evidence: "peers",
    detail: "its peers stood still too",
  }),
  all_still: verdict("unknown", { evidence: "none", detail: "its peers stood still too" }),
  down: verdict("forced_outage", { evidence: "peers", detail: "no power while its peers produce" }),
  standing: verdict("forced_outage", {
    evidence: "peers",
    detail: "its power and its energy stand still while its peers produce",
  }),
  unclear: verdict("unknown", { evidence: "none", detail: "no power, and nothing that says why" }),
} as const;

/** Infers states of inverters where nobody said what they were. */
export class Inference {
  readonly #group: Group;
  readonly gaps: GapJudge;

  constructor(group: Group) {
    this.#group = group;
    this.gaps = new GapJudge(group);
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
    let word: CounterWord | undefined;
    const wordAt = (i: number) => (word ??= this.#counterWord(n))[i];
    for (let i = 0; i < scene.count; i++) {
      if (scene.light_h[i] > 0 && isTold(facts, i)) found[i] = this.#told(n, i, wordAt);
    }
    if (this.gaps.gapsOf(n).length > 0) this.#judgeGaps(n, found);
    for (const [i, beside] of this.gaps.bridgesOf(n)) found[i] = found[beside];
    return found;
  }

  #judgeGaps(n: number, found: Verdict[]): void {
    const { scene, inverters } = this.#group;
    const poa = this.#group.poaOf(n);
    const met = metQuarters(scene, inverters[n].heard);
    for (const gap of this.gaps.gapsOf(n)) {
      const judged = this.gaps.judge(n, gap);
      for (let i = gap.from; i < gap.to; i++) {
        // Of a day on which an inverter was not heard at all, that it was dark says nothing.
        const is_dark = met[i] === 1 && poa[i] <= availability_limits.dark_poa_w_m2;
        const is_dim = met[i] === 1 && isDim(poa[i], scene.low_sun[i]);
        const still = is_dim ? verdicts.standstill : verdicts.all_still;
        found[i] = is_dark ? verdicts.dark_silent : judged(i) ?? still;
      }
    }
  }

  /** What is told of quarter-hour `i`: the counter is asked where the power can be wrong. */
  #told(n: number, i: number, wordAt: (i: number) => number): Verdict {
    const { scene, inverters } = this.#group;
    const facts = inverters[n];
    const poa = this.#group.poaOf(n);
    const curbed = isCurbed(facts, i);
    const counted_w = facts.counter_wh[i] / scene.light_h[i];
    const is_silent = Number.isNaN(facts.power_w[i]);
    const power_w = is_silent ? counted_w : facts.power_w[i];
    const is_idle = isIdle(facts, power_w);
    const word = isDoubtful(facts, i) && !Number.isNaN(counted_w) ? wordAt(i) : 0;
    if (word === 1 && (is_idle || is_silent)) {
      const is_dark = isIdle(facts, counted_w) && isDim(poa[i], scene.low_sun[i]);
      return is_dark ? verdicts.dark : curbed ? verdicts.curbed : verdicts.counted;
    }
    if (word !== -1 && !is_idle) return curbed ? verdicts.curbed : verdicts.produces;
    const allowed_w = facts.setpoint_wh[i] / scene.light_h[i];
    if (curbed && isIdle(facts, allowed_w)) return verdicts.stopped;
    if (poa[i] <= availability_limits.dark_poa_w_m2) return verdicts.dark;
    if (this.gaps.crowd.shareBeside(n, i) >= availability_limits.peers_share) {
      return is_idle ? verdicts.down : verdicts.standing;
    }
    return isDim(poa[i], scene.low_sun[i]) ? verdicts.dark : verdicts.unclear;
  }

  #counterWord(n: number): CounterWord {
    const { scene, inverters } = this.#group;
    const expectedAt = (i: number) => this.gaps.crowd.medianBeside(n, i);
    return counterWord(inverters[n], { scene, expectedAt });
  }
}

/** 1 in the quarter-hours of days on which something was heard by daylight. */
function metQuarters({ days, from, count }: Scene, heard: Uint8Array): Uint8Array {
  const met = new Uint8Array(count);
  for (const { light } of days) {
    const quarters: number[] = [];
    for (const span of light) eachQuarter(span, (quarter) => quarters.push(quarter - from));
    if (quarters.some((i) => heard[i] === 1)) { for (const i of quarters) met[i] = 1; }
  }
  return met;
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
