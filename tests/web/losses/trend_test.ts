// The trend of Theil and Sen: exact on a line, unmoved by outliers, silent where it can't tell.
import { equal, ok } from "node:assert/strict";
import { type Point, trendOf } from "../../../src/web/losses/trend.ts";

const week_ms = 7 * 86_400_000;
const year_weeks = 365.2425 / 7;

const weeks = (count: number, valueOf: (week: number) => number): Point[] =>
  Array.from({ length: count }, (_, i) => ({ at_ms: i * week_ms, value: valueOf(i) }));

const near = (a: number, b: number, by = 1e-9) => ok(Math.abs(a - b) < by, `${a} and ${b}`);

Deno.test("a line's slope is found, as a share of the value with which it begins", () => {
  // From 0.98, 0.0098 less each year: 1 % a year.
  const trend = trendOf(weeks(157, (i) => 0.98 - 0.0098 * i / year_weeks))!;
  near(trend.per_year, -0.01);
  near(trend.least, -0.01);
  near(trend.valueAt(0), 0.98);
  near(trend.valueAt(year_weeks * week_ms), 0.98 * 0.99);
  equal(trend.verdict, "falling");
  equal(trend.is_provisional, false);
});

Deno.test("weeks that are far off do not move it", () => {
  const trend = trendOf(weeks(120, (i) => i % 6 === 5 ? 0.2 : 0.98 - 0.0098 * i / year_weeks))!;
  near(trend.per_year, -0.01, 0.001);
});

Deno.test("less than a year is too short to say, less than two is provisional", () => {
  const line = (i: number) => 1 - 0.001 * i;
  equal(trendOf(weeks(20, line))?.verdict, "short");
  equal(trendOf(weeks(60, line))?.verdict, "falling");
  equal(trendOf(weeks(60, line))?.is_provisional, true);
  equal(trendOf(weeks(60, (i) => 1 + 0.001 * i))?.verdict, "rising");
  equal(trendOf(weeks(1, line)), undefined);
});

Deno.test("noise alone is no trend", () => {
  const trend = trendOf(weeks(110, (i) => 0.97 + 0.02 * Math.sin(i * 2.399)))!;
  equal(trend.verdict, "none");
  ok(trend.least < 0 && trend.most > 0);
});
