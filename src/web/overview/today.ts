// What the overview asks for of a day, up to the moment that is looked at and nothing later.
import { getRows } from "../frame/api.ts";
import { at_ms, moment_minute_ms } from "../frame/clock.ts";
import { mapped, useLoad } from "../frame/load.ts";
import {
  allowedOf,
  expectedOf,
  getPerformance,
  lengthBefore,
  performanceParams,
} from "../frame/performance.ts";
import { devices, devicesOf, plantKey, sensorOf } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { dayAfter, dayOf } from "../frame/zone.ts";
import { accountOf, availabilityOf, runningAt, type Shortfalls } from "./account.ts";
import { outAt } from "./out.ts";

/** How often the day's figures are asked for anew. */
const refresh_ms = 60_000;

const quarter_ms = 15 * 60_000;

/** The component whose power is the plant's: its meter, or else its inverters. */
export function powerComponent(): string {
  return devicesOf("meter").length > 0 ? "meter" : "inverter";
}

/** The plant, the day that the moment is in, and until when its rows may be shown. */
function useDay() {
  const until_ms = moment_minute_ms.value;
  return { project_id: project.value!.id, day: dayOf(until_ms, zone.value), until_ms };
}

/** The day's minutes before the moment: what was measured, expected and allowed in W, and W/m². */
export function usePowerToday() {
  const { project_id, day, until_ms } = useDay();
  const component = devices.value.length > 0 ? powerComponent() : undefined;
  const key = plantKey(
    component === undefined ? undefined : [project_id, day, component, at_ms.value] as const,
  );
  const loaded = useLoad(key, async ([project_id, day, component], signal) => {
    const common = { project_id, interval: "OneMinute", from: day, to: day } as const;
    const [power, light] = await Promise.all([
      getPerformance({
        ...common,
        component,
        measure: "active_power",
        group_by: "project_id",
        include: ["matched"],
        columns: ["sensor_value", "model_value", "model_value_setpoint", "coverage"],
      }, signal),
      getPerformance({
        ...common,
        component: "met",
        measure: "poa_front",
        group_by: "project_id",
        columns: ["sensor_value"],
      }, signal),
    ]);
    const expected = (name: string) => expectedOf(power.numbers(name), power.numbers("coverage"));
    return {
      instants: power.numbers("ts_utc"),
      actual: power.numbers("sensor_value"),
      expected: expected("model_value"),
      allowed: expected("model_value_setpoint"),
      irradiance: light.numbers("sensor_value"),
    };
  }, { refresh_ms });
  return mapped(loaded, ({ instants, ...curves }) => {
    const length = lengthBefore(instants, until_ms);
    const { actual, expected, allowed, irradiance } = curves;
    return {
      end_ms: instants[instants.length - 1],
      instants: instants.subarray(0, length),
      actual: actual.subarray(0, length),
      expected: expected.subarray(0, length),
      allowed: allowed.subarray(0, length),
      irradiance: irradiance.subarray(0, length),
    };
  });
}

/** The request for a day's energies by quarter-hour; power of inverters without a register. */
function energyQuery(project_id: string, day: string, measure: string) {
  return {
    project_id,
    component: "inverter",
    measure,
    interval: "FifteenMinutes",
    from: day,
    to: day,
    group_by: "project_id",
    include: ["matched"],
    columns: [
      ...["sensor_value", "model_value", "sensor_value_matched", "model_value_matched"],
      ...["performance_index_setpoint_matched", "coverage"],
    ],
  } as const;
}

/** What the day's energies are asked by; undefined without inverters. */
function useEnergyKey() {
  const { project_id, day } = useDay();
  const [first] = devicesOf("inverter");
  return first && [project_id, day, sensorOf(first, "energy") ? "energy" : "active_power"] as const;
}

/** The request for the day's rows as a file: of a day that is looked back at they are later. */
export function useEnergyFile() {
  const key = useEnergyKey();
  return key && at_ms.value === undefined ? performanceParams(energyQuery(...key)) : undefined;
}

