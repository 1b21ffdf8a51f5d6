// Where an inverter's expected energy of a day went, as far as its quarter-hours show it.
import type { StateSpan } from "./availability.ts";
import { eachQuarter, type InverterFacts, quarter_us, type Scene } from "./fact.ts";

/** Energies of a day's daylight, of quarter-hours that have a model; null where none has. */
export type DayEnergy = {
  /** What the modules could have given, before the inverter's rating clipped it. */
  readonly expected_wh: number | null;
  readonly produced_wh: number | null;
  /** Lost to unavailability, to setpoints, and to the inverter's rating. */
  readonly unavailable_wh: number | null;
  readonly curtailed_wh: number | null;
  readonly clipped_wh: number | null;
};

/** Sums up the quarter-hours of an inverter's states of one day. */
export function energyOf(
  facts: InverterFacts,
  { scene, spans }: { readonly scene: Scene; readonly spans: readonly StateSpan[] },
): DayEnergy {
  const sum = { expected: 0, produced: 0, unavailable: 0, curtailed: 0, clipped: 0 };
  let known = false;
  const lost_h = unavailableHours(spans, scene);
  const from = Math.floor((spans.at(0)?.from_us ?? 0) / quarter_us) - scene.from;
  const to = Math.ceil((spans.at(-1)?.to_us ?? 0) / quarter_us) - scene.from;
  for (let i = from; i < to; i++) {
    const model = facts.model_wh[i];
    if (scene.light_h[i] === 0 || Number.isNaN(model)) continue;
    known = true;
    const share = (lost_h.get(i) ?? 0) / scene.light_h[i];
    const clipped = facts.clipped_wh[i] || 0;
    const expected = model + clipped;
    const produced = producedIn(facts, { i, hours: scene.light_h[i] });
    sum.expected += expected;
    sum.produced += produced;
    sum.unavailable += Math.min(share * expected, Math.max(expected - produced, 0));
    sum.curtailed += Math.max(0, model - facts.setpoint_wh[i] || 0) * (1 - share);
    sum.clipped += clipped * (1 - share);
  }
  return {
    expected_wh: known ? sum.expected : null,
    produced_wh: known ? sum.produced : null,
    unavailable_wh: known ? sum.unavailable : null,
    curtailed_wh: known ? sum.curtailed : null,
    clipped_wh: known ? sum.clipped : null,
  };
}

/** The unavailable hours of quarter-hours that have some, by their place in the scene. */
function unavailableHours(
  spans: readonly StateSpan[],
  { from }: Scene,
): ReadonlyMap<number, number> {
  const hours = new Map<number, number>();
  for (const span of spans) {
    const { unavailable } = span;
    if (!unavailable) continue;
    eachQuarter(span, (q, h) => hours.set(q - from, (hours.get(q - from) ?? 0) + h * unavailable));
  }
  return hours;
}

/** By the energy sensor where it has a value, else by the power. */
function producedIn(
  { light_energy_wh, power_w }: InverterFacts,
  { i, hours }: { readonly i: number; readonly hours: number },
): number {
  const counted = light_energy_wh[i];
  return Number.isNaN(counted) ? power_w[i] * hours || 0 : counted;
}
