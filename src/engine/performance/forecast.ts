// The forecasts of a slab: whose runs forecast each sensor, and which run tells each bucket.
import { expected_limits } from "../../model/expected/limits.ts";
import {
  type RunBuckets,
  runBuckets,
  RunChoice,
  type Step,
} from "../../model/expected/forecast.ts";
import { gridOf } from "../../model/expected/pv.ts";
import { measures, type OverSensors, rate_of } from "../../model/plant/measure.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import type { Axis, Piece, Positions } from "../../model/time/bucket.ts";
import type { Place } from "../../model/time/daylight.ts";
import { dayStart } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import {
  type ForecastPoints,
  type ForecastWindow,
  readForecasts,
} from "../../store/expected/forecast.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { ForecastCells } from "./forecast_cells.ts";
import { type AnswerPlan, litParts } from "./reading.ts";
import type { WeightOf } from "./weight.ts";

const minute_us = 60_000_000;

/** The slab at hand, with the buckets of each site's clock. */
type Slab = {
  readonly positions: Positions;
  readonly weight: WeightOf | undefined;
  readonly buckets: ReadonlyMap<number, RunBuckets>;
};

type Scope = {
  readonly op: OverSensors | undefined;
  readonly positions: number;
  readonly issued_before_us: number;
};

/** Reads the forecasts of slabs one after the other into the same cells. */
export class ForecastReader {
  readonly #plan: AnswerPlan;
  readonly #issued_before_us: number;
  readonly #sources: readonly ForecastSource[];
  readonly #cells: ForecastCells;

  /** Has room for slabs of up to `positions` positions; `op` combines the sensors of a cell. */
  constructor(plan: AnswerPlan, { op, positions, issued_before_us }: Scope) {
    const { groups, sensors } = plan.selection;
    this.#plan = plan;
    this.#issued_before_us = issued_before_us;
    this.#sources = forecastSources(plan.catalog, sensors);
    this.#cells = new ForecastCells(positions * groups.length, op);
  }