/**
 * Energies of the quarter-hours that are over, in Wh: measured and expected; both matched, and as
 * setpoints allow.
 */
export function useEnergyToday() {
  const { until_ms } = useDay();
  const asked = useEnergyKey();
  const key = plantKey(asked && [...asked, at_ms.value] as const);
  const loaded = useLoad(key, async ([project_id, day, measure], signal) => {
    const rows = await getPerformance(energyQuery(project_id, day, measure), signal);
    const hours = measure === "energy" ? 1 : 0.25;
    const energy = (name: string) => rows.numbers(name).map((it) => it * hours);
    const [measured_matched, expected_matched] = ["sensor_value_matched", "model_value_matched"]
      .map(energy);
    const index = rows.numbers("performance_index_setpoint_matched");
    return {
      instants: rows.numbers("ts_utc"),
      measured: energy("sensor_value"),
      expected: energy("model_value"),
      measured_matched,
      expected_matched,
      allowed_matched: allowedOf(measured_matched, expected_matched, index),
      coverage: rows.numbers("coverage"),
    };
  }, { refresh_ms });
  return mapped(loaded, ({ instants, ...columns }) => {
    const length = lengthBefore(instants, until_ms - quarter_ms + 1);
    const cut = Object.entries(columns).map(([name, it]) => [name, it.subarray(0, length)]);
    return { instants, length, ...Object.fromEntries(cut) as typeof columns };
  });
}

/** What part of the expected power each made in the last quarter-hour, setpoints taken in. */
export function useLastQuarter() {
  const { project_id, day, until_ms } = useDay();
  const loaded = useLoad([project_id, day, at_ms.value] as const, async (key, signal) => {
    const rows = await getPerformance({
      project_id: key[0],
      component: "inverter",
      measure: "active_power",
      interval: "FifteenMinutes",
      from: key[1],
      to: key[1],
      group_by: "hierarchy_id",
      include: ["matched"],
      columns: ["hierarchy_id", "performance_index_setpoint_matched"],
    }, signal);
    return {
      instants: rows.numbers("ts_utc"),
      ids: rows.texts("hierarchy_id"),
      index: rows.numbers("performance_index_setpoint_matched"),
    };
  }, { refresh_ms });
  return mapped(loaded, ({ instants, ids, index }) => {
    const length = lengthBefore(instants, until_ms - quarter_ms + 1);
    const from_ms = length > 0 ? instants[length - 1] : NaN;
    const found = new Map<string, number>();
    for (let i = length - 1; i >= 0 && instants[i] === from_ms; i--) found.set(ids[i]!, index[i]);
    return { from_ms, index_of: found };
  });
}

/** Where the day's energy went and how available the inverters were, by what is evident by then. */
export function useAccountToday() {
  const { project_id, day, until_ms } = useDay();
  const key = [project_id, day, at_ms.value] as const;
  const loaded = useLoad(key, async ([project_id, day, at], signal) => {
    const query = { project_id, dt_start: day, dt_end: day, limit: 100_000 };
    const [losses, states] = await Promise.all([
      getRows("/platform/v1/losses/timeline", {
        ...query,
        columns: "hierarchy_id,from,to,part,energy",
      }, signal),
      getRows("/platform/v1/availability/timeline", {
        ...query,
        columns: "hierarchy_id,from,to,unavailable",
      }, signal),
    ]);
    const spans = {
      hierarchy_id: losses.texts("hierarchy_id"),
      from: losses.numbers("from"),
      to: losses.numbers("to"),
      part: losses.texts("part"),
      energy: losses.numbers("energy"),
    };
    const running = at === undefined ? [] : [...runningAt(spans, at).keys()];
    return {
      losses: spans,
      shortfalls: running.length === 0
        ? undefined
        : await getShortfalls({ project_id, day, hierarchy_ids: running }, signal),
      states: {
        hierarchy_id: states.texts("hierarchy_id"),
        from: states.numbers("from"),
        to: states.numbers("to"),
        unavailable: states.numbers("unavailable"),
      },
    };
  }, { refresh_ms });
  return mapped(loaded, ({ losses, shortfalls, states }) => ({
    parts: accountOf(losses, until_ms, shortfalls),
    out_ids: outAt(states, until_ms),
    availability: availabilityOf(
      states,
      until_ms,
      new Map(
        devicesOf("inverter").map(({ hierarchy_id, rated_w }) => [hierarchy_id, rated_w ?? NaN]),
      ),
    ),
  }));
}

