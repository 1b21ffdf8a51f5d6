// What a tag's samples come to in each minute: amounts, an integral, a mean.
import { rollup_limits } from "./limits.ts";
import { addEvenly, addTo, eachMinute, type MinuteValues, type Readings } from "../time/series.ts";

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
