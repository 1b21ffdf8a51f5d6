// The cells of a slab, one a bucket and group: values of sensors combined as their measure asks.
import type { OverSensors } from "../model/measure.ts";
import type { Readings } from "../store/performance.ts";

/** Where each row of some readings goes, and its weight, where the measure is weighted. */
export type Targets = { readonly cells: Int32Array; readonly weights?: Float64Array };

const names = ["value", "model", "value_setpoint", "model_setpoint"] as const;

/** Four values a cell; NaN where there is none, not finite where there is none in common. */
export type CellValues = Readonly<Record<typeof names[number], Float64Array>>;

/** Cells that are filled reading by reading and then read; made once and cleared for each slab. */
export class Cells {
  readonly #columns: readonly Combined[];

  constructor(size: number, over_sensors: OverSensors) {
    this.#columns = names.map(() => new Combined(size, over_sensors));
  }

  clear(): void {
    for (const column of this.#columns) column.clear();
  }

  add(readings: Readings, targets: Targets): void {
    this.#columns.forEach((column, i) => column.add(readings[names[i]], targets));
  }

  /** The combined values of all cells: the cells' own arrays, valid until `clear`. */
  finish(): CellValues {
    const [value, model, value_setpoint, model_setpoint] = this.#columns.map((it) => it.finish());
    return { value, model, value_setpoint, model_setpoint };
  }
}

/** Stands for codes that differ; no measured value is infinite. */
const differing = Infinity;

/** One value a cell, combined over sensors in any order. */
class Combined {
  readonly #op: OverSensors;
  readonly #total: Float64Array;
  /** How many values, for a mean. */
  readonly #count: Float64Array | null;
  /** Weighted total and sum of weights, NaN once a weight is not known. */
  readonly #weighted: Float64Array | null;
  readonly #weight: Float64Array | null;

  constructor(size: number, op: OverSensors) {
    const is_weighted = op === "capacity_mean" || op === "power_mean";
    this.#op = op;
    this.#total = new Float64Array(size);
    this.#count = is_weighted || op === "mean" ? new Float64Array(size) : null;
    this.#weighted = is_weighted ? new Float64Array(size) : null;
    this.#weight = is_weighted ? new Float64Array(size) : null;
    this.clear();
  }

  clear(): void {
    this.#total.fill(NaN);
    for (const zeroed of [this.#count, this.#weighted, this.#weight]) zeroed?.fill(0);
  }

  add(values: Float64Array, { cells, weights }: Targets): void {
    if (this.#op === "max") addGreatest(this.#total, cells, values);
    else if (this.#op === "min") addLeast(this.#total, cells, values);
    else if (this.#op === "same") addCodes(this.#total, cells, values);
    else addSums(this.#total, cells, values);
    if (this.#count) addCounts(this.#count, cells, values);
    if (weights && this.#weighted) addWeighted(this.#weighted, cells, { values, weights });
    if (weights && this.#weight) addWeights(this.#weight, cells, { values, weights });
  }

  /** A weighted mean where every value's weight is known and one is not 0, else the plain mean. */
  finish(): Float64Array {
    const total = this.#total;
    if (this.#count === null) return total;
    for (let i = 0; i < total.length; i++) {
      const weighted = this.#weighted ? this.#weighted[i] / this.#weight![i] : NaN;
      total[i] = Number.isFinite(weighted) ? weighted : total[i] / this.#count[i];
    }
    return total;
  }
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
