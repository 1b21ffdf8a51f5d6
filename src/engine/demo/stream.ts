// The demo's data: a history of minutes, then a live stream of seconds, a forecast each morning.
import { Dice } from "../../base/random.ts";
import { noneValid, setValid } from "../../model/data/chunk.ts";
import type { ForecastBatch, SampleBatch } from "../../model/samples/sample.ts";
import { Battery } from "./battery.ts";
import { DemoPlant, exportOf, inverter_status, inverterPower, size } from "./plant.ts";
import { type DemoPlace, solarTime } from "./place.ts";
import { demo_points, type Point } from "./point.ts";
import type { DemoStory, LiveSpan } from "./story.ts";
import { weatherAt } from "./weather.ts";

/** Steps of the plant in one batch: half a day of minutes. */
const batch_steps = 720;
const minute_s = 60;
const second_us = 1_000_000;
/** Samples that a device's silence begins with: that it can't be reached. */
const last_words = 5;

/** The qualities of a sample; `not_sent` marks a step without one. */
const quality = { good: 0, uncertain: 1, bad: 2, not_sent: 255 } as const;

/** OPC UA status codes by quality: Good, UncertainSubstituteValue, BadSensorFailure. */
const status_codes = [0, 0x40910000, 0x808c0000];

/** What the plant sends: samples, or a run of the forecast. */
export type DemoBatch = SampleBatch | ForecastBatch;

/** A sample whose way to the server is interrupted until `due_s`. */
type Held = Lone & { readonly due_s: number };

/**
 * A story's plant. Its samples depend on the seed, the beginning and the live spans only: the same
 * however they are read.
 */
export class DemoStream {
  readonly #dice: Dice;
  readonly #plant: DemoPlant;
  #held: readonly Held[] = [];

  constructor(story: DemoStory) {
    this.#dice = new Dice(story.seed);
    this.#plant = new DemoPlant(story);
  }

  /** Says what of the plant's life is lived by seconds. */
  set live_spans(spans: readonly LiveSpan[]) {
    this.#plant.live_spans = spans;
  }

  /** The next sample's instant, microseconds since 1970 UTC. */
  get next_us(): number {
    return this.#plant.at_s * second_us;
  }

