// Which measures the expected power of a site depends on, and which of them have a model.
import { type MeasureName, power_setpoints, rate_of } from "../plant/measure.ts";

/** What the expected power of a site is calculated from, and what limits it. */
export const model_inputs: ReadonlySet<MeasureName> = new Set<MeasureName>([
  "active_power",
  "dc_power",
  "poa_front",
  "ghi",
  "dni",
  "dhi",
  "ambient_temp",
  "temp",
  "module_temp_back",
  "windspeed",
  ...power_setpoints,
]);

/** Whether readings of a measure can have an expected value, or can feed one. */
export function concernsModels(measure: MeasureName): boolean {
  return model_inputs.has(measure) || rate_of.has(measure);
}
