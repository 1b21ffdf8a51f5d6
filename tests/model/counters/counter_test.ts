// A counter's increments: what is possible, suspects, new tracks, wraps, resets, long gaps.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { countReadings, type FoundEvent, withSpans } from "../../../src/model/counters/count.ts";
import { counter_limits } from "../../../src/model/counters/limits.ts";
import { CounterReadings, type Register } from "../../../src/model/counters/readings.ts";
import { minute_us, noValues } from "../../../src/model/time/series.ts";
import vectors from "../../vectors/counters.json" with { type: "json" };

type Sample = readonly [minute: number, value: number];

const unknown: Register = { modulus: null, per_us: null, digit: 1, resets: [] };
/** 1 MW that is counted in kWh. */
const megawatt: Register = { ...unknown, per_us: 1.5 * 1000 / 3_600_000_000 };
const spacings = [1, 5, 15] as const;

for (const { name, samples, energy, register_bits } of vectors.cases) {
  Deno.test(`counter: ${name}`, () => {
    const readings = samples.map(([at, value]): Sample => [minuteOf(String(at)), Number(value)]);
    const modulus = register_bits === undefined ? null : 2 ** register_bits;
    const { values } = counted(readings, { ...unknown, modulus }, [12 * 60, 13 * 60]);
    if (energy === null) ok(values.every(Number.isNaN));
    else near(sumOf(values), energy);
  });
}

/** Readings, one each spacing; what all of it counts, and what it is told. */
const cases: readonly {
  readonly name: string;
  readonly values: readonly number[];
  readonly register?: Partial<Register>;
  readonly energy: number;
  readonly kinds: readonly string[];
}[] = [
  {
    name: "a spike of all bits adds nothing",
    values: [110, 111, 4294967295, 113, 114],
    energy: 4,
    kinds: ["suspect"],
  },
  {
    name: "a replaced meter that starts higher loses the step",
    values: [110, 111, 90000, 90001, 90002, 90003],
    energy: 4,
    kinds: ["new_track"],
  },
  {
    name: "a replaced meter that starts lower loses the step",
    values: [5000, 5001, 2, 3, 4, 5],
    energy: 4,
    kinds: ["new_track"],
  },
  {
    name: "a new meter at zero is a track once it climbs",
    values: [5000, 5001, 0, 0, 0, 2, 4],
    energy: 5,
    kinds: ["new_track"],
  },
  {
    name: "60000 to 0 is no wrap of 16 bits",
    values: [59998, 59999, 60000, 0, 1, 2],
    energy: 4,
    kinds: ["new_track"],
  },
  {
    name: "4.1e9 to 0 is no wrap of 32 bits",
    values: [4.1e9, 4.1e9 + 1, 0, 1, 2],
    energy: 3,
    kinds: ["new_track"],
  },
  {
    name: "three zeros and a return add what was counted meanwhile",
    values: [100, 110, 0, 0, 0, 120, 130],
    energy: 30,
    kinds: ["suspect"],
  },
  {
    name: "a glitch down adds nothing",
    values: [100, 105, 50, 110, 115],
    energy: 15,
    kinds: ["suspect"],
  },
  {
    name: "999999 to 5 of an undeclared display is lost",
    values: [999997, 999999, 5, 7, 9],
    energy: 6,
    kinds: ["new_track"],
  },
  {
    name: "999999 to 5 of a six-digit display is counted",
    values: [999997, 999999, 5, 7, 9],
    register: { modulus: 1_000_000 },
    energy: 12,
    kinds: ["wrap"],
  },
  {
    name: "a wrap of 32 bits is counted",
    values: [4294967290, 4294967294, 4, 8],
    energy: 14,
    kinds: ["wrap"],
  },
  {
    name: "a wrap of 16 bits is counted",
    values: [65530, 65534, 2, 4],
    energy: 10,
    kinds: ["wrap"],
  },
];

for (const { name, values, register, energy, kinds } of cases) {
  for (const spacing of spacings) {
    Deno.test(`counter: ${name}, every ${spacing} minutes`, () => {
      const readings = values.map((value, i): Sample => [i * spacing, value]);
      const found = counted(readings, { ...megawatt, ...register }, [0, values.length * spacing]);
      near(sumOf(found.values), energy);
      deepEqual(found.events.map(({ kind }) => kind), kinds);
    });
  }
}

