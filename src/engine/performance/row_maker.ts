// The rows of an answer: columns made of the cells of its slabs.
import { answer_limits } from "../../model/data/limits.ts";
import {
  type Chunk,
  finiteVector,
  instantVector,
  noneValid,
  setValid,
  type Validity,
  type Vector,
} from "../../model/data/chunk.ts";
import { type Axis, labelWords } from "../../model/time/bucket.ts";
import { type CellValues, filledSeeker, type ForecastValues, type Slab } from "./aggregates.ts";
import { litSeeker, type Presence } from "./daylight.ts";
import type { Group, PerformanceRequest } from "./group.ts";
import {
  codesAt,
  constantColumn,
  groupColumns,
  instantColumn,
  type PickedRows,
} from "./group_words.ts";
import { statisticMakers } from "./statistics.ts";

/**
 * The rows of one chunk, taken run by run of cells that follow one another. The cell, the group and
 * the position on the axis of each are listed where a column asks for them: mostly there is but one
 * run, whose first cell tells enough.
 */
class Picked implements PickedRows {
  rows = 0;
  readonly #width: number;
  readonly #position: number;
  /** Of each run its first cell, then its rows. */
  readonly #runs: number[] = [];
  #cells: Int32Array | undefined;
  #groups: Int32Array | undefined;

  /** Of cells for so many groups a position, the first of which are at `position`. */
  constructor(width: number, position: number) {
    this.#width = width;
    this.#position = position;
  }

  /** Takes the cells [from, to). */
  take(from: number, to: number): void {
    this.#runs.push(from, to - from);
    this.rows += to - from;
  }

  /** The first cell of a lone run. */
  get first(): number | undefined {
    return this.#runs.length === 2 ? this.#runs[0] : undefined;
  }

  get turn(): number | undefined {
    return this.first === undefined ? undefined : this.first % this.#width;
  }

  get cells(): Int32Array {
    if (this.#cells) return this.#cells;
    const cells = this.#cells = new Int32Array(this.rows);
    this.#eachRun((cell, row, end) => {
      for (; row < end; row++, cell++) cells[row] = cell;
    });
    return cells;
  }

  get groups(): Int32Array {
    if (this.#groups) return this.#groups;
    const groups = this.#groups = new Int32Array(this.rows);
    const width = this.#width;
    this.#eachRun((cell, row, end) => {
      for (let group = cell % width; row < end; row++) {
        groups[row] = group;
        if (++group === width) group = 0;
      }
    });
    return groups;
  }

  /** In memory that is taken. */
  get positions(): Int32Array<ArrayBuffer> {
    const positions = new Int32Array(this.rows);
    const width = this.#width;
    this.#eachRun((cell, row, end) => {
      let place = this.#position + Math.floor(cell / width);
      for (let left = width - cell % width; row < end; left = width, place++) {
        for (const next = Math.min(row + left, end); row < next; row++) positions[row] = place;
      }
    });
    return positions;
  }

  #eachRun(visit: (cell: number, row: number, end: number) => void): void {
    for (let run = 0, row = 0; run < this.#runs.length; run += 2) {
      const end = row + this.#runs[run + 1];
      visit(this.#runs[run], row, end);
      row = end;
    }
  }
}

type MakeVector = (picked: Picked, values: CellValues) => Vector;

/** Makes the chunks of an answer; its words are made once. */
export class RowMaker {
  readonly #group_count: number;
  readonly #columns: readonly MakeVector[];
  /** The place of the column that each column equals where no setpoint is active. */
  readonly #plain: readonly number[];

  constructor(request: PerformanceRequest, axis: Axis, groups: readonly Group[]) {
    const makers: Readonly<Record<string, MakeVector>> = {
      ts: labelColumn(axis),
      sentinel_tag: constantColumn(request.sentinel_tag),
      component: constantColumn(request.component),
      component_measure: constantColumn(request.measure),
      ...groupColumns(groups),
      ts_utc: instantColumn(axis, { groups, projects: request.projects }),
      ...numbers,
      ...statisticMakers(request.statistics),
    };
    this.#group_count = groups.length;
    const names = request.columns.map((column) => column.name);
    this.#columns = names.map((name) => makers[name]);
    this.#plain = names.map((name) => names.indexOf(name.replace("_setpoint", "")));
  }

  /**
   * The rows of a slab in order; without a grid, those of cells that have a value. They are taken
   * run by run: mostly one run fills a chunk.
   */
  *chunks({ positions, values }: Slab, grid: Presence | null): Generator<Chunk, void> {
    const width = this.#group_count;
    const end = (positions.to - positions.from) * width;
    const size = Math.min(end, answer_limits.batch_rows);
    const seek = grid ? litSeeker(grid, width) : filledSeeker(values);
    let picked = new Picked(width, positions.from);
    for (let at = seek(true, 0, end); at < end;) {
      const to = seek(false, at, Math.min(end, at + size - picked.rows));
      picked.take(at, to);
      at = seek(true, to, end);
      if (picked.rows < size && at < end) continue;
      yield this.#chunk(picked, values);
      picked = new Picked(width, positions.from);
    }
  }

