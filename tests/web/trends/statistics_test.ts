// Statistics of a span: those of its minutes together are those of its samples.
import { deepEqual, equal, ok } from "node:assert/strict";
import { flags, type Samples } from "../../../src/web/trends/samples.ts";
import {
  combined,
  type Minutes,
  plainStatistics,
  showsLater,
  wholeMinutes,
} from "../../../src/web/trends/statistics.ts";

const minute_ms = 60_000;
const near = (actual: number, expected: number) =>
  ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

/** The minutes of samples, as the service gives them: samples of good quality alone. */
function minutesOf(samples: readonly (readonly number[])[]): Minutes {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const deviation = (values: readonly number[]) =>
    values.length < 2 ? 0 : Math.sqrt(
      values.reduce((sum, it) => sum + (it - mean(values)) ** 2, 0) / (values.length - 1),
    );
  const column = (of: (values: readonly number[]) => number) => Float64Array.from(samples, of);
  return {
    instants: Float64Array.from(samples, (_, i) => i * minute_ms),
    mean: column(mean),
    time_average: column(mean),
    least: column((it) => Math.min(...it)),
    greatest: column((it) => Math.max(...it)),
    deviation: column(deviation),
    good: column((it) => it.length),
    uncertain: column(() => 0),
    carried: column(() => 0),
    good_s: column(() => 60),
  };
}

Deno.test("minutes together have the figures of all their samples", () => {
  const figures = combined(minutesOf([[2, 4], [4, 4, 5], [5, 7, 9]]), {
    from_ms: 0,
    to_ms: 3 * minute_ms,
  });
  // Mean 5, squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32 over n − 1 = 7.
  near(figures.mean, 5);
  near(figures.deviation, Math.sqrt(32 / 7));
  near(figures.time_weighted, (3 + 13 / 3 + 7) / 3);
  equal(figures.count, 8);
  deepEqual([figures.least, figures.least_ms], [2, 0]);
  deepEqual([figures.greatest, figures.greatest_ms], [9, 2 * minute_ms]);
  equal(figures.percent_good, 100);
});

Deno.test("minutes without rows are not good time, and carried ones weigh nothing", () => {
  const minutes = minutesOf([[10], [20]]);
  const figures = combined({
    ...minutes,
    instants: Float64Array.of(0, 3 * minute_ms),
    good: Float64Array.of(1, 0),
    carried: Float64Array.of(0, 1),
    good_s: Float64Array.of(60, 30),
  }, { from_ms: 0, to_ms: 4 * minute_ms });
  equal(figures.mean, 10);
  equal(figures.count, 1);
  equal(figures.deviation, 0);
  equal(figures.percent_good, 37.5);
});

Deno.test("minutes without quality weigh alike, and their samples are not counted", () => {
  const minutes = minutesOf([[10], [20], [90]]);
  const figures = combined({
    ...minutes,
    good: Float64Array.of(0, 0, 0),
    carried: Float64Array.of(0, 0, 1),
  }, { from_ms: 0, to_ms: 3 * minute_ms });
  equal(figures.mean, 15);
  near(figures.deviation, Math.sqrt(50));
  ok(Number.isNaN(figures.count));
  equal(figures.percent_good, 100);
});

Deno.test("of no minute nothing is known, and no time was good", () => {
  const figures = combined(minutesOf([]), { from_ms: 0, to_ms: minute_ms });
  ok(Number.isNaN(figures.mean) && Number.isNaN(figures.least) && Number.isNaN(figures.deviation));
  equal(figures.count, 0);
  equal(figures.percent_good, 0);
});

Deno.test("what is drawn has figures of the values within the span", () => {
  const samples: Samples = {
    instants: Float64Array.of(0, 100, 200, 300),
    values: Float64Array.of(100, 1, NaN, 3),
    flags: new Uint8Array(4).fill(flags.good),
  };
  const figures = plainStatistics(samples, { from_ms: 50, to_ms: 301 });
  deepEqual([figures.mean, figures.least, figures.greatest, figures.total], [2, 1, 3, 4]);
  near(figures.deviation, Math.SQRT2);
  ok(Number.isNaN(figures.percent_good));
});

Deno.test("whole minutes reach around a span, but not past the moment", () => {
  deepEqual(wholeMinutes({ from_ms: 61_000, to_ms: 170_000 }, 175_000), {
    from_ms: 60_000,
    to_ms: 120_000,
  });
  deepEqual(wholeMinutes({ from_ms: 61_000, to_ms: 170_000 }, 1e9).to_ms, 180_000);
});

Deno.test("a curve may show later samples than statistics of whole minutes have", () => {
  // An alarm at 12:02:11 of a sample that the minutes until 12:02 do not have.
  const at = (time: string) => Date.parse(`2026-06-01T${time}Z`);
  const span = { from_ms: at("11:51:00"), to_ms: at("12:02:30") };
  const until_ms = wholeMinutes(span, at("12:02:30")).to_ms;
  const shown = (time: string, step_ms = 0) => {
    const samples = {
      instants: Float64Array.of(at("11:55:00"), at(time)),
      values: Float64Array.of(0, 4),
      flags: Uint8Array.of(0, 0),
    };
    return showsLater(samples, { span, until_ms, step_ms });
  };
  equal(until_ms, at("12:02:00"));
  equal(shown("12:02:11"), true);
  equal(shown("12:01:59"), false);
  equal(shown("12:03:00"), false, "what is not in the span is not shown");
  equal(shown("12:00:00", 300_000), true, "a bucket reaches on");
  equal(shown("12:01:00", 60_000), false);
});
