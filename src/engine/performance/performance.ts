// Performance answers: readings per bucket and group, on the site's wall clock, as chunks of rows.
import { answer_limits } from "../../model/data/limits.ts";
import type { Answer, Chunk } from "../../model/data/chunk.ts";
import { axisOf, countBuckets, type DayRange, type Positions } from "../../model/time/bucket.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { findDays, type Readings } from "../../store/performance/performance.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { checkSize } from "../core/answer_size.ts";
import { Cells, type Slab } from "./aggregates.ts";
import { ForecastReader } from "./forecast.ts";
import { type PerformanceRequest, type Selection, selectSensors } from "./group.ts";
import { type AnswerPlan, cutSlabs, readAll } from "./reading.ts";
import { DaylightGrid, RowMaker } from "./rows.ts";
import { weigherOf, type WeightOf } from "./weight.ts";

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
  const { from_day, to_day } = range;
  const days = await database.read(
    (connection) => findDays(connection, { sensors: numbers, from_day, to_day }),
    signal,
  );
  return days && { ...range, ...days };
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
  const slabs = [...cutSlabs(plan)];
  const room = Math.max(...slabs.map(({ from, to }) => to - from));
  const readers: SlabReader[] = [];
  const read = (i: number) => {
    const reader = readers[i % 2] ??= new SlabReader(plan, room);
    const slab = database.read(
      // One snapshot.
      (connection) => connection.transaction(() => reader.read(connection, slabs[i])),
      signal,
    );
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

  /** Has room for slabs of up to `positions` positions. */
  constructor(plan: AnswerPlan, positions: number) {
    const { groups, sensors, measure } = plan.selection;
    const single = groups.length === sensors.length;
    this.#plan = plan;
    const op = single ? undefined : measure.over_sensors;
    const { forecast } = plan.request;
    this.#cells = new Cells(positions * groups.length, op);
    this.#weigher = weigherOf(plan);
    this.#forecasts = forecast && new ForecastReader(plan, { op, positions, ...forecast });
  }

  /** The slab of those positions; its values are good until the next call. */
  async read(connection: Connection, positions: Positions): Promise<Slab> {
    const { zones, measure, groups } = this.#plan.selection;
    const weight = await this.#weigher?.(connection, positions);
    const wanted = { zones, positions, over_time: measure.over_time };
    this.#cells.clear((positions.to - positions.from) * groups.length);
    for await (const readings of readAll(connection, this.#plan, wanted)) {
      const cells = cellsOf(readings, this.#plan.selection, positions.from);
      this.#cells.add(readings, { cells, weights: weight && weightsOf(readings, weight) });
    }
    const forecast = await this.#forecasts?.read(connection, positions, weight);
    return { positions, values: { ...this.#cells.finish(), forecast } };
  }
}

type Grouped = { readonly groups: readonly unknown[]; readonly group_of: Int32Array };

/** The cell of each row. */
function cellsOf(
  { sensor_no, bucket }: Readings,
  { groups, group_of }: Grouped,
  from: number,
): Int32Array {
  const cells = new Int32Array(bucket.length);
  const width = groups.length;
  for (let i = 0; i < cells.length; i++) {
    cells[i] = (bucket[i] - from) * width + group_of[sensor_no[i]];
  }
  return cells;
}

function weightsOf({ sensor_no, bucket }: Readings, weight: WeightOf): Float64Array {
  return Float64Array.from(bucket, (position, i) => weight(sensor_no[i], position));
}