  /** What forecasts say of a slab; good until the next call. */
  async read(
    connection: Connection,
    positions: Positions,
    weight: WeightOf | undefined,
  ): Promise<ForecastCells> {
    const { selection } = this.#plan;
    const slab = { positions, weight, buckets: bucketsOf(this.#plan, positions) };
    this.#cells.clear((positions.to - positions.from) * selection.groups.length);
    const tag_nos = Int32Array.from(this.#sources, (source) => source.tag_no);
    const window = windowOf(this.#sources, slab, this.#issued_before_us);
    const points = readForecasts(connection, tag_nos, window);
    const { over_time } = selection.measure;
    const begin = ({ site_no }: { readonly site_no: number }) =>
      new RunChoice(over_time, slab.buckets.get(site_no)!);
    for await (const told of toldBy(points, this.#sources, begin)) this.#put(told, slab);
    return this.#cells;
  }

  #put({ sensor, choice }: Told, { positions, weight, buckets }: Slab): void {
    const { groups, group_of } = this.#plan.selection;
    const { starts } = buckets.get(sensor.site_no)!;
    const told = Int32Array.from(starts.keys()).filter((at) => !Number.isNaN(choice.value[at]));
    const numbersOf = (numberOf: (at: number) => number) => Float64Array.from(told, numberOf);
    const targets = {
      cells: told.map((at) => at * groups.length + group_of[sensor.sensor_no]),
      weights: weight && numbersOf((at) => weight(sensor.sensor_no, positions.from + at)),
    };
    this.#cells.add(numbersOf((at) => choice.value[at]), targets, {
      issued_us: numbersOf((at) => choice.issued_us[at]),
      lead_minutes: numbersOf((at) => Math.floor(starts[at] - choice.issued_us[at] / minute_us)),
    });
  }
}

function bucketsOf({ catalog, request, selection, axis }: AnswerPlan, positions: Positions) {
  const site_nos = new Set(selection.sensors.map((sensor) => sensor.site_no));
  const wanted = { positions, light_only: request.use_solar_bounds };
  return new Map(
    [...site_nos].map((no) => [no, forecastClock(axis, catalog.placeOf(no), wanted)]),
  );
}

/** The points that can reach into the slab, of runs issued before one of its buckets. */
function windowOf(
  sources: readonly ForecastSource[],
  { buckets }: Slab,
  issued_before_us: number,
): ForecastWindow {
  const stretches = [...buckets.values()].flatMap((site) => site.stretches);
  const from_minute = stretches.reduce((least, it) => Math.min(least, it.from_minute), Infinity);
  const to_minute = stretches.reduce((most, it) => Math.max(most, it.to_minute), -Infinity);
  if (from_minute >= to_minute) return { from_us: 0, to_us: 0, before_us: 0 };
  const reach = sources.reduce((most, source) => Math.max(most, source.reach_minutes), 0);
  return {
    from_us: (from_minute - reach) * minute_us,
    to_us: (to_minute + reach) * minute_us,
    before_us: Math.min(to_minute * minute_us, issued_before_us),
  };
}

/** A sensor and what the runs of its sources say. */
type Told = { readonly sensor: Sensor; readonly choice: RunChoice };

type Point = {
  readonly source: ForecastSource;
  readonly issued_us: number;
  readonly minute: number;
  readonly value: number;
};

/** What is told by points in order of `sources`, each sensor once; `begin` makes its choice. */
async function* toldBy(
  points: AsyncIterable<ForecastPoints>,
  sources: readonly ForecastSource[],
  begin: (sensor: Sensor) => RunChoice,
): AsyncGenerator<Told, void> {
  let told: Told | undefined;
  let before: Point | undefined;
  let step = Infinity;
  for await (const piece of points) {
    for (let i = 0; i < piece.value.length; i++) {
      const point = pointAt(piece, i, sources);
      if (before && told) step = addStep(told.choice, before, { next: point, step });
      if (told?.sensor !== point.source.sensor) {
        if (told) yield told;
        told = { sensor: point.source.sensor, choice: begin(point.source.sensor) };
      }
      before = point;
    }
  }
  if (!before || !told) return;
  addStep(told.choice, before, { step });
  yield told;
}

function pointAt(piece: ForecastPoints, i: number, sources: readonly ForecastSource[]): Point {
  return {
    source: sources[piece.source_no[i]],
    issued_us: piece.issued_us[i],
    minute: piece.minute[i],
    value: piece.value[i],
  };
}

/**
 * A point holds until the next one of its run; the last one for as long as the one before. Gives
 * how far the next point of the run is, Infinity when the run ends.
 */
function addStep(
  choice: RunChoice,
  { source, issued_us, minute, value }: Point,
  { next, step }: { readonly next?: Point; readonly step: number },
): number {
  const goes_on = next?.source === source && next.issued_us === issued_us;
  choice.add(source.stepOf(minute, goes_on ? next.minute : minute + step, value));
  if (goes_on) return next.minute - minute;
  choice.endRun(issued_us, { is_better: source.is_own });
  return Infinity;
}

/** A tag whose runs tell a sensor. */
type ForecastSource = {
  readonly sensor: Sensor;
  readonly tag_no: number;
  /** False for the rate, which tells what the sensor's own runs do not. */
  readonly is_own: boolean;
  /** How long a point reaches around its instant, at most. */
  readonly reach_minutes: number;
  /** A point as a step in the sensor's unit (an increment's per hour), until the run's next. */
  readonly stepOf: (minute: number, next_minute: number, value: number) => Step;
};

const hold_minutes = expected_limits.forecast_hold_s / 60;

/** The sources of some sensors, those of one behind one another. */
function forecastSources(
  catalog: Catalog,
  sensors: readonly Sensor[],
): readonly ForecastSource[] {
  const measure = sensors.length > 0 ? rate_of.get(sensors[0].measure) : undefined;
  const rates = new Map(
    catalog.sensors.filter((it) => it.measure === measure).map((it) => [unitKey(it), it]),
  );
  return sensors.flatMap((sensor) => {
    const rate = rates.get(unitKey(sensor));
    const own = sourceOf(catalog, sensor, tellerOf(catalog, sensor));
    return rate ? [own, { ...sourceOf(catalog, sensor, rate), is_own: false }] : [own];
  });
}

/** Sensors of one device, or of one place under the site root, in one data stream. */
function unitKey(sensor: Sensor): string {
  const { sentinel_tag, site_no, device_id, component } = sensor;
  return `${sentinel_tag} ${site_no} ${device_id ?? component}`;
}

/** Whose unit a sensor's own runs have: on a tag that is a rate too they are the rate's. */
function tellerOf(catalog: Catalog, sensor: Sensor): Sensor {
  if (!isIncrement(sensor) || sensor.accumulation === "none") return sensor;
  return catalog.sensorsOfTag(sensor.tag_no).find((it) => !isIncrement(it)) ?? sensor;
}

/** What `teller` forecasts, for `sensor`. */
function sourceOf(catalog: Catalog, sensor: Sensor, teller: Sensor): ForecastSource {
  const { scale, tag_no } = teller;
  const offset = teller.accumulation === "counter" ? 0 : teller.offset;
  const is_amount = isIncrement(teller) && teller.accumulation !== "none";
  const span = is_amount && teller.interval_s !== null ? teller.interval_s / 60 : undefined;
  const back = span !== undefined && teller.interval_at === "end" ? span : 0;
  const limit = limitOf(catalog, sensor);
  return {
    sensor,
    tag_no,
    is_own: true,
    reach_minutes: span ?? hold_minutes,
    stepOf: (minute, next_minute, value) => {
      const from = minute - back;
      const to = from + (span ?? Math.min(next_minute - minute, hold_minutes));
      const scaled = value * scale + offset;
      const rate = is_amount ? scaled / ((to - from) / 60) : scaled;
      return { from, to, value: Math.min(rate, limit) };
    },
  };
}

function isIncrement({ measure }: Sensor): boolean {
  return measures.get(measure)!.over_time === "increment";
}

/** The most power that a sensor's device can pass on, W. */
function limitOf(catalog: Catalog, { measure, device_id }: Sensor): number {
  const is_power = (rate_of.get(measure) ?? measure) === "active_power";
  const device = is_power && device_id !== null ? catalog.device(device_id) : undefined;
  return (device && gridOf(device).limit_w) ?? Infinity;
}

/** Which buckets, and whether only their daylight counts. */
type Wanted = { readonly positions: Positions; readonly light_only: boolean };

/** The buckets of an axis at a place. */
function forecastClock(
  axis: Axis,
  place: Place,
  { positions, light_only }: Wanted,
): RunBuckets {
  const pieces = axis.piecesOf(place.timezone, positions);
  const stretches = light_only ? pieces.flatMap((piece) => litParts(piece, place)) : [...pieces];
  return runBuckets({
    positions,
    stretches: stretches.sort((a, b) => a.from_minute - b.from_minute),
    starts: axis.day_starts
      ? dayStarts(axis.day_starts, place.timezone, positions)
      : clockStarts(pieces, positions),
  });
}

/** A week, a month or a year may start before the range that is asked for. */
function dayStarts(starts: readonly number[], timezone: string, { from, to }: Positions) {
  return Float64Array.from(starts.slice(from, to), (day) => dayStart(timezone, day));
}

function clockStarts(pieces: readonly Piece[], { from, to }: Positions): Float64Array {
  const starts = new Float64Array(to - from).fill(NaN);
  for (const { from_minute, to_minute, shift, width } of pieces) {
    for (let minute = from_minute; minute < to_minute;) {
      const at = Math.floor((minute + shift) / width);
      if (!(starts[at - from] <= minute)) starts[at - from] = minute;
      minute = (at + 1) * width - shift;
    }
  }
  return starts;
}
