// A counter's readings, what it can have counted between them, and where its reference is certain.
import { counter_limits } from "./limits.ts";
import type { Readings } from "../time/series.ts";

/** What a register jumped from and to at an instant, in its own unit: somebody's word. */
export type Reset = {
  readonly at_us: number;
  readonly last_value: number;
  readonly first_value: number;
};

/** What is known of a register, in its own unit. */
export type Register = {
  /** Where it starts again at 0; null if not declared: 2^16 and 2^32 are known then. */
  readonly modulus: number | null;
  /** The most that it can count in a microsecond; null where no rated power is known. */
  readonly per_us: number | null;
  /** The largest last digit that it can show: one step of it is always possible. */
  readonly digit: number;
  /** In order of time. */
  readonly resets: readonly Reset[];
};

const { agreeing_readings, standing_readings } = counter_limits;
const median_look_us = counter_limits.median_look_s * 1_000_000;
const none: readonly Reset[] = [];
const digits = [1000, 100, 10, 1, 0.1, 0.01, 0.001];
const usual_moduli = [2 ** 16, 2 ** 32];

/** Usable readings of a counter in order of time. */
export class CounterReadings {
  readonly ts: Float64Array;
  readonly value: Float64Array;
  readonly #register: Register;
  readonly #reset_ts: Float64Array;
  readonly #pace: Pace | undefined;

  constructor(readings: Readings, register: Register) {
    this.ts = readings.ts;
    this.value = readings.value;
    this.#register = register;
    this.#reset_ts = Float64Array.from(register.resets, ({ at_us }) => at_us);
    if (register.per_us === null) this.#pace = new Pace(readings);
  }

  /** What it counted from one reading to a later one; NaN where that is not possible. */
  step(from: number, to: number): number {
    let settled = 0;
    for (const { last_value, first_value } of this.resets(from, to)) {
      settled += last_value - first_value;
    }
    const rise = this.value[to] - this.value[from] + settled;
    if (rise >= 0) return this.#isPossible(rise, from, to) ? rise : NaN;
    return settled === 0 ? this.#wrapped(from, to) : NaN;
  }

  /** The most that it can have counted between two readings; Infinity where nothing says. */
  most(from: number, to: number): number {
    const dt = this.ts[to] - this.ts[from];
    return this.#pace ? this.#pace.most(to) * dt : this.#register.per_us! * dt;
  }

  /** The resets that lie between two readings. */
  resets(from: number, to: number): readonly Reset[] {
    const { resets } = this.#register;
    if (resets.length === 0) return none;
    const first = firstAt(this.#reset_ts, this.ts[from] + 1);
    const end = firstAt(this.#reset_ts, this.ts[to] + 1);
    return first === end ? none : resets.slice(first, end);
  }

  /**
   * The last sync point before the instant `ts`, or -1. After a sync point it is the reference,
   * whatever came before it: some readings in a row that end with it agree on its level.
   */
  syncBefore(ts: number): number {
    let i = firstAt(this.ts, ts) - 1;
    while (i >= 0 && !this.#isSync(i, 0)) i--;
    return i;
  }

  /** The first sync point that nothing at or before the instant `ts` has a part in, or -1. */
  syncAfter(ts: number): number {
    const first = firstAt(this.ts, ts + 1);
    const from = this.#pace ? this.#pace.freeFrom(first) : first;
    let i = from;
    while (i < this.ts.length && !this.#isSync(i, from)) i++;
    return i < this.ts.length ? i : -1;
  }

  /** Whether it is known what is possible at reading `i`, with all readings since `from_us`. */
  isPaceKnown(i: number, from_us: number): boolean {
    return !this.#pace || this.#pace.isKnown(Math.max(i - standing_readings, 0), from_us);
  }

  /** Whether readings from `from` on, up to `i`, agree as a new track must. */
  #isSync(i: number, from: number): boolean {
    let climbed = 0;
    for (let k = i; k > from; k--) {
      const step = this.step(k - 1, k);
      if (Number.isNaN(step)) return false;
      climbed += step;
      if (isTrack(i - k + 2, climbed)) return true;
    }
    return false;
  }

  #isPossible(amount: number, from: number, to: number): boolean {
    const dt = this.ts[to] - this.ts[from];
    const is_usual = this.#pace
      ? this.#pace.allows(amount / dt, to)
      : amount <= this.#register.per_us! * dt;
    return is_usual || amount <= this.#lastDigit(from, to) * (1 + 1e-9);
  }

  /** One step of the last digit that two readings show: a register can't count less. */
  #lastDigit(from: number, to: number): number {
    const { digit } = this.#register;
    const shows = (step: number) =>
      step <= digit && isMultiple(this.value[from], step) && isMultiple(this.value[to], step);
    return digits.find(shows) ?? 0;
  }

  #wrapped(from: number, to: number): number {
    const before = this.value[from];
    const after = this.value[to];
    const { modulus } = this.#register;
    const is_bounded = this.most(from, to) < Infinity;
    const moduli = modulus !== null ? [modulus] : is_bounded ? usual_moduli : [];
    for (const end of moduli) {
      if (before >= end || after < 0) continue;
      const amount = end - before + after;
      const is_near = Math.max(end - before, after) <= end * counter_limits.wrap_share;
      if ((is_bounded || is_near) && this.#isPossible(amount, from, to)) return amount;
    }
    return NaN;
  }
}

/** Whether so many readings in a row, over which a register climbed so much, are a track. */
export function isTrack(readings: number, climbed: number): boolean {
  return readings >= (climbed > 0 ? agreeing_readings : standing_readings);
}

/** How fast a counter of unknown rating usually climbs: by its last differences that are rises. */
class Pace {
  readonly #ts: Float64Array;
  /** The later reading of each rise, its rate, and the number of rises up to each reading. */
  readonly #at: Int32Array;
  readonly #rates: Float64Array;
  readonly #upto: Int32Array;

