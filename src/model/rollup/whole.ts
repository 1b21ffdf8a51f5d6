// Finds whole quarter-hours, and sums their values: those where each minute has one sample, or the
// value of the one before is carried into it.
import { bitOf, halvesOf, int64At, noneValid, setValid, type Validity } from "../data/chunk.ts";
import type { MinuteSpan } from "../time/zone.ts";

/** How many minutes a quarter-hour has. */
export const quarter_minutes = 15;
const all_minutes = (1 << quarter_minutes) - 1;
/** Stands beside the minutes that have a sample where one of them has several. */
const several = 1 << quarter_minutes;

/** Samples of quarter-hours, each of which has a place: a number from 0. */
export type QuarterSamples = {
  readonly rows: number;
  /** 15 times the place, and the minute in it. */
  readonly cell: Int32Array;
  /** When they were stored, in microseconds since 1970. */
  readonly received_at: BigInt64Array;
  /** Those that are not valid, or not finite, do not count. */
  readonly value: Float64Array;
  readonly valid: Validity | undefined;
  /** 1 where the value can be carried on. */
  readonly holds: Uint8Array;
};

/** Whole quarter-hours, by place. */
export type Wholes = {
  readonly place: Int32Array<ArrayBuffer>;
  /** When the last of their samples was stored. */
  readonly upto: BigInt64Array<ArrayBuffer>;
  /** The minutes with a sample, as bits; not valid where each minute has one. */
  readonly seen: Int32Array<ArrayBuffer>;
  readonly seen_valid: Validity;
};

/** Sums over the light minutes of whole quarter-hours, or over the dark ones, that have values. */
export type WholeSums = {
  readonly place: Int32Array<ArrayBuffer>;
  readonly light: Uint8Array<ArrayBuffer>;
  readonly n: Int32Array<ArrayBuffer>;
  readonly value: Float64Array<ArrayBuffer>;
  readonly minimum: Float64Array<ArrayBuffer>;
  readonly maximum: Float64Array<ArrayBuffer>;
  readonly last: Float64Array<ArrayBuffer>;
  /** In their quarter-hour. */
  readonly last_minute: Int32Array<ArrayBuffer>;
};

/**
 * Where whole quarter-hours may be, known in memory: at first anywhere. Who reads other minutes
 * need not look for any.
 */
export class WholeSpan {
  #from_minute = -Infinity;
  #to_minute = Infinity;
  #notes = 0;

  /** How often some were noted: who read without a look, and finds more, may have missed some. */
  get notes(): number {
    return this.#notes;
  }

  /** Some are about to be stored, each with a minute of these. */
  note({ from_minute, to_minute }: MinuteSpan): void {
    this.#notes++;
    const from = Math.floor(from_minute / quarter_minutes) * quarter_minutes;
    const to = Math.ceil(to_minute / quarter_minutes) * quarter_minutes;
    this.#from_minute = Math.min(this.#from_minute, from);
    this.#to_minute = Math.max(this.#to_minute, to);
  }

  /** All that there are lie in these minutes; undefined where there are none. */
  settle(found: MinuteSpan | undefined): void {
    this.#from_minute = found?.from_minute ?? Infinity;
    this.#to_minute = found?.to_minute ?? -Infinity;
  }

  /** Whether it was found out where they are; who does not know that looks for them. */
  get is_known(): boolean {
    return this.#to_minute < Infinity;
  }

  /** Whether there surely are none. */
  get is_empty(): boolean {
    return this.#from_minute >= this.#to_minute;
  }

  /** Whether some may have minutes of these. */
  meets({ from_minute, to_minute }: MinuteSpan): boolean {
    return from_minute < this.#to_minute && to_minute > this.#from_minute;
  }
}

/** The samples of quarter-hours, by their minutes. */
export class QuarterCells {
  readonly #values: Float64Array;
  readonly #seen: Uint16Array;
  readonly #held: Uint16Array;
  readonly #upto: Float64Array;
  readonly #carry: Int32Array;

  /** By place, into how many minutes a value is carried. */
  constructor(carry: Int32Array) {
    const { length } = carry;
    this.#values = new Float64Array(length * quarter_minutes).fill(NaN);
    this.#seen = new Uint16Array(length);
    this.#held = new Uint16Array(length);
    this.#upto = new Float64Array(length);
    this.#carry = carry;
  }

