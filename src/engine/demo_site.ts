// The demo's site file: a 20 MW solar plant with a 5 MW battery, as `site apply` would read it.
import type { ComponentName } from "../model/measure.ts";
import { battery_size } from "./demo_battery.ts";
import { field_points } from "./demo_field_point.ts";
import { met_blocks, size } from "./demo_plant.ts";
import { deviceKey, type Point, times } from "./demo_point.ts";
import { power_points } from "./demo_power_point.ts";
import { demo_place } from "./demo_weather.ts";

/** Every tag of the plant, in a fixed order. */
export const demo_points: readonly Point[] = [...power_points, ...field_points];

/** The key of the demo's project. */
export const demo_project_key = "prairie-sun";

/** The site file (version 1) as a plain object. */
export function demoSite(): object {
  return {
    version: 1,
    organization: { key: "demo", name: "Demo Energy" },
    project: {
      key: demo_project_key,
      name: "Prairie Sun",
      portfolio: "Demo",
      timezone: demo_place.timezone,
    },
    site: {
      key: demo_project_key,
      name: "Prairie Sun",
      latitude: demo_place.latitude,
      longitude: demo_place.longitude,
    },
    blocks: times(size.blocks).map((i) => ({ key: blockKey(i), name: `Block ${i + 1}` })),
    devices: devices(),
    tags: demo_points.map((point) => ({
      name: point.tag,
      class: point.class,
      encoding: point.encoding,
      ...(point.unit === null ? {} : { unit: point.unit }),
      device_key: point.device,
    })),
    sensors: demo_points.flatMap(sensorsOf),
  };
}

type DeviceEntry = {
  readonly key: string;
  readonly name: string;
  readonly type: ComponentName;
  readonly block?: string;
  readonly parent?: string;
};

function devices(): readonly DeviceEntry[] {
  return [
    { key: "PPC", name: "Plant controller", type: "system" },
    { key: "XFMR", name: "Main transformer", type: "transformer" },
    { key: "MTR-01", name: "Revenue meter", type: "meter", parent: "XFMR" },
    ...times(size.inverters).map((i) => ({
      key: deviceKey("INV", i),
      name: `Inverter ${i + 1}`,
      type: "inverter" as const,
      block: blockKey(Math.floor(i / size.per_block)),
      parent: "XFMR",
    })),
    ...times(size.mets).map((i) => ({
      key: deviceKey("MET", i),
      name: `Met station ${i + 1}`,
      type: "met" as const,
      block: blockKey(met_blocks[i]),
    })),
    ...times(size.trackers).map((i) => ({
      key: deviceKey("TRK", i),
      name: `Tracker ${i + 1}`,
      type: "tracker" as const,
      block: blockKey(Math.floor(i * size.blocks / size.trackers)),
    })),
    ...batteryDevices(),
  ];
}

function batteryDevices(): readonly DeviceEntry[] {
  return [
    { key: "BESS", name: "Battery", type: "bess", parent: "XFMR" },
    { key: "MTR-02", name: "Battery meter", type: "bess_meter", parent: "BESS" },
    ...times(battery_size.pcs).map((i) => ({
      key: deviceKey("PCS", i),
      name: `Converter ${i + 1}`,
      type: "bess_pcs" as const,
      parent: "BESS",
    })),
    ...times(size.racks).map((i) => ({
      key: deviceKey("RACK", i),
      name: `Rack ${i + 1}`,
      type: "bess_rack" as const,
      parent: deviceKey("PCS", i % battery_size.pcs),
    })),
  ];
}

function blockKey(i: number): string {
  return `B${i + 1}`;
}

function sensorsOf(point: Point): readonly object[] {
  if (point.measure === null) return [];
  const { tag, device, scale, offset, capacity, register_bits } = point;
  const direct = Object.fromEntries(
    Object.entries({ tag, device, measure: point.measure, scale, offset, capacity, register_bits })
      .filter(([, value]) => value !== undefined),
  );
  if (point.counter) return [{ ...direct, accumulation: "counter" }];
  if (point.integral) return [direct, { tag, device, measure: point.integral }];
  return [direct];
}
