// Statistics of any samples in any buckets, against the same second by second.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { interpolate, type Neighbour } from "../../../src/model/statistics/interpolation.ts";
import { SeriesStatistics, seriesSums } from "../../../src/model/statistics/series.ts";
import { statisticOf } from "../../../src/model/statistics/statistic.ts";

const second_us = 1_000_000;
const end_s = 7200;

type Sample = { readonly at: number; readonly quality: number; readonly value: number };

const samples = fc.uniqueArray(
  fc.record({
    at: fc.integer({ min: 0, max: end_s - 1 }),
    quality: fc.constantFrom(0, 0, 0, 1, 2),
    value: fc.integer({ min: -1000, max: 1000 }),
  }),
  { selector: ({ at }) => at, maxLength: 30 },
).map((list) => list.toSorted((a, b) => a.at - b.at));

/** Rising seconds; every second span of time between them belongs to a bucket. */
const cuts = fc.uniqueArray(fc.integer({ min: 0, max: end_s }), { minLength: 2, maxLength: 9 })
  .map((list) => list.toSorted((a, b) => a - b));

const rules = fc.record({
  stepped: fc.boolean(),
  hold_us: fc.constantFrom(60, 600, 900, 7000).map((s) => s * second_us),
});

function sumsOf(
  list: readonly Sample[],
  starts: readonly number[],
  rule: { stepped: boolean; hold_us: number },
) {
  const spans = {
    from_us: Float64Array.from(starts.slice(0, -1), (s) => s * second_us),
    to_us: Float64Array.from(starts.slice(1), (s) => s * second_us),
    // Two buckets in turn, as a week of daylight has many spans.
    bucket: Int32Array.from(starts.slice(1), (_, i) => i % 2),
  };
  const sums = seriesSums(2);
  const series = new SeriesStatistics(spans, sums, rule);
  series.begin();
  for (const { at, quality, value } of list) {
    series.add({ ts_us: at * second_us, quality, value, state: BigInt(value) });
  }
  series.finish();
  return sums;
}

function bucketAt(starts: readonly number[], second: number): number | undefined {
  const at = starts.findLastIndex((start) => start <= second);
  return at >= 0 && at < starts.length - 1 ? at % 2 : undefined;
}

Deno.test("times and averages are those of every second", () => {
  fc.assert(fc.property(samples, cuts, rules, (list, starts, rule) => {
    const sums = sumsOf(list, starts, rule);
    const [good, bad, area, area_s] = [0, 1, 2, 3].map(() => [0, 0]);
    for (let second = starts[0]; second < starts[starts.length - 1]; second++) {
      const bucket = bucketAt(starts, second)!;
      const last = list.findLast(({ at }) => at <= second);
      const is_held = last && second - last.at < rule.hold_us / second_us;
      if (is_held && last.quality === 0) good[bucket]++;
      if (!is_held || last.quality === 2) bad[bucket]++;
      const { source, value } = interpolate(around(list, second + 0.5), rule);
      if (source === "none") continue;
      area[bucket] += value;
      area_s[bucket]++;
    }
    for (const bucket of [0, 1]) {
      equal(sums.good_us[bucket], good[bucket] * second_us);
      equal(sums.bad_us[bucket], bad[bucket] * second_us);
      equal(sums.area_us[bucket], area_s[bucket] * second_us);
      const error = Math.abs(sums.area[bucket] / second_us - area[bucket]);
      ok(error <= 1e-6 * end_s, `${sums.area[bucket] / second_us}: ${area[bucket]}`);
    }
  }));
});

function around(list: readonly Sample[], at: number) {
  const usable = list.filter(({ quality }) => quality < 2);
  const neighbour = (sample: Sample | undefined): Neighbour | undefined =>
    sample && {
      ts_us: sample.at * second_us,
      value: sample.value,
      uncertain: sample.quality === 1,
    };
  const before = usable.findLast((sample) => sample.at <= at);
  const bad = before && list.find((sample) => sample.quality === 2 && sample.at > before.at);
  return {
    at_us: at * second_us,
    before: neighbour(before),
    after: neighbour(usable.find((sample) => sample.at >= at)),
    bad_us: bad && bad.at * second_us,
  };
}

Deno.test("values, states and counts are those of the samples in a bucket", () => {
  fc.assert(fc.property(samples, cuts, rules, (list, starts, rule) => {
    const sums = sumsOf(list, starts, rule);
    const view = { scale: 2, offset: 1, is_state: true };
    for (const bucket of [0, 1]) {
      const within = list.filter(({ at }) => bucketAt(starts, at) === bucket);
      const good = within.filter(({ quality }) => quality === 0).map(({ value }) => value);
      const usable = list.filter(({ quality }) => quality < 2);
      const changes = usable.filter(({ at, value }, i) =>
        i > 0 && bucketAt(starts, at) === bucket && usable[i - 1].value !== value
      );
      const of = (name: Parameters<typeof statisticOf>[0]) =>
        statisticOf(name, { sums, bucket, view });
      deepEqual(of("minimum"), good.length ? 2 * Math.min(...good) + 1 : NaN);
      deepEqual(of("range"), good.length ? 2 * (Math.max(...good) - Math.min(...good)) : NaN);
      const [first] = within;
      deepEqual(of("first"), first && first.quality < 2 ? 2 * first.value + 1 : NaN);
      const all_bad = within.length > 0 && within.every(({ quality }) => quality === 2);
      if (sums.known_us[bucket] > 0) {
        deepEqual(of("number_of_transitions"), all_bad ? NaN : changes.length);
      }
      const mean = good.reduce((sum, value) => sum + value, 0) / good.length;
      const squares = good.reduce((sum, value) => sum + (value - mean) ** 2, 0);
      const wanted = good.length > 1 ? 2 * Math.sqrt(squares / (good.length - 1)) : 0;
      if (good.length > 0) ok(Math.abs(of("standard_deviation") - wanted) < 1e-6);
    }
  }));
});
