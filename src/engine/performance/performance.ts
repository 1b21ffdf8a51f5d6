// Performance answers: readings per bucket and group, on the site's wall clock, as chunks of rows.
import { answer_limits } from "../../model/data/limits.ts";
import {
  type Answer,
  type Chunk,
  finiteVector,
  noneValid,
  setValid,
  type Validity,
  type Vector,
} from "../../model/data/chunk.ts";
import {
  type Axis,
  axisOf,
  countBuckets,
  type DayRange,
  labelWords,
  minutesOf,
  type Positions,
} from "../../model/time/bucket.ts";
import type { Kept } from "../../model/retention/keep.ts";
import { minute_us } from "../../model/time/series.ts";
import { dayStart } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { findDays, type Readings } from "../../store/performance/performance.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { requireKept } from "../catalog/horizon.ts";
import { checkSize } from "../core/answer_size.ts";
import {
  Cells,
  type CellValues,
  filledSeeker,
  type ForecastValues,
  type Slab,
} from "./aggregates.ts";
import { DaylightGrid, litSeeker, type Presence } from "./daylight.ts";
import { ForecastReader } from "./forecast.ts";
import { type Group, type PerformanceRequest, type Selection, selectSensors } from "./group.ts";
import { MatchedReader } from "./matched.ts";
import { type AnswerPlan, cellsOf, countReads, cutSlabs, pieceSource, readAll } from "./reading.ts";
import { readFallbackShare } from "./share.ts";
import { checkSeries, statisticMakers, StatisticsReader } from "./statistics.ts";
import { weigherOf, type WeightOf } from "./weight.ts";
import {
  codesAt,
  constantColumn,
  groupColumns,
  instantColumn,
  type PickedRows,
} from "./group_words.ts";

/**
 * The answer to a checked request: rows by bucket, then by group. On the daylight grid each
 * daylight bucket has a row of each group; otherwise a row stands where a measured, a model or a
 * forecast value does. Throws a `Fault` (invalid) when it would be too large, before anything is
 * read. Reading stops, and throws, when `signal` aborts.
 */
export async function performanceAnswer(
  { database, catalog }: { readonly database: Database; readonly catalog: Catalog },
  request: PerformanceRequest,
  signal?: AbortSignal,
): Promise<Answer> {
  const selection = selectSensors(catalog, request);
  const zones = [...new Set(request.projects.map((project) => project.timezone))];
  const range = await rangeOf(database, request, { selection, signal });
  if (range) checkSize({ interval: request.interval, range }, selection.groups.length);
  if (range && request.statistics) checkSeries(selection.sensors, range);
  if (range) requireRead(catalog, { ...request, range }, selection);
  return {
    columns: request.columns,
    metadata: { site_timezone: zones.join(",") },
    chunks: range
      ? chunksOf(database, planOf({ catalog, request: { ...request, range }, selection }), signal)
      : nothing(),
  };
}

/**
 * The days to answer for. Without the grid only those that have data, where the range as asked
 * would take more than one slab to read; forecasts reach beyond them. Undefined for none.
 */
async function rangeOf(
  database: Database,
  { interval, range, use_solar_bounds, forecast }: PerformanceRequest,
  { selection: { sensors, groups }, signal }: {
    readonly selection: Selection;
    readonly signal: AbortSignal | undefined;
  },
): Promise<DayRange | undefined> {
  if (sensors.length === 0) return undefined;
  const cells = countBuckets(interval, range) * groups.length;
  if (use_solar_bounds || forecast || cells <= answer_limits.cells_per_slab) return range;
  const numbers = Int32Array.from(sensors, (sensor) => sensor.sensor_no);
  const days = await database.read(
    (connection) => findDays(connection, { ...range, sensors: numbers }),
    signal,
  );
  return days && { ...range, ...days };
}

