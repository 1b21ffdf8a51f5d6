// What availability looks at on a site: its inverters by data stream, their light, their grid.
import { availability_limits } from "../../model/availability/limits.ts";
import type { Place } from "../../model/time/daylight.ts";
import { devicesAbove, type DeviceTree, treeOf } from "../../model/plant/device_tree.ts";
import type { MeasureName } from "../../model/plant/measure.ts";
import type { Device, Sensor } from "../../model/plant/plant.ts";
import { gridOf } from "../../model/expected/pv.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Inverter, invertersOf } from "../catalog/inverter.ts";

/** A voltage of the grid, and the inverters (by their place in the stream) that depend on it. */
export type GridVoltage = {
  readonly sensor: Sensor;
  /** Under this the grid is lost. */
  readonly least_v: number;
  readonly detail: string;
  readonly below: readonly number[];
};

/** The inverters of a site that one data stream (sentinel tag) sees, and what they depend on. */
export type Stream = {
  readonly inverters: readonly Inverter[];
  /** Irradiance: in the plane of array, or on the level where nothing measures that. */
  readonly light: readonly Sensor[];
  readonly voltages: readonly GridVoltage[];
};

export type SitePlant = {
  readonly site_no: number;
  readonly project_no: number;
  readonly place: Place;
  readonly tree: DeviceTree;
  readonly streams: readonly Stream[];
};

const voltage_measures: readonly MeasureName[] = ["voltage", "hv_voltage", "ac_voltage"];
const grid_types = new Set(["meter", "transformer", "system"]);

/** What to look at on a site; undefined for one that is no more. */
export function sitePlant(catalog: Catalog, site_no: number): SitePlant | undefined {
  const site = catalog.site(site_no);
  const project = site && catalog.projectByNo(site.project_no);
  if (!site || !project) return undefined;
  const inverters = invertersOf(catalog).filter(({ sensor }) => sensor.site_no === site_no);
  const sensors = catalog.sensors.filter((sensor) => sensor.site_no === site_no);
  const devices = catalog.devices.filter((device) => device.site_no === site_no);
  const { latitude, longitude } = site;
  return {
    site_no,
    project_no: site.project_no,
    place: { latitude, longitude, timezone: project.timezone },
    tree: treeOf(devices),
    streams: [...Map.groupBy(inverters, ({ sensor }) => sensor.sentinel_tag)].map(
      ([sentinel_tag, inverters]) => {
        const own = sensors.filter((sensor) => sensor.sentinel_tag === sentinel_tag);
        return { inverters, light: lightOf(own), voltages: voltagesOf(own, devices, inverters) };
      },
    ),
  };
}

function lightOf(sensors: readonly Sensor[]): readonly Sensor[] {
  const poa = sensors.filter(({ measure }) => measure === "poa_front");
  return poa.length > 0 ? poa : sensors.filter(({ measure }) => measure === "ghi");
}

function voltagesOf(
  sensors: readonly Sensor[],
  devices: readonly Device[],
  inverters: readonly Inverter[],
): readonly GridVoltage[] {
  return devices.filter(({ type }) => grid_types.has(type)).flatMap((device) => {
    const { nominal_voltage_v } = gridOf(device);
    if (nominal_voltage_v === null) return [];
    const own = sensors.filter(({ device_id }) => device_id === device.id);
    const [sensor] = voltage_measures.flatMap((name) => own.filter((it) => it.measure === name));
    if (sensor === undefined) return [];
    return [{
      sensor,
      least_v: availability_limits.outage_voltage_share * nominal_voltage_v,
      detail: `the voltage of ${device.name} under half of its nominal`,
      below: belowOf(device, devices, inverters),
    }];
  });
}

/**
 * The inverters below a device; for one beside them (a meter) those below its nearest ancestor
 * that has some, for one that stands for itself all of the site.
 */
function belowOf(
  device: Device,
  devices: readonly Device[],
  inverters: readonly Inverter[],
): readonly number[] {
  const tree = treeOf(devices);
  const chains = inverters.map((inverter) => devicesAbove(tree, inverter.device.id));
  for (const id of [device.id, ...devicesAbove(tree, device.id)]) {
    const below = chains.flatMap((chain, n) => chain.has(id) ? [n] : []);
    if (below.length > 0) return below;
  }
  return inverters.map((_, n) => n);
}
