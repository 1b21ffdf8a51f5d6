// Which run of a forecast tells a bucket, and what it says of it: steps into buckets, run by run.
import { expected_limits } from "./limits.ts";
import type { Positions } from "../time/bucket.ts";
import type { OverTime } from "../plant/measure.ts";
import type { MinuteSpan } from "../time/zone.ts";

const minute_us = 60_000_000;
const hour_minutes = 60;

/** Minutes that count, of which minute m falls to position `floor((m + shift) / width)`. */
export type Stretch = MinuteSpan & { readonly shift: number; readonly width: number };

/** The buckets of a slab on one site's clock. */
export type RunBuckets = {
  readonly positions: Positions;
  /** In order, apart from one another. */
  readonly stretches: readonly Stretch[];
  /** The UTC minute at which each position starts; NaN for one that the clock skips. */
  readonly starts: Float64Array;
  /** How many minutes of each position count. */
  readonly minutes: Float64Array;
};

/** Buckets with their minutes counted. */
export function runBuckets(parts: Omit<RunBuckets, "minutes">): RunBuckets {
  const minutes = new Float64Array(parts.starts.length);
  for (const { from_minute, to_minute } of parts.stretches) {
    split(parts, { from: from_minute, to: to_minute }, (at, count) => minutes[at] += count);
  }
  return { ...parts, minutes };
}

/** A value that holds from one minute to another, fractions of minutes included. */
export type Step = { readonly from: number; readonly to: number; readonly value: number };

/**
 * What forecasts say of the buckets of one sensor. Runs come in any order of sources, each source's
 * by their issue: of a source's runs issued before a bucket starts, the last one that covers
 * `expected_limits.forecast_cover` of it tells it, or else the one that covers most.
 */
export class RunChoice {
  readonly #over_time: OverTime;
  readonly #buckets: RunBuckets;
  /** Of the run at hand, by position: minutes it covers, and what it says of them. */
  readonly #covered: Float64Array;
  readonly #total: Float64Array;
  #low = Infinity;
  #high = -Infinity;
  /** Of the best run so far; rank 0 for none. */
  readonly #rank: Float64Array;
  readonly value: Float64Array;
  readonly issued_us: Float64Array;

  constructor(over_time: OverTime, buckets: RunBuckets) {
    const size = buckets.starts.length;
    const array = () => new Float64Array(size);
    this.#over_time = over_time;
    this.#buckets = buckets;
    [this.#covered, this.#total, this.#rank] = [array(), array(), array()];
    [this.value, this.issued_us] = [array().fill(NaN), array()];
  }

  /** A step of the run at hand; its steps come in order. An increment's value is per hour. */
  add({ from, to, value }: Step): void {
    split(this.#buckets, { from, to }, (at, minutes) => {
      this.#total[at] = this.#covered[at] === 0
        ? first(this.#over_time, value, minutes)
        : further(this.#over_time, this.#total[at], { value, minutes });
      this.#covered[at] += minutes;
      this.#low = Math.min(this.#low, at);
      this.#high = Math.max(this.#high, at);
    });
  }

  /** Ends the run at hand. A better source's run tells a bucket whatever the others cover. */
  endRun(issued_us: number, { is_better }: { readonly is_better: boolean }): void {
    const { starts, minutes } = this.#buckets;
    for (let at = this.#low; at <= this.#high; at++) {
      const covered = this.#covered[at];
      this.#covered[at] = 0;
      if (covered === 0 || !(issued_us < starts[at] * minute_us)) continue;
      const share = covered / minutes[at];
      const rank = (share < expected_limits.forecast_cover ? share : 1) + (is_better ? 1 : 0);
      if (rank < this.#rank[at]) continue;
      this.#rank[at] = rank;
      this.issued_us[at] = issued_us;
      this.value[at] = this.#total[at] / this.#divisor(covered);
    }
    this.#low = Infinity;
    this.#high = -Infinity;
  }

  #divisor(covered: number): number {
    if (this.#over_time === "increment") return hour_minutes;
    return isMean(this.#over_time) ? covered : 1;
  }
}

type Apart = Pick<RunBuckets, "positions" | "stretches">;

/** Visits the positions, counted from the slab's first, that a span of minutes falls to. */
function split(
  { positions, stretches }: Apart,
  { from, to }: Omit<Step, "value">,
  visit: (at: number, minutes: number) => void,
): void {
  for (let i = firstBehind(stretches, from); i < stretches.length; i++) {
    const { from_minute, to_minute, shift, width } = stretches[i];
    const end = Math.min(to, to_minute);
    for (let minute = Math.max(from, from_minute); minute < end;) {
      const at = Math.floor((minute + shift) / width);
      const next = Math.min(end, (at + 1) * width - shift);
      visit(at - positions.from, next - minute);
      minute = next;
    }
    if (to_minute >= to) return;
  }
}

function isMean(over_time: OverTime): boolean {
  return over_time === "mean" || over_time === "time_weighted_mean";
}

function first(over_time: OverTime, value: number, minutes: number): number {
  return isMean(over_time) || over_time === "increment" ? value * minutes : value;
}

function further(
  over_time: OverTime,
  total: number,
  { value, minutes }: { readonly value: number; readonly minutes: number },
): number {
  if (over_time === "max") return Math.max(total, value);
  if (over_time === "min") return Math.min(total, value);
  return over_time === "last" ? value : total + value * minutes;
}

/** The first stretch that ends behind a minute. */
function firstBehind(stretches: readonly Stretch[], minute: number): number {
  let low = 0;
  for (let high = stretches.length; low < high;) {
    const middle = (low + high) >> 1;
    if (stretches[middle].to_minute > minute) high = middle;
    else low = middle + 1;
  }
  return low;
}
