// Performance answers: readings per bucket and group, on the site's wall clock, as chunks of rows.
import { giveWay, isLongTurn } from "../../base/effects.ts";
import { release } from "../../base/heap.ts";
import { answer_limits } from "../../model/data/limits.ts";
import type { Answer, Chunk } from "../../model/data/chunk.ts";
import {
  axisOf,
  countBuckets,
  type DayRange,
  minutesOf,
  type Positions,
} from "../../model/time/bucket.ts";
import type { Kept } from "../../model/retention/keep.ts";
import { minute_us } from "../../model/time/series.ts";
import { dayStart } from "../../model/time/zone.ts";
import type { Database } from "../../store/database.ts";
import { findDays } from "../../store/performance/performance.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { requireKept } from "../catalog/horizon.ts";
import { checkSize } from "../core/answer_size.ts";
import type { Slab } from "./aggregates.ts";
import { DaylightGrid } from "./daylight.ts";
import { type PerformanceRequest, type Selection, selectSensors } from "./group.ts";
import { type AnswerPlan, cutSlabs, pieceSource } from "./reading.ts";
import { RowMaker } from "./row_maker.ts";
import { SlabReader } from "./slab.ts";
import { checkSeries } from "./statistics.ts";

/** Where an answer's sensors and readings are. */
export type PerformanceSource = {
  readonly catalog: Catalog;
  readonly selection: Selection;
  /** The days of a range that have data; undefined for none. */
  readonly findDays: (
    range: DayRange,
  ) => Promise<Pick<DayRange, "from_day" | "to_day"> | undefined>;
  /** Throws a `Fault` (gone) where something that is to be read is no longer kept. */
  readonly requireRead: (request: PerformanceRequest) => void;
  /** What reads a plan's slabs, the longest of so many positions; two at a time. */
  readonly slabsOf: (plan: AnswerPlan, room: number) => (positions: Positions) => Promise<Slab>;
};

/**
 * The answer to a checked request: rows by bucket, then by group. On the daylight grid each
 * daylight bucket has a row of each group; otherwise a row stands where a measured, a model or a
 * forecast value does. Throws a `Fault` (invalid) when it would be too large, before anything is
 * read. Reading stops, and throws, when `signal` aborts.
 */
export function performanceAnswer(
  { database, catalog }: { readonly database: Database; readonly catalog: Catalog },
  request: PerformanceRequest,
  signal?: AbortSignal,
): Promise<Answer> {
  const selection = selectSensors(catalog, request);
  return performanceFrom(request, {
    catalog,
    selection,
    findDays: (range) => selectedDays(database, selection, { range, signal }),
    requireRead: (request) => requireRead(catalog, request, selection),
    slabsOf: (plan, room) => {
      const readers: SlabReader[] = [];
      let turn = 0;
      return (positions) => {
        const reader = readers[turn = 1 - turn] ??= new SlabReader(plan, room);
        return database.read((connection) => reader.read(connection, positions), signal);
      };
    },
  });
}

/** The same from any source. */
export async function performanceFrom(
  request: PerformanceRequest,
  source: PerformanceSource,
): Promise<Answer> {
  const { catalog, selection } = source;
  const zones = [...new Set(request.projects.map((project) => project.timezone))];
  const range = await rangeOf(request, source);
  if (range) checkSize({ interval: request.interval, range }, selection.groups.length);
  if (range && request.statistics) checkSeries(selection.sensors, range);
  if (range) source.requireRead({ ...request, range });
  return {
    columns: request.columns,
    metadata: { site_timezone: zones.join(",") },
    chunks: range
      ? chunksOf(planOf({ catalog, request: { ...request, range }, selection }), source)
      : nothing(),
  };
}

/**
 * The days to answer for. Without the grid only those that have data, where the range as asked
 * would take more than one slab to read; forecasts reach beyond them. Undefined for none.
 */
async function rangeOf(
  { interval, range, use_solar_bounds, forecast }: PerformanceRequest,
  { selection: { sensors, groups }, findDays }: PerformanceSource,
): Promise<DayRange | undefined> {
  if (sensors.length === 0) return undefined;
  const cells = countBuckets(interval, range) * groups.length;
  if (use_solar_bounds || forecast || cells <= answer_limits.cells_per_slab) return range;
  const days = await findDays(range);
  return days && { ...range, ...days };
}

/** The days of a range in which sensors that are selected have data. */
export function selectedDays(
  database: Database,
  { sensors }: Selection,
  { range, signal }: { readonly range: DayRange; readonly signal: AbortSignal | undefined },
) {
  const numbers = Int32Array.from(sensors, (sensor) => sensor.sensor_no);
  return database.read(
    (connection) => findDays(connection, { ...range, sensors: numbers }),
    signal,
  );
}

/** Throws a `Fault` (gone) where something that is read for an answer is no longer kept. */
export function requireRead(
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

function planOf(parts: Omit<AnswerPlan, "axis" | "is_single">): AnswerPlan {
  const { request, selection: { zones, groups, sensors } } = parts;
  const timezones = zones.map((zone) => zone.timezone);
  return {
    ...parts,
    axis: axisOf(request.interval, { range: request.range, timezones }),
    is_single: groups.length === sensors.length,
  };
}

/** While the rows of one slab are on their way out, the next one is read. */
async function* chunksOf(
  plan: AnswerPlan,
  { slabsOf }: PerformanceSource,
): AsyncGenerator<Chunk, void> {
  // Statistics keep many numbers a cell.
  const slabs = [...cutSlabs(plan, plan.request.statistics && answer_limits.cells_of_first_slab)];
  const readSlab = slabsOf(plan, Math.max(...slabs.map(({ from, to }) => to - from)));
  const read = (i: number) => {
    const slab = readSlab(slabs[i]);
    slab.catch(() => {}); // it is awaited in its turn, or not at all when the answer is stopped
    return slab;
  };
  let next = read(0);
  /** The cells of readers, which take them for slab after slab. */
  const cells = new Set<Float64Array>();
  try {
    // The first slab is asked for once this thread pauses: then another one works meanwhile.
    await giveWay();
    const maker = new RowMaker(plan.request, plan.axis, plan.selection.groups);
    const grid = plan.request.use_solar_bounds ? new DaylightGrid(plan) : null;
    for (let i = 0; i < slabs.length; i++) {
      const slab = await next;
      cells.add(slab.values.value).add(slab.values.model);
      if (i + 1 < slabs.length) next = read(i + 1);
      if (isLongTurn()) await giveWay();
      yield* maker.chunks(slab, grid && grid.presenceOf(slab.positions));
    }
  } finally {
    await next.catch(() => {});
    release(...cells);
  }
}

async function* nothing(): AsyncGenerator<Chunk, void> {}
