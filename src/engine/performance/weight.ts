// The weights of sensors in a weighted mean: their capacity, or their device's power in the bucket.
import type { Positions } from "../../model/time/bucket.ts";
import { measures } from "../../model/plant/measure.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import type { Connection } from "../../store/connection.ts";
import { zonesOf } from "./group.ts";
import { type AnswerPlan, readAll } from "./reading.ts";

/** A sensor's weight in the bucket at a position of the axis; NaN where it is not known. */
export type WeightOf = (sensor_no: number, position: number) => number;

/** Gets ready to weigh the sensors of a plan, slab by slab; undefined when nothing is weighted. */
export function weigherOf(
  plan: AnswerPlan,
): ((connection: Connection, positions: Positions) => Promise<WeightOf>) | undefined {
  const { measure } = plan.selection;
  if (plan.is_single) return undefined;
  if (measure.over_sensors === "power_mean") return powerWeigher(plan);
  if (measure.over_sensors !== "capacity_mean") return undefined;
  const capacities = capacitiesOf(plan);
  return () => Promise.resolve((sensor_no) => capacities.get(sensor_no) ?? NaN);
}

/**
 * Capacities by sensor number: the sensor's own, else the largest that its device declares (of
 * energy for the state of a battery, else of power).
 */
function capacitiesOf({ catalog, selection }: AnswerPlan): ReadonlyMap<number, number> {
  const unit = selection.measure.over_time === "last" ? "Wh" : "W";
  const by_device = new Map<string, number>();
  for (const sensor of catalog.sensors) {
    if (sensor.capacity === null || measures.get(sensor.measure)!.unit !== unit) continue;
    const device = deviceKey(sensor);
    by_device.set(device, Math.max(by_device.get(device) ?? 0, sensor.capacity));
  }
  return new Map(selection.sensors.map((sensor) => {
    const capacity = sensor.capacity ?? by_device.get(deviceKey(sensor)) ?? NaN;
    return [sensor.sensor_no, capacity > 0 ? capacity : NaN];
  }));
}

/** Weighs by the active power of each sensor's device, whichever way it flows. */
function powerWeigher(plan: AnswerPlan) {
  const { catalog, request, selection } = plan;
  const devices = new Set(selection.sensors.map(deviceKey));
  const powers = catalog.sensors.filter((sensor) =>
    sensor.measure === "active_power" && devices.has(deviceKey(sensor))
  );
  const zones = zonesOf(powers, request.projects);
  const slots = new Map(powers.map((power, slot) => [power.sensor_no, slot]));
  const by_device = new Map(powers.map((power, slot) => [deviceKey(power), slot]));
  const slot_of = new Map(
    selection.sensors.map((sensor) => [sensor.sensor_no, by_device.get(deviceKey(sensor))]),
  );
  return async (connection: Connection, positions: Positions): Promise<WeightOf> => {
    const width = powers.length;
    const known = new Float64Array((positions.to - positions.from) * width).fill(NaN);
    const wanted = { zones, positions, over_time: "mean" } as const;
    for await (const { sensor_no, bucket, value } of readAll(connection, plan, wanted)) {
      value.forEach((power, i) => {
        const row = bucket[i] - positions.from;
        known[row * width + slots.get(sensor_no[i])!] = Math.abs(power);
      });
    }
    return (sensor_no, position) => {
      const slot = slot_of.get(sensor_no);
      return slot === undefined ? NaN : known[(position - positions.from) * width + slot];
    };
  };
}

/** Devices are told apart within their data stream; what has no device has no weight of one. */
function deviceKey(sensor: Sensor): string {
  return `${sensor.sentinel_tag} ${sensor.device_id ?? sensor.hierarchy_id}`;
}
