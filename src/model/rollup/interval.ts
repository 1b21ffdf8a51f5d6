// Amounts per interval, spread evenly over the interval that each of them stands for.
import { addEvenly, type MinuteValues, type Readings } from "../time/series.ts";

/** The interval that a sample's amount is of: its length, and which end of it `ts` marks. */
export type AmountInterval = { readonly interval_s: number; readonly at: "start" | "end" };

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
