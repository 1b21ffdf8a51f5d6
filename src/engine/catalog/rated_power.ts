// The powers of a project whose rating is known.
import type { Project, Sensor } from "../../model/plant/plant.ts";
import type { Catalog } from "./catalog.ts";
import { invertersOf } from "./inverter.ts";

/** An active power, and how much its device can have at most, W. */
export type RatedPower = { readonly sensor: Sensor; readonly rated_w: number };

/** Those with a capacity of their own, and those of inverters that are rated otherwise. */
export function ratedPowers(
  catalog: Catalog,
  { project_no }: Pick<Project, "project_no">,
): readonly RatedPower[] {
  const of_inverters = new Map(
    invertersOf(catalog).map(({ power, capacity_w }) => [power?.sensor_no, capacity_w]),
  );
  return catalog.sensors.flatMap((sensor) => {
    if (sensor.project_no !== project_no || sensor.measure !== "active_power") return [];
    const rated_w = sensor.capacity ?? of_inverters.get(sensor.sensor_no) ?? 0;
    return rated_w > 0 ? [{ sensor, rated_w }] : [];
  });
}
