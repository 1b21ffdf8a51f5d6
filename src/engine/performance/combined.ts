// Values of several sensors as one, whatever their order, and whichever shard they come from.
import type { OverSensors } from "../../model/plant/measure.ts";

/** Where each value goes, and its weight, where the measure is weighted. */
export type CellTargets = { readonly cells: Int32Array; readonly weights?: Float64Array };

/** Numbers by name: one a cell in each array. */
export type Numbers = Readonly<Record<string, Float64Array>>;

/** Those of one part of something, as the whole names them. */
export function under(part: string, numbers: Numbers | undefined): Numbers {
  return Object.fromEntries(
    Object.entries(numbers ?? {}).map(([name, values]) => [`${part} ${name}`, values]),
  );
}

/** Those of a part of something again; none where the whole has no such part. */
export function within(part: string, numbers: Numbers): Numbers {
  return Object.fromEntries(
    Object.entries(numbers).filter(([name]) => name.startsWith(`${part} `))
      .map(([name, values]) => [name.slice(part.length + 1), values]),
  );
}

/**
 * What is added up. A rest is what rounding took away from its sum: sum and rest together are as
 * good as exact, so that a result has the same digits in whichever order values come.
 */
type Sums = {
  readonly total: Float64Array;
  readonly total_rest?: Float64Array;
  /** How many values, for a mean. */
  readonly count?: Float64Array;
  /** Weighted total and sum of weights, NaN once a weight is not known. */
  readonly weighted?: Float64Array;
  readonly weighted_rest?: Float64Array;
  readonly weight?: Float64Array;
  readonly weight_rest?: Float64Array;
};

const of_sum = ["total", "total_rest"] as const;
const of_mean = [...of_sum, "count"] as const;
const of_weighted = [...of_mean, "weighted", "weighted_rest", "weight", "weight_rest"] as const;

/** What each way to combine adds up; without one, no cell has two values. */
const names: Readonly<Record<OverSensors | "none", readonly (keyof Sums)[]>> = {
  none: ["total"],
  max: ["total"],
  min: ["total"],
  same: ["total"],
  sum: of_sum,
  mean: of_mean,
  capacity_mean: of_weighted,
  power_mean: of_weighted,
};

/** Stands for codes that differ; no measured value is infinite. */
export const differing = Infinity;

/** One value a cell, combined over sensors in any order; `clear` comes first. */
export class Combined {
  readonly #op: OverSensors | undefined;
  readonly #sums: Sums;
  /** So many of the first cells are as `clear` leaves them. */
  #clear = 0;

  constructor(op: OverSensors | undefined, sums: Sums) {
    this.#op = op;
    this.#sums = sums;
  }

  static of(size: number, op: OverSensors | undefined): Combined {
    const arrays = names[op ?? "none"].map((name) => [name, new Float64Array(size)]);
    return new Combined(op, Object.fromEntries(arrays));
  }

