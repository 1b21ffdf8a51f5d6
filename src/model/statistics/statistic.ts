// The statistics of a bucket: their columns, and their values out of a series' sums.
import { assert } from "../../base/assert.ts";
import { finiteVector, type Vector } from "../data/chunk.ts";
import type { Column } from "../data/column.ts";
import type { SeriesSums } from "./series.ts";

/** What `include` takes for the statistics of a bucket. */
export const statistics_inclusion = "stats";

/** Ways of aggregation that a request can ask for beside a bucket's own. */
export const extra_aggregates = ["time_weighted"] as const;

const number = { kind: "float64", nullable: true, optional: true } as const;

const columns = {
  percent_good: {
    ...number,
    name: "percent_good",
    unit: "%",
    doc: "Share of the bucket's time with good data, 0 to 100 (OPC 10000-13 PercentGood). Null " +
      "before the first sample of all.",
  },
  duration_good: {
    ...number,
    name: "duration_good",
    unit: "s",
    doc: "Time with good data (DurationGood): from each good sample to the next sample, carry_s " +
      "of the tag at most.",
  },
  duration_bad: {
    ...number,
    name: "duration_bad",
    unit: "s",
    doc: "Time with bad data, or with none (DurationBad). The rest of the bucket is uncertain.",
  },
  minimum: {
    ...number,
    name: "minimum",
    doc: "Least value of the bucket's good samples (Minimum).",
  },
  maximum: {
    ...number,
    name: "maximum",
    doc: "Greatest value of the bucket's good samples (Maximum).",
  },
  range: {
    ...number,
    name: "range",
    doc: "maximum − minimum (Range).",
  },
  standard_deviation: {
    ...number,
    name: "standard_deviation",
    doc: "Standard deviation of the bucket's good samples, n − 1 (StandardDeviationSample); 0 of " +
      "one sample.",
  },
  first: {
    ...number,
    name: "first",
    doc: "Value of the bucket's first sample (Start); null when that is bad.",
  },
  number_of_transitions: {
    name: "number_of_transitions",
    kind: "int32",
    nullable: true,
    optional: true,
    doc: "How often a state (integer, boolean, string) changed in the bucket, bad samples aside " +
      "(NumberOfTransitions). Null for floats, and when all samples of the bucket are bad.",
  },
  time_average: {
    ...number,
    name: "time_average",
    doc: "Mean over time of the value between samples (TimeAverage): floats run in a straight " +
      "line from a usable sample to the next, states hold. Null for strings.",
  },
} as const satisfies Record<string, Column>;

export type StatisticName = keyof typeof columns;

/** A column of a statistic. */
export type StatisticColumn = Column & { readonly name: StatisticName };

const { time_average, ...of_bucket } = columns;

/** What `include=stats` adds to a row. */
export const statistics_columns: readonly StatisticColumn[] = Object.values(of_bucket);

/** What `aggregate=time_weighted` adds to a row. */
export const time_average_column: StatisticColumn = time_average;

/** The columns that a request asks for. */
export function statisticColumnsOf(
  { include, aggregate }: {
    readonly include: readonly string[];
    readonly aggregate: typeof extra_aggregates[number] | undefined;
  },
): readonly StatisticColumn[] {
  return [
    ...(include.includes(statistics_inclusion) ? statistics_columns : []),
    ...(aggregate === undefined ? [] : [time_average_column]),
  ];
}

/** What a request asks of statistics: columns, and the time until which there can be data. */
export type StatisticsAsked = {
  readonly columns: readonly StatisticColumn[];
  readonly until_us: number;
};

/** A series as its rows show it: `value × scale + offset`, and whether it is of a state. */
export type SeriesView = {
  readonly scale: number;
  readonly offset: number;
  readonly is_state: boolean;
};

/** The statistic of a bucket; NaN where there is none. */
export function statisticOf(
  name: StatisticName,
  { sums, bucket, view: { scale, offset, is_state } }: {
    readonly sums: SeriesSums;
    readonly bucket: number;
    readonly view: SeriesView;
  },
): number {
  switch (name) {
    case "minimum":
      return scale * extremes(sums, bucket)[scale < 0 ? 1 : 0] + offset;
    case "maximum":
      return scale * extremes(sums, bucket)[scale < 0 ? 0 : 1] + offset;
    case "range": {
      const [least, greatest] = extremes(sums, bucket);
      return Math.abs(scale) * (greatest - least);
    }
    case "standard_deviation":
      return Math.abs(scale) * deviation(sums.good[bucket], sums.squares[bucket]);
    case "first":
      return sums.samples[bucket] === 0 ? NaN : scale * sums.first[bucket] + offset;
    case "time_average":
      return scale * (sums.area[bucket] / sums.area_us[bucket]) + offset;
    case "number_of_transitions":
      return is_state ? timeStatistic(name, sums, bucket) : NaN;
    default:
      return timeStatistic(name, sums, bucket);
  }
}

function extremes({ good, minimum, maximum }: SeriesSums, bucket: number) {
  return good[bucket] === 0 ? [NaN, NaN] : [minimum[bucket], maximum[bucket]];
}

function deviation(count: number, squares: number): number {
  if (count < 2) return count === 0 ? NaN : 0;
  return Math.sqrt(squares / (count - 1));
}

type TimeStatistic = "percent_good" | "duration_good" | "duration_bad" | "number_of_transitions";

/** What needs no scale; nothing where there was no data yet. */
function timeStatistic(name: TimeStatistic, sums: SeriesSums, bucket: number): number {
  const { known_us, good_us, bad_us, samples, usable, transitions } = sums;
  if (known_us[bucket] === 0) return NaN;
  switch (name) {
    case "percent_good":
      return 100 * good_us[bucket] / known_us[bucket];
    case "duration_good":
      return good_us[bucket] / 1e6;
    case "duration_bad":
      return bad_us[bucket] / 1e6;
    case "number_of_transitions":
      return samples[bucket] > 0 && usable[bucket] === 0 ? NaN : transitions[bucket];
  }
}

/** A column of values; what is NaN is null. */
export function statisticVector(
  { kind }: StatisticColumn,
  values: Float64Array<ArrayBuffer>,
): Vector {
  const floats = finiteVector(values);
  if (kind !== "int32") return floats;
  assert(floats.kind === "float64", "statistics are numbers");
  return { kind, values: Int32Array.from(floats.values), valid: floats.valid };
}
