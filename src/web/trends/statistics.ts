// Statistics of a span out of those that the service gives of its minutes.
import { type Samples, within } from "./samples.ts";
import type { Span } from "../frame/span.ts";

/** What there is to say of a curve in a span; NaN where it is not known. */
export type Statistics = {
  readonly mean: number;
  readonly time_weighted: number;
  readonly least: number;
  readonly greatest: number;
  readonly deviation: number;
  /** Samples that are good or uncertain; not known where a source tells no quality. */
  readonly count: number;
  /** Part of the span's time with good data, 0 to 100. */
  readonly percent_good: number;
  /** When the least and the greatest were. */
  readonly least_ms: number;
  readonly greatest_ms: number;
  /** Of increments, such as energy by quarter-hour, all of them together. */
  readonly total: number;
};

/** Columns of minutes, as signals with `include=stats` have them. */
export type Minutes = {
  readonly instants: Float64Array;
  readonly mean: Float64Array;
  readonly time_average: Float64Array;
  readonly least: Float64Array;
  readonly greatest: Float64Array;
  readonly deviation: Float64Array;
  readonly good: Float64Array;
  readonly uncertain: Float64Array;
  /** 1 where no sample came, and the value of one before stands. */
  readonly carried: Float64Array;
  readonly good_s: Float64Array;
};

/**
 * The statistics of all minutes together. Samples are counted by their quality: a minute of a
 * source that tells none weighs as one sample.
 */
export function combined(minutes: Minutes, { from_ms, to_ms }: Span): Statistics {
  const { instants, mean, good, uncertain, carried, deviation } = minutes;
  const uncounted = mean.map((value, i) =>
    Number(!Number.isNaN(value) && carried[i] === 0 && good[i] + uncertain[i] === 0)
  );
  const usable = mean.map((value, i) =>
    Number.isNaN(value) ? 0 : good[i] + uncertain[i] + uncounted[i]
  );
  const mean_of_all = weighted(mean, usable);
  const good_of = good.map((it, i) => Number.isNaN(mean[i]) ? 0 : it + uncounted[i]);
  const squares = sum(mean.map((value, i) => {
    if (!(good_of[i] > 0)) return 0;
    const within = uncounted[i] ? 1 : good[i] - 1;
    return within * (deviation[i] || 0) ** 2 + good_of[i] * (value - mean_of_all) ** 2;
  }));
  const [least, greatest] = [extreme(minutes.least, -1), extreme(minutes.greatest, 1)];
  return {
    mean: mean_of_all,
    time_weighted: weighted(minutes.time_average, mean.map(() => 1)),
    least: minutes.least[least] ?? NaN,
    greatest: minutes.greatest[greatest] ?? NaN,
    deviation: deviationOf(squares, sum(good_of)),
    count: uncounted.includes(1) ? NaN : sum(good) + sum(uncertain),
    percent_good: 100 * sum(minutes.good_s) / ((to_ms - from_ms) / 1000),
    least_ms: instants[least] ?? NaN,
    greatest_ms: instants[greatest] ?? NaN,
    total: NaN,
  };
}

/** The statistics of what is drawn itself, where the service has none of its samples. */
export function plainStatistics(samples: Samples, span: Span): Statistics {
  const { instants, values } = within(samples, span);
  const ones = values.map((it) => Number.isNaN(it) ? 0 : 1);
  const mean = weighted(values, ones);
  const squares = sum(values.map((it) => Number.isNaN(it) ? 0 : (it - mean) ** 2));
  const [least, greatest] = [extreme(values, -1), extreme(values, 1)];
  return {
    mean,
    time_weighted: NaN,
    least: values[least] ?? NaN,
    greatest: values[greatest] ?? NaN,
    deviation: deviationOf(squares, sum(ones)),
    count: NaN,
    percent_good: NaN,
    least_ms: instants[least] ?? NaN,
    greatest_ms: instants[greatest] ?? NaN,
    total: sum(ones) > 0 ? sum(values) : NaN,
  };
}

/** The minutes of a span that were over by `until_ms`, each whole. */
export function wholeMinutes({ from_ms, to_ms }: Span, until_ms: number): Span {
  const minute_ms = 60_000;
  const last_ms = Math.floor(until_ms / minute_ms) * minute_ms;
  return {
    from_ms: Math.floor(from_ms / minute_ms) * minute_ms,
    to_ms: Math.min(Math.ceil(to_ms / minute_ms) * minute_ms, last_ms),
  };
}

/** Whether a curve shows anything of a span that statistics until `until_ms` do not have. */
export function showsLater(
  samples: Samples,
  { span, until_ms, step_ms }: {
    readonly span: Span;
    readonly until_ms: number;
    readonly step_ms: number;
  },
): boolean {
  const { instants } = within(samples, span);
  return instants.length > 0 && instants[instants.length - 1] + step_ms > until_ms;
}

function sum(values: Float64Array): number {
  return values.reduce((all, it) => Number.isNaN(it) ? all : all + it, 0);
}

/** The mean by weights, of the values that there are; NaN where these weigh nothing. */
function weighted(values: Float64Array, weights: Float64Array): number {
  let [all, weight] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i]) || !(weights[i] > 0)) continue;
    all += values[i] * weights[i];
    weight += weights[i];
  }
  return weight > 0 ? all / weight : NaN;
}

/** The standard deviation of a sample, n − 1; 0 of one value. */
function deviationOf(squares: number, count: number): number {
  return count === 0 ? NaN : count < 2 ? 0 : Math.sqrt(squares / (count - 1));
}

/** The place of the least value (`sign` −1) or the greatest (1); −1 where there is none. */
function extreme(values: Float64Array, sign: number): number {
  let [found, most] = [-1, -Infinity];
  for (let i = 0; i < values.length; i++) {
    if (sign * values[i] > most) [most, found] = [sign * values[i], i];
  }
  return found;
}
