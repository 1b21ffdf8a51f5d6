// Statistics of one tag's samples in buckets of time, sample by sample (OPC 10000-13, 5.4.3).
import { bridgeOf, type HoldRule } from "./interpolation.ts";

/**
 * The times of buckets, rising and apart from one another. A bucket may have several: of a week's
 * daylight one a day.
 */
export type Spans = {
  readonly from_us: Float64Array;
  readonly to_us: Float64Array;
  readonly bucket: Int32Array;
};

/** A sample as statistics take it. */
export type SeriesSample = {
  readonly ts_us: number;
  /** 0 good, 1 uncertain, 2 bad: also what has no usable value. */
  readonly quality: number;
  /** NaN where it holds no number. */
  readonly value: number;
  /** What tells a state from another; undefined of a value that is none. */
  readonly state: bigint | undefined;
};

const sum_names = [
  // Time in microseconds: of the bucket as far as data reaches, of good data, of bad or no data.
  ...["known_us", "good_us", "bad_us"] as const,
  // The course of the value: its integral, and over how long.
  ...["area", "area_us"] as const,
  // Samples, those that are not bad, and of the good ones how many, their mean and squares.
  ...["samples", "usable", "good", "mean", "squares", "minimum", "maximum"] as const,
  // The first sample's value, and changes of state.
  ...["first", "transitions"] as const,
] as const;

/** What the statistics of some buckets are made of. */
export type SeriesSums = Readonly<Record<typeof sum_names[number], Float64Array>>;

/** Sums of no samples yet. */
export function seriesSums(buckets: number): SeriesSums {
  const arrays = sum_names.map((name) => [name, new Float64Array(buckets)]);
  return Object.fromEntries(arrays) as SeriesSums;
}

const bad = 2;
const long_ago = -Number.MAX_VALUE;

/** Adds the samples of one tag, in order of time, to the sums of its buckets. */
export class SeriesStatistics {
  readonly #spans: Spans;
  readonly #sums: SeriesSums;
  readonly #rule: HoldRule;
  /** The spans that time and area have come to, and until when time is spent. */
  #time_at = 0;
  #area_at = 0;
  #spent_us = long_ago;
  #is_begun = false;
  #last_us = long_ago;
  #last_quality = bad;
  #usable_us = long_ago;
  #usable_value = NaN;
  /** Whether there was a bad sample since. */
  #skips_bad = false;
  #state: bigint | undefined;

  constructor(spans: Spans, sums: SeriesSums, rule: HoldRule) {
    this.#spans = spans;
    this.#sums = sums;
    this.#rule = rule;
  }

  /** Says that there is data before the first sample, and in which state it ended, if it is one. */
  begin(state?: bigint): void {
    this.#is_begun = true;
    this.#state = state;
  }

  add({ ts_us, quality, value, state }: SeriesSample): void {
    if (!this.#is_begun) this.#beginAt(ts_us);
    this.#addTime(ts_us);
    this.#last_us = ts_us;
    this.#last_quality = quality;
    const bucket = this.#bucketAt(ts_us);
    if (bucket !== undefined) this.#count(bucket, quality, value);
    if (quality >= bad) {
      this.#skips_bad = true;
      return;
    }
    this.#addArea(ts_us, value);
    this.#skips_bad = false;
    this.#usable_us = ts_us;
    this.#usable_value = value;
    if (state === undefined) return;
    const is_change = this.#state !== undefined && this.#state !== state;
    if (bucket !== undefined && is_change) this.#sums.transitions[bucket]++;
    this.#state = state;
  }

  /** Ends the series: the last sample holds as long as it may. */
  finish(): void {
    if (!this.#is_begun) return;
    this.#addTime(Infinity);
    this.#addArea(Infinity, NaN);
  }

  /** The bucket of the first sample counts from its start; those before it have no data. */
  #beginAt(ts_us: number): void {
    const { to_us, bucket } = this.#spans;
    let at = 0;
    while (at < to_us.length && to_us[at] <= ts_us) at++;
    while (at > 0 && at < to_us.length && bucket[at - 1] === bucket[at]) at--;
    this.#time_at = at;
    this.#is_begun = true;
  }

  /** Spends the time up to an instant by the quality of the last sample while that holds. */
  #addTime(ts_us: number): void {
    this.#spend(Math.min(ts_us, this.#last_us + this.#rule.hold_us), this.#last_quality);
    this.#spend(ts_us, bad);
  }

  #spend(until_us: number, quality: number): void {
    const { from_us, to_us, bucket } = this.#spans;
    const { known_us, good_us, bad_us } = this.#sums;
    let at = this.#time_at;
    for (; at < from_us.length && from_us[at] < until_us; at++) {
      const end_us = Math.min(to_us[at], until_us);
      const time_us = Math.max(0, end_us - Math.max(from_us[at], this.#spent_us));
      known_us[bucket[at]] += time_us;
      if (quality === 0) good_us[bucket[at]] += time_us;
      if (quality >= bad) bad_us[bucket[at]] += time_us;
      if (end_us < to_us[at]) break;
    }
    this.#time_at = at;
    this.#spent_us = Math.max(this.#spent_us, until_us);
  }

  /** The bucket that an instant lies in, which time has come to. */
  #bucketAt(ts_us: number): number | undefined {
    const { from_us, to_us, bucket } = this.#spans;
    const at = this.#time_at;
    return from_us[at] <= ts_us && ts_us < to_us[at] ? bucket[at] : undefined;
  }

  #count(bucket: number, quality: number, value: number): void {
    const sums = this.#sums;
    if (sums.samples[bucket]++ === 0) sums.first[bucket] = quality < bad ? value : NaN;
    if (quality < bad) sums.usable[bucket]++;
    if (quality !== 0 || Number.isNaN(value)) return;
    const count = ++sums.good[bucket];
    const step = value - sums.mean[bucket];
    sums.mean[bucket] += step / count;
    sums.squares[bucket] += step * (value - sums.mean[bucket]);
    sums.minimum[bucket] = count === 1 ? value : Math.min(sums.minimum[bucket], value);
    sums.maximum[bucket] = count === 1 ? value : Math.max(sums.maximum[bucket], value);
  }

  /** Adds the course from the last usable sample on: to the next one, or as long as it holds. */
  #addArea(ts_us: number, value: number): void {
    const start_us = this.#usable_us;
    const start = this.#usable_value;
    if (Number.isNaN(start)) return;
    const { stepped, hold_us } = this.#rule;
    const reach_us = this.#skips_bad ? bridgeOf(this.#rule) : hold_us;
    const is_next = ts_us - start_us <= reach_us;
    const slope = is_next && !stepped && ts_us < Infinity
      ? (value - start) / (ts_us - start_us)
      : 0;
    const until_us = is_next ? ts_us : start_us + hold_us;
    const { from_us, to_us, bucket } = this.#spans;
    let at = this.#area_at;
    for (; at < from_us.length && from_us[at] < until_us; at++) {
      const begin_us = Math.max(from_us[at], start_us);
      const end_us = Math.min(to_us[at], until_us);
      if (begin_us < end_us) {
        const middle_us = (begin_us + end_us) / 2 - start_us;
        this.#sums.area[bucket[at]] += (start + slope * middle_us) * (end_us - begin_us);
        this.#sums.area_us[bucket[at]] += end_us - begin_us;
      }
      if (until_us < to_us[at]) break;
    }
    this.#area_at = at;
  }
}