/** What some inverters made less than was expected, by quarter-hour, in Wh. */
async function getShortfalls(
  { project_id, day, hierarchy_ids }: {
    readonly project_id: string;
    readonly day: string;
    readonly hierarchy_ids: readonly string[];
  },
  signal: AbortSignal,
): Promise<Shortfalls> {
  const rows = await getPerformance({
    ...{ project_id, component: "inverter", measure: "active_power", interval: "FifteenMinutes" },
    ...{ from: day, to: day, group_by: "hierarchy_id", hierarchy_ids, include: ["matched"] },
    columns: ["hierarchy_id", "sensor_value_matched", "model_value_matched"],
  }, signal);
  const measured = rows.numbers("sensor_value_matched");
  return {
    hierarchy_id: rows.texts("hierarchy_id"),
    instants: rows.numbers("ts_utc"),
    energy: rows.numbers("model_value_matched").map((it, i) => (it - measured[i]) / 4),
  };
}

/** The storage's day in five minutes: state of charge in %, power in W (discharge positive). */
export function useStorageToday() {
  const { project_id, day, until_ms } = useDay();
  const has_storage = devicesOf("bess").length > 0;
  const key = has_storage ? [project_id, day, at_ms.value] as const : undefined;
  const loaded = useLoad(key, async ([project_id, day], signal) => {
    const read = (measure: string) =>
      getPerformance({
        project_id,
        component: "bess",
        measure,
        interval: "FiveMinutes",
        from: day,
        to: day,
        group_by: "project_id",
        columns: ["sensor_value"],
        is_whole_day: true,
      }, signal);
    const [soc, power] = await Promise.all([read("soc"), read("active_power")]);
    return {
      instants: soc.numbers("ts_utc"),
      soc: soc.numbers("sensor_value"),
      power: power.numbers("sensor_value"),
    };
  }, { refresh_ms });
  return mapped(loaded, ({ instants, soc, power }) => {
    const length = lengthBefore(instants, until_ms - 5 * 60_000 + 1);
    return {
      instants: instants.subarray(0, length),
      soc: soc.subarray(0, length),
      power: power.subarray(0, length),
    };
  });
}

/** The forecast that was known at the moment, by hour of today and tomorrow, in W. */
export function useForecast() {
  const { project_id, day, until_ms } = useDay();
  const hour = Math.floor(until_ms / 3_600_000) * 3_600_000;
  const component = devices.value.length > 0 ? powerComponent() : undefined;
  const key = plantKey(
    component === undefined ? undefined : [project_id, day, component, hour] as const,
  );
  return useLoad(key, async ([project_id, day, component, hour], signal) => {
    const rows = await getRows("/platform/v1/performance-v2", {
      project_ids: [project_id],
      component,
      component_measure: "active_power",
      time_interval: "OneHour",
      dt_start: day,
      dt_end: dayAfter(day),
      use_solar_bounds: false,
      group_by: ["project_id"],
      include: ["forecast", "ts_utc"],
      forecast_issued_before: new Date(hour).toISOString(),
      columns: "ts_utc,forecast_value",
    }, signal);
    return {
      instants: rows.numbers("ts_utc"),
      forecast: rows.numbers("forecast_value"),
      tomorrow: dayAfter(day),
    };
  });
}
