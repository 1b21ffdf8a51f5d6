// What the demo's inverters, plant controller, transformer and meter send.
import type { MeasureName } from "../../model/plant/measure.ts";
import { battery_size } from "./battery.ts";
import { size } from "./plant.ts";
import { deviceKey, type Draft, on, type Point, times } from "./point.ts";

/** The words of the plant controller's mode, by code. */
const mode_words = ["automatic", "curtailed"];

/** The points of the way from the modules to the grid. */
export const power_points: readonly Point[] = [
  ...times(size.inverters).flatMap(inverterPoints),
  ...controllerPoints(),
  ...meterPoints(),
];

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
  const own = (draft: Omit<Draft, "every_s">) => on("MTR-01", { every_s: 60, ...draft });
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
