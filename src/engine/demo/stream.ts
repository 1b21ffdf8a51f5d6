// The demo's data: a history of minutes, then a live stream of seconds, a forecast each morning.
import { Dice } from "../../base/random.ts";
import type { ForecastBatch, SampleBatch } from "../../model/samples/sample.ts";
import { batchOf, type Grid, type Lone, newGrid, quality } from "./batch.ts";
import { forecastRun, isForecastTime } from "./forecast.ts";
import { DemoPlant, inverter_status } from "./plant.ts";
import type { Point } from "./point.ts";
import { demo_points } from "./site.ts";

/** Steps of the plant in one batch: half a day of minutes. */
const batch_steps = 720;
const minute_s = 60;
const second_us = 1_000_000;
/** Samples that a device's silence begins with: that it can't be reached. */
const last_words = 5;

/** What the plant sends: samples, or a run of the forecast. */
export type DemoBatch = SampleBatch | ForecastBatch;

/** A sample whose way to the server is interrupted until `due_s`. */
type Held = Lone & { readonly due_s: number };

/**
 * A plant that began at `from_us` (a whole minute). Its samples depend on the seed and that instant
 * only: the same however they are read.
 */
export class DemoStream {
  readonly #dice: Dice;
  readonly #plant: DemoPlant;
  #held: readonly Held[] = [];

  constructor({ seed, from_us }: { readonly seed: number; readonly from_us: number }) {
    const from_s = Math.floor(from_us / second_us / minute_s) * minute_s;
    this.#dice = new Dice(seed);
    this.#plant = new DemoPlant(this.#dice, from_s);
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
      if (isForecastTime(this.#plant.at_s)) forecasts.push(forecastRun(this.#dice, this.#plant));
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
    if (point.inverter === undefined) return quality.good;
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