  #chunk(picked: Picked, values: CellValues): Chunk {
    const is_set = values.value_setpoint !== values.value;
    const vectors: Vector[] = [];
    this.#columns.forEach((make, i) => {
      const plain = is_set ? undefined : vectors[this.#plain[i]];
      vectors.push(plain ?? make(picked, values));
    });
    return { rows: picked.rows, vectors };
  }
}

/** Bucket labels; both passes of a repeated hour have one word. */
function labelColumn(axis: Axis): MakeVector {
  const { words, codes } = labelWords(axis.labelsOf({ from: 0, to: axis.size }));
  const is_plain = codes.every((code, position) => code === position);
  return ({ positions }) => ({
    kind: "text",
    words,
    codes: is_plain ? positions : codesAt(codes, positions),
  });
}

const numbers: Readonly<Record<string, MakeVector>> = {
  sensor_value: (picked, { value }) => measured(picked, value),
  model_value: (picked, { model }) => expected(picked, model),
  sensor_value_setpoint: (picked, values) => measured(picked, values.value_setpoint),
  model_value_setpoint: (picked, values) => expected(picked, values.model_setpoint),
  performance_index: (picked, { value, model }) => ratio(picked, value, model),
  performance_index_setpoint: (picked, { value, model_setpoint }) =>
    ratio(picked, value, model_setpoint),
  sensor_value_matched: (picked, { matched }) => measured(picked, matched!.value),
  model_value_matched: (picked, { matched }) => measured(picked, matched!.model),
  performance_index_matched: (picked, { matched }) => ratio(picked, matched!.value, matched!.model),
  performance_index_setpoint_matched: (picked, { matched }) =>
    ratio(picked, matched!.value, matched!.model_setpoint),
  coverage: (picked, { matched }) => measured(picked, matched!.coverage),
  fallback_share: (picked, { fallback_share }) => measured(picked, fallback_share!),
  forecast_value: (picked, { forecast }) => measured(picked, forecast!.value),
  forecast_issued_at: (picked, { forecast }) => issued(picked, forecast!),
  forecast_lead_time_minutes: (picked, { forecast }) => lead(picked, forecast!),
};

/** Null where a cell has no finite value. */
function measured(picked: Picked, from: Float64Array): Vector {
  const values = valuesOf(picked, from);
  return allFinite(values) ? { kind: "float64", values } : finiteVector(values);
}

/** 0 where no model covers the cell. */
function expected(picked: Picked, from: Float64Array): Vector {
  const values = valuesOf(picked, from);
  for (let i = 0, { length } = values; i < length; i++) {
    const value = values[i];
    if (value - value !== 0) values[i] = 0;
  }
  return { kind: "float64", values };
}

/** Null where there is no measured value, or no model, or a model of 0. */
function ratio(picked: Picked, over: Float64Array, under: Float64Array): Vector {
  const { rows, first } = picked;
  const values = valuesOf(picked, over);
  if (first === undefined) {
    const { cells } = picked;
    for (let i = 0; i < rows; i++) values[i] /= under[cells[i]];
  } else for (let i = 0, at = first; i < rows; i++, at++) values[i] /= under[at];
  return allFinite(values) ? { kind: "float64", values } : finiteVector(values);
}

/** What an array has of each picked cell. */
function valuesOf(picked: Picked, from: Float64Array): Float64Array<ArrayBuffer> {
  const { rows, first } = picked;
  if (first !== undefined) return new Float64Array(from.subarray(first, first + rows));
  const { cells } = picked;
  const values = new Float64Array(rows);
  for (let i = 0; i < rows; i++) values[i] = from[cells[i]];
  return values;
}

function allFinite(values: Float64Array): boolean {
  for (let i = 0, { length } = values; i < length; i++) {
    if (values[i] - values[i] !== 0) return false;
  }
  return true;
}

function issued(picked: Picked, { issued_us }: ForecastValues): Vector {
  return instantVector(valuesOf(picked, issued_us));
}

function lead(picked: Picked, forecast: ForecastValues): Vector {
  const values = new Int32Array(picked.rows);
  const valid = eachTold(picked, forecast, (i, cell) => {
    values[i] = forecast.lead_minutes[cell];
  });
  return { kind: "int32", values, valid };
}

/** Visits the rows that a forecast tells, and marks them. */
function eachTold(
  { rows, cells }: Picked,
  { issued_us }: ForecastValues,
  visit: (row: number, cell: number) => void,
): Validity {
  const valid = noneValid(rows);
  for (let i = 0; i < rows; i++) {
    if (Number.isNaN(issued_us[cells[i]])) continue;
    visit(i, cells[i]);
    setValid(valid, i);
  }
  return valid;
}
