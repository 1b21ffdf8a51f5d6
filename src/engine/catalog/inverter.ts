// The inverters of the plant: the sensors of each, its rating, and what its codes mean.
import { type Codes, codesOf } from "../../model/availability/state_code.ts";
import type { MeasureName } from "../../model/plant/measure.ts";
import type { Device, Sensor } from "../../model/plant/plant.ts";
import { pvOf } from "../../model/expected/pv.ts";
import type { Catalog } from "./catalog.ts";

/** An inverter as one data stream (sentinel tag) sees it. */
export type Inverter = {
  /**
   * Stands for it: its hierarchy row, block and sentinel tag are the inverter's. Its active power;
   * its energy or status where it has none.
   */
  readonly sensor: Sensor;
  readonly device: Device;
  /** Rated AC power; null when not known. */
  readonly capacity_w: number | null;
  readonly power: Sensor | undefined;
  readonly energy: Sensor | undefined;
  readonly status: Sensor | undefined;
  /** The tag of its event word. */
  readonly event_tag_no: number | undefined;
  readonly codes: Codes;
};

const known = new WeakMap<
  Catalog,
  { readonly version: number; readonly inverters: readonly Inverter[] }
>();

/** Every inverter that has data of its own, by the number of the sensor that stands for it. */
export function invertersOf(catalog: Catalog): readonly Inverter[] {
  const { version } = catalog;
  const found = known.get(catalog);
  if (found?.version === version) return found.inverters;
  const inverters = [...bySource(catalog.sensors).values()]
    .map((sensors) => inverterOf(catalog, sensors))
    .filter((inverter) => inverter !== undefined)
    .sort((a, b) => a.sensor.sensor_no - b.sensor.sensor_no);
  known.set(catalog, { version, inverters });
  return inverters;
}

/**
 * The sensors that stand for inverters where that changed, by hierarchy_id, in the same order: a
 * sensor of theirs was added, removed, or mapped again.
 */
export function movedStandIns(before: readonly Sensor[], after: readonly Sensor[]) {
  const sources = bySource(after);
  const moves = Array.from(bySource(before), ([source, sensors]) => [
    tellers(sensors).sensor?.hierarchy_id,
    tellers(sources.get(source) ?? []).sensor?.hierarchy_id,
  ]).filter(([from, to]) => from !== undefined && to !== undefined && from !== to);
  return { before: moves.map(([from]) => from!), after: moves.map(([, to]) => to!) };
}

/** The sensors of each inverter as each data stream sees it. */
function bySource(sensors: readonly Sensor[]): ReadonlyMap<string, Sensor[]> {
  const own = sensors.filter((it) => it.component === "inverter" && it.device_id !== null);
  return Map.groupBy(own, (it) => `${it.device_id} ${it.sentinel_tag}`);
}

/** An inverter's main sensors, and the one that stands for it. */
function tellers(sensors: readonly Sensor[]) {
  const first = (measure: MeasureName) => sensors.find((it) => it.measure === measure);
  const power = first("active_power");
  const energy = first("energy");
  const status = first("operating_status");
  return { power, energy, status, sensor: power ?? energy ?? status };
}

function inverterOf(catalog: Catalog, sensors: readonly Sensor[]): Inverter | undefined {
  const device = catalog.device(sensors[0].device_id!);
  if (device?.type !== "inverter") return undefined;
  const { power, energy, status, sensor } = tellers(sensors);
  if (sensor === undefined) return undefined;
  const rated_w = power?.capacity ?? energy?.capacity;
  const { project_no } = sensor;
  const event_tag = device.event_tag === null
    ? undefined
    : catalog.findTag(project_no, "signal", device.event_tag);
  return {
    sensor,
    device,
    capacity_w: rated_w ?? pvOf(device, catalog.device_models)?.rated_ac_w ?? null,
    power,
    energy,
    status,
    event_tag_no: event_tag?.tag_no,
    codes: codesOf(device, catalog.device_models),
  };
}