  clone(): Combined {
    const arrays = Object.entries(this.#sums).map(([name, values]) => [name, values.slice()]);
    return new Combined(this.#op, Object.fromEntries(arrays));
  }

  clear(size: number): void {
    if (size <= this.#clear) return;
    this.#clear = size;
    const { total, ...others } = this.#sums;
    total.fill(NaN, 0, size);
    for (const zeroed of Object.values(others)) zeroed.fill(0, 0, size);
  }

  add(values: Float64Array, { cells, weights }: CellTargets): void {
    if (hasNone(values)) return;
    this.#clear = 0;
    this.#addTotals(values, cells);
    const { count, weighted, weighted_rest, weight, weight_rest } = this.#sums;
    if (count) addCounts(count, cells, values);
    if (!weights || !weighted) return;
    addWeights({ sum: weighted, rest: weighted_rest! }, cells, {
      values,
      amounts: weights.map((weight, i) => weight * values[i]),
    });
    addWeights({ sum: weight!, rest: weight_rest! }, cells, { values, amounts: weights });
  }

  #addTotals(values: Float64Array, cells: Int32Array): void {
    const { total, total_rest } = this.#sums;
    if (this.#op === undefined) put(total, cells, values);
    else if (this.#op === "max") addGreatest(total, cells, values);
    else if (this.#op === "min") addLeast(total, cells, values);
    else if (this.#op === "same") addCodes(total, cells, values);
    else addValues({ sum: total, rest: total_rest! }, cells, values);
  }

  /** What the first `size` cells are made of, for another to take. */
  sums(size: number): Numbers {
    return Object.fromEntries(
      Object.entries(this.#sums).map(([name, values]) => [name, values.subarray(0, size)]),
    );
  }

  /** Adds what cells of another are made of. */
  take(sums: Numbers, cells: Int32Array): void {
    this.#clear = 0;
    const { total_rest, count, weighted, weighted_rest, weight, weight_rest } = this.#sums;
    this.#addTotals(sums.total, cells);
    if (total_rest) addPlain(total_rest, cells, sums.total_rest);
    if (count) addPlain(count, cells, sums.count);
    if (!weighted) return;
    for (
      const [sum, rest, name] of [
        [weighted, weighted_rest!, "weighted"],
        [weight!, weight_rest!, "weight"],
      ] as const
    ) {
      for (let i = 0, { length } = cells; i < length; i++) {
        addTo({ sum, rest }, cells[i], sums[name][i]);
      }
      addPlain(rest, cells, sums[`${name}_rest`]);
    }
  }

  /** A weighted mean where every value's weight is known and one is not 0, else the plain mean. */
  finish(): Float64Array {
    const { total, total_rest, count, weighted, weighted_rest, weight, weight_rest } = this.#sums;
    if (total_rest === undefined) return total;
    for (let i = 0, { length } = total; i < length; i++) {
      const sum = rounded(total[i], total_rest[i]);
      const mean = weighted
        ? rounded(weighted[i], weighted_rest![i]) / rounded(weight![i], weight_rest![i])
        : NaN;
      total[i] = Number.isFinite(mean) ? mean : count ? sum / count[i] : sum;
      total_rest[i] = 0;
    }
    return total;
  }
}

/** A sum too large to be a number has no rest. */
function rounded(sum: number, rest: number): number {
  const all = sum + rest;
  return all === all ? all : sum;
}

/** Whether there is no value at all: an engine's own `every` takes ten times as long. */
function hasNone(values: Float64Array): boolean {
  for (let i = 0, { length } = values; i < length; i++) if (values[i] === values[i]) return false;
  return true;
}

/** Sums of cells, and what rounding took from each. */
type Exact = { readonly sum: Float64Array; readonly rest: Float64Array };

/** The rest of two numbers' sum is known exactly (Knuth, TAOCP 4.2.2, theorem B). */
function addTo({ sum, rest }: Exact, cell: number, value: number): void {
  const before = sum[cell];
  const after = before + value;
  const added = after - before;
  rest[cell] += before - (after - added) + (value - added);
  sum[cell] = after;
}

function addValues(exact: Exact, cells: Int32Array, values: Float64Array): void {
  const { sum } = exact;
  for (let i = 0, { length } = values; i < length; i++) {
    const value = values[i];
    if (value !== value) continue;
    const before = sum[cells[i]];
    if (before === before) addTo(exact, cells[i], value);
    else sum[cells[i]] = value;
  }
}

/** Adds an amount wherever there is a value. */
function addWeights(
  exact: Exact,
  cells: Int32Array,
  { values, amounts }: { readonly values: Float64Array; readonly amounts: Float64Array },
): void {
  for (let i = 0, { length } = values; i < length; i++) {
    if (values[i] === values[i]) addTo(exact, cells[i], amounts[i]);
  }
}

/** A cell that no value goes to is NaN already. */
function put(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0, { length } = values; i < length; i++) {
    if (values[i] === values[i]) into[cells[i]] = values[i];
  }
}

/** Adds numbers whose sum is exact anyway, or small. */
export function addPlain(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0, { length } = values; i < length; i++) into[cells[i]] += values[i];
}

// Of 0 and -0, whichever came first would stay: added to 0, both are 0.

function addGreatest(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0, { length } = values; i < length; i++) {
    if (!(values[i] <= into[cells[i]]) && !Number.isNaN(values[i])) into[cells[i]] = values[i] + 0;
  }
}

function addLeast(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0, { length } = values; i < length; i++) {
    if (!(values[i] >= into[cells[i]]) && !Number.isNaN(values[i])) into[cells[i]] = values[i] + 0;
  }
}

function addCodes(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0, { length } = values; i < length; i++) {
    if (Number.isNaN(values[i])) continue;
    const before = into[cells[i]];
    into[cells[i]] = Number.isNaN(before) || before === values[i] ? values[i] + 0 : differing;
  }
}

function addCounts(into: Float64Array, cells: Int32Array, values: Float64Array): void {
  for (let i = 0, { length } = values; i < length; i++) {
    if (values[i] === values[i]) into[cells[i]]++;
  }
}
