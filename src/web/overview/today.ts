// What the overview shows of a day, up to the moment that is looked at and nothing later.
import { moment_minute_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { getPerformance, lengthBefore } from "../frame/performance.ts";
import { devicesOf } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { dayOf } from "../frame/zone.ts";

/** How often the day's figures are asked for anew. */
const refresh_ms = 60_000;

/** The component whose power is the plant's: its meter, or else its inverters. */
function powerComponent(): string {
  const has = (type: string) => devicesOf(type).length > 0;
  return has("meter") ? "meter" : "inverter";
}

/** The day that the moment is in, and until when its rows may be shown. */
function useDay() {
  const until_ms = moment_minute_ms.value;
  return { project_id: project.value!.id, day: dayOf(until_ms, zone.value), until_ms };
}

/** A curve of the day: minutes before the moment, with what was measured and expected. */
export function usePowerToday() {
  const { project_id, day, until_ms } = useDay();
  const component = powerComponent();
  return useLoad([project_id, day, component, until_ms], async (_, signal) => {
    const common = { project_id, interval: "OneMinute", from: day, to: day } as const;
    const [power, light] = await Promise.all([
      getPerformance({
        ...common,
        component,
        measure: "active_power",
        group_by: "project_id",
        columns: ["sensor_value", "model_value"],
      }, signal),
      getPerformance({
        ...common,
        component: "met",
        measure: "poa_front",
        group_by: "project_id",
        columns: ["sensor_value"],
      }, signal),
    ]);
    const instants = power.numbers("ts_utc");
    const length = lengthBefore(instants, until_ms);
    const cut = (values: Float64Array) => values.subarray(0, length);
    return {
      instants: cut(instants),
      actual: cut(power.numbers("sensor_value")),
      expected: cut(power.numbers("model_value")),
      irradiance: cut(light.numbers("sensor_value")),
    };
  }, { refresh_ms });
}
