// Loads what the quarter-hours of a site's inverters show, for some local days.
import { giveWay } from "../../base/effects.ts";
import {
  type InverterFacts,
  noFacts,
  type Quarters,
  type Scene,
} from "../../model/availability/fact.ts";
import type { Chunk, Vector } from "../../model/data/chunk.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import { type DayRange } from "../../store/availability/availability.ts";
import { readQuarters, readSent } from "../../store/availability/fact.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import type { Connection } from "../../store/connection.ts";
import { numbersOf as floatsOf } from "../../store/value.ts";
import type { Stream } from "./plant.ts";
import type { Inverter } from "../catalog/inverter.ts";

/** What the inverters of a stream show, in its order, and the irradiance at each of them. */
export type StreamFacts = {
  readonly facts: readonly InverterFacts[];
  readonly poaOf: (n: number) => Quarters;
};

/** Days, and the scene that they make. */
export type Stage = { readonly range: DayRange; readonly scene: Scene };

/** Reads the facts of a stream. What was heard of status codes alone is not in them yet. */
export async function loadFacts(
  session: Connection,
  { inverters, light, meters }: Stream,
  { range, scene }: Stage,
): Promise<StreamFacts> {
  const counters = inverters.map((it) => counterOf(it) ?? meters.get(it));
  const facts = inverters.map(({ capacity_w }, n) =>
    noFacts(scene, { capacity_w, has_counter: counters[n]?.accumulation === "counter" })
  );
  const lit = light.map(() => new Float64Array(scene.count).fill(NaN));
  const takers = new Map<number, (row: Row) => void>();
  const counted = inverters.map(() => new Float64Array(scene.count));
  inverters.forEach(({ power, energy }, n) => {
    const counter = counters[n];
    if (counter) {
      takers.set(
        counter.sensor_no,
        counterTaker(facts[n], { counter, counted: counted[n], scene }),
      );
    }
    if (energy) {
      const take = takers.get(energy.sensor_no);
      const takeEnergy = energyTaker(facts[n], { scene, energy, power });
      takers.set(energy.sensor_no, (row) => {
        take?.(row);
        takeEnergy(row);
      });
    }
    if (power) takers.set(power.sensor_no, (row) => takePower(facts[n], row));
  });
  light.forEach(({ sensor_no }, n) =>
    takers.set(sensor_no, ({ at, light, n: count, value }) => {
      if (light === 1 && count > 0) lit[n][at] = value / count;
    })
  );
  const sensors = Int32Array.from(takers.keys());
  let pieces = 0;
  for (const chunk of await readQuarters(session, { ...range, sensors })) {
    scatter(chunk, scene, takers);
    if (++pieces % pieces_at_a_time === 0) await giveWay();
  }
  facts.forEach((own, n) => keepWhole(own, { scene, counted: counted[n] }));
  inverters.forEach((it, n) => {
    if (!counterOf(it)) hearByMeter(facts[n]);
  });
  await hearSilent(session, inverters, { range, scene, facts });
  for (const { covered } of facts) share(covered);
  return { facts, poaOf: poaBy(inverters, light, { lit, scene }) };
}

const pieces_at_a_time = 8;

/** An inverter's register, or what else counts its energy by itself. */
function counterOf({ energy }: Inverter): Sensor | undefined {
  return energy?.accumulation === "none" ? undefined : energy;
}

/** A quarter-hour of a sensor, at its place in the scene; NaN for what it has not. */
type Row = {
  at: number;
  light: number;
  n: number;
  value: number;
  flat: number;
  model: number;
  setpoint: number;
  clipped: number;
};

function scatter(
  { rows, vectors }: Chunk,
  { from, count }: Scene,
  takers: ReadonlyMap<number, (row: Row) => void>,
): void {
  const columns = vectors.map(numbersOf);
  const [sensor_no, quarter, light, n, value, flat, model, setpoint, clipped] = columns;
  const row = { at: 0, light: 0, n: 0, value: 0, flat: 0, model: 0, setpoint: 0, clipped: 0 };
  let taken = NaN;
  let take = (_: Row) => {};
  for (let i = 0; i < rows; i++) {
    if (sensor_no[i] !== taken) take = takers.get(taken = sensor_no[i])!;
    row.at = quarter[i] - from;
    if (row.at < 0 || row.at >= count) continue;
    row.light = light[i];
    row.n = n[i];
    row.value = value[i];
    row.flat = flat[i];
    row.model = model[i];
    row.setpoint = setpoint[i];
    row.clipped = clipped[i];
    take(row);
  }
}

/** Power in W: sums are of minutes' means. */
function takePower(facts: InverterFacts, row: Row): void {
  const { at, n } = row;
  if (row.light === 0) return;
  facts.model_wh[at] = row.model / 60;
  facts.setpoint_wh[at] = row.setpoint / 60;
  facts.clipped_wh[at] = row.clipped / 60;
  if (n === 0) return;
  facts.heard[at] = 1;
  facts.power_w[at] = row.value / n;
  facts.flat_w[at] = row.flat;
  facts.covered[at] = n;
}

