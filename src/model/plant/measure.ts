// The measure dictionary: each of the 102 measures with its unit, aggregation and model.

/** How a measure aggregates over the minutes of a bucket. */
export type OverTime = "mean" | "time_weighted_mean" | "increment" | "last" | "max" | "min";

/**
 * How a measure aggregates over the sensors of a group. `capacity_mean` is weighted by rated power
 * or energy capacity, `power_mean` by active power where known; `same` is the common code, else
 * null.
 */
export type OverSensors = "sum" | "mean" | "capacity_mean" | "power_mean" | "max" | "min" | "same";

/** A measure's unit (that of the performance lane) and its aggregation. */
export type Measure = {
  readonly unit: string;
  readonly over_time: OverTime;
  readonly over_sensors: OverSensors;
};

/** Measures that limit the active power of their device, or of the plant. */
export const power_setpoints: readonly MeasureName[] = [
  "active_power_setpoint",
  "active_power_setpoint_local",
  "active_power_setpoint_remote",
  "active_power_setpoint_ac_pct",
  "active_power_setpoint_dc_pct",
];

/** Measures that are the integral over time of another of the same device, and which. */
export const rate_of: ReadonlyMap<string, MeasureName> = new Map<MeasureName, MeasureName>([
  ["energy", "active_power"],
  ["active_energy_delivered", "active_power"],
  ["energy_export", "active_power"],
  ["ghi_insolation", "ghi"],
  ["poa_front_insolation", "poa_front"],
  ["poa_rear_insolation", "poa_rear"],
]);

const table = {
  ghi: ["W/m2", "mean", "mean"],
  temp: ["degC", "mean", "mean"],
  poa_front: ["W/m2", "mean", "mean"],
  poa_rear: ["W/m2", "mean", "mean"],
  poa_front_satellite: ["W/m2", "mean", "mean"],
  rh: ["%", "mean", "mean"],
  windspeed: ["m/s", "mean", "mean"],
  soiling: ["%", "mean", "mean"],
  snow_depth: ["cm", "mean", "mean"],
  albedo: ["1", "mean", "mean"],
  active_power: ["W", "mean", "sum"],
  apparent_power: ["VA", "mean", "sum"],
  reactive_power: ["var", "mean", "sum"],
  active_power_setpoint: ["W", "time_weighted_mean", "sum"],
  active_power_setpoint_dc_pct: ["%", "time_weighted_mean", "capacity_mean"],
  active_power_setpoint_ac_pct: ["%", "time_weighted_mean", "capacity_mean"],
  dc_current: ["A", "mean", "sum"],
  dc_voltage: ["V", "mean", "mean"],
  dc_power: ["W", "mean", "sum"],
  energy: ["Wh", "increment", "sum"],
  energy_setpoint: ["Wh", "increment", "sum"],
  tracker_motor_position: ["deg", "mean", "mean"],
  tracker_motor_setpoint: ["deg", "mean", "mean"],
  ghi_insolation: ["Wh/m2", "increment", "mean"],
  poa_front_insolation: ["Wh/m2", "increment", "mean"],
  poa_rear_insolation: ["Wh/m2", "increment", "mean"],
  ppa_revenue: ["currency", "increment", "sum"],
  internal_temp: ["degC", "mean", "mean"],
  reactive_power_setpoint: ["var", "time_weighted_mean", "sum"],
  frequency: ["Hz", "mean", "mean"],
  active_energy_delivered: ["Wh", "increment", "sum"],
  active_energy_received: ["Wh", "increment", "sum"],
  voltage: ["V", "mean", "mean"],
  current: ["A", "mean", "sum"],
  precipitation: ["mm", "increment", "mean"],
  module_temp_back: ["degC", "mean", "mean"],
  operating_status: ["code", "last", "same"],
  dni: ["W/m2", "mean", "mean"],
  dhi: ["W/m2", "mean", "mean"],
  power_factor: ["1", "mean", "power_mean"],
  stow_status: ["code", "last", "same"],
  oil_temp: ["degC", "mean", "mean"],
  cabinet_temp: ["degC", "mean", "mean"],
  lv_power: ["W", "mean", "sum"],
  lv_current: ["A", "mean", "sum"],
  lv_frequency: ["Hz", "mean", "mean"],
  lv_voltage: ["V", "mean", "mean"],
  hv_power: ["W", "mean", "sum"],
  hv_current: ["A", "mean", "sum"],
  hv_frequency: ["Hz", "mean", "mean"],
  hv_voltage: ["V", "mean", "mean"],
  soc: ["%", "last", "capacity_mean"],
  full_pack_energy: ["Wh", "last", "sum"],
  charge_power_available: ["W", "mean", "sum"],
  discharge_power_available: ["W", "mean", "sum"],
  max_battery_temp: ["degC", "max", "max"],
  ac_current: ["A", "mean", "sum"],
  ac_current_a: ["A", "mean", "sum"],
  ac_current_b: ["A", "mean", "sum"],
  ac_current_c: ["A", "mean", "sum"],
  ac_voltage: ["V", "mean", "mean"],
  ac_voltage_a: ["V", "mean", "mean"],
  ac_voltage_b: ["V", "mean", "mean"],
  ac_voltage_c: ["V", "mean", "mean"],
  ac_voltage_an: ["V", "mean", "mean"],
  ac_voltage_bn: ["V", "mean", "mean"],
  ac_voltage_cn: ["V", "mean", "mean"],
  energy_export: ["Wh", "increment", "sum"],
  energy_import: ["Wh", "increment", "sum"],
  full_battery_energy: ["Wh", "last", "sum"],
  remaining_battery_energy: ["Wh", "last", "sum"],
  dispatchable_charge_power: ["W", "mean", "sum"],
  dispatchable_discharge_power: ["W", "mean", "sum"],
  hw_capable_charge_power: ["W", "mean", "sum"],
  active_power_command_feedback: ["W", "time_weighted_mean", "sum"],
  nominal_charge_power: ["W", "mean", "sum"],
  nominal_discharge_power: ["W", "mean", "sum"],
  active_power_setpoint_local: ["W", "time_weighted_mean", "sum"],
  active_power_setpoint_remote: ["W", "time_weighted_mean", "sum"],
  reactive_power_setpoint_local: ["var", "time_weighted_mean", "sum"],
  reactive_power_setpoint_remote: ["var", "time_weighted_mean", "sum"],
  voltage_setpoint_local: ["V", "time_weighted_mean", "mean"],
  voltage_setpoint_remote: ["V", "time_weighted_mean", "mean"],
  power_factor_setpoint: ["1", "time_weighted_mean", "mean"],
  ambient_temp: ["degC", "mean", "mean"],
  max_cell_voltage: ["V", "max", "max"],
  min_cell_voltage: ["V", "min", "min"],
  total_current: ["A", "mean", "sum"],
  total_voltage: ["V", "mean", "mean"],
  battery_voltage: ["V", "mean", "mean"],
  bus_voltage: ["V", "mean", "mean"],
  soh: ["%", "last", "capacity_mean"],
  min_temp: ["degC", "min", "min"],
  mean_temp: ["degC", "mean", "mean"],
  max_temp: ["degC", "max", "max"],
  mean_cell_voltage: ["V", "mean", "mean"],
  min_rack_voltage: ["V", "min", "min"],
  mean_rack_voltage: ["V", "mean", "mean"],
  max_rack_voltage: ["V", "max", "max"],
  ppa_price: ["currency/MWh", "mean", "mean"],
  apparent_energy: ["VAh", "increment", "sum"],
  reactive_energy: ["varh", "increment", "sum"],
} as const satisfies Record<string, readonly [string, OverTime, OverSensors]>;