  /** The minutes before `to_us` that were not read yet, half a day a batch. */
  *history(to_us: number): Generator<DemoBatch, void> {
    for (;;) {
      const left = Math.floor((to_us / second_us - this.#plant.at_s) / minute_s);
      if (left <= 0) return;
      yield* this.#batches(Math.min(left, batch_steps), minute_s);
    }
  }

  /** The seconds up to and with `at_us` that were not read yet, at most twelve minutes. */
  *live(at_us: number): Generator<DemoBatch, void> {
    const steps = Math.floor(at_us / second_us) - this.#plant.at_s + 1;
    if (steps > 0) yield* this.#batches(Math.min(steps, batch_steps), 1);
  }

  *#batches(steps: number, step_s: number): Generator<DemoBatch, void> {
    const grid = newGrid(demo_points.length, steps);
    const forecasts: ForecastBatch[] = [];
    for (let step = 0; step < steps; step++) {
      this.#readAll(grid, { step, step_s });
      if (isForecastTime(this.#plant)) forecasts.push(forecastRun(this.#dice, this.#plant));
      this.#plant.advance(step_s);
    }
    const now_s = this.#plant.at_s;
    const lone = this.#held.filter((it) => it.due_s < now_s);
    this.#held = this.#held.filter((it) => it.due_s >= now_s);
    const batch = batchOf(demo_points, grid, lone);
    if (batch.rows > 0) yield batch;
    yield* forecasts;
  }

  /** Reads every point that is due at this step. */
  #readAll(grid: Grid, { step, step_s }: { readonly step: number; readonly step_s: number }): void {
    const plant = this.#plant;
    const held: Held[] = [];
    grid.at_s[step] = plant.at_s;
    for (let i = 0; i < demo_points.length; i++) {
      const point = demo_points[i];
      if (plant.at_s % (point.every_s * step_s / minute_s) !== 0) continue;
      const verdict = this.#judge(point, step_s);
      if (verdict === quality.not_sent) continue;
      const value = verdict === quality.bad ? NaN : this.#valueOf(point, step_s);
      const late = point.inverter === undefined
        ? undefined
        : plant.incident("late", point.inverter);
      if (late) {
        held.push({ point: i, at_s: plant.at_s, value, quality: verdict, due_s: late.to_s });
        continue;
      }
      grid.value[i * grid.steps + step] = value;
      grid.quality[i * grid.steps + step] = verdict;
    }
    if (held.length > 0) this.#held = [...this.#held, ...held];
  }

  #judge(point: Point, step_s: number): number {
    const plant = this.#plant;
    if (point.met !== undefined && plant.incident("bad", point.met)) return quality.bad;
    if (point.meter !== undefined && plant.incident("new_meter", point.meter)) {
      return quality.not_sent;
    }
    if (point.inverter === undefined) return quality.good;
    if (plant.incident("replaced", point.inverter)) return quality.not_sent;
    const silence = plant.incident("silence", point.inverter);
    if (silence) {
      const spoken = plant.at_s < silence.from_s + last_words * step_s;
      return spoken ? quality.bad : quality.not_sent;
    }
    const asleep = plant.inverters[point.inverter].status === inverter_status.standby;
    return asleep && point.unit === "kW" ? quality.uncertain : quality.good;
  }

  /** The point's value; a glitching counter reads nothing for a reading or two. */
  #valueOf(point: Point, step_s: number): number {
    const plant = this.#plant;
    if (point.counter && point.inverter !== undefined) {
      const glitch = plant.incident("glitch", point.inverter);
      const lasts_s = glitch ? (glitch.to_s - glitch.from_s) * step_s / minute_s : 0;
      if (glitch && plant.at_s < glitch.from_s + lasts_s) return 0;
    }
    return point.read(plant);
  }
}

/** Values of some steps, [point × step], with the quality of each. */
type Grid = {
  readonly steps: number;
  /** Seconds since 1970 UTC. */
  readonly at_s: Float64Array;
  readonly value: Float64Array;
  readonly quality: Uint8Array;
};

/** One sample by itself: of point number `point`. */
type Lone = {
  readonly point: number;
  readonly at_s: number;
  readonly value: number;
  readonly quality: number;
};

/** A grid in which nothing was sent yet. */
function newGrid(points: number, steps: number): Grid {
  return {
    steps,
    at_s: new Float64Array(steps),
    value: new Float64Array(points * steps),
    quality: new Uint8Array(points * steps).fill(quality.not_sent),
  };
}

/** One batch: the grid's samples tag by tag, then the lone ones. */
function batchOf(
  points: readonly Point[],
  grid: Grid,
  lone: readonly Lone[],
): SampleBatch {
  const sent = grid.quality.reduce((n, it) => n + (it === quality.not_sent ? 0 : 1), 0);
  const batch = emptyBatch(points, lone.length + sent);
  let row = 0;
  for (let tag = 0, at = 0; tag < points.length; tag++) {
    for (let step = 0; step < grid.steps; step++, at++) {
      if (grid.quality[at] === quality.not_sent) continue;
      const sample = { value: grid.value[at], quality: grid.quality[at], at_s: grid.at_s[step] };
      put(batch, row++, { point: points[tag], tag, ...sample });
    }
  }
  for (const it of lone) put(batch, row++, { ...it, point: points[it.point], tag: it.point });
  return batch;
}

type Draft = SampleBatch & { readonly value_str: Map<number, string>; readonly low: Uint32Array };

function emptyBatch(points: readonly Point[], rows: number): Draft {
  const ts = new BigInt64Array(rows);
  return {
    lane: "signal",
    rows,
    tags: points.map((point) => point.tag),
    tag: new Int32Array(rows),
    ts,
    low: new Uint32Array(ts.buffer),
    value: new Float64Array(rows).fill(NaN),
    value_int: new BigInt64Array(rows),
    int_valid: noneValid(rows),
    value_str: new Map(),
    quality: new Uint8Array(rows),
    status_code: new Uint32Array(rows),
    status_valid: noneValid(rows).fill(255),
    line: Int32Array.from({ length: rows }, (_, i) => i + 1),
  };
}

