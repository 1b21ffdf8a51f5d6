// Loads what the quarter-hours of a site's inverters show, for some local days.
import { giveWay } from "../../base/effects.ts";
import {
  type InverterFacts,
  noFacts,
  type Quarters,
  type Scene,
} from "../../model/availability/fact.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import { type DayRange } from "../../store/availability/availability.ts";
import { readQuarters, readSent } from "../../store/availability/fact.ts";
import type { Connection } from "../../store/connection.ts";
import {
  counterTaker,
  energyTaker,
  keepWhole,
  meanTaker,
  numbersOf,
  powerTaker,
  Takers,
} from "./take.ts";
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
  { inverters, light, meters, strings }: Stream,
  { range, scene }: Stage,
): Promise<StreamFacts> {
  const counters = inverters.map((it) => counterOf(it) ?? meters.get(it));
  const facts = inverters.map((it, n) => ({
    ...noFacts(scene, {
      capacity_w: it.capacity_w,
      has_counter: counters[n]?.accumulation === "counter",
    }),
    strings: (strings.get(it) ?? []).map(({ name, sensor: { capacity } }) => (
      { name, weight: capacity ?? 1, current: new Float64Array(scene.count).fill(NaN) }
    )),
  }));
  const lit = light.map(() => new Float64Array(scene.count).fill(NaN));
  const takers = new Takers(scene);
  inverters.forEach(({ power, energy }, n) => {
    const counter = counters[n];
    if (counter) takers.add(counter, counterTaker(facts[n], { counter, scene }));
    if (energy) takers.add(energy, energyTaker(facts[n], { scene, energy, power }));
    if (power) takers.add(power, powerTaker(facts[n], scene));
    strings.get(inverters[n])?.forEach(({ sensor }, s) =>
      takers.add(sensor, meanTaker(facts[n].strings[s].current))
    );
  });
  light.forEach((sensor, n) => takers.add(sensor, meanTaker(lit[n])));
  const sensors = Int32Array.from(takers.sensor_nos);
  let pieces = 0;
  for (const chunk of await readQuarters(session, { ...range, sensors })) {
    takers.take(chunk);
    if (++pieces % pieces_at_a_time === 0) await giveWay();
  }
  inverters.forEach(({ energy }, n) => {
    keepWhole(facts[n], { scene, is_own: energy !== undefined && energy === counters[n] });
  });
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