/** Throws a `Fault` (gone) where something that is read for an answer is no longer kept. */
function requireRead(
  catalog: Catalog,
  { range, interval, forecast, evidence, statistics }: PerformanceRequest,
  { sensors, zones }: Selection,
): void {
  if (catalog.horizons.length === 0) return;
  const starts = zones.map(({ timezone }) => dayStart(timezone, range.from_day));
  const from_us = minute_us * Math.max(Math.min(...starts), range.clip?.from_minute ?? -Infinity);
  const kinds: Kept[] = [];
  const width = minutesOf(interval);
  if (width === undefined && !range.clip) kinds.push(...evidence ? ["quarters" as const] : []);
  else kinds.push(`${pieceSource({ width: width ?? 0 }, { range })}s`);
  if (forecast) kinds.push("forecasts");
  if (statistics) kinds.push("samples");
  const reads = kinds.flatMap((kept) => sensors.map(({ tag_no }) => ({ tag_no, kept })));
  requireKept(catalog, { from_us, reads });
}

function planOf(parts: Omit<AnswerPlan, "axis">): AnswerPlan {
  const { request, selection } = parts;
  const timezones = selection.zones.map((zone) => zone.timezone);
  return { ...parts, axis: axisOf(request.interval, { range: request.range, timezones }) };
}

/** While the rows of one slab are on their way out, the next one is read. */
async function* chunksOf(
  database: Database,
  plan: AnswerPlan,
  signal: AbortSignal | undefined,
): AsyncGenerator<Chunk, void> {
  // Statistics keep many numbers a cell.
  const slabs = [...cutSlabs(plan, plan.request.statistics && answer_limits.cells_of_first_slab)];
  const room = Math.max(...slabs.map(({ from, to }) => to - from));
  const readers: SlabReader[] = [];
  const read = (i: number) => {
    const reader = readers[i % 2] ??= new SlabReader(plan, room);
    const slab = database.read((connection) => reader.read(connection, slabs[i]), signal);
    slab.catch(() => {}); // it is awaited in its turn, or not at all when the answer is stopped
    return slab;
  };
  let next = read(0);
  try {
    const maker = new RowMaker(plan.request, plan.axis, plan.selection.groups);
    const grid = plan.request.use_solar_bounds ? new DaylightGrid(plan) : null;
    for (let i = 0; i < slabs.length; i++) {
      const slab = await next;
      if (i + 1 < slabs.length) next = read(i + 1);
      yield* maker.chunks(slab, grid && grid.presenceOf(slab.positions));
    }
  } finally {
    await next.catch(() => {});
  }
}

async function* nothing(): AsyncGenerator<Chunk, void> {}

/** Reads slabs one after the other into the same cells. */
class SlabReader {
  readonly #plan: AnswerPlan;
  readonly #cells: Cells;
  readonly #weigher: ReturnType<typeof weigherOf>;
  readonly #forecasts: ForecastReader | undefined;
  readonly #matched: MatchedReader | undefined;
  readonly #statistics: StatisticsReader | undefined;

  /** Has room for slabs of up to `positions` positions. */
  constructor(plan: AnswerPlan, positions: number) {
    const { groups, sensors, measure } = plan.selection;
    const single = groups.length === sensors.length;
    this.#plan = plan;
    const op = single ? undefined : measure.over_sensors;
    const { forecast, matched, statistics } = plan.request;
    this.#cells = new Cells(positions * groups.length, op);
    this.#weigher = weigherOf(plan);
    this.#forecasts = forecast && new ForecastReader(plan, { op, positions, ...forecast });
    this.#matched = matched ? new MatchedReader(plan, { op, positions }) : undefined;
    this.#statistics = statistics && new StatisticsReader(plan, { op, ...statistics });
  }

  /** The slab of those positions, of one snapshot; its values are good until the next call. */
  read(connection: Connection, positions: Positions): Promise<Slab> {
    const read = () => this.#read(connection, positions);
    return this.#isLone(positions) ? read() : connection.transaction(read);
  }