type Cell = Omit<Lone, "point"> & { readonly point: Point; readonly tag: number };

function put(batch: Draft, row: number, { point, tag, at_s, value, quality }: Cell): void {
  batch.tag[row] = tag;
  // Two halves of the Int64: no BigInt is made for each row.
  const us = at_s * 1_000_000;
  batch.low[2 * row] = us % 2 ** 32;
  batch.low[2 * row + 1] = us / 2 ** 32;
  batch.quality[row] = quality;
  batch.status_code[row] = status_codes[quality];
  if (quality === 2) return;
  if (point.encoding === "float") batch.value[row] = value;
  else if (point.encoding === "string") batch.value_str.set(row, point.words![value]);
  else {
    batch.value_int[row] = BigInt(value);
    setValid(batch.int_valid, row);
  }
}

/** The tag that forecasts are of, in MW. */
const forecast_tag = "MTR-01.P";
/** When one is issued: before the sun rises. */
const issue_solar_h = 4;
const forecast_hours = 48;
const hour_s = 3600;
const day_s = 86_400;
/** How many moments of an hour the sky is looked at: clouds come out as their mean. */
const looks = 3;
/** What a forecast takes inverters' health for. */
const forecast_health = 0.97;

/** Whether a run is issued at this second: on a whole hour. */
function isForecastTime({ at_s, place }: DemoPlant): boolean {
  return at_s % hour_s === 0 &&
    Math.round(solarTime(place, at_s) % day_s / hour_s) === issue_solar_h;
}

/** The run that is issued now. It knows the sky, but not exactly, and nothing of incidents. */
function forecastRun(dice: Dice, plant: DemoPlant): ForecastBatch {
  const issued_s = plant.at_s;
  const first_s = Math.ceil((issued_s + 1) / hour_s) * hour_s;
  const battery = Object.assign(new Battery(), plant.battery);
  const begins = Array.from({ length: forecast_hours }, (_, i) => first_s + i * hour_s);
  const value = begins.map((at_s) => {
    const hour = (solarTime(plant.place, at_s + hour_s / 2) % day_s) / hour_s;
    const error = (0.04 + 0.06 * (at_s - issued_s) / day_s) *
      dice.curve(40, at_s / 9000 + issued_s);
    const { pv_w, ambient_c } = skyOf(dice, { at_s, place: plant.place });
    const seen_w = Math.min(size.plant_ac_w, pv_w * (1 + error));
    battery.advance({ hour, pv_w: seen_w, ambient_c, step_s: hour_s });
    const sources = { pv_w: seen_w, battery_w: battery.power_w, is_night: pv_w === 0 };
    return exportOf(sources) / 1e6;
  });
  return {
    lane: "forecast",
    rows: forecast_hours,
    tags: [forecast_tag],
    tag: new Int32Array(forecast_hours),
    ts: BigInt64Array.from(begins, (at_s) => BigInt(at_s) * 1_000_000n),
    issued_at: new BigInt64Array(forecast_hours).fill(BigInt(issued_s) * 1_000_000n),
    value: Float64Array.from(value),
    line: Int32Array.from({ length: forecast_hours }, (_, i) => i + 1),
  };
}

/** What all inverters would give in an hour, and how warm the air is. */
function skyOf(
  dice: Dice,
  { at_s: from_s, place }: { readonly at_s: number; readonly place: DemoPlace },
) {
  let pv_w = 0;
  let ambient_c = 0;
  for (let look = 0; look < looks; look++) {
    const at_s = from_s + (look + 0.5) / looks * hour_s;
    const weather = weatherAt(dice, { at_s, blocks: size.blocks, place });
    for (let block = 0; block < size.blocks; block++) {
      pv_w += size.per_block * inverterPower(weather, { block, health: forecast_health }) / looks;
    }
    ambient_c += weather.ambient_c / looks;
  }
  return { pv_w, ambient_c };
}
