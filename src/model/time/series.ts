// Samples of one tag in order of time, and values by minute computed from them.
import type { MinuteSpan } from "./zone.ts";

/** A tag's samples, rising in time: microseconds since 1970 UTC, and NaN where one is unusable. */
export type Readings = {
  readonly ts: Float64Array<ArrayBuffer>;
  readonly value: Float64Array<ArrayBuffer>;
};

/** Values of consecutive minutes from `from_minute` on; NaN where there is none. */
export type MinuteValues = {
  readonly from_minute: number;
  readonly values: Float64Array<ArrayBuffer>;
};

/** Instants in microseconds, [from, to). */
type Span = { readonly from: number; readonly to: number };

export const minute_us = 60_000_000;

/** The readings without those that are unusable. */
export function usableOf(readings: Readings): Readings {
  let count = 0;
  for (const value of readings.value) if (!Number.isNaN(value)) count++;
  if (count === readings.value.length) return readings;
  const ts = new Float64Array(count);
  const value = new Float64Array(count);
  let at = 0;
  readings.value.forEach((item, i) => {
    if (Number.isNaN(item)) return;
    ts[at] = readings.ts[i];
    value[at++] = item;
  });
  return { ts, value };
}

/** Empty values for a range of minutes. */
export function noValues(range: MinuteSpan): MinuteValues {
  const { from_minute, to_minute } = range;
  return { from_minute, values: new Float64Array(to_minute - from_minute).fill(NaN) };
}

/** Spreads `amount` evenly over [from, to) and adds each minute's part. */
export function addEvenly(
  minutes: MinuteValues,
  span: Span & { readonly amount: number },
): void {
  const { from, to, amount } = span;
  const visit = (i: number, a: number, b: number) =>
    addTo(minutes, { i, amount: amount * (b - a) / (to - from) });
  eachMinute(minutes, visit, span);
}

/** Calls `visit` with each minute's place in `minutes` and its part [a, b) of the span. */
export function eachMinute(
  minutes: MinuteValues,
  visit: (i: number, a: number, b: number) => void,
  { from, to }: Span,
): void {
  const first = Math.max(Math.floor(from / minute_us), minutes.from_minute);
  const end = Math.min(Math.ceil(to / minute_us), minutes.from_minute + minutes.values.length);
  for (let minute = first; minute < end; minute++) {
    const a = Math.max(from, minute * minute_us);
    const b = Math.min(to, (minute + 1) * minute_us);
    visit(minute - minutes.from_minute, a, b);
  }
}

/** Adds to place `i` of `minutes`, if they have it. */
export function addTo(
  { values }: MinuteValues,
  { i, amount }: { readonly i: number; readonly amount: number },
): void {
  if (i < 0 || i >= values.length) return;
  values[i] = Number.isNaN(values[i]) ? amount : values[i] + amount;
}
