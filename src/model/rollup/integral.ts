// A power or an irradiance as an amount: its trapezoids over time, minute by minute.
import { limits } from "../../base/limits.ts";
import { addTo, eachMinute, type MinuteValues, type Readings } from "../time/series.ts";

const hour_us = 3_600_000_000;

/**
 * Adds the integral of usable `readings` (W gives Wh) to `minutes`, linear between neighbours.
 * Neighbours further apart than `limits.gap_s` add nothing.
 */
export function integrate(readings: Readings, minutes: MinuteValues): void {
  const { ts, value } = readings;
  for (let i = 1; i < value.length; i++) {
    const from = ts[i - 1];
    const to = ts[i];
    if (to - from > limits.gap_s * 1_000_000) continue;
    const slope = (value[i] - value[i - 1]) / (to - from);
    const start = value[i - 1];
    const visit = (i: number, a: number, b: number) => {
      const middle = start + slope * ((a + b) / 2 - from);
      addTo(minutes, { i, amount: middle * (b - a) / hour_us });
    };
    eachMinute(minutes, visit, { from, to });
  }
}