/** The name of a measure. */
export type MeasureName = keyof typeof table;

/** Every measure by its name, in the order of the interface. */
export const measures: ReadonlyMap<string, Measure> = new Map(
  Object.entries(table).map(([name, [unit, over_time, over_sensors]]) => [
    name,
    { unit, over_time, over_sensors },
  ]),
);

/** The names of all measures. */
export const measure_names = Object.keys(table) as readonly MeasureName[];

/** Whether a measure's values can't be texts, as those of codes can. */
export function isNumeric(measure: string): boolean {
  return measures.get(measure)!.unit !== "code";
}

/** The kinds of plant component that a sensor can sit on. */
export const component_names = [
  "system",
  "block",
  "transformer",
  "feeder",
  "meter",
  "met",
  "inverter",
  "combiner",
  "mppt",
  "tracker",
  "tracker_controller",
  "tracker_motor",
  "bess",
  "bess_section",
  "bess_feeder",
  "bess_block",
  "bess_bus",
  "bess_container",
  "bess_dcc",
  "bess_pcs",
  "bess_rack",
  "bess_meter",
  "bess_ppc",
] as const;

/** The name of a component. */
export type ComponentName = typeof component_names[number];

/**
 * Where a measure's expected value comes from when a site sends none: it is computed from the
 * weather and the devices' parameters, it is the integral of another measure's, or there is none.
 */
export const model_kinds = ["computed", "integral", "sent"] as const;

/** One measure of the dictionary. */
export type MeasureEntry = Measure & {
  readonly name: string;
  /** What the words of its aggregation leave open. */
  readonly note: string | null;
  readonly model: typeof model_kinds[number];
  /** The measure whose expected value is integrated, where `model` is `integral`. */
  readonly integral_of: MeasureName | null;
};

/** All measures in the order of the interface. */
export const measure_entries: readonly MeasureEntry[] = [...measures].map(([name, measure]) => {
  const integral_of = rate_of.get(name) ?? null;
  const model = name === "active_power" ? "computed" : integral_of === null ? "sent" : "integral";
  return { name, ...measure, note: noteOf(name as MeasureName, measure), model, integral_of };
});

/** What each kind of model means, for a reader. */
export const model_docs: Readonly<Record<typeof model_kinds[number], string>> = {
  computed: "computed from the weather and the parameters of the site file, for inverters and " +
    "for the devices that sum them: blocks, feeders, transformers, meters and the system",
  integral: "the integral over time of the expected value of another measure of the same device",
  sent: "only what the site sends in the lane model",
};

function noteOf(name: MeasureName, { over_time, over_sensors, unit }: Measure): string | null {
  if (name === "ppa_revenue") return "an amount per interval";
  if (name === "precipitation") return "a gauge may count tips or report intervals";
  if (over_sensors === "same") return "the common code of all sensors, else null";
  if (over_sensors === "power_mean") return "weighted by active power where known, else the mean";
  if (over_time === "increment") {
    const rate = unit === "Wh/m2" ? "irradiance" : "power";
    return `a counter, amounts per interval, or integrated ${rate}`;
  }
  if (over_time === "time_weighted_mean") {
    const weight = over_sensors === "capacity_mean" ? "; weighted by rated power" : "";
    return `held until the next sample${weight}`;
  }
  return over_sensors === "capacity_mean" ? "weighted by energy capacity" : null;
}