Deno.test("counter: an event tells its readings and what was possible", () => {
  const readings: Sample[] = [[0, 100], [5, 110], [10, 4294967295], [15, 4294967295], [20, 150]];
  const { events } = counted(readings, megawatt, [0, 30]);
  deepEqual(events, [{
    kind: "suspect",
    ts: 10 * minute_us,
    value: 4294967295,
    before_ts: 5 * minute_us,
    before_value: 110,
    readings: 2,
    counted: null,
    most: 125,
    reset_us: null,
  }]);
});

Deno.test("counter: a declared reset settles its step", () => {
  const reset = { at_us: 12 * minute_us, last_value: 5003, first_value: 7 };
  const readings: Sample[] = [[0, 5000], [10, 5002], [20, 9], [30, 11]];
  const found = counted(readings, { ...megawatt, resets: [reset] }, [0, 40]);
  near(sumOf(found.values), 2 + 1 + 2 + 2);
  deepEqual(found.events.map(({ kind, counted }) => [kind, counted]), [["reset", 3]]);
  const wrong = { ...reset, last_value: 900_000 };
  const refused = counted(readings, { ...megawatt, resets: [wrong] }, [0, 40]);
  near(sumOf(refused.values), 2);
  deepEqual(refused.events.map(({ kind }) => kind), ["suspect"]);
});

Deno.test("counter: without a rated power the last differences say what is possible", () => {
  const steady = Array.from({ length: 12 }, (_, i): Sample => [i, 100 + 2 * i]);
  const spike: Sample[] = [...steady, [12, 1000], [13, 126]];
  near(sumOf(counted(spike, unknown, [0, 20]).values), 26);
  const few: Sample[] = [...steady.slice(0, 10), [10, 1000], [11, 1002]];
  near(sumOf(counted(few, unknown, [0, 20]).values), 18 + 882 + 2);
  const fast: Sample[] = [...steady, [12, 122 + 200]];
  near(sumOf(counted(fast, unknown, [0, 20]).values), 22 + 200);
});

Deno.test("counter: a night of standing still does not make the morning impossible", () => {
  const day = Array.from({ length: 20 }, (_, i): Sample => [i, 100 + i]);
  const night = Array.from({ length: 600 }, (_, i): Sample => [20 + i, 119]);
  const { values, events } = counted([...day, ...night, [620, 120]], unknown, [0, 640]);
  near(sumOf(values), 20);
  deepEqual(events, []);
});

Deno.test("counter: one step of the last digit is always possible", () => {
  const kilowatt: Register = { ...unknown, per_us: 1.5 / 3_600_000_000 };
  const readings: Sample[] = [[0, 7], [1, 8], [2, 8], [3, 8.1], [4, 8.1]];
  const { values, events } = counted(readings, kilowatt, [0, 5]);
  near(sumOf(values), 1.1);
  deepEqual(events, []);
});

Deno.test("counter: a register that moves every quarter of an hour counts all", () => {
  const readings = Array.from({ length: 61 }, (_, i): Sample => [i, 225 * Math.floor(i / 15)]);
  const { values, events } = counted(readings, megawatt, [0, 61]);
  near(sumOf(values), 675);
  // The last one is not possible yet.
  deepEqual(events.map(({ kind, ts }) => [kind, ts]), [["suspect", 60 * minute_us]]);
});

Deno.test("counter: over a gap of more than an hour the whole falls to the later minute", () => {
  const { values, span_from, span_to } = counted([[0, 100], [121, 400]], megawatt, [0, 200]);
  equal(values[121], 300);
  equal(values.filter((value) => !Number.isNaN(value)).length, 1);
  deepEqual([span_from[121], span_to[121]], [0, 121]);
});

Deno.test("counter: what is not possible over a long gap adds nothing", () => {
  const { values, events } = counted([[0, 100], [121, 9100], [122, 9101]], megawatt, [0, 200]);
  ok(values.every(Number.isNaN));
  deepEqual(events.map(({ kind, readings }) => [kind, readings]), [["suspect", 2]]);
});

Deno.test("counter: a minute's spans are the minutes that its differences reach", () => {
  const readings: Sample[] = [[0, 100], [1, 101], [3.5, 103], [8, 106]];
  const { span_from, span_to } = counted(readings, megawatt, [0, 9]);
  deepEqual([...span_from.subarray(0, 8)], [0, 1, 1, 1, 3, 3, 3, 3]);
  deepEqual([...span_to.subarray(0, 8)], [0, 3, 3, 7, 7, 7, 7, 7]);
});

