// What the demo's met stations, trackers and battery send.
import type { MeasureName } from "../../model/plant/measure.ts";
import { battery_size } from "./battery.ts";
import { met_blocks, size } from "./plant.ts";
import { deviceKey, type Draft, on, type Point, times } from "./point.ts";

/** The points around the modules, and those of the battery. */
export const field_points: readonly Point[] = [
  ...times(size.mets).flatMap(metPoints),
  ...times(size.trackers).flatMap(trackerPoints),
  ...batteryPoints(),
];

function metPoints(i: number): readonly Point[] {
  const device = deviceKey("MET", i);
  const block = met_blocks[i];
  const own = (name: string, unit: string, more: Omit<Draft, "name" | "unit" | "every_s">) =>
    on(device, { name, unit, every_s: 60, met: i, ...more });
  return [
    own("GHI", "W/m2", { measure: "ghi", read: (plant) => plant.weather.ghi[block] }),
    own("POA", "W/m2", {
      measure: "poa_front",
      integral: "poa_front_insolation",
      read: (plant) => plant.weather.poa[block],
    }),
    own("T_AMB", "degC", {
      measure: "ambient_temp",
      read: (plant) => plant.weather.ambient_c + 0.3 * i,
    }),
    own("T_MOD", "degC", {
      measure: "module_temp_back",
      read: ({ weather }) => weather.ambient_c + weather.poa[block] / (25 + 6.84 * weather.wind_ms),
    }),
    own("WS", "m/s", { measure: "windspeed", read: (plant) => plant.weather.wind_ms }),
    own("RH", "%", { measure: "rh", read: (plant) => plant.weather.humidity_pct }),
    on(device, {
      name: "RAIN",
      unit: "mm",
      every_s: 300,
      measure: "precipitation",
      counter: true,
      met: i,
      read: (plant) => Math.round(plant.rain_mm * 10) / 10,
    }),
  ];
}

function trackerPoints(i: number): readonly Point[] {
  const device = deviceKey("TRK", i);
  const own = (name: string, measure: MeasureName, read: Point["read"]) =>
    on(device, { name, unit: "deg", every_s: 300, measure, read });
  const lag = 0.4 * (i % 3);
  return [
    own("POS", "tracker_motor_position", (plant) => plant.weather.tracker_deg - lag),
    own("SET", "tracker_motor_setpoint", (plant) => plant.weather.tracker_deg),
  ];
}

function batteryPoints(): readonly Point[] {
  const kilo = (device: string, name: string, more: Omit<Draft, "name" | "unit" | "every_s">) =>
    on(device, { name, unit: "kW", every_s: 60, scale: 1000, ...more });
  const store = (name: string, unit: string, more: Omit<Draft, "name" | "unit" | "every_s">) =>
    on("BESS", { name, unit, every_s: 300, ...more });
  return [
    kilo("BESS", "P", {
      measure: "active_power",
      capacity: battery_size.power_w,
      read: ({ battery }) => battery.power_w / 1000,
    }),
    store("SOC", "%", {
      measure: "soc",
      capacity: battery_size.energy_wh,
      read: ({ battery }) => battery.soc_pct,
    }),
    store("E_LEFT", "kWh", {
      measure: "remaining_battery_energy",
      scale: 1000,
      read: ({ battery }) => battery.stored_wh / 1000,
    }),
    ...batteryMeterPoints(),
    ...times(battery_size.pcs).map((i) =>
      kilo(deviceKey("PCS", i), "P", {
        measure: "active_power",
        capacity: battery_size.power_w / battery_size.pcs,
        read: ({ battery }) => battery.power_w / battery_size.pcs / 1000,
      })
    ),
    ...times(size.racks).flatMap(rackPoints),
  ];
}

function batteryMeterPoints(): readonly Point[] {
  const own = (name: string, measure: MeasureName, read: Point["read"]) =>
    on("MTR-02", { name, unit: "kWh", every_s: 300, scale: 1000, counter: true, measure, read });
  return [
    own("E_EXP", "energy_export", ({ battery }) => battery.exported_wh / 1000),
    own("E_IMP", "energy_import", ({ battery }) => battery.imported_wh / 1000),
  ];
}

function rackPoints(i: number): readonly Point[] {
  const device = deviceKey("RACK", i);
  const own = (name: string, unit: string, more: Omit<Draft, "name" | "unit" | "every_s">) =>
    on(device, { name, unit, every_s: 300, ...more });
  return [
    own("SOC", "%", {
      measure: "soc",
      capacity: battery_size.energy_wh / size.racks,
      read: ({ battery }) => battery.soc_pct + 0.2 * i - 0.3,
    }),
    own("U", "V", {
      measure: "total_voltage",
      read: ({ battery }) => 1180 + 1.9 * battery.soc_pct + i,
    }),
    own("T_MAX", "degC", {
      measure: "max_temp",
      read: ({ battery }) => battery.temp_c + 1.5 + 0.4 * i,
    }),
  ];
}
