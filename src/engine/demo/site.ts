// The demo's site file: a 20 MW solar plant with a 5 MW battery, as `site apply` would read it.
import type { SiteInput } from "../../model/site/file.ts";
import { battery_size } from "./battery.ts";
import type { DemoPlace } from "./place.ts";
import { fault_bits, inverter_status, met_blocks, nominal_v, size } from "./plant.ts";
import { demo_points, deviceKey, type Point, times } from "./point.ts";
import { demoRules } from "./rule.ts";

const inverter_model_key = "SUNRISE-1000";

/** The site file (version 1) of the plant at a place, as a plain object. */
export function demoSite(place: DemoPlace): object {
  const { key, name, latitude, longitude, timezone, grid_hz } = place;
  return {
    version: 1,
    organization: { key: "demo", name: "Demo Energy" },
    project: { key, name, portfolio: "Demo", timezone },
    site: { key, name, latitude, longitude },
    blocks: times(size.blocks).map((i) => ({ key: blockKey(i), name: `Block ${i + 1}` })),
    device_models: [inverter_model],
    devices: devices(),
    tags: demo_points.map((point) => ({
      name: point.tag,
      class: point.class,
      encoding: point.encoding,
      ...(point.unit === null ? {} : { unit: point.unit }),
      device_key: point.device,
    })),
    sensors: demo_points.flatMap(sensorsOf),
    rules: demoRules(inverter_model_key, grid_hz),
  };
}

/** What the plant's papers say of its inverters: not quite what they do. */
const inverter_model = {
  key: inverter_model_key,
  pv: {
    rated_dc_w: size.inverter_dc_w,
    rated_ac_w: size.inverter_ac_w,
    gamma: -0.0036,
    losses: 0.04,
    efficiency: 0.98,
    tracker: { max_angle: 55, backtrack: false },
  },
  status: {
    [inverter_status.producing]: "full_capability",
    [inverter_status.limited]: "service_setpoint",
    [inverter_status.fault]: "forced_outage",
    [inverter_status.derated]: "partial_capability",
  },
  events: {
    [fault_bits.overcurrent]: "forced_outage",
    [fault_bits.over_temperature]: "partial_capability",
  },
} satisfies NonNullable<SiteInput["device_models"]>[number];

type DeviceEntry = NonNullable<SiteInput["devices"]>[number];

function devices(): readonly DeviceEntry[] {
  return [
    { key: "PPC", name: "Plant controller", type: "system" },
    { key: "XFMR", name: "Main transformer", type: "transformer", grid: { losses: 0.012 } },
    {
      key: "MTR-01",
      name: "Revenue meter",
      type: "meter",
      parent: "XFMR",
      grid: { limit_w: size.plant_ac_w, nominal_voltage_v: nominal_v },
    },
    ...times(size.inverters).map((i) => ({
      key: deviceKey("INV", i),
      name: `Inverter ${i + 1}`,
      type: "inverter" as const,
      block: blockKey(Math.floor(i / size.per_block)),
      parent: "XFMR",
      device_model: inverter_model_key,
      event_tag: `${deviceKey("INV", i)}.FAULT_WORD`,
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
