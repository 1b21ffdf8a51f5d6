// Performance answers: readings per bucket and group, on the site's wall clock, as chunks of rows.
import { limits } from "../../base/limits.ts";
import { axisOf, countBuckets, type DayRange } from "../../model/time/bucket.ts";
import type { Answer, Chunk } from "../../model/data/chunk.ts";
import type { Database } from "../../store/database.ts";
import { findDays } from "../../store/performance/performance.ts";
import { checkSize } from "../core/answer_size.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type PerformanceRequest, type Selection, selectSensors } from "./group.ts";
import { DaylightGrid } from "./daylight_grid.ts";
import { cutSlabs, type Plan } from "./reading.ts";
import { RowMaker } from "./rows.ts";
import { SlabReader } from "./batch_reader.ts";

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
  if (use_solar_bounds || forecast || cells <= limits.cells_per_slab) return range;
  const numbers = Int32Array.from(sensors, (sensor) => sensor.sensor_no);
  const { from_day, to_day } = range;
  const days = await database.read(
    (connection) => findDays(connection, { sensors: numbers, from_day, to_day }),
    signal,
  );
  return days && { ...range, ...days };
}

function planOf(parts: Omit<Plan, "axis">): Plan {
  const { request, selection } = parts;
  const timezones = selection.zones.map((zone) => zone.timezone);
  return { ...parts, axis: axisOf(request.interval, { range: request.range, timezones }) };
}

/** While the rows of one slab are on their way out, the next one is read. */
async function* chunksOf(
  database: Database,
  plan: Plan,
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
