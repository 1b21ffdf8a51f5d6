// The readings of some sensors in some buckets, from the coarsest table that holds them.
import { answer_limits } from "../../model/data/limits.ts";
import { type Axis, dayPositions, type Piece, type Positions } from "../../model/time/bucket.ts";
import type { OverTime } from "../../model/plant/measure.ts";
import { daylightOf, type Place } from "../../model/time/daylight.ts";
import { day_minutes, overlap } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import {
  looksFirst,
  type PieceSource,
  readDays,
  type Readings,
  readPiece,
} from "../../store/performance/performance.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { PerformanceRequest, Selection, ZoneSensors } from "./group.ts";

/** What is the same for a whole answer. */
export type AnswerPlan = {
  readonly catalog: Catalog;
  readonly request: PerformanceRequest;
  readonly selection: Selection;
  readonly axis: Axis;
  /** Whether each group is one sensor: nothing is combined. */
  readonly is_single: boolean;
};

/** Which readings: whose, in which buckets, and how they aggregate over a bucket's time. */
type Wanted = {
  readonly zones: readonly ZoneSensors[];
  readonly positions: Positions;
  readonly over_time: OverTime;
};

/** The readings, table by table and stretch by stretch: each sensor and bucket once. */
export async function* readAll(
  connection: Connection,
  { request, axis }: AnswerPlan,
  { zones, positions, over_time }: Wanted,
): AsyncGenerator<Readings, void> {
  const has_setpoint = hasSetpoint(request);
  for (const { timezone, sensor_nos: sensors, tag_nos: tags } of zones) {
    const light_only = request.use_solar_bounds;
    const reading = { sensors, tags, over_time, light_only, has_setpoint };
    if (axis.day_starts) {
      const days = dayPositions(axis.day_starts, request.range, positions);
      if (days.buckets.length > 0) yield* readDays(connection, reading, days);
      continue;
    }
    for (const piece of axis.piecesOf(timezone, positions)) {
      yield* readPiece(connection, reading, { piece, source: pieceSource(piece, request) });
    }
  }
}

/** Whether a single statement reads a plan's readings of some positions. */
export function isOneRead(
  connection: Connection,
  { request, axis, selection: { zones } }: AnswerPlan,
  positions: Positions,
): boolean {
  if (axis.day_starts) return zones.length <= 1;
  if (zones.length !== 1) return false;
  const [zone] = zones;
  const [piece, ...others] = axis.piecesOf(zone.timezone, positions);
  if (piece === undefined || others.length > 0) return false;
  const reading = { sensors: zone.sensor_nos, has_setpoint: hasSetpoint(request) };
  return !looksFirst(connection, reading, { piece, source: pieceSource(piece, request) });
}

function hasSetpoint({ columns }: PerformanceRequest): boolean {
  return columns.some(({ name }) => name.endsWith("_setpoint"));
}

/** The cell of each row. */
export function cellsOf(
  { sensor_no, bucket }: Pick<Readings, "sensor_no" | "bucket">,
  { selection: { groups, group_of }, from }: {
    readonly selection: Selection;
    readonly from: number;
  },
): Int32Array {
  const cells = new Int32Array(bucket.length);
  const width = groups.length;
  for (let i = 0, { length } = cells; i < length; i++) {
    cells[i] = (bucket[i] - from) * width + group_of[sensor_no[i]];
  }
  return cells;
}

/**
 * The positions of each slab in order: as many whole days as fit, else part of a day. Rows lie by
 * day, so that a slab which ends with its day leaves none of them to be read twice. Of several
 * slabs the first is a small one: the answer starts when that is read.
 */
export function* cutSlabs(
  { axis, selection }: AnswerPlan,
  cells: number = answer_limits.cells_per_slab,
): Generator<Positions, void> {
  const most = positionsIn(cells, selection);
  for (let from = 0; from < axis.size;) {
    const is_first = from === 0 && axis.size > most;
    const size = is_first ? positionsIn(answer_limits.cells_of_first_slab, selection) : most;
    const to = Math.min(axis.size, from + size);
    const end = to === axis.size ? to : lastDayStart(axis, { from, to }) ?? to;
    yield { from, to: end };
    from = end;
  }
}

function positionsIn(cells: number, { sensors }: Selection): number {
  return Math.max(1, Math.floor(cells / sensors.length));
}

/** The last of the positions behind `from`, `to` included, at which a day starts. */
function lastDayStart(axis: Axis, { from, to }: Positions): number | undefined {
  const labels = axis.labelsOf({ from, to: to + 1 });
  const back = labels.findLastIndex((label) => label % day_minutes === 0);
  return back > 0 ? from + back : undefined;
}

/** The parts of a piece that lie in daylight at a place. */
export function litParts(piece: Piece, place: Place): readonly Piece[] {
  const days = Array.from({ length: piece.to_day - piece.from_day }, (_, i) => piece.from_day + i);
  return days.flatMap((day) => daylightOf(place, day))
    .map((span) => ({ ...piece, ...overlap(span, piece) }))
    .filter((part) => part.from_minute < part.to_minute);
}

const quarter_minutes = 15;

/** Quarter-hours, where buckets and a clip's ends are multiples of them; else minutes. */
export function pieceSource(
  piece: Pick<Piece, "width">,
  { range }: Pick<PerformanceRequest, "range">,
): PieceSource {
  const ends = [piece.width, range.clip?.from_minute ?? 0, range.clip?.to_minute ?? 0];
  return ends.every((minute) => minute % quarter_minutes === 0) ? "quarter" : "minute";
}
