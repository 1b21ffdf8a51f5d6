// Where an inverter's expected energy of a day went, as far as its quarter-hours show it.
import type { StateSpan } from "./availability.ts";
import { type InverterFacts, quarter_us, type Quarters, type Scene } from "./fact.ts";
import { Crowd } from "./made.ts";
import { type DayPart, declared_parts, type LossPart, type LossSpan } from "./loss.ts";
import {
  accountOf,
  type Claim,
  type Declared,
  type LossEvidence,
  type QuarterAccount,
  ratiosOf,
  saidOf,
} from "./loss_quarter.ts";

/** Energies of a day's daylight, of time with a model and a known production; null for none. */
export type DayEnergy = Readonly<Record<`${DayPart}_wh`, number | null>>;

/** Judges the losses of some inverters, each beside the others. */
export class LossJudge {
  readonly #plant: LossPlant;
  readonly #ratios: readonly Quarters[];
  readonly #crowd: Crowd;

  constructor(plant: LossPlant) {
    this.#plant = plant;
    const { scene, inverters } = plant;
    this.#ratios = inverters.map((facts, n) =>
      ratiosOf(facts, { scene, made_wh: plant.made_wh[n], declared: plant.declared[n] })
    );
    this.#crowd = new Crowd(scene, this.#ratios);
  }

  /** Where the energy of the `n`th inverter went, by its states of one day. */
  judge(n: number, spans: readonly StateSpan[]) {
    const { scene, inverters, made_wh, declared } = this.#plant;
    return energyOf(inverters[n], spans, {
      scene,
      made_wh: made_wh[n],
      declared: declared[n],
      ratioAt: (i) => this.#ratios[n][i],
      peersAt: (i) => this.#crowd.medianBeside(n, i),
      limitAt: (i) => this.#plant.limits[n].get(i),
    });
  }
}

/** What losses are judged by, of each inverter: what it made, and what was declared of it. */
type LossPlant = {
  readonly scene: Scene;
  readonly inverters: readonly InverterFacts[];
  readonly made_wh: readonly Quarters[];
  readonly declared: readonly (readonly Declared[])[];
  /** The setpoint that limits it, by the place of each quarter-hour in the scene. */
  readonly limits: readonly ReadonlyMap<number, string>[];
};

/** Sums up the quarter-hours of an inverter's states of one day. */
function energyOf(
  facts: InverterFacts,
  spans: readonly StateSpan[],
  evidence: LossEvidence,
): { readonly energy: DayEnergy; readonly lost: readonly LossSpan[] } {
  const { scene } = evidence;
  const said = saidOf(spans, scene);
  const accounts = new Map<number, QuarterAccount>();
  for (const i of said.keys()) {
    if (Number.isNaN(facts.model_wh[i])) continue;
    accounts.set(i, accountOf(facts, { i, said: said.get(i)!, evidence }));
  }
  const granted = granter([...accounts.values()]);
  const lost = spansOf(accounts, scene, granted);
  return { energy: dayOf([...accounts.values()], lost), lost };
}

/** What each claim is granted: those that were declared no more than what is missing in the day. */
function granter(accounts: readonly QuarterAccount[]): (claim: Claim) => number {
  const sums = new Map<LossPart, number>();
  let left_wh = 0;
  for (const { expected_wh, produced_wh, claims } of accounts) {
    left_wh += expected_wh - produced_wh;
    for (const { part, energy_wh } of claims) {
      sums.set(part, (sums.get(part) ?? 0) + energy_wh);
      if (part !== "unmeasured" && !isDeclared(part)) left_wh -= energy_wh;
    }
  }
  const shares = new Map<LossPart, number>();
  for (const part of declared_parts) {
    const claimed_wh = sums.get(part) ?? 0;
    const share = Math.min(1, Math.max(0, left_wh) / claimed_wh);
    shares.set(part, share);
    if (claimed_wh > 0) left_wh -= share * claimed_wh;
  }
  return ({ part, energy_wh }) => energy_wh * (shares.get(part) ?? 1);
}

function isDeclared(part: LossPart): boolean {
  return (declared_parts as readonly LossPart[]).includes(part);
}

/** The claims of quarter-hours in order, those that touch and say the same made one. */
function spansOf(
  accounts: ReadonlyMap<number, QuarterAccount>,
  scene: Scene,
  granted: (claim: Claim) => number,
): readonly LossSpan[] {
  const last = new Map<string, LossSpan>();
  const spans: LossSpan[] = [];
  for (const [i, { claims }] of [...accounts].sort(([a], [b]) => a - b)) {
    const from_us = (scene.from + i) * quarter_us;
    for (const claim of claims) {
      const { part, evidence, detail } = claim;
      const energy_wh = granted(claim);
      if (energy_wh === 0) continue;
      const key = JSON.stringify([part, evidence, detail]);
      const open = last.get(key);
      if (open && open.to_us >= from_us) {
        Object.assign(open, { to_us: from_us + quarter_us, energy_wh: open.energy_wh + energy_wh });
      } else {
        const span = { part, from_us, to_us: from_us + quarter_us, energy_wh, evidence, detail };
        last.set(key, span);
        spans.push(span);
      }
    }
  }
  return spans;
}

/** The day's sums; null where no quarter-hour has a model, or nothing tells what was produced. */
function dayOf(accounts: readonly QuarterAccount[], lost: readonly LossSpan[]): DayEnergy {
  const of = (part: LossPart) =>
    lost.reduce((sum, it) => it.part === part ? sum + it.energy_wh : sum, 0);
  const sum = (name: "expected_wh" | "produced_wh") =>
    accounts.reduce((sum, account) => sum + account[name], 0);
  const is_known = accounts.some(({ expected_wh, claims }) =>
    expected_wh > 0 || claims.length === 0
  );
  const known = (value: number) => is_known ? value : null;
  return {
    expected_wh: known(sum("expected_wh")),
    produced_wh: known(sum("produced_wh")),
    unavailable_wh: known(of("unavailability")),
    curtailed_wh: known(of("curtailment")),
    clipped_wh: known(of("clipping")),
    grid_wh: known(of("grid")),
    dc_wh: known(of("dc")),
    derate_wh: known(of("derate")),
    snow_wh: known(of("snow")),
    soiling_wh: known(of("soiling")),
    unmeasured_wh: accounts.length > 0 ? of("unmeasured") : null,
  };
}
