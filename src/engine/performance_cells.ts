// The cells of a slab, one a bucket and group: values of sensors combined as their measure asks.
import type { OverSensors } from "../model/measure.ts";
import type { Readings } from "../store/performance.ts";

/** Where each row of some readings goes, and its weight, where the measure is weighted. */
export type Targets = { readonly cells: Int32Array; readonly weights?: Float64Array };

/**
 * Four values a cell; NaN where there is none, not finite where there is none in common. Where no
 * setpoint is active in any cell, both setpoint arrays are those of `value` and `model` themselves.
 */
export type CellValues = Readonly<
  Record<"value" | "model" | "value_setpoint" | "model_setpoint", Float64Array>
>;

/** Cells that are filled reading by reading and then read; made once and cleared for each slab. */
export class Cells {
  readonly #value: Combined;
  readonly #model: Combined;
  readonly #value_setpoint: Combined;
  readonly #model_setpoint: Combined;
  /** Whether some reading's setpoint values were not its plain ones. */
  #is_set = false;

  /** `op` combines the readings of a cell; without one, no cell has two. */
  constructor(size: number, op: OverSensors | undefined) {
    this.#value = new Combined(size, op);
    this.#model = new Combined(size, op);
    this.#value_setpoint = new Combined(size, op);
    this.#model_setpoint = new Combined(size, op);
  }

  /** Must be called before the first reading, too. */
  clear(): void {
    this.#value.clear();
    this.#model.clear();
    this.#is_set = false;
  }

  add({ value, model, value_setpoint, model_setpoint }: Readings, targets: Targets): void {
    if (!this.#is_set && value_setpoint !== value) {
      this.#is_set = true;
      this.#value_setpoint.copy(this.#value);
      this.#model_setpoint.copy(this.#model);
    }
    this.#value.add(value, targets);
    this.#model.add(model, targets);
    if (!this.#is_set) return;
    this.#value_setpoint.add(value_setpoint, targets);
    this.#model_setpoint.add(model_setpoint, targets);
  }

  /** The combined values of all cells: the cells' own arrays, valid until `clear`. */
  finish(): CellValues {
    const value = this.#value.finish();
    const model = this.#model.finish();
    if (!this.#is_set) return { value, model, value_setpoint: value, model_setpoint: model };
    const value_setpoint = this.#value_setpoint.finish();
    const model_setpoint = this.#model_setpoint.finish();
    return { value, model, value_setpoint, model_setpoint };
  }
}

/** Stands for codes that differ; no measured value is infinite. */
const differing = Infinity;

/** One value a cell, combined over sensors in any order; `clear` comes first. */
class Combined {
  readonly #op: OverSensors | undefined;
  readonly #total: Float64Array;
  /** How many values, for a mean. */
  readonly #count: Float64Array | null;
  /** Weighted total and sum of weights, NaN once a weight is not known. */
  readonly #weighted: Float64Array | null;
  readonly #weight: Float64Array | null;

  constructor(size: number, op: OverSensors | undefined) {
    const is_weighted = op === "capacity_mean" || op === "power_mean";
    this.#op = op;
    this.#total = new Float64Array(size);
    this.#count = is_weighted || op === "mean" ? new Float64Array(size) : null;
    this.#weighted = is_weighted ? new Float64Array(size) : null;
    this.#weight = is_weighted ? new Float64Array(size) : null;
  }

  clear(): void {
    this.#total.fill(NaN);
    for (const zeroed of [this.#count, this.#weighted, this.#weight]) zeroed?.fill(0);
  }

  copy(from: Combined): void {
    this.#total.set(from.#total);
    if (from.#count) this.#count?.set(from.#count);
    if (from.#weighted) this.#weighted?.set(from.#weighted);
    if (from.#weight) this.#weight?.set(from.#weight);
  }

  add(values: Float64Array, { cells, weights }: Targets): void {
    if (this.#op === undefined) put(this.#total, cells, values);
    else if (this.#op === "max") addGreatest(this.#total, cells, values);
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
