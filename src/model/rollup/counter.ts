// A register that climbs: what it counted between its readings, through falls, wraps and gaps.
import { limits } from "../../base/limits.ts";
import { addAt, addEvenly, type MinuteValues, type Readings } from "../time/series.ts";

/** What is known of a register. */
export type Register = {
  /** Bits after which it wraps; 16 and 32 are recognised undeclared. */
  readonly bits: number | null;
  /** The most that it can count in an hour, in its own unit; Infinity when not known. */
  readonly per_hour: number;
};

/** A register within this part of its range from the top, then of zero, has wrapped. */
const near = 0.1;
const hour_us = 3_600_000_000;

/**
 * Adds what a register counted to `minutes` and gives how many differences were dropped as
 * physically impossible. `readings` are usable ones; the first is taken as it is, so they start at
 * a sync point or at the first reading of all. A difference is spread evenly between its two
 * readings; over a gap longer than `limits.counter_spread_s` it falls to the later one's minute.
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
    if (span.to - from <= limits.counter_spread_s * 1_000_000) addEvenly(minutes, span);
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
