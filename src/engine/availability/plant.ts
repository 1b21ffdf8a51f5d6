// What availability looks at on a site: its inverters by data stream, their light, their grid.
import { availability_limits } from "../../model/availability/limits.ts";
import type { Place } from "../../model/time/daylight.ts";
import {
  devicesAbove,
  devicesBelow,
  type DeviceTree,
  treeOf,
} from "../../model/plant/device_tree.ts";
import { type MeasureName, power_setpoints } from "../../model/plant/measure.ts";
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

/** A setpoint of power, and the inverters (by their place in the stream) that it limits. */
export type PowerLimit = {
  readonly sensor: Sensor;
  readonly tag: string;
  /** What is no limit at all, in its unit; NaN where a rating is not known. */
  readonly whole: number;
  readonly below: readonly number[];
};

/** The inverters of a site that one data stream (sentinel tag) sees, and what they depend on. */
export type Stream = {
  readonly inverters: readonly Inverter[];
  /** Irradiance: in the plane of array, or on the level where nothing measures that. */
  readonly light: readonly Sensor[];
  readonly voltages: readonly GridVoltage[];
  /** What measures, by itself, what one of the inverters makes: of a meter that it alone feeds. */
  readonly meters: ReadonlyMap<Inverter, Sensor>;
  /** The currents of the strings, or of their combiners, below each inverter. */
  readonly strings: ReadonlyMap<Inverter, readonly StringSensor[]>;
  readonly limits: readonly PowerLimit[];
};

/** What a string, or a combiner of some, gives. */
type StringSensor = { readonly sensor: Sensor; readonly name: string };

export type SitePlant = {
  readonly site_no: number;
  readonly project_no: number;
  readonly place: Place;
  readonly tree: DeviceTree;
  readonly streams: readonly Stream[];
};

const voltage_measures: readonly MeasureName[] = ["voltage", "hv_voltage", "ac_voltage"];
const meter_measures: readonly MeasureName[] = [
  "energy",
  "energy_export",
  "active_energy_delivered",
  "active_power",
];
const string_types: ReadonlySet<string> = new Set(["combiner", "mppt"]);
const plant_components: ReadonlySet<string> = new Set(["system", "meter", "bess_ppc"]);
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
        return {
          inverters,
          light: lightOf(own),
          voltages: voltagesOf(own, devices, inverters),
          meters: metersOf(own, devices, inverters),
          strings: stringsOf(own, devices, inverters),
          limits: limitsOf(catalog, own, { devices, inverters }),
        };
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

/** The meters that one inverter feeds, and nothing else: no other inverter, no storage. */
function metersOf(
  sensors: readonly Sensor[],
  devices: readonly Device[],
  inverters: readonly Inverter[],
): ReadonlyMap<Inverter, Sensor> {
  const sources = devices.filter(({ type }) => type === "inverter" || type.startsWith("bess"));
  const found = new Map<Inverter, Sensor>();
  for (const device of devices.filter(({ type }) => type === "meter")) {
    const own = sensors.filter(({ device_id }) => device_id === device.id);
    const [sensor] = meter_measures.flatMap((name) => own.filter((it) => it.measure === name));
    const [source, ...others] = sensor ? devicesFeeding(device, devices, sources) : [];
    if (source === undefined || others.length > 0) continue;
    const inverter = inverters.find((it) => it.device.id === source.id);
    if (inverter && !found.has(inverter)) found.set(inverter, sensor);
  }
  return found;
}

/** The currents of the DC side below each inverter. */
function stringsOf(
  sensors: readonly Sensor[],
  devices: readonly Device[],
  inverters: readonly Inverter[],
): ReadonlyMap<Inverter, readonly StringSensor[]> {
  const tree = treeOf(devices);
  const names = new Map(devices.map(({ id, name }) => [id, name]));
  const by_device = Map.groupBy(sensors, ({ device_id }) => device_id);
  return new Map(inverters.map((inverter) => {
    const below = [...devicesBelow(tree, inverter.device.id)].flatMap((id) => {
      const own = (by_device.get(id) ?? []).filter((it) => string_types.has(it.component));
      const sensor = own.find((it) => it.measure === "dc_current");
      return sensor ? [{ sensor, name: names.get(id)! }] : [];
    });
    return [inverter, below];
  }));
}

/** The setpoints of inverters, and of what the whole plant or a part of it may give. */
function limitsOf(
  catalog: Catalog,
  sensors: readonly Sensor[],
  { devices, inverters }: {
    readonly devices: readonly Device[];
    readonly inverters: readonly Inverter[];
  },
): readonly PowerLimit[] {
  const own_battery = sensors.some(({ component }) => component === "bess_pcs");
  return sensors.flatMap((sensor) => {
    const { tag_no, device_id, component, measure } = sensor;
    if (!(power_setpoints as readonly string[]).includes(measure)) return [];
    const device = devices.find(({ id }) => id === device_id);
    const is_plants = plant_components.has(component) && !(own_battery && component === "bess_ppc");
    const below = !is_plants
      ? inverters.flatMap((it, n) => it.device === device ? [n] : [])
      : device
      ? belowOf(device, devices, inverters)
      : [...inverters.keys()];
    const rated_w = below.reduce((sum, n) => sum + (inverters[n].capacity_w ?? NaN), 0);
    const whole = measure.endsWith("_pct") ? 100 : rated_w;
    return [{ sensor, tag: catalog.tag(tag_no)!.sensor_tag, whole, below }];
  });
}

/** The inverters, by their place, that a device of the grid stands for. */
function belowOf(
  device: Device,
  devices: readonly Device[],
  inverters: readonly Inverter[],
): readonly number[] {
  const feeding = new Set(devicesFeeding(device, devices, inverters.map((it) => it.device)));
  return inverters.flatMap((it, n) => feeding.has(it.device) ? [n] : []);
}

/**
 * Those of some devices that are below one; for one beside them (a meter) those below its nearest
 * ancestor that has some, for one that stands for itself all of them.
 */
function devicesFeeding(
  device: Device,
  devices: readonly Device[],
  sources: readonly Device[],
): readonly Device[] {
  const tree = treeOf(devices);
  const chains = sources.map(({ id }) => devicesAbove(tree, id));
  for (const id of [device.id, ...devicesAbove(tree, device.id)]) {
    const below = sources.filter((_, n) => chains[n].has(id));
    if (below.length > 0) return below;
  }
  return sources;
}
