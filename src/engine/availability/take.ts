// Takes the quarter-hours of sensors, as they are read, into what inverters show.
import type { InverterFacts, Quarters, Scene } from "../../model/availability/fact.ts";
import { type Chunk, numbersOf as floatsOf, type Vector } from "../../model/data/chunk.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import { counter_limits } from "../../model/counters/limits.ts";

/** A quarter-hour of a sensor, at its place in the scene; NaN for what it has not. */
type Row = {
  at: number;
  light: number;
  n: number;
  value: number;
  flat: number;
  model_n: number;
  model: number;
  setpoint: number;
  clipped: number;
};

type Take = (row: Row) => void;

/** What takes the rows of each sensor. */
export class Takers {
  readonly #scene: Scene;
  readonly #takers = new Map<number, Take>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  get sensor_nos(): Iterable<number> {
    return this.#takers.keys();
  }

  /** Gives a sensor's rows to one more. */
  add({ sensor_no }: Sensor, take: Take): void {
    const others = this.#takers.get(sensor_no);
    this.#takers.set(
      sensor_no,
      others === undefined ? take : (row) => {
        others(row);
        take(row);
      },
    );
  }

  /** Gives out a piece of what was read. */
  take({ rows, vectors }: Chunk): void {
    const { from, count } = this.#scene;
    const columns = vectors.map(numbersOf);
    const [sensor_no, quarter, light, n, value, flat, model_n, model, setpoint, clipped] = columns;
    const none = { at: 0, light: 0, n: 0, value: 0, flat: 0 };
    const row = { ...none, model_n: 0, model: 0, setpoint: 0, clipped: 0 };
    let taken = NaN;
    let take = (_: Row) => {};
    for (let i = 0; i < rows; i++) {
      if (sensor_no[i] !== taken) take = this.#takers.get(taken = sensor_no[i])!;
      row.at = quarter[i] - from;
      if (row.at < 0 || row.at >= count) continue;
      row.light = light[i];
      row.n = n[i];
      row.value = value[i];
      row.flat = flat[i];
      row.model_n = model_n[i];
      row.model = model[i];
      row.setpoint = setpoint[i];
      row.clipped = clipped[i];
      take(row);
    }
  }
}

/** Means by daylight. */
export function meanTaker(means: Quarters): Take {
  return ({ at, light, n, value }) => {
    if (light === 1 && n > 0) means[at] = value / n;
  };
}

/** Power in W: sums are of minutes' means. */
export function powerTaker(facts: InverterFacts, scene: Scene): Take {
  return (row) => {
    const { at, n } = row;
    if (row.light === 0) return;
    takeModel(facts, row, { scene, per_wh: 60 });
    if (n === 0) return;
    facts.heard[at] = 1;
    facts.power_w[at] = row.value / n;
    facts.flat_w[at] = row.flat;
    facts.covered[at] = n;
  };
}

/** Amounts of a register or a meter. */
export function counterTaker(
  facts: InverterFacts,
  { counter, scene }: { readonly counter: Sensor; readonly scene: Scene },
): Take {
  const is_power = counter.measure === "active_power";
  return ({ at, light, n, value }) => {
    if (n === 0) return;
    const amount_wh = is_power ? value / n * scene.light_h[at] : value;
    facts.energy_wh[at] = (facts.energy_wh[at] || 0) + amount_wh;
    if (light === 1 && (is_power || isWhole(n, scene.light_h[at]))) {
      facts.counter_wh[at] = amount_wh;
    }
  };
}

/** Where nothing sends a power, what was counted is one. */
export function energyTaker(
  facts: InverterFacts,
  { scene, energy, power }: {
    readonly scene: Scene;
    readonly energy: Sensor;
    readonly power: Sensor | undefined;
  },
): Take {
  return (row) => {
    const { at, light, n, value } = row;
    if (light === 0) return;
    if (isWhole(n, scene.light_h[at])) facts.light_energy_wh[at] = value;
    if (n > 0 && energy.accumulation === "interval") facts.heard[at] = 1;
    if (power) return;
    if (n > 0) facts.power_w[at] = value / scene.light_h[at];
    takeModel(facts, row, { scene, per_wh: 1 });
  };
}

/**
 * Keeps a register's amounts only where they are of the quarter-hour alone. The first after a
 * silence holds the silence's too; after the night it is one that is more than can be made in it.
 */
export function keepWhole(
  { counter_wh, energy_wh, light_energy_wh, capacity_w, has_counter }: InverterFacts,
  { scene: { count, light_h }, is_own }: { readonly scene: Scene; readonly is_own: boolean },
): void {
  if (!has_counter) return;
  const most_w = counter_limits.rated_factor * (capacity_w ?? Infinity);
  for (let i = 0; i < count; i++) {
    const goes_on = light_h[i - 1] > 0
      ? !Number.isNaN(energy_wh[i - 1])
      : counter_wh[i] <= most_w * light_h[i];
    if (!goes_on) counter_wh[i] = NaN;
    if (is_own) light_energy_wh[i] = counter_wh[i];
  }
}

/** The numbers of a column: whole ones as they are, others NaN where there is none. */
export function numbersOf(vector: Vector): ArrayLike<number> {
  return vector.kind === "int32" ? vector.values : floatsOf(vector);
}

function takeModel(
  facts: InverterFacts,
  { at, model_n, model, setpoint, clipped }: Row,
  { scene, per_wh }: { readonly scene: Scene; readonly per_wh: number },
): void {
  facts.model_wh[at] = model / per_wh;
  facts.setpoint_wh[at] = setpoint / per_wh;
  facts.clipped_wh[at] = clipped / per_wh;
  const light_h = scene.light_h[at];
  facts.modelled[at] = isWhole(model_n, light_h) ? 1 : model_n / (light_h * 60);
}

/** Whether so many minutes are all of a light, whose first and last may be cut. */
function isWhole(minutes: number, light_h: number): boolean {
  return minutes > 0 && minutes + 1 >= light_h * 60;
}
