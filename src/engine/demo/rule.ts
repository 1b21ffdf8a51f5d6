// The demo's alarm rules: what an operator of its plant wants to be told of.
import type { RuleInput } from "../../model/rules/form.ts";
import { fault_bits, nominal_v, size } from "./plant.ts";

/** Names of the rules that incidents set off. */
export const rule_names = {
  trip: "Inverter trip",
  no_grid: "No grid at the inverter",
  hot: "Inverter derated",
  silent: "Inverter sends nothing",
  irradiance: "No irradiance",
  no_meter: "Meter sends nothing",
  curtailed: "Plant curtailed",
} as const;

/** The rules of the site file, for inverters of the device model `inverter_model`. */
export function demoRules(inverter_model: string, grid_hz: number): readonly RuleInput[] {
  return [
    ...wordRules(inverter_model),
    ...inverterRules,
    ...fieldRules,
    ...gridRules,
    ...frequencyRules(grid_hz),
    ...stationRules,
    ...batteryRules,
  ];
}

function wordRules(device_model: string): readonly RuleInput[] {
  const word = { kind: "bitmask", event_word: true, device_model } as const;
  const { overcurrent, over_temperature, no_grid } = fault_bits;
  return [
    {
      key: "inverter-trip",
      name: rule_names.trip,
      description: "It has switched itself off: look at its fault log before it is reset.",
      ...word,
      mask: [overcurrent],
      labels: { [overcurrent]: "Overcurrent" },
      severity: "high",
      alarm_class: "trip",
    },
    {
      key: "inverter-no-grid",
      name: rule_names.no_grid,
      description: "The way from its block to the transformer is open.",
      ...word,
      mask: [no_grid],
      labels: { [no_grid]: "No grid" },
      severity: "high",
      alarm_class: "fault",
    },
    {
      key: "inverter-hot",
      name: rule_names.hot,
      description: "It is too hot and has switched power stages off: look at filters and fans.",
      ...word,
      mask: [over_temperature],
      labels: { [over_temperature]: "Over-temperature" },
      severity: "medium",
      alarm_class: "derate",
    },
  ];
}

const inverterRules: readonly RuleInput[] = [
  {
    key: "inverter-silent",
    name: rule_names.silent,
    kind: "stale",
    max_age_s: 600,
    measure: "active_power",
    component: "inverter",
    severity: "medium",
    alarm_class: "comms",
  },
  {
    key: "inverter-weak",
    name: "Inverter behind its peers",
    description: "Soiled or broken strings: it gives less than inverters of its size beside it.",
    kind: "deviation",
    from: "peers",
    side: "below",
    limit_pct: 6,
    min_expected: 0.3 * size.inverter_ac_w,
    measure: "active_power",
    component: "inverter",
    // Longer than most trips and services last, which have alarms of their own.
    on_delay_s: 4 * 3600,
    // Longer than a curtailment, under which all give the same.
    off_delay_s: 4 * 3600,
    severity: "low",
    alarm_class: "performance",
  },
];

const grid_alarm = { severity: "high", alarm_class: "grid", is_nerc: true } as const;

const fieldRules: readonly RuleInput[] = [
  {
    key: "irradiance-missing",
    name: rule_names.irradiance,
    description: "The station's values are bad or missing: what is expected rests on the others.",
    kind: "stale",
    max_age_s: 900,
    measure: "poa_front",
    component: "met",
    severity: "medium",
    alarm_class: "sensor",
  },
];

const gridRules: readonly RuleInput[] = [
  {
    key: "plant-curtailed",
    name: rule_names.curtailed,
    description: "The grid operator's setpoint is below what the plant may export.",
    kind: "threshold",
    operator: "<",
    threshold: 0.99 * size.plant_ac_w,
    measure: "active_power_setpoint",
    component: "system",
    severity: "info",
    alarm_class: "curtailment",
  },
  ...([["low", "<", 0.95], ["high", ">", 1.05]] as const).map(([side, operator, share]) => ({
    key: `voltage-${side}`,
    name: `Voltage ${side}`,
    kind: "threshold" as const,
    operator,
    threshold: share * nominal_v,
    deadband: 0.005 * nominal_v,
    measure: "voltage" as const,
    component: "meter" as const,
    ...grid_alarm,
  })),
];

function frequencyRules(grid_hz: number): readonly RuleInput[] {
  return [
    ...([["low", "<", grid_hz - 0.3], ["high", ">", grid_hz + 0.3]] as const).map((
      [side, operator, threshold],
    ) => ({
      key: `frequency-${side}`,
      name: `Frequency ${side}`,
      kind: "threshold" as const,
      ...{ operator, threshold, deadband: 0.05 },
      measure: "frequency" as const,
      component: "meter" as const,
      ...grid_alarm,
    })),
    {
      key: "frequency-swing",
      name: "Frequency swings",
      kind: "rate_of_change",
      limit_per_min: 0.5,
      measure: "frequency",
      component: "meter",
      ...grid_alarm,
    },
  ];
}

const stationRules: readonly RuleInput[] = [
  {
    key: "breaker-open",
    name: "Main breaker open",
    kind: "enum",
    codes: [0],
    labels: { 0: "Open" },
    tag: "XFMR.BREAKER_CLOSED",
    severity: "critical",
    alarm_class: "grid",
    is_nerc: true,
    resolution_policy: "require_both",
  },
  {
    key: "oil-hot",
    name: "Transformer oil hot",
    kind: "threshold",
    ...{ operator: ">", threshold: 90, deadband: 5 },
    measure: "oil_temp",
    component: "transformer",
    on_delay_s: 300,
    severity: "high",
    alarm_class: "transformer",
  },
  {
    key: "meter-silent",
    name: rule_names.no_meter,
    kind: "stale",
    max_age_s: 300,
    measure: "active_power",
    component: "meter",
    severity: "high",
    alarm_class: "comms",
    is_nerc: true,
  },
];

const batteryRules: readonly RuleInput[] = [
  {
    key: "rack-hot",
    name: "Battery rack hot",
    description: "Cells near their limit: the battery must be let rest.",
    kind: "threshold",
    ...{ operator: ">", threshold: 45, deadband: 3 },
    measure: "max_temp",
    component: "bess_rack",
    severity: "critical",
    alarm_class: "battery",
    resolution_policy: "require_both",
  },
  {
    key: "charge-low",
    name: "Battery nearly empty",
    kind: "threshold",
    ...{ operator: "<", threshold: 5, deadband: 2 },
    measure: "soc",
    component: "bess",
    severity: "medium",
    alarm_class: "battery",
  },
];
