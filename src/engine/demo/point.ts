// Every tag of the demo's plant: what it measures, how it is mapped, how it is read off the plant.
import type { MeasureName } from "../../model/plant/measure.ts";
import type { Encoding } from "../../model/plant/plant.ts";
import { battery_size } from "./battery.ts";
import { type DemoPlant, met_blocks, size } from "./plant.ts";

/** One tag of the demo. */
export type Point = {
  readonly tag: string;
  readonly device: string;
  readonly unit: string | null;
  readonly encoding: Encoding;
  readonly class: "measurement" | "alarms";
  /** Seconds between samples in the history; the live stream runs sixty times as fine. */
  readonly every_s: number;
  /** Null: in the raw lane only. */
  readonly measure: MeasureName | null;
  readonly scale?: number;
  readonly offset?: number;
  readonly capacity?: number;
  readonly register_bits?: number;
  readonly counter?: true;
  /** A second sensor that integrates the same tag. */
  readonly integral?: MeasureName;
  /** Whose incidents can happen to it: those of this inverter or met station (from 0), or meter. */
  readonly inverter?: number;
  readonly met?: number;
  readonly meter?: 0;
  /** A number, or the code of a word in `words`. */
  readonly read: (plant: DemoPlant) => number;
  readonly words?: readonly string[];
};

/** The words of the plant controller's mode, by code. */
const mode_words = ["automatic", "curtailed"];

/** Every tag of the plant, in a fixed order. */
export const demo_points: readonly Point[] = [
  ...times(size.inverters).flatMap(inverterPoints),
  ...controllerPoints(),
  ...meterPoints(),
  ...times(size.mets).flatMap(metPoints),
  ...times(size.trackers).flatMap(trackerPoints),
  ...batteryPoints(),
];

/** `INV-07` for the seventh inverter, counted from 0. */
export function deviceKey(kind: string, index: number): string {
  return `${kind}-${String(index + 1).padStart(2, "0")}`;
}

/** A point still without what most points have in common. */
type Draft = Omit<Point, "device" | "class" | "encoding" | "tag"> & Partial<Point> & {
  readonly name: string;
};

/** A draft on a device; unless it says otherwise a float measurement. */
function on(device: string, { name, ...draft }: Draft): Point {
  return { tag: `${device}.${name}`, device, class: "measurement", encoding: "float", ...draft };
}

/** 0, 1, … up to `count`. */
export function times(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function inverterPoints(i: number): readonly Point[] {
  const device = deviceKey("INV", i);
  const own = (draft: Draft) => on(device, { inverter: i, ...draft });
  return [
    own({
      name: "P_AC",
      unit: "kW",
      every_s: 60,
      measure: "active_power",
      scale: 1000,
      capacity: size.inverter_ac_w,
      read: (plant) => plant.inverters[i].ac_w / 1000,
    }),
    own({
      name: "P_DC",
      unit: "kW",
      every_s: 300,
      measure: "dc_power",
      scale: 1000,
      capacity: size.inverter_dc_w,
      read: (plant) => plant.inverters[i].dc_w / 1000,
    }),
    own({
      name: "E_TOTAL",
      unit: "Wh",
      every_s: 300,
      measure: "energy",
      encoding: "integer",
      counter: true,
      register_bits: 32,
      capacity: size.inverter_ac_w,
      read: (plant) => Math.floor(plant.inverters[i].energy_wh),
    }),
    own({
      name: "STATUS",
      unit: null,
      every_s: 300,
      measure: "operating_status",
      encoding: "integer",
      read: (plant) => plant.inverters[i].status,
    }),
    own({
      name: "T_INT",
      unit: "degC",
      every_s: 300,
      measure: "internal_temp",
      read: (plant) => plant.inverters[i].temp_c,
    }),
    own({
      name: "FAULT_WORD",
      unit: null,
      every_s: 900,
      measure: null,
      encoding: "integer",
      class: "alarms",
      read: (plant) => plant.inverters[i].fault_word,
    }),
  ];
}

function controllerPoints(): readonly Point[] {
  const own = (draft: Draft) => on("PPC", draft);
  return [
    own({
      name: "P_SETPOINT",
      unit: "kW",
      every_s: 300,
      measure: "active_power_setpoint",
      scale: 1000,
      capacity: size.plant_ac_w,
      read: (plant) => plant.setpoint_w / 1000,
    }),
    own({
      name: "P_TOTAL",
      unit: "kW",
      every_s: 60,
      measure: "active_power",
      scale: 1000,
      capacity: size.plant_ac_w,
      read: (plant) => plant.export_w / 1000,
    }),
    own({
      name: "MODE",
      unit: null,
      every_s: 900,
      measure: null,
      encoding: "string",
      words: mode_words,
      read: (plant) => plant.setpoint_w < size.plant_ac_w ? 1 : 0,
    }),
    on("XFMR", {
      name: "T_OIL",
      unit: "degF",
      every_s: 300,
      measure: "oil_temp",
      scale: 5 / 9,
      offset: -160 / 9,
      read: (plant) =>
        32 + 1.8 * (plant.weather.ambient_c + 18 + 22 * Math.abs(plant.export_w) / size.plant_ac_w),
    }),
    on("XFMR", {
      name: "BREAKER_CLOSED",
      unit: null,
      every_s: 900,
      measure: null,
      encoding: "integer",
      class: "alarms",
      read: () => 1,
    }),
  ];
}

function meterPoints(): readonly Point[] {
  const own = (draft: Omit<Draft, "every_s">) => on("MTR-01", { every_s: 60, meter: 0, ...draft });
  const counter = (name: string, measure: MeasureName, read: Point["read"]) =>
    own({ name, unit: "kWh", measure, scale: 1000, counter: true, every_s: 300, read } as Draft);
  return [
    own({
      name: "P",
      unit: "MW",
      measure: "active_power",
      scale: 1e6,
      capacity: size.plant_ac_w + battery_size.power_w,
      read: (plant) => plant.export_w / 1e6,
    }),
    own({
      name: "Q",
      unit: "Mvar",
      measure: "reactive_power",
      scale: 1e6,
      read: (plant) => 0.03 * plant.export_w / 1e6,
    }),
    own({
      name: "U",
      unit: "kV",
      measure: "voltage",
      scale: 1000,
      read: (plant) => plant.voltage_v / 1000,
    }),
    own({ name: "F", unit: "Hz", measure: "frequency", read: (plant) => plant.frequency_hz }),
    counter("E_DEL", "active_energy_delivered", (plant) => plant.delivered_wh / 1000),
    counter("E_REC", "active_energy_received", (plant) => plant.received_wh / 1000),
  ];
}

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
      read: (plant) => plant.shownPoa(i),
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
    on("MTR-02", {
      ...{ name, unit: "kWh", every_s: 300, scale: 1000, counter: true, measure, read },
      capacity: battery_size.power_w,
    });
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