/** Amounts of a register or a meter; `counted` is how many minutes' each is. */
function counterTaker(
  facts: InverterFacts,
  { counter, counted, scene }: {
    readonly counter: Sensor;
    readonly counted: Quarters;
    readonly scene: Scene;
  },
): (row: Row) => void {
  const is_power = counter.measure === "active_power";
  return ({ at, light, n, value }) => {
    if (n === 0) return;
    const amount_wh = is_power ? value / n * scene.light_h[at] : value;
    facts.energy_wh[at] = (facts.energy_wh[at] || 0) + amount_wh;
    if (light === 0) return;
    facts.counter_wh[at] = amount_wh;
    counted[at] = is_power ? 15 : n;
  };
}

/**
 * Keeps the amounts of quarter-hours that were counted from end to end. The first after a silence
 * holds the silence's too; after the night it is one that is more than can be made in it.
 */
function keepWhole(
  { counter_wh, capacity_w }: InverterFacts,
  { scene: { count, light_h }, counted }: { readonly scene: Scene; readonly counted: Quarters },
): void {
  const most_w = rollup_limits.counter_rated_factor * (capacity_w ?? Infinity);
  for (let i = 0; i < count; i++) {
    const is_whole = counted[i] + 1 >= light_h[i] * 60;
    const goes_on = light_h[i - 1] > 0 ? counted[i - 1] > 0 : counter_wh[i] <= most_w * light_h[i];
    if (!is_whole || !goes_on) counter_wh[i] = NaN;
  }
}

/** Where nothing sends a power, what was counted is one. */
function energyTaker(
  facts: InverterFacts,
  { scene, energy, power }: {
    readonly scene: Scene;
    readonly energy: Sensor;
    readonly power: Sensor | undefined;
  },
): (row: Row) => void {
  return ({ at, light, n, value, model, setpoint, clipped }) => {
    if (light === 0) return;
    if (n > 0) facts.light_energy_wh[at] = value;
    if (n > 0 && energy.accumulation === "interval") facts.heard[at] = 1;
    if (power) return;
    if (n > 0) facts.power_w[at] = value / scene.light_h[at];
    facts.model_wh[at] = model;
    facts.setpoint_wh[at] = setpoint;
    facts.clipped_wh[at] = clipped;
  };
}

/** What a meter measures is heard, whether or not the inverter is. */
function hearByMeter({ heard, counter_wh }: InverterFacts): void {
  for (let i = 0; i < heard.length; i++) if (!Number.isNaN(counter_wh[i])) heard[i] = 1;
}

/**
 * A counter's amounts are spread over gaps: where nothing else sends, its readings are asked. One
 * quarter-hour alone is no silence.
 */
async function hearSilent(
  session: Connection,
  inverters: readonly Inverter[],
  { range, scene, facts }: Stage & { readonly facts: readonly InverterFacts[] },
): Promise<void> {
  const silent = inverters.flatMap(({ power, energy }, n) => {
    const { heard, counter_wh } = facts[n];
    const isMute = (i: number) => heard[i] === 0 && !Number.isNaN(counter_wh[i]);
    const is_asked = !power || counter_wh.some((_, i) => isMute(i) && isMute(i + 1));
    return energy && is_asked ? [[energy.tag_no, n] as const] : [];
  });
  if (silent.length === 0) return;
  const by_tag = new Map(silent);
  const tags = Int32Array.from(by_tag.keys());
  for (const { rows, vectors } of await readSent(session, { ...range, tags })) {
    const [tag_no, quarter] = vectors.map(numbersOf);
    for (let i = 0; i < rows; i++) {
      const at = quarter[i] - scene.from;
      if (at < 0 || at >= scene.count || scene.light_h[at] === 0) continue;
      facts[by_tag.get(tag_no[i])!].heard[at] = 1;
    }
  }
}

/** Counts of readings as shares of what a quarter-hour usually has. */
function share(covered: Quarters): void {
  const counts = covered.filter((count) => count > 0).sort();
  const usual = counts[counts.length >> 1];
  for (let i = 0; i < covered.length; i++) covered[i] = Math.min(1, covered[i] / usual) || 0;
}

/** The median of the block's sensors, else of the site's. */
function poaBy(
  inverters: readonly Inverter[],
  light: readonly Sensor[],
  { lit, scene }: { readonly lit: readonly Quarters[]; readonly scene: Scene },
): (n: number) => Quarters {
  const all = mediansOf(lit, scene);
  const blocks = new Map<string | null, Quarters>();
  for (const block_id of new Set(inverters.map(({ sensor }) => sensor.block_id))) {
    const own = lit.filter((_, i) => block_id !== null && light[i].block_id === block_id);
    const nearest = own.length === 0 ? all : mediansOf(own, scene);
    blocks.set(block_id, nearest.map((value, i) => Number.isNaN(value) ? all[i] : value));
  }
  return (n) => blocks.get(inverters[n].sensor.block_id)!;
}

function mediansOf(series: readonly Quarters[], { count }: Scene): Quarters {
  const out = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const values = series.map((it) => it[i]).filter((it) => !Number.isNaN(it))
      .sort((a, b) => a - b);
    const middle = values.length >> 1;
    out[i] = values.length % 2 === 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
  return out;
}

/** The numbers of a column: whole ones as they are, others NaN where there is none. */
export function numbersOf(vector: Vector): ArrayLike<number> {
  return vector.kind === "int32" ? vector.values : floatsOf(vector);
}
