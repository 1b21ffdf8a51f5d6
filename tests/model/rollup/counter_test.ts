// A register's increments: climbs, falls that return, falls that stay, wraps, gaps.
import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  countRegister,
  type Register,
  syncAfter,
  syncBefore,
} from "../../../src/model/rollup/amount.ts";
import { minute_us, noValues, type Readings } from "../../../src/model/time/series.ts";
import counters from "../../vectors/counters.json" with { type: "json" };

const unknown: Register = { bits: null, per_hour: Infinity };

for (const { name, samples, energy, register_bits } of counters.cases) {
  Deno.test(`counter: ${name}`, () => {
    const readings = readingsOf(
      samples.map(([at, value]) => [minuteOf(String(at)), Number(value)]),
    );
    const hour = noValues({ from_minute: 12 * 60, to_minute: 13 * 60 });
    countRegister(readings, { ...unknown, bits: register_bits ?? null }, hour);
    const known = hour.values.filter((value) => !Number.isNaN(value));
    if (energy === null) equal(known.length, 0);
    else near(known.reduce((sum, value) => sum + value, 0), energy);
  });
}

Deno.test("counter: over a gap of more than an hour the whole falls to the later minute", () => {
  const minutes = noValues({ from_minute: 0, to_minute: 200 });
  const readings = readingsOf([[0, 100], [121, 400]]);
  equal(countRegister(readings, { bits: null, per_hour: 200 }, minutes), 0);
  equal(minutes.values[121], 300);
  equal(minutes.values.filter((value) => !Number.isNaN(value)).length, 1);
});

Deno.test("counter: what is physically impossible over a long gap is dropped and told", () => {
  const minutes = noValues({ from_minute: 0, to_minute: 200 });
  const readings = readingsOf([[0, 100], [121, 1000], [122, 1001]]);
  equal(countRegister(readings, { bits: null, per_hour: 200 }, minutes), 1);
  near(minutes.values[121], 1);
  equal(minutes.values.filter((value) => !Number.isNaN(value)).length, 1);
});

Deno.test("counter: a fall that is not decided yet adds nothing", () => {
  const minutes = noValues({ from_minute: 0, to_minute: 60 });
  countRegister(readingsOf([[0, 100], [10, 105], [20, 50], [30, 51]]), unknown, minutes);
  near(sumOf(minutes.values), 5);
});

Deno.test("counter: three climbing readings settle the reference whatever came before", () => {
  const levels = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 8, maxLength: 40 });
  fc.assert(
    fc.property(levels, (values) => {
      const readings = readingsOf(values.map((value, i) => [i * 7, value]));
      const range = { from_minute: 0, to_minute: values.length * 7 };
      const whole = noValues(range);
      countRegister(readings, unknown, whole);
      const middle = readings.ts[values.length >> 1];
      const from = syncBefore(readings, middle);
      const to = syncAfter(readings, middle);
      if (from < 0) return;
      const part = noValues(range);
      const end = to < 0 ? values.length : to + 1;
      countRegister(
        { ts: readings.ts.slice(from, end), value: readings.value.slice(from, end) },
        unknown,
        part,
      );
      for (let minute = readings.ts[from] / minute_us; minute < middle / minute_us; minute++) {
        ok(Object.is(part.values[minute], whole.values[minute]), `minute ${minute}`);
      }
    }),
    { numRuns: 300 },
  );
});

function readingsOf(samples: readonly (readonly [number, number])[]): Readings {
  return {
    ts: Float64Array.from(samples, ([minute]) => minute * minute_us),
    value: Float64Array.from(samples, ([, value]) => value),
  };
}

function minuteOf(clock: string): number {
  const [hours, minutes] = clock.split(":").map(Number);
  return hours * 60 + minutes;
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0);
}

function near(actual: number, expected: number): void {
  ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);
}
