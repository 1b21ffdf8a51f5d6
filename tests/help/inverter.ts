// Inverters as the pure decision sees them: a scene of five hours, and facts that a test changes.
import {
  type Evidence,
  type State,
  type StateSpan,
  verdict,
} from "../../src/model/availability/availability.ts";
import { type InverterFacts, noFacts, sceneOf } from "../../src/model/availability/fact.ts";
import { GapJudge } from "../../src/model/availability/gap.ts";
import { Inference } from "../../src/model/availability/infer.ts";
import { LossJudge } from "../../src/model/availability/loss_energy.ts";
import type { Declared } from "../../src/model/availability/loss_quarter.ts";

export const noon = Date.parse("2024-06-01T12:00:00Z") * 1000;
export const hour = 3_600_000_000;
const quarter = hour / 4;

/** Two hours of daylight from noon on, an hour's dark, two hours more: 20 quarter-hours. */
export const scene = sceneOf([{
  day: 19875,
  light: [{ from_us: noon, to_us: noon + 2 * hour }, {
    from_us: noon + 3 * hour,
    to_us: noon + 5 * hour,
  }],
}], Infinity);
export const bright = new Float64Array(scene.count).fill(800);

/** An inverter of 100 kW that makes 50 kW all the time, with what a test says otherwise. */
export function inverter(change: (facts: InverterFacts) => void = () => {}, capacity_w = 100_000) {
  const facts = noFacts(scene, { capacity_w, has_counter: true });
  for (let i = 0; i < scene.count; i++) {
    if (scene.light_h[i] === 0) continue;
    facts.heard[i] = 1;
    facts.power_w[i] = capacity_w / 2;
    facts.covered[i] = 1;
    facts.energy_wh[i] = facts.light_energy_wh[i] = capacity_w / 8;
  }
  change(facts);
  return facts;
}

/** Nothing is heard in quarter-hours `[from, to)`. */
export const silentIn = (from: number, to: number) => (facts: InverterFacts) => {
  facts.heard.fill(0, from, to);
  facts.covered.fill(0, from, to);
  facts.power_w.fill(NaN, from, to);
  facts.energy_wh.fill(NaN, from, to);
  facts.light_energy_wh.fill(NaN, from, to);
};

/** The states of the first of some inverters. */
export function spansOf(
  inverters: readonly InverterFacts[],
  { poa = bright, claims = [] }: { poa?: typeof bright; claims?: StateSpan[] } = {},
) {
  const poaOf = () => poa;
  return new Inference({ scene, inverters, poaOf }).daysOf(0, claims)[0].spans;
}

/** Where the energy of the first of some inverters went, by states of its. */
export function judgeLosses(
  facts: InverterFacts,
  spans: readonly StateSpan[],
  { peers = [], declared = [] }: { peers?: InverterFacts[]; declared?: Declared[] } = {},
) {
  const inverters = [facts, ...peers];
  const { made_wh } = new GapJudge({ scene, inverters, poaOf: () => bright });
  const nobody = peers.map(() => []);
  const limits = inverters.map(() => new Map<number, string>());
  return new LossJudge({ scene, inverters, made_wh, declared: [declared, ...nobody], limits })
    .judge(0, spans);
}

/** The spans in words, without their instants. */
export const words = (spans: readonly StateSpan[]) =>
  spans.map(({ from_us, to_us, state, evidence }) =>
    `${(from_us - noon) / quarter}..${(to_us - noon) / quarter} ${state} ${evidence}`
  );

/** A stretch that something is about outright. */
export const claim = (
  from_us: number,
  to_us: number,
  state: State,
  evidence: Evidence,
): StateSpan => (
  { from_us, to_us, ...verdict(state, { evidence }) }
);