  /** Takes samples, in any order. */
  add({ rows, cell, received_at, value, valid, holds }: QuarterSamples): void {
    const stamps = halvesOf(received_at);
    for (let row = 0; row < rows; row++) {
      const at = cell[row];
      const place = Math.floor(at / quarter_minutes);
      const bit = 1 << (at - place * quarter_minutes);
      this.#seen[place] |= (this.#seen[place] & bit) === 0 ? bit : several;
      if (holds[row] === 1) this.#held[place] |= bit;
      const stamp = int64At(stamps, row);
      if (stamp > this.#upto[place]) this.#upto[place] = stamp;
      if (valid === undefined || bitOf(valid, row) === 1) this.#values[at] = value[row];
    }
  }

  /** Keeps those whole ones alone that are to be, each beside the next one (or Infinity). */
  keep(isKept: (place: number, next: number) => boolean): void {
    let next = Infinity;
    for (let place = this.#seen.length - 1; place >= 0; place--) {
      if (!this.#isWhole(place)) continue;
      if (!isKept(place, next)) this.#seen[place] |= several;
      next = place;
    }
  }

  /** The whole ones, in order of place. */
  wholes(): Wholes {
    const place = Int32Array.from(this.#seen.keys().filter((it) => this.#isWhole(it)));
    const seen = Int32Array.from(place, (it) => this.#seen[it]);
    const seen_valid = noneValid(place.length);
    seen.forEach((bits, row) => bits !== all_minutes && setValid(seen_valid, row));
    const upto = BigInt64Array.from(place, (it) => BigInt(this.#upto[it]));
    return { place, upto, seen, seen_valid };
  }

  /**
   * The sums of the whole ones, each in the order of its minutes, so that when they came makes no
   * difference; `light`, by place, has bit i where minute i has light.
   */
  sums(light: Int32Array): WholeSums {
    const sums = noSums(2 * this.#seen.length);
    let rows = 0;
    for (let place = 0; place < this.#seen.length; place++) {
      if (!this.#isWhole(place)) continue;
      if (this.#sum(sums, rows, { place, minutes: light[place] })) sums.light[rows++] = 1;
      if (this.#sum(sums, rows, { place, minutes: all_minutes & ~light[place] })) rows++;
    }
    const { place, n, value, minimum, maximum, last, last_minute } = sums;
    return {
      ...{ place: place.subarray(0, rows), light: sums.light.subarray(0, rows) },
      ...{ n: n.subarray(0, rows), value: value.subarray(0, rows) },
      ...{ minimum: minimum.subarray(0, rows), maximum: maximum.subarray(0, rows) },
      ...{ last: last.subarray(0, rows), last_minute: last_minute.subarray(0, rows) },
    };
  }

  #isWhole(place: number): boolean {
    const seen = this.#seen[place];
    let filled = seen;
    let reached = this.#held[place];
    // Nothing reaches the first minute: what its value may repeat is of other quarter-hours.
    for (let left = this.#carry[place]; left > 0 && reached !== 0; left--) {
      reached = reached << 1 & ~seen & all_minutes;
      filled |= reached;
    }
    return filled === all_minutes;
  }

  /** Writes the sum over some minutes, as bits, of a quarter-hour; false if none has a value. */
  #sum(
    sums: WholeSums,
    row: number,
    { place, minutes }: { readonly place: number; readonly minutes: number },
  ): boolean {
    let n = 0;
    let sum = 0;
    let minimum = Infinity;
    let maximum = -Infinity;
    let last = 0;
    for (let minute = 0, at = place * quarter_minutes; minute < quarter_minutes; minute++, at++) {
      const value = this.#values[at];
      if ((minutes >> minute & 1) === 0 || !Number.isFinite(value)) continue;
      n++;
      sum += value;
      if (value < minimum) minimum = value;
      if (value > maximum) maximum = value;
      last = value;
      sums.last_minute[row] = minute;
    }
    if (n === 0) return false;
    sums.place[row] = place;
    sums.n[row] = n;
    sums.value[row] = sum;
    sums.minimum[row] = minimum;
    sums.maximum[row] = maximum;
    sums.last[row] = last;
    return true;
  }
}

function noSums(rows: number): WholeSums {
  return {
    place: new Int32Array(rows),
    light: new Uint8Array(rows),
    n: new Int32Array(rows),
    value: new Float64Array(rows),
    minimum: new Float64Array(rows),
    maximum: new Float64Array(rows),
    last: new Float64Array(rows),
    last_minute: new Int32Array(rows),
  };
}
