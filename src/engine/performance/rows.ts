// Performance cells as chunks of rows: which of them there are, and the columns that they have.
import { answer_limits } from "../../model/data/limits.ts";
import {
  type Chunk,
  noneValid,
  setValid,
  type Validity,
  type Vector,
} from "../../model/data/chunk.ts";
import { type Axis, labelWords, minutesOf, type Positions } from "../../model/time/bucket.ts";
import { daylightOf, type Place } from "../../model/time/daylight.ts";
import { overlap } from "../../model/time/zone.ts";
import type { CellValues, ForecastValues, Slab } from "./aggregates.ts";
import type { Group, PerformanceRequest } from "./group.ts";
import { codesAt, constantColumn, groupColumns, type PickedRows } from "./group_words.ts";
import type { AnswerPlan } from "./reading.ts";

/** The rows of one chunk: for each its cell, its group, and its position on the axis. */
type Picked = PickedRows & { readonly cells: Int32Array; readonly positions: Int32Array };

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
      ...numbers,
    };
    this.#group_count = groups.length;
    const names = request.columns.map((column) => column.name);
    this.#columns = names.map((name) => makers[name]);
    this.#plain = names.map((name) => names.indexOf(name.replace("_setpoint", "")));
  }

  /** The rows of a slab in order; without a grid, those of cells that have a value. */
  *chunks({ positions, values }: Slab, grid: Presence | null): Generator<Chunk, void> {
    const size = answer_limits.batch_rows;
    const [cells, groups, places] = [0, 0, 0].map(() => new Int32Array(size));
    const picked = { cells, groups, positions: places };
    const { value, model } = values;
    const forecast = values.forecast?.value ?? value;
    let rows = 0;
    for (let at = positions.from; at < positions.to; at++) {
      const row = at - positions.from;
      if (grid?.present.every((lit) => lit[row] === 0)) continue;
      const first = row * this.#group_count;
      for (let group = 0; group < this.#group_count; group++) {
        const cell = first + group;
        const is_present = grid
          ? grid.present[grid.set_of[group]][row] === 1
          : !(Number.isNaN(value[cell]) && Number.isNaN(model[cell]) &&
            Number.isNaN(forecast[cell]));
        if (!is_present) continue;
        cells[rows] = cell;
        groups[rows] = group;
        places[rows] = at;
        if (++rows < size) continue;
        yield this.#chunk({ rows, ...picked }, values);
        rows = 0;
      }
    }
    if (rows > 0) yield this.#chunk({ rows, ...picked }, values);
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
  return ({ rows, positions }) => ({
    kind: "text",
    words,
    codes: codesAt(codes, positions.subarray(0, rows)),
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
  forecast_value: (picked, { forecast }) => measured(picked, forecast!.value),
  forecast_issued_at: (picked, { forecast }) => issued(picked, forecast!),
  forecast_lead_time_minutes: (picked, { forecast }) => lead(picked, forecast!),
};

/** Null where a cell has no finite value. */
function measured({ rows, cells }: Picked, from: Float64Array): Vector {
  const values = new Float64Array(rows);
  let missing = 0;
  for (let i = 0; i < rows; i++) {
    const value = from[cells[i]];
    if (value - value !== 0) missing++;
    values[i] = value;
  }
  return missing === 0 ? { kind: "float64", values } : finiteOf(values);
}

/** 0 where no model covers the cell. */
function expected({ rows, cells }: Picked, from: Float64Array): Vector {
  const values = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const value = from[cells[i]];
    values[i] = value - value === 0 ? value : 0;
  }
  return { kind: "float64", values };
}

/** Null where there is no measured value, or no model, or a model of 0. */
function ratio({ rows, cells }: Picked, over: Float64Array, under: Float64Array): Vector {
  const values = new Float64Array(rows);
  let missing = 0;
  for (let i = 0; i < rows; i++) {
    const value = over[cells[i]] / under[cells[i]];
    if (value - value !== 0) missing++;
    values[i] = value;
  }
  return missing === 0 ? { kind: "float64", values } : finiteOf(values);
}

function issued(picked: Picked, forecast: ForecastValues): Vector {
  const values = new BigInt64Array(picked.rows);
  const valid = eachTold(picked, forecast, (i, cell) => {
    values[i] = BigInt(forecast.issued_us[cell]);
  });
  return { kind: "instant", values, valid };
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

/** A vector of the finite ones of some values (`v - v` is 0); the others are null. */
function finiteOf(values: Float64Array<ArrayBuffer>): Vector {
  const valid = noneValid(values.length);
  for (let i = 0; i < values.length; i++) {
    if (values[i] - values[i] === 0) setValid(valid, i);
    else values[i] = 0;
  }
  return { kind: "float64", values, valid };
}

/** Which rows of a slab are present: by the group's set of sites, then by position in the slab. */
type Presence = {
  readonly present: readonly Uint8Array[];
  /** Each group's set of sites. */
  readonly set_of: Int32Array;
};

/** Works out the daylight grid slab by slab; groups of the same sites share it. */
export class DaylightGrid {
  readonly #plan: AnswerPlan;
  readonly #sets: readonly (readonly Place[])[];
  readonly #set_of: Int32Array;

  constructor(plan: AnswerPlan) {
    const sites = plan.selection.groups.map((
      { sensors },
    ) => [...new Set(sensors.map((sensor) => sensor.site_no))]);
    const sets = new Map(sites.map((set) => [set.join(" "), set]));
    const keys = [...sets.keys()];
    this.#plan = plan;
    this.#sets = [...sets.values()].map((set) => set.map((no) => plan.catalog.placeOf(no)));
    this.#set_of = Int32Array.from(sites, (set) => keys.indexOf(set.join(" ")));
  }

  /**
   * A bucket of a group is present if it overlaps the daylight of any of the group's sites. A whole
   * day and longer always is.
   */
  presenceOf(positions: Positions): Presence {
    const size = positions.to - positions.from;
    const whole = minutesOf(this.#plan.request.interval) === undefined;
    const present = this.#sets.map((places) => {
      const lit = new Uint8Array(size).fill(whole ? 1 : 0);
      if (!whole) { for (const place of places) this.#light(lit, place, positions); }
      return lit;
    });
    return { present, set_of: this.#set_of };
  }

  /** Marks the positions that overlap a place's daylight. */
  #light(lit: Uint8Array, place: Place, positions: Positions): void {
    for (const piece of this.#plan.axis.piecesOf(place.timezone, positions)) {
      for (let day = piece.from_day; day < piece.to_day; day++) {
        for (const span of daylightOf(place, day)) {
          const { from_minute, to_minute } = overlap(span, piece);
          if (from_minute >= to_minute) continue;
          const first = Math.floor((from_minute + piece.shift) / piece.width);
          const last = Math.floor((to_minute - 1 + piece.shift) / piece.width);
          lit.fill(1, first - positions.from, last - positions.from + 1);
        }
      }
    }
  }
}