  #isLone(positions: Positions): boolean {
    const { evidence } = this.#plan.request;
    const others = [evidence, this.#weigher, this.#forecasts, this.#matched, this.#statistics];
    return !others.some(Boolean) && countReads(this.#plan, positions) <= 1;
  }

  async #read(connection: Connection, positions: Positions): Promise<Slab> {
    const { request, selection, selection: { zones, measure, groups } } = this.#plan;
    const weight = await this.#weigher?.(connection, positions);
    const wanted = { zones, positions, over_time: measure.over_time };
    this.#cells.clear((positions.to - positions.from) * groups.length);
    for await (const readings of readAll(connection, this.#plan, wanted)) {
      const cells = cellsOf(readings, { selection, from: positions.from });
      this.#cells.add(readings, { cells, weights: weight && weightsOf(readings, weight) });
    }
    const forecast = await this.#forecasts?.read(connection, positions, weight);
    const matched = await this.#matched?.read(connection, positions, weight);
    const statistics = await this.#statistics?.read(connection, positions, weight);
    const fallback_share = request.evidence
      ? await readFallbackShare(connection, this.#plan, positions)
      : undefined;
    const values = this.#cells.finish();
    return { positions, values: { ...values, forecast, matched, statistics, fallback_share } };
  }
}

function weightsOf({ sensor_no, bucket }: Readings, weight: WeightOf): Float64Array {
  return Float64Array.from(bucket, (position, i) => weight(sensor_no[i], position));
}

/** The rows of one chunk: for each its cell, its group, and its position on the axis. */
type Picked = PickedRows & {
  readonly cells: Int32Array;
  readonly positions: Int32Array<ArrayBuffer>;
};

type MakeVector = (picked: Picked, values: CellValues) => Vector;

/** Makes the chunks of an answer; its words are made once. */
class RowMaker {
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
    const size = answer_limits.batch_rows;
    const width = this.#group_count;
    const end = (positions.to - positions.from) * width;
    const seek = grid ? litSeeker(grid, width) : filledSeeker(values);
    const [cells, groups, places] = [0, 0, 0].map(() => new Int32Array(size));
    const picked = { cells, groups, positions: places };
    for (let at = seek(true, 0, end), rows = 0; at < end;) {
      const to = seek(false, at, Math.min(end, at + size - rows));
      const before = rows;
      for (let cell = at; cell < to; cell++) cells[rows++] = cell;
      putPlaces(picked, { from: before, to: rows }, { width, position: positions.from });
      const turn = before === 0 ? at % width : undefined;
      at = seek(true, to, end);
      if (rows < size && at < end) continue;
      yield this.#chunk({ rows, turn, ...picked }, values);
      rows = 0;
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

/** Puts the group and the position of each of some picked cells, which follow one another. */
function putPlaces(
  { cells, groups, positions }: Omit<Picked, "rows">,
  { from, to }: { readonly from: number; readonly to: number },
  { width, position }: { readonly width: number; readonly position: number },
): void {
  let group = cells[from] % width;
  let place = position + Math.floor(cells[from] / width);
  for (let row = from; row < to; row++) {
    groups[row] = group;
    positions[row] = place;
    if (++group < width) continue;
    group = 0;
    place++;
  }
}

/** Bucket labels; both passes of a repeated hour have one word. */
function labelColumn(axis: Axis): MakeVector {
  const { words, codes } = labelWords(axis.labelsOf({ from: 0, to: axis.size }));
  const is_plain = codes.every((code, position) => code === position);
  return ({ rows, positions }) => ({
    kind: "text",
    words,
    codes: is_plain ? positions.slice(0, rows) : codesAt(codes, positions.subarray(0, rows)),
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
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value - value !== 0) values[i] = 0;
  }
  return { kind: "float64", values };
}

/** Null where there is no measured value, or no model, or a model of 0. */
function ratio(picked: Picked, over: Float64Array, under: Float64Array): Vector {
  const { rows, cells, turn } = picked;
  const values = valuesOf(picked, over);
  if (turn === undefined) { for (let i = 0; i < rows; i++) values[i] /= under[cells[i]]; }
  else for (let i = 0, at = cells[0]; i < rows; i++, at++) values[i] /= under[at];
  return allFinite(values) ? { kind: "float64", values } : finiteVector(values);
}

/** What an array has of each picked cell. */
function valuesOf({ rows, cells, turn }: Picked, from: Float64Array): Float64Array<ArrayBuffer> {
  if (turn !== undefined) return new Float64Array(from.subarray(cells[0], cells[0] + rows));
  const values = new Float64Array(rows);
  for (let i = 0; i < rows; i++) values[i] = from[cells[i]];
  return values;
}

function allFinite(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] - values[i] !== 0) return false;
  return true;
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
