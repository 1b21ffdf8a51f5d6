// Performance cells as chunks of rows: words as dictionary codes, numbers gathered cell by cell.
import { limits } from "../base/limits.ts";
import type { Axis } from "../model/bucket.ts";
import { type Chunk, type Vector, type Words, wordsOf } from "../model/chunk.ts";
import { labelWords } from "../model/label.ts";
import type { CellValues } from "./performance_cells.ts";
import type { Group, PerformanceRequest } from "./performance_group.ts";
import type { Presence } from "./performance_light.ts";
import type { Slab } from "./performance_slab.ts";

/** The rows of one chunk: for each its cell, its group, and its position on the axis. */
type Picked = {
  readonly rows: number;
  readonly cells: Int32Array;
  readonly groups: Int32Array;
  readonly positions: Int32Array;
};

type MakeVector = (picked: Picked, values: CellValues) => Vector;

/** Makes the chunks of an answer; its words are made once. */
export class RowMaker {
  readonly #group_count: number;
  readonly #columns: readonly MakeVector[];

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
    this.#columns = request.columns.map((column) => makers[column.name]);
  }

  /** The rows of a slab in order; without a grid, those of cells that have a value. */
  *chunks({ positions, values }: Slab, grid: Presence | null): Generator<Chunk, void> {
    const size = limits.batch_rows;
    const [cells, groups, places] = [0, 0, 0].map(() => new Int32Array(size));
    let rows = 0;
    let cell = 0;
    for (let at = positions.from; at < positions.to; at++) {
      for (let group = 0; group < this.#group_count; group++, cell++) {
        const present = grid
          ? grid.present[grid.set_of[group]][at - positions.from] === 1
          : hasValue(values, cell);
        if (!present) continue;
        cells[rows] = cell;
        groups[rows] = group;
        places[rows] = at;
        if (++rows < size) continue;
        yield this.#chunk({ rows, cells, groups, positions: places }, values);
        rows = 0;
      }
    }
    if (rows > 0) yield this.#chunk({ rows, cells, groups, positions: places }, values);
  }

  #chunk(picked: Picked, values: CellValues): Chunk {
    return { rows: picked.rows, vectors: this.#columns.map((make) => make(picked, values)) };
  }
}

function hasValue({ value, model }: CellValues, cell: number): boolean {
  return !Number.isNaN(value[cell]) || !Number.isNaN(model[cell]);
}

/** Bucket labels; both passes of a repeated hour have one word. */
function labelColumn(axis: Axis): MakeVector {
  const labels = axis.labelsOf({ from: 0, to: axis.size });
  const { words, codes } = labelWords(labels);
  return ({ rows, positions }) => textVector(words, rows, (i) => codes[positions[i]]);
}

const zeros = new Int32Array(limits.batch_rows);

function constantColumn(text: string): MakeVector {
  const words = wordsOf([text]);
  return ({ rows }) => ({ kind: "text", words, codes: zeros.subarray(0, rows) });
}

const group_words = [
  "project_id",
  "svc_block_id",
  "hierarchy_id",
  "sensor_tag",
  "portfolio",
] as const satisfies readonly (keyof Group)[];

function groupColumns(groups: readonly Group[]): Readonly<Record<string, MakeVector>> {
  return Object.fromEntries(group_words.map((name) => {
    const texts = groups.map((group) => group[name]);
    const distinct = [...new Set(texts)].filter((text) => text !== null);
    const code_of = new Map(distinct.map((text, code) => [text, code]));
    const codes = Int32Array.from(texts, (text) => text === null ? -1 : code_of.get(text)!);
    return [name, groupColumn(codes, wordsOf(distinct))];
  }));
}

/** A column of the groups' words; code -1 is null. */
function groupColumn(codes: Int32Array, words: Words): MakeVector {
  const nullable = codes.includes(-1);
  return ({ rows, groups }) => {
    const vector = textVector(words, rows, (i) => Math.max(0, codes[groups[i]]));
    if (!nullable) return vector;
    const valid = new Uint8Array((rows + 7) >> 3);
    for (let i = 0; i < rows; i++) if (codes[groups[i]] >= 0) valid[i >> 3] |= 1 << (i & 7);
    return { ...vector, valid };
  };
}

function textVector(words: Words, rows: number, code: (row: number) => number) {
  const codes = new Int32Array(rows);
  for (let i = 0; i < rows; i++) codes[i] = code(i);
  return { kind: "text", words, codes } as const;
}

const numbers: Readonly<Record<string, MakeVector>> = {
  sensor_value: (picked, { value }) => measured(picked, value),
  model_value: (picked, { model }) => expected(picked, model),
  sensor_value_setpoint: (picked, values) => measured(picked, values.value_setpoint),
  model_value_setpoint: (picked, values) => expected(picked, values.model_setpoint),
  performance_index: (picked, { value, model }) => ratio(picked, value, model),
  performance_index_setpoint: (picked, { value, model_setpoint }) =>
    ratio(picked, value, model_setpoint),
};

/** Null where a cell has no finite value. */
function measured({ rows, cells }: Picked, from: Float64Array): Vector {
  const values = new Float64Array(rows);
  for (let i = 0; i < rows; i++) values[i] = from[cells[i]];
  return finite(values);
}

/** 0 where no model covers the cell. */
function expected({ rows, cells }: Picked, from: Float64Array): Vector {
  const values = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const value = from[cells[i]];
    values[i] = Number.isFinite(value) ? value : 0;
  }
  return { kind: "float64", values };
}

/** Null where there is no measured value, or no model, or a model of 0. */
function ratio({ rows, cells }: Picked, over: Float64Array, under: Float64Array): Vector {
  const values = new Float64Array(rows);
  for (let i = 0; i < rows; i++) values[i] = over[cells[i]] / under[cells[i]];
  return finite(values);
}

/** A vector of the finite ones of some values; the others become 0 without a value. */
function finite(values: Float64Array<ArrayBuffer>): Vector {
  let valid: Uint8Array<ArrayBuffer> | undefined;
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) continue;
    valid ??= new Uint8Array((values.length + 7) >> 3).fill(0xff);
    valid[i >> 3] &= ~(1 << (i & 7));
    values[i] = 0;
  }
  return { kind: "float64", values, valid };
}
