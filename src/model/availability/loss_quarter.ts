// Where the expected energy of a quarter-hour went: what each kind of evidence accounts for.
import { availability_limits } from "./limits.ts";
import type { StateSpan } from "./availability.ts";
import {
  eachQuarter,
  type InverterFacts,
  isIdle,
  quarter_us,
  type Quarters,
  type Scene,
} from "./fact.ts";
import type { DeclaredPart, LossSpan } from "./loss.ts";
import type { TimeSpan } from "../time/daylight.ts";

/** An operator's word that modules give less: the share of their energy that is lost. */
export type Declared = TimeSpan & {
  readonly part: DeclaredPart;
  readonly share: number;
  readonly detail: string;
};

/** Energy that some evidence accounts for. */
export type Claim = Omit<LossSpan, "from_us" | "to_us">;

/** What became of a quarter-hour's expected energy. */
export type QuarterAccount = {
  readonly expected_wh: number;
  readonly produced_wh: number;
  readonly claims: readonly Claim[];
};

/** What an inverter's losses are judged by. */
export type LossEvidence = {
  readonly scene: Scene;
  /** What it made in each quarter-hour by its best evidence, Wh. */
  readonly made_wh: Quarters;
  readonly declared: readonly Declared[];
  /** What it made of what was expected of it, and the same of its peers; NaN for not known. */
  readonly ratioAt: (i: number) => number;
  readonly peersAt: (i: number) => number;
  /** The setpoint that limits it in quarter-hour `i`, and to what. */
  readonly limitAt: (i: number) => string | undefined;
};

/** What was said of a part of a quarter-hour. */
type Said = Pick<StateSpan, "state" | "evidence" | "detail"> & {
  readonly share: number;
  readonly unavailable: number;
};

/** What states say of each quarter-hour, by its place in the scene. */
export function saidOf(
  spans: readonly StateSpan[],
  { from, light_h }: Scene,
): ReadonlyMap<number, readonly Said[]> {
  const said = new Map<number, Said[]>();
  for (const { state, unavailable, evidence, detail, ...span } of spans) {
    eachQuarter(span, (q, hours) => {
      const share = hours / light_h[q - from];
      const words = said.get(q - from) ?? [];
      words.push({ state, share, unavailable: (unavailable ?? 0) * share, evidence, detail });
      said.set(q - from, words);
    });
  }
  return said;
}

/** The account of quarter-hour `i` of an inverter, which has a model then. */
export function accountOf(
  facts: InverterFacts,
  { i, said, evidence }: {
    readonly i: number;
    readonly said: readonly Said[];
    readonly evidence: LossEvidence;
  },
): QuarterAccount {
  const clipped_wh = facts.clipped_wh[i] || 0;
  const expected_wh = facts.model_wh[i] + clipped_wh;
  const made_wh = madeIn(facts, evidence.made_wh, i) * facts.modelled[i];
  if (Number.isNaN(made_wh)) return unmeasuredAccount(expected_wh, said);
  const taker = new Taker(Math.max(0, expected_wh - made_wh));
  for (const word of said) taker.take("unavailability", word.unavailable * expected_wh, word);
  const running = 1 - said.reduce((sum, { unavailable }) => sum + unavailable, 0);
  const curtailed_wh = Math.max(0, facts.model_wh[i] - facts.setpoint_wh[i] || 0);
  const limit = { evidence: "setpoint", detail: evidence.limitAt(i) ?? null } as const;
  taker.put("curtailment", curtailed_wh * running, limit);
  taker.put("clipping", clipped_wh * running, words.rating);
  takeOutages(taker, said, expected_wh);
  const lack = stringsLack(facts, i);
  taker.take("dc", lack.share * expected_wh, { evidence: "strings", detail: lack.detail });
  takeDerate(taker, said, { expected_wh, below_wh: belowPeers(facts, evidence, i) });
  for (const { part, share, detail, ...span } of evidence.declared) {
    const overlap = overlapIn(span, i + evidence.scene.from);
    const energy_wh = overlap * share * expected_wh * running;
    taker.put(part, energy_wh, { evidence: "declared", detail });
  }
  return { expected_wh, produced_wh: made_wh, claims: taker.claims };
}

/** What an inverter that runs made of what was expected of it, less what was declared lost. */
export function ratiosOf(
  facts: InverterFacts,
  { scene, made_wh, declared }: Pick<LossEvidence, "scene" | "made_wh" | "declared">,
): Quarters {
  const least_w = availability_limits.producing_share * (facts.capacity_w ?? 0);
  return made_wh.map((made, i) => {
    const allowed_wh = facts.setpoint_wh[i] / facts.modelled[i];
    if (!(allowed_wh > least_w * scene.light_h[i])) return NaN;
    if (isIdle(facts, made / scene.light_h[i])) return NaN;
    const lost = declared.reduce(
      (sum, it) => sum + it.share * overlapIn(it, i + scene.from),
      0,
    );
    return lost < 1 ? made / (allowed_wh * (1 - lost)) : NaN;
  });
}

