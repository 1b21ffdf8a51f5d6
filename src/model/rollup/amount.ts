// What a tag's samples come to in each minute: a register's counts, amounts, an integral, a mean.
import { rollup_limits } from "./limits.ts";
import {
  addAt,
  addEvenly,
  addTo,
  eachMinute,
  type MinuteValues,
  type Readings,
} from "../time/series.ts";

const hour_us = 3_600_000_000;

/**
 * Writes into `minutes` the mean over the part of each minute in which a value holds. A value holds
 * until the next sample, at most `hold_s`; an unusable sample (NaN) ends it and holds nothing.
 */
export function holdMeans(readings: Readings, hold_s: number, minutes: MinuteValues): void {
  const held = new Float64Array(minutes.values.length);
  const sums = new Float64Array(minutes.values.length);
  const { ts, value } = readings;
  for (let i = 0; i < value.length; i++) {
    if (Number.isNaN(value[i])) continue;
    const next = i + 1 < ts.length ? ts[i + 1] : Infinity;
    const visit = (at: number, a: number, b: number) => {
      held[at] += b - a;
      sums[at] += value[i] * (b - a);
    };
    eachMinute(minutes, visit, {
      from: ts[i],
      to: Math.min(next, ts[i] + hold_s * 1_000_000),
    });
  }
  held.forEach((weight, i) => {
    if (weight > 0) minutes.values[i] = sums[i] / weight;
  });
}

/**
 * Adds the integral of usable `readings` (W gives Wh) to `minutes`, linear between neighbours.
 * Neighbours further apart than `rollup_limits.gap_s` add nothing.
 */
export function integrate(readings: Readings, minutes: MinuteValues): void {
  const { ts, value } = readings;
  for (let i = 1; i < value.length; i++) {
    const from = ts[i - 1];
    const to = ts[i];
    if (to - from > rollup_limits.gap_s * 1_000_000) continue;
    const slope = (value[i] - value[i - 1]) / (to - from);
    const start = value[i - 1];
    const visit = (i: number, a: number, b: number) => {
      const middle = start + slope * ((a + b) / 2 - from);
      addTo(minutes, { i, amount: middle * (b - a) / hour_us });
    };
    eachMinute(minutes, visit, { from, to });
  }
}

/** The interval that a sample's amount is of: its length, and which end of it `ts` marks. */
type AmountInterval = { readonly interval_s: number; readonly at: "start" | "end" };

/** Adds usable amounts to `minutes`. */
export function addIntervals(
  readings: Readings,
  interval: AmountInterval,
  minutes: MinuteValues,
): void {
  const length = interval.interval_s * 1_000_000;
  readings.value.forEach((amount, i) => {
    const from = readings.ts[i] - (interval.at === "end" ? length : 0);
    addEvenly(minutes, { from, to: from + length, amount });
  });
}

/** What is known of a register. */
export type Register = {
  /** Bits after which it wraps; 16 and 32 are recognised undeclared. */
  readonly bits: number | null;
  /** The most that it can count in an hour, in its own unit; Infinity when not known. */
  readonly per_hour: number;
};

/** A register within this part of its range from the top, then of zero, has wrapped. */
const near = 0.1;

/**
 * Adds what a register counted to `minutes` and gives how many differences were dropped as
 * physically impossible. `readings` are usable ones; the first is taken as it is, so they start at
 * a sync point or at the first reading of all. A difference is spread evenly between its two
 * readings; over a gap longer than `rollup_limits.counter_spread_s` it falls to the later one's
 * minute.
 */
export function countRegister(
  readings: Readings,
  register: Register,
  minutes: MinuteValues,
): number {
  const { ts, value } = readings;
  let dropped = 0;
  let ref = 0;
  for (let i = 1; i < value.length; i++) {
    const counted = countedAt(value, { i, ref: value[ref] }, register.bits);
    if (counted === "glitch") continue;
    const from = ts[ref];
    ref = i;
    if (counted === "new track") continue;
    const span = { from, to: ts[i], amount: counted };
    if (span.to - from <= rollup_limits.counter_spread_s * 1_000_000) addEvenly(minutes, span);
    else if (counted <= register.per_hour * (span.to - from) / hour_us) {
      addAt(minutes, { ts: span.to, amount: counted });
    } else dropped++;
  }
  return dropped;
}

/**
 * Three climbing readings are a sync point: after them the reference is the last one whatever came
 * before. Gives the last sync point at or before the instant `ts`, or -1.
 */
export function syncBefore(readings: Readings, ts: number): number {
  let i = readings.ts.length - 1;
  while (i >= 0 && readings.ts[i] > ts) i--;
  while (i >= 2 && !climbs(readings.value, i)) i--;
  return i >= 2 ? i : -1;
}

/** The first sync point whose three readings are all after the instant `ts`, or -1. */
export function syncAfter(readings: Readings, ts: number): number {
  let i = 0;
  while (i < readings.ts.length && readings.ts[i] <= ts) i++;
  i += 2;
  while (i < readings.ts.length && !climbs(readings.value, i)) i++;
  return i < readings.ts.length ? i : -1;
}

function climbs(value: Float64Array, i: number): boolean {
  return value[i - 2] <= value[i - 1] && value[i - 1] <= value[i];
}

/**
 * What reading i counted since the reference. A fall that returns within two readings is a glitch;
 * one that stays for three is a new track; one that is not decided yet counts as a glitch for now.
 */
function countedAt(
  value: Float64Array,
  at: { readonly i: number; readonly ref: number },
  bits: number | null,
): number | "glitch" | "new track" {
  const { i, ref } = at;
  if (value[i] >= ref) return value[i] - ref;
  const range = wrapOf(ref, value[i], bits);
  if (range !== undefined) return value[i] + range - ref;
  const stays = i + 2 < value.length && value[i + 1] < ref && value[i + 2] < ref;
  return stays ? "new track" : "glitch";
}

/** The range of the register if the fall from `ref` to `reading` is a wrap. */
function wrapOf(ref: number, reading: number, bits: number | null): number | undefined {
  const ranges = bits === null ? [2 ** 16, 2 ** 32] : [2 ** bits];
  return ranges.find((range) =>
    ref < range && ref >= range * (1 - near) && reading >= 0 && reading <= range * near
  );
}
