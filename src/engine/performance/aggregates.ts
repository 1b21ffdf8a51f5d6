// The cells of a slab, one a bucket and group: values of sensors combined as their measure asks.
import type { OverSensors } from "../../model/plant/measure.ts";
import type { StatisticName } from "../../model/statistics/statistic.ts";
import type { Positions } from "../../model/time/bucket.ts";
import type { MatchedCells } from "./matched.ts";
import type { Readings } from "../../store/performance/performance.ts";

/** Where each row of some readings goes, and its weight, where the measure is weighted. */
type Targets = { readonly cells: Int32Array; readonly weights?: Float64Array };

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

  add({ value, model, value_setpoint, model_setpoint }: Readings, targets: Targets): void {
    if (value_setpoint !== value) {
      this.#setpoint ??= { value: this.#value.clone(), model: this.#model.clone() };
    }
    this.#value.add(value, targets);
    this.#model.add(model, targets);
    this.#setpoint?.value.add(value_setpoint, targets);
    this.#setpoint?.model.add(model_setpoint, targets);
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

/** Stands for codes that differ; no measured value is infinite. */
export const differing = Infinity;

type Sums = {
  readonly total: Float64Array;
  /** How many values, for a mean. */
  readonly count: Float64Array | undefined;
  /** Weighted total and sum of weights, NaN once a weight is not known. */
  readonly weighted: Float64Array | undefined;
  readonly weight: Float64Array | undefined;
};

/** One value a cell, combined over sensors in any order; `clear` comes first. */
export class Combined {
  readonly #op: OverSensors | undefined;
  readonly #sums: Sums;

  constructor(op: OverSensors | undefined, sums: Sums) {
    this.#op = op;
    this.#sums = sums;
  }

  static of(size: number, op: OverSensors | undefined): Combined {
    const is_weighted = op === "capacity_mean" || op === "power_mean";
    const array = () => new Float64Array(size);
    return new Combined(op, {
      total: array(),
      count: is_weighted || op === "mean" ? array() : undefined,
      weighted: is_weighted ? array() : undefined,
      weight: is_weighted ? array() : undefined,
    });
  }

  clone(): Combined {
    const { total, count, weighted, weight } = this.#sums;
    return new Combined(this.#op, {
      total: total.slice(),
      count: count?.slice(),
      weighted: weighted?.slice(),
      weight: weight?.slice(),
    });
  }

  clear(size: number): void {
    const { total, count, weighted, weight } = this.#sums;
    total.fill(NaN, 0, size);
    for (const zeroed of [count, weighted, weight]) zeroed?.fill(0, 0, size);
  }

  add(values: Float64Array, { cells, weights }: Targets): void {
    const { total, count, weighted, weight } = this.#sums;
    if (this.#op === undefined) put(total, cells, values);
    else if (this.#op === "max") addGreatest(total, cells, values);
    else if (this.#op === "min") addLeast(total, cells, values);
    else if (this.#op === "same") addCodes(total, cells, values);
    else addSums(total, cells, values);
    if (count) addCounts(count, cells, values);
    if (weights && weighted) addWeighted(weighted, cells, { values, weights });
    if (weights && weight) addWeights(weight, cells, { values, weights });
  }

  /** A weighted mean where every value's weight is known and one is not 0, else the plain mean. */
  finish(): Float64Array {
    const { total, count, weighted, weight } = this.#sums;
    if (count === undefined) return total;
    for (let i = 0; i < total.length; i++) {
      const mean = weighted ? weighted[i] / weight![i] : NaN;
      total[i] = Number.isFinite(mean) ? mean : total[i] / count[i];
    }
    return total;
  }
}

function put(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0; i < values.length; i++) into[cells[i]] = values[i];
}

function addSums(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const before = into[cells[i]];
    if (value === value) into[cells[i]] = before === before ? before + value : value;
  }
}

function addGreatest(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0; i < values.length; i++) {
    if (!(values[i] <= into[cells[i]]) && !Number.isNaN(values[i])) into[cells[i]] = values[i];
  }
}

function addLeast(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0; i < values.length; i++) {
    if (!(values[i] >= into[cells[i]]) && !Number.isNaN(values[i])) into[cells[i]] = values[i];
  }
}

function addCodes(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    const before = into[cells[i]];
    into[cells[i]] = Number.isNaN(before) || before === values[i] ? values[i] : differing;
  }
}

function addCounts(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0; i < values.length; i++) if (values[i] === values[i]) into[cells[i]]++;
}

type Weighted = { readonly values: Float64Array; readonly weights: Float64Array };

function addWeighted(into: Float64Array, cells: Int32Array, { values, weights }: Weighted): void {
  for (let i = 0; i < values.length; i++) {
    if (values[i] === values[i]) into[cells[i]] += values[i] * weights[i];
  }
}

function addWeights(into: Float64Array, cells: Int32Array, { values, weights }: Weighted): void {
  for (let i = 0; i < values.length; i++) {
    if (values[i] === values[i]) into[cells[i]] += weights[i];
  }
}