type Word = Pick<Claim, "evidence" | "detail">;

const words = {
  rating: { evidence: "rating", detail: null },
  peers: { evidence: "peers", detail: "it makes less of what is expected than its peers do" },
  none: { evidence: "none", detail: "nothing tells what it produced" },
} as const;

/** Takes energy for one claim after the other from what is missing. */
class Taker {
  readonly claims: Claim[] = [];
  #left_wh: number;

  constructor(missing_wh: number) {
    this.#left_wh = missing_wh;
  }

  /** At most what is left. */
  take(part: Claim["part"], energy_wh: number, word: Word): void {
    this.put(part, Math.min(energy_wh, Math.max(0, this.#left_wh)), word);
  }

  put(part: Claim["part"], energy_wh: number, { evidence, detail }: Word): void {
    if (!(energy_wh > 0)) return;
    this.#left_wh -= energy_wh;
    this.claims.push({ part, energy_wh, evidence, detail });
  }
}

function takeOutages(taker: Taker, said: readonly Said[], expected_wh: number): void {
  for (const word of said) {
    if (word.state === "out_of_electrical_specification") {
      taker.take("grid", word.share * expected_wh, word);
    }
    if (word.state === "dc_side_outage") taker.take("dc", word.share * expected_wh, word);
  }
}

function takeDerate(
  taker: Taker,
  said: readonly Said[],
  { expected_wh, below_wh }: { readonly expected_wh: number; readonly below_wh: number },
): void {
  for (const word of said) {
    if (word.state === "partial_capability") taker.take("derate", word.share * expected_wh, word);
  }
  taker.take("derate", below_wh, words.peers);
}

/** What an inverter that runs makes less than its peers would in its place. */
function belowPeers(
  facts: InverterFacts,
  { ratioAt, peersAt }: LossEvidence,
  i: number,
): number {
  const [own, peers] = [ratioAt(i), peersAt(i)];
  const is_below = own < peers * (1 - availability_limits.derate_share);
  return is_below ? (peers - own) * facts.setpoint_wh[i] : 0;
}

/** Of time in which nothing tells of production, only what is known not to have run is lost. */
function unmeasuredAccount(expected_wh: number, said: readonly Said[]): QuarterAccount {
  const taker = new Taker(expected_wh);
  for (const word of said) taker.take("unavailability", word.unavailable * expected_wh, word);
  takeOutages(taker, said, expected_wh);
  const known_wh = taker.claims.reduce((sum, { energy_wh }) => sum + energy_wh, 0);
  taker.put("unmeasured", expected_wh - known_wh, words.none);
  return { expected_wh: known_wh, produced_wh: 0, claims: taker.claims };
}

/** By its own energy sensor where that has a value, else by the best evidence. */
function madeIn({ light_energy_wh }: InverterFacts, made_wh: Quarters, i: number): number {
  return Number.isNaN(light_energy_wh[i]) ? made_wh[i] : light_energy_wh[i];
}

/** How much of a quarter-hour a span covers. */
function overlapIn({ from_us, to_us }: TimeSpan, quarter: number): number {
  const covered_us = Math.min(to_us, (quarter + 1) * quarter_us) -
    Math.max(from_us, quarter * quarter_us);
  return Math.max(0, covered_us) / quarter_us;
}

/** How much of the strings' current is missing from those far below the others, and which. */
function stringsLack({ strings }: InverterFacts, i: number) {
  const sent = strings.map(({ name, weight, current }) => (
    { name, weight, rate: current[i] / weight }
  )).filter(({ rate }) => !Number.isNaN(rate));
  const rates = sent.map(({ rate }) => rate).sort((a, b) => a - b);
  const usual = rates[rates.length >> 1];
  if (sent.length < availability_limits.least_strings || !(usual > 0)) {
    return { share: 0, detail: null };
  }
  const low = sent.filter(({ rate }) => rate < usual * (1 - availability_limits.string_share));
  const whole = sent.reduce((sum, { weight }) => sum + weight, 0) * usual;
  const lack = low.reduce((sum, { rate, weight }) => sum + (usual - rate) * weight, 0);
  return {
    share: lack / whole,
    detail: `below its siblings: ${low.map((it) => it.name).join(", ")}`,
  };
}
