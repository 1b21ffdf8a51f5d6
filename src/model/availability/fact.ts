// What the quarter-hours of a site and of its inverters show: what availability is inferred from.
import { availability_limits } from "./limits.ts";
import type { TimeSpan } from "../time/daylight.ts";

/** A quarter-hour; every zone's offset is a multiple of it, so it lies in one local day. */
export const quarter_us = 900_000_000;
export const quarter_h = 0.25;

/** Values of quarter-hours, from the scene's first on; NaN where there is none. */
export type Quarters = Float64Array<ArrayBuffer>;

/** The time that facts stand on: quarter-hours since 1970 UTC, `[from, from + count)`. */
export type Scene = {
  readonly from: number;
  readonly count: number;
  /** The daylight of each local day as far as it is over, in order. */
  readonly days: readonly { readonly day: number; readonly light: readonly TimeSpan[] }[];
  /** Hours of daylight in each quarter-hour. */
  readonly light_h: Quarters;
  /** 1 in quarter-hours near sunrise or sunset, when the sun may be too low to produce. */
  readonly low_sun: Uint8Array;
};

/** What an inverter's quarter-hours show. */
export type InverterFacts = {
  /** Rated AC power; null when not known. */
  readonly capacity_w: number | null;
  /** Whether a register climbs on while nothing is heard from it: its own, or its meter's. */
  readonly has_counter: boolean;
  /** 1 where something was heard from it by daylight. */
  readonly heard: Uint8Array;
  /** Mean by daylight; from its energy where it sends no power. */
  readonly power_w: Quarters;
  /** Its power by daylight where all readings of the quarter-hour are the same. */
  readonly flat_w: Quarters;
  /** How much of a quarter-hour its power readings cover, 0 to 1; 0 where it sends none. */
  readonly covered: Quarters;
  /** The amounts of its register, or of a meter that it alone feeds, of the day's dark as well. */
  readonly energy_wh: Quarters;
  /** The same of daylight, where it was read before and behind: nothing of a gap is in it. */
  readonly counter_wh: Quarters;
  /** Its own energy sensor's amounts by daylight. */
  readonly light_energy_wh: Quarters;
  /** Expected by daylight, without and with the setpoint, and what was clipped beside it. */
  readonly model_wh: Quarters;
  readonly setpoint_wh: Quarters;
  readonly clipped_wh: Quarters;
  /** How much of a quarter-hour's light has a model, 0 to 1. */
  readonly modelled: Quarters;
  /** The current, or power, of each of its strings or combiners by daylight. */
  readonly strings: readonly StringFacts[];
};

/** What a string of modules gives, and what part of its inverter it is. */
export type StringFacts = {
  readonly name: string;
  readonly weight: number;
  readonly current: Quarters;
};

/** The scene of some local days of a place, as far as they are over at `over_us`. */
export function sceneOf(
  days: readonly { readonly day: number; readonly light: readonly TimeSpan[] }[],
  over_us: number,
): Scene {
  const over = days.map(({ day, light }) => ({
    day,
    light: light.map((it) => ({ ...it, to_us: Math.min(it.to_us, over_us) }))
      .filter((it) => it.from_us < it.to_us),
  }));
  const spans = over.flatMap(({ light }) => light);
  const from = Math.floor((spans.at(0)?.from_us ?? 0) / quarter_us);
  const count = Math.ceil((spans.at(-1)?.to_us ?? 0) / quarter_us) - from;
  const light_h = new Float64Array(count);
  const low_sun = new Uint8Array(count);
  for (const span of spans) eachQuarter(span, (q, h) => light_h[q - from] += h);
  for (const span of days.flatMap(({ light }) => light)) {
    eachQuarter(span, (q) => {
      const since_us = (q + 1) * quarter_us - span.from_us;
      const until_us = span.to_us - q * quarter_us;
      const low = Math.min(since_us, until_us) <= availability_limits.low_sun_s * 1_000_000;
      if (low && q - from < count) low_sun[q - from] = 1;
    });
  }
  return { from, count, days: over, light_h, low_sun };
}

/** Calls `visit` with each quarter-hour that a span touches and the hours of the span in it. */
export function eachQuarter(
  span: TimeSpan,
  visit: (quarter: number, hours: number) => void,
): void {
  const end = Math.ceil(span.to_us / quarter_us);
  for (let q = Math.floor(span.from_us / quarter_us); q < end; q++) {
    const from_us = Math.max(span.from_us, q * quarter_us);
    const to_us = Math.min(span.to_us, (q + 1) * quarter_us);
    visit(q, (to_us - from_us) / 3_600_000_000);
  }
}

/** Facts of an inverter that was never heard. */
export function noFacts(
  { count }: Scene,
  known: Pick<InverterFacts, "capacity_w" | "has_counter">,
): InverterFacts {
  const none = () => new Float64Array(count).fill(NaN);
  return {
    ...known,
    heard: new Uint8Array(count),
    power_w: none(),
    flat_w: none(),
    covered: new Float64Array(count),
    energy_wh: none(),
    counter_wh: none(),
    light_energy_wh: none(),
    model_wh: none(),
    setpoint_wh: none(),
    clipped_wh: none(),
    modelled: new Float64Array(count).fill(1),
    strings: [],
  };
}

/** Whether an inverter's power counts as none. */
export function isIdle({ capacity_w }: InverterFacts, power_w: number): boolean {
  return power_w <= availability_limits.no_power_share * (capacity_w ?? 0);
}

/** Whether a setpoint holds an inverter below what is expected of it. */
export function isCurbed({ model_wh, setpoint_wh }: InverterFacts, i: number): boolean {
  return setpoint_wh[i] < model_wh[i] * (1 - 1e-9);
}

/** Whether there is too little light to produce; where nothing measures it, near the sun's edge. */
export function isDim(poa_w_m2: number, low_sun: number): boolean {
  return Number.isNaN(poa_w_m2) ? low_sun === 1 : poa_w_m2 <= availability_limits.dark_poa_w_m2;
}
