// A value that holds until the next sample: its time-weighted mean, minute by minute.
import { eachMinute, type MinuteValues, type Readings } from "../time/series.ts";

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
