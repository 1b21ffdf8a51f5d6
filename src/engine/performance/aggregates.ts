// The cells of a slab, one a bucket and group: values of sensors combined as their measure asks.
import type { OverSensors } from "../../model/plant/measure.ts";
import type { StatisticName } from "../../model/statistics/statistic.ts";
import type { Positions } from "../../model/time/bucket.ts";
import type { Readings } from "../../store/performance/performance.ts";
import { type CellTargets, Combined, type Numbers, under, within } from "./combined.ts";
import type { MatchedCells } from "./matched.ts";

/**
 * Four values a cell; NaN where there is none, not finite where there is none in common. Where no
 * setpoint is active in any cell, both setpoint arrays are those of `value` and `model` themselves.
 */
export type CellValues =
  & Readonly<Record<"value" | "model" | "value_setpoint" | "model_setpoint", Float64Array>>
  & {
    readonly forecast?: ForecastValues;
    readonly matched?: MatchedCells;
    readonly statistics?: StatisticsValues;
    /** 0 to 1, NaN without daylight. */
    readonly fallback_share?: Float64Array;
  };

/**
 * What forecasts say of each cell, NaN where none does; when the latest of the runs was issued, in
 * microseconds, and its whole minutes until the bucket starts.
 */
export type ForecastValues = {
  readonly value: Float64Array;
  readonly issued_us: Float64Array;
  readonly lead_minutes: Int32Array;
};

/** Statistics of each cell; NaN where there is none. */
export type StatisticsValues = ReadonlyMap<StatisticName, Float64Array>;

/** Consecutive positions of the axis and their cells, group by group within a position. */
export type Slab = { readonly positions: Positions; readonly values: CellValues };

/**
 * The first cell of `[from, to)` that gives a row, or the first that gives none, as `is_row` asks;
 * `to` where there is none.
 */
export type Seeker = (is_row: boolean, from: number, to: number) => number;

/** Seeks cells that have a value. */
export function filledSeeker({ value, model, forecast }: CellValues): Seeker {
  const told = forecast?.value ?? value;
  return (is_row, from, to) => {
    let at = from;
    for (; at < to; at++) {
      const has = value[at] === value[at] || model[at] === model[at] || told[at] === told[at];
      if (has === is_row) break;
    }
    return at;
  };
}

/** Cells that are filled reading by reading and then read; made once and cleared for each slab. */
export class Cells {
  readonly #value: Combined;
  readonly #model: Combined;
  /** Split off when the first reading comes whose setpoint values are not its plain ones. */
  #setpoint: { readonly value: Combined; readonly model: Combined } | undefined;

  /** `op` combines the readings of a cell; without one, no cell has two. */
  constructor(size: number, op: OverSensors | undefined) {
    this.#value = Combined.of(size, op);
    this.#model = Combined.of(size, op);
  }

  /** Makes the first `size` cells ready for readings. */
  clear(size: number): void {
    this.#value.clear(size);
    this.#model.clear(size);
    this.#setpoint = undefined;
  }

  add({ value, model, value_setpoint, model_setpoint }: Readings, targets: CellTargets): void {
    if (value_setpoint !== value) this.#split();
    this.#value.add(value, targets);
    this.#model.add(model, targets);
    this.#setpoint?.value.add(value_setpoint, targets);
    this.#setpoint?.model.add(model_setpoint, targets);
  }

  #split(): void {
    this.#setpoint ??= { value: this.#value.clone(), model: this.#model.clone() };
  }

  /** What the first `size` cells are made of, for another to take. */
  sums(size: number): Numbers {
    return {
      ...under("value", this.#value.sums(size)),
      ...under("model", this.#model.sums(size)),
      ...under("value_setpoint", this.#setpoint?.value.sums(size)),
      ...under("model_setpoint", this.#setpoint?.model.sums(size)),
    };
  }

  /** Adds what cells of another are made of. */
  take(numbers: Numbers, cells: Int32Array): void {
    const [value, model] = [within("value", numbers), within("model", numbers)];
    const set = within("value_setpoint", numbers);
    const is_set = "total" in set;
    if (is_set) this.#split();
    this.#value.take(value, cells);
    this.#model.take(model, cells);
    this.#setpoint?.value.take(is_set ? set : value, cells);
    this.#setpoint?.model.take(is_set ? within("model_setpoint", numbers) : model, cells);
  }

  /** The combined values of all cells: the cells' own arrays, valid until `clear`. */
  finish(): CellValues {
    const value = this.#value.finish();
    const model = this.#model.finish();
    const value_setpoint = this.#setpoint?.value.finish() ?? value;
    const model_setpoint = this.#setpoint?.model.finish() ?? model;
    return { value, model, value_setpoint, model_setpoint };
  }
}