  constructor({ ts, value }: Readings) {
    const at: number[] = [];
    this.#ts = ts;
    this.#upto = new Int32Array(ts.length);
    for (let i = 1; i < ts.length; i++) {
      if (value[i] > value[i - 1]) at.push(i);
      this.#upto[i] = at.length;
    }
    this.#at = Int32Array.from(at);
    this.#rates = Float64Array.from(at, (i) => (value[i] - value[i - 1]) / (ts[i] - ts[i - 1]));
  }

  /** Whether it can climb so fast up to reading `i`. */
  allows(rate: number, i: number): boolean {
    const { from, to } = this.#last(i);
    if (to - from < counter_limits.median_differences_least) return true;
    const least = rate / counter_limits.median_factor;
    let as_fast = 0;
    for (let r = from; r < to; r++) if (this.#rates[r] >= least) as_fast++;
    return 2 * as_fast >= to - from;
  }

  /** The fastest that it can climb up to reading `i`. */
  most(i: number): number {
    const { from, to } = this.#last(i);
    if (to - from < counter_limits.median_differences_least) return Infinity;
    const rates = this.#rates.slice(from, to).sort();
    return counter_limits.median_factor * rates[rates.length >> 1];
  }

  /** The first reading whose last differences have no part before reading `first`. */
  freeFrom(first: number): number {
    const begun_us = this.#ts[first - 1] ?? -Infinity;
    let i = first;
    while (
      i < this.#ts.length && this.#ts[i] - median_look_us <= begun_us &&
      this.#upto[Math.max(i - 1, 0)] - this.#upto[first] < counter_limits.median_differences
    ) i++;
    return i;
  }

  isKnown(i: number, from_us: number): boolean {
    return this.#upto[i] >= counter_limits.median_differences ||
      from_us <= this.#ts[i] - median_look_us;
  }

  /** The rises that the rate up to reading `i` is judged by, [from, to). */
  #last(i: number): { readonly from: number; readonly to: number } {
    const to = this.#upto[i - 1];
    const since_us = this.#ts[i] - median_look_us;
    let from = Math.max(to - counter_limits.median_differences, 0);
    while (from < to && this.#ts[this.#at[from] - 1] < since_us) from++;
    return { from, to };
  }
}

function isMultiple(value: number, digit: number): boolean {
  const count = value / digit;
  return Math.abs(count - Math.round(count)) <= 1e-12 * Math.abs(count);
}

/** The place of the first instant that is not before `ts`. */
export function firstAt(instants: Float64Array, ts: number): number {
  let low = 0;
  let high = instants.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (instants[middle] < ts) low = middle + 1;
    else high = middle;
  }
  return low;
}
