// The inverters of the plant: which sensors tell of one, what it is rated, what its codes mean.
import { type Codes, codesOf } from "../model/device_model.ts";
import type { MeasureName } from "../model/measure.ts";
import type { Device, Sensor } from "../model/plant.ts";
import { pvOf } from "../model/pv.ts";
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
  const own = catalog.sensors.filter((it) => it.component === "inverter" && it.device_id !== null);
  const inverters = [...Map.groupBy(own, (it) => `${it.device_id} ${it.sentinel_tag}`).values()]
    .map((sensors) => inverterOf(catalog, sensors))
    .filter((inverter) => inverter !== undefined)
    .sort((a, b) => a.sensor.sensor_no - b.sensor.sensor_no);
  known.set(catalog, { version, inverters });
  return inverters;
}

function inverterOf(catalog: Catalog, sensors: readonly Sensor[]): Inverter | undefined {
  const device = catalog.device(sensors[0].device_id!);
  if (device?.type !== "inverter") return undefined;
  const first = (measure: MeasureName) => sensors.find((it) => it.measure === measure);
  const [power, energy, status] = [
    first("active_power"),
    first("energy"),
    first("operating_status"),
  ];
  const sensor = power ?? energy ?? status;
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
