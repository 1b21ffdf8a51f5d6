// The OPC Foundation's published examples of OPC 10000-13 aggregates, every row of every table.
import { deepEqual, equal } from "node:assert/strict";
import { interpolate, type Neighbour } from "../../../src/model/statistics/interpolation.ts";
import { SeriesStatistics, seriesSums } from "../../../src/model/statistics/series.ts";
import { type StatisticName, statisticOf } from "../../../src/model/statistics/statistic.ts";
import { differing, examples, type ExampleTable as Table } from "../../help/aggregate.ts";

type Sample = { readonly ts_us: number; readonly value: number; readonly quality: number };

const end_s = 100;
const second_us = 1_000_000;
const names = ["good", "uncertain", "bad"];

/** A historian's samples; where it treats uncertain as bad, those are bad. */
function samplesOf(table: Table): readonly Sample[] {
  const { samples, uncertain_is_bad } = historianOf(table);
  return samples.map(([at_s, value, quality]) => ({
    ts_us: (at_s as number) * second_us,
    value: value === null ? NaN : Number(value),
    quality: quality === "uncertain" && uncertain_is_bad ? 2 : names.indexOf(quality as string),
  }));
}

function historianOf({ historian }: Table) {
  return examples.historians[historian as keyof typeof examples.historians];
}

/** Sums of a table's intervals, cut off where its data ends. */
function sumsOf(table: Table) {
  const { interval_s, until_s } = table;
  const starts = Array.from({ length: Math.ceil(end_s / interval_s) }, (_, i) => i * interval_s);
  const open = starts.filter((start) => start < until_s);
  const sums = seriesSums(starts.length);
  const spans = {
    from_us: Float64Array.from(open, (start) => start * second_us),
    to_us: Float64Array.from(open, (start) => Math.min(start + interval_s, until_s) * second_us),
    bucket: Int32Array.from(open, (_, i) => i),
  };
  const { stepped } = historianOf(table);
  const series = new SeriesStatistics(spans, sums, { stepped, hold_us: Infinity });
  for (const { ts_us, value, quality } of samplesOf(table)) {
    series.add({ ts_us, value, quality, state: quality < 2 ? BigInt(value) : undefined });
  }
  series.finish();
  return sums;
}

const statistics: Readonly<Record<string, readonly [StatisticName, number]>> = {
  TimeAverage: ["time_average", 1],
  Minimum: ["minimum", 1],
  Maximum: ["maximum", 1],
  Range: ["range", 1],
  StandardDeviationSample: ["standard_deviation", 1],
  Start: ["first", 1],
  DurationGood: ["duration_good", 1000],
  DurationBad: ["duration_bad", 1000],
  PercentGood: ["percent_good", 1],
  NumberOfTransitions: ["number_of_transitions", 1],
};

function figuresOf(table: Table): readonly (number | null)[] {
  const sums = sumsOf(table);
  const view = { scale: 1, offset: 0, is_state: true };
  return table.values.map((_, bucket) => {
    if (table.aggregate === "Average") return sums.good[bucket] ? sums.mean[bucket] : null;
    if (table.aggregate === "Count") return sums.samples[bucket] ? sums.good[bucket] : null;
    if (table.aggregate === "PercentBad") {
      const share = 100 * sums.bad_us[bucket] / sums.known_us[bucket];
      return Number.isNaN(share) ? null : share;
    }
    const [name, factor] = statistics[table.aggregate];
    const value = factor * statisticOf(name, { sums, bucket, view });
    return Number.isNaN(value) ? null : value;
  });
}

function interpolatedOf(table: Table): readonly { value: number | null; quality: string }[] {
  const { stepped } = historianOf(table);
  const samples = samplesOf(table);
  const neighbour = (sample: Sample | undefined): Neighbour | undefined =>
    sample && { ...sample, uncertain: sample.quality === 1 };
  return table.values.map((_, i) => {
    const at_us = i * table.interval_s * second_us;
    const usable = samples.filter(({ quality }) => quality < 2);
    const before = neighbour(usable.findLast(({ ts_us }) => ts_us <= at_us));
    const after = neighbour(usable.find(({ ts_us }) => ts_us >= at_us));
    const bad = samples.find(({ ts_us, quality }) => quality === 2 && ts_us > (before?.ts_us ?? 0));
    const around = { at_us, before, after, bad_us: bad?.ts_us };
    const { source, value, uncertain } = interpolate(around, { stepped, hold_us: Infinity });
    if (source === "none") return { value: null, quality: "none" };
    return { value, quality: uncertain ? "uncertain" : "good" };
  });
}

function isNear(a: number | null, b: number | null): boolean {
  return a === b || (a !== null && b !== null && Math.abs(a - b) < 0.0006);
}

/** The rows that differ: `aggregate historian edition second`. */
function differencesOf(table: Table): readonly string[] {
  const found = table.aggregate === "Interpolative"
    ? interpolatedOf(table)
    : figuresOf(table).map((value) => ({ value, quality: undefined }));
  return found.flatMap(({ value, quality }, i) => {
    const is_same = isNear(table.values[i] as number | null, value) &&
      (quality === undefined || quality === table.quality![i]);
    const { aggregate, historian, edition, interval_s } = table;
    return is_same ? [] : [`${aggregate} ${historian} ${edition} ${i * interval_s}`];
  });
}

Deno.test("every published row agrees but for those that a clause explains", () => {
  const rows = examples.tables.reduce((sum, { values }) => sum + values.length, 0);
  equal(rows, 602);
  deepEqual(
    examples.tables.flatMap(differencesOf),
    Object.values(differing).flat().toSorted(byTable),
  );
});

/** In the order of the tables. */
function byTable(a: string, b: string): number {
  const order = examples.tables.map(({ aggregate, historian, edition }) =>
    `${aggregate} ${historian} ${edition}`
  );
  const place = (row: string) => order.indexOf(row.replace(/ \d+$/, ""));
  return place(a) - place(b);
}