Deno.test("counter: what is not decided yet adds nothing", () => {
  near(sumOf(counted([[0, 100], [10, 105], [20, 50], [30, 51]], unknown, [0, 60]).values), 5);
});

const registers = fc.constantFrom<Register>(
  { ...unknown, per_us: 1.5 / minute_us },
  { ...unknown, per_us: 1.5 / minute_us, modulus: 16 },
  { ...unknown, modulus: 16 },
  { ...unknown, per_us: 0.4 / minute_us },
  {
    ...unknown,
    per_us: 1.5 / minute_us,
    resets: [{ at_us: 150 * minute_us, last_value: 12, first_value: 3 }],
  },
);

Deno.test("counter: after a sync point all is the same whatever came before", () => {
  const levels = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 8, maxLength: 60 });
  const climbs = levels.map((values) => {
    let level = 0;
    return values.map((value) => value < 14 ? level += value % 4 : value);
  });
  fc.assert(
    fc.property(fc.oneof(levels, climbs), registers, fc.nat(), (values, register, place) => {
      const readings = values.map((value, i): Sample => [i * 7, value]);
      const range = [0, values.length * 7] as const;
      const middle = (place % values.length) * 7 * minute_us;
      const counter = counterOf(readings, register);
      const from = counter.syncBefore(middle);
      const to = counter.syncAfter(middle);
      if (from < 0) return;
      const whole = counted(readings, register, range);
      const end = to < 0 ? values.length : to + 1;
      const part = withSpans(noValues({ from_minute: range[0], to_minute: range[1] }));
      const events = countReadings(counter, { from, to: end }, part);
      for (let minute = readings[from][0] + 1; minute < middle / minute_us; minute++) {
        ok(Object.is(part.values[minute], whole.values[minute]), `minute ${minute}`);
      }
      const until = (it: FoundEvent) => it.ts > counter.ts[from] && it.ts < middle;
      deepEqual(events.filter(until), whole.events.filter(until));
    }),
    { numRuns: 1000 },
  );
});

Deno.test("counter: a reading changes nothing before and after the sync points around it", () => {
  const levels = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 20, maxLength: 60 });
  fc.assert(
    fc.property(levels, fc.nat(), fc.nat({ max: 90 }), registers, (rises, at, value, register) => {
      let level = 0;
      const before = rises.map((rise, i): Sample => [i * 7, level += rise]);
      const place = at % before.length;
      const after = before.with(place, [before[place][0], value]);
      const range = [0, rises.length * 7] as const;
      const [was, is] = [before, after].map((it) => counted(it, register, range));
      const counter = counterOf(after, register);
      const ts = counter.ts[place];
      const from = counter.ts[Math.max(counter.syncBefore(ts), 0)] / minute_us;
      const last = counter.syncAfter(ts);
      const to = last < 0 ? range[1] : counter.ts[last] / minute_us + 1;
      for (let minute = 0; minute < range[1]; minute++) {
        if (minute >= from && minute < to) continue;
        ok(Object.is(was.values[minute], is.values[minute]), `minute ${minute}`);
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("counter: no difference is more than possible, and none is a fall", () => {
  const values = fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 2, maxLength: 60 });
  fc.assert(
    fc.property(values, (list) => {
      const readings = list.map((value, i): Sample => [i, value]);
      const found = counted(readings, megawatt, [0, list.length]);
      ok(sumOf(found.values) <= 25 * (list.length - 1) + 1e-9);
      ok(found.values.every((value) => !(value < 0)));
    }),
  );
});

Deno.test("counter: standing readings are a sync point only after some of them", () => {
  const still = (count: number) =>
    counterOf(Array.from({ length: count }, (_, i): Sample => [i, 5]), megawatt);
  const { standing_readings } = counter_limits;
  equal(still(standing_readings - 1).syncBefore(Infinity), -1);
  equal(still(standing_readings).syncBefore(Infinity), standing_readings - 1);
});

function counted(
  samples: readonly Sample[],
  register: Register,
  [from_minute, to_minute]: readonly [number, number],
) {
  const minutes = withSpans(noValues({ from_minute, to_minute }));
  const counter = counterOf(samples, register);
  const events = countReadings(counter, { from: 0, to: samples.length }, minutes);
  return { ...minutes, events };
}

function counterOf(samples: readonly Sample[], register: Register): CounterReadings {
  return new CounterReadings({
    ts: Float64Array.from(samples, ([minute]) => minute * minute_us),
    value: Float64Array.from(samples, ([, value]) => value),
  }, register);
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
