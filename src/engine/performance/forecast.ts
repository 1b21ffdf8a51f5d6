// The forecasts of a slab: for each sensor the runs that tell its buckets, combined into cells.
import type { Positions } from "../../model/time/bucket.ts";
import { type RunBuckets, RunChoice } from "../../model/expected/forecast.ts";
import type { OverSensors } from "../../model/plant/measure.ts";
import type { Connection } from "../../store/connection.ts";
import { type ForecastWindow, readForecasts } from "../../store/expected/forecast.ts";
import { type Told, toldBy } from "../expected/forecast_choice.ts";
import { forecastClock } from "../expected/forecast_clock.ts";
import { type ForecastSource, forecastSources } from "../expected/forecast_source.ts";
import { Combined, type ForecastValues } from "./aggregates.ts";
import type { Plan } from "./reading.ts";
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
  readonly #plan: Plan;
  readonly #issued_before_us: number;
  readonly #sources: readonly ForecastSource[];
  readonly #value: Combined;
  readonly #issued_us: Float64Array;
  readonly #lead_minutes: Int32Array;

  /** Has room for slabs of up to `positions` positions; `op` combines the sensors of a cell. */
  constructor(plan: Plan, { op, positions, issued_before_us }: Scope) {
    const { groups, sensors } = plan.selection;
    const size = positions * groups.length;
    this.#plan = plan;
    this.#issued_before_us = issued_before_us;
    this.#sources = forecastSources(plan.catalog, sensors);
    this.#value = Combined.of(size, op);
    this.#issued_us = new Float64Array(size);
    this.#lead_minutes = new Int32Array(size);
  }

  /** What forecasts say of a slab; the values are good until the next call. */
  async read(
    connection: Connection,
    positions: Positions,
    weight: WeightOf | undefined,
  ): Promise<ForecastValues> {
    const { selection } = this.#plan;
    const slab = { positions, weight, buckets: bucketsOf(this.#plan, positions) };
    const cells = (positions.to - positions.from) * selection.groups.length;
    this.#value.clear(cells);
    this.#issued_us.fill(NaN, 0, cells);
    const tag_nos = Int32Array.from(this.#sources, (source) => source.tag_no);
    const window = windowOf(this.#sources, slab, this.#issued_before_us);
    const points = readForecasts(connection, tag_nos, window);
    const { over_time } = selection.measure;
    const begin = ({ site_no }: { readonly site_no: number }) =>
      new RunChoice(over_time, slab.buckets.get(site_no)!);
    for await (const told of toldBy(points, this.#sources, begin)) this.#put(told, slab);
    return {
      value: this.#value.finish(),
      issued_us: this.#issued_us,
      lead_minutes: this.#lead_minutes,
    };
  }

  /** Of the runs that a cell's sensors are told by, the latest is the cell's. */
  #put({ sensor, choice }: Told, { positions, weight, buckets }: Slab): void {
    const { groups, group_of } = this.#plan.selection;
    const { starts } = buckets.get(sensor.site_no)!;
    const told = Int32Array.from(starts.keys()).filter((at) => !Number.isNaN(choice.value[at]));
    const cells = told.map((at) => at * groups.length + group_of[sensor.sensor_no]);
    this.#value.add(Float64Array.from(told, (at) => choice.value[at]), {
      cells,
      weights: weight &&
        Float64Array.from(told, (at) => weight(sensor.sensor_no, positions.from + at)),
    });
    told.forEach((at, i) => {
      const issued_us = choice.issued_us[at];
      if (issued_us <= this.#issued_us[cells[i]]) return;
      this.#issued_us[cells[i]] = issued_us;
      this.#lead_minutes[cells[i]] = Math.floor(starts[at] - issued_us / minute_us);
    });
  }
}

function bucketsOf({ catalog, request, selection, axis }: Plan, positions: Positions) {
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
