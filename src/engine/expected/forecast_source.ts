// Where the forecasts of sensors come from: their own tags, or for an amount the rate beside it.
import { limits } from "../../base/limits.ts";
import type { Step } from "../../model/expected/forecast.ts";
import { measures, rate_of } from "../../model/plant/measure.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import { gridOf } from "../../model/expected/pv.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** A tag whose runs tell a sensor. */
export type ForecastSource = {
  readonly sensor: Sensor;
  readonly tag_no: number;
  /** False for the rate, which tells what the sensor's own runs do not. */
  readonly is_own: boolean;
  /** How long a point reaches around its instant, at most. */
  readonly reach_minutes: number;
  /** A point as a step in the sensor's unit (an increment's per hour), until the run's next. */
  readonly stepOf: (minute: number, next_minute: number, value: number) => Step;
};

const hold_minutes = limits.forecast_hold_s / 60;

/** The sources of some sensors, those of one behind one another. */
export function forecastSources(
  catalog: Catalog,
  sensors: readonly Sensor[],
): readonly ForecastSource[] {
  const measure = sensors.length > 0 ? rate_of.get(sensors[0].measure) : undefined;
  const rates = new Map(
    catalog.sensors.filter((it) => it.measure === measure).map((it) => [unitKey(it), it]),
  );
  return sensors.flatMap((sensor) => {
    const rate = rates.get(unitKey(sensor));
    const own = sourceOf(catalog, sensor, sensor);
    return rate ? [own, sourceOf(catalog, sensor, rate)] : [own];
  });
}

/** Sensors of one device, or of one place under the site root, in one data stream. */
function unitKey(sensor: Sensor): string {
  const { sentinel_tag, site_no, device_id, component } = sensor;
  return `${sentinel_tag} ${site_no} ${device_id ?? component}`;
}

/** What `teller` forecasts, for `sensor`. */
function sourceOf(catalog: Catalog, sensor: Sensor, teller: Sensor): ForecastSource {
  const { scale, offset, tag_no } = teller;
  const is_amount = isIncrement(teller) && teller.accumulation !== "none";
  const span = is_amount && teller.interval_s !== null ? teller.interval_s / 60 : undefined;
  const back = span !== undefined && teller.interval_at === "end" ? span : 0;
  const limit = limitOf(catalog, sensor);
  return {
    sensor,
    tag_no,
    is_own: teller === sensor,
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
