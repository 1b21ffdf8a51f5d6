// What the report asks for beside the accounts: index and coverage, alarms, work, the version.
import { getJson, getRows } from "../frame/api.ts";
import { at_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { getPerformance } from "../frame/performance.ts";
import { devicesOf, plant_load, sensorOf } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { dayAfter, dayOf, dayStart } from "../frame/zone.ts";
import { losses_path, most_spans } from "../losses/data.ts";
import type { Days } from "../losses/range.ts";
import { completedMs, type Issue, issuesOf, type Time, type WorkOrder } from "./work.ts";

/** The instants of days. */
export function timeOf({ from, to }: Days): Time {
  return {
    from_ms: dayStart(from, zone.value),
    to_ms: dayStart(dayAfter(to), zone.value),
  };
}

/** Years before the last day in which months are looked for. */
const most_years = 20;

/** The measure that inverters tell their energy by; undefined without inverters. */
function energyMeasure(): "energy" | "active_power" | undefined {
  const [first] = devicesOf("inverter");
  return first && (sensorOf(first, "energy") ? "energy" : "active_power");
}

/** The months (YYYY-MM) by a day in which inverters measured something, in their order. */
export function useMonths(last: string) {
  const key = plant_load.value.data && [project.value!.id, last, energyMeasure()] as const;
  return useLoad(key, async ([project_id, last, measure], signal) => {
    if (!measure) return [];
    const rows = await getPerformance({
      ...{ project_id, component: "inverter", measure, interval: "OneMonth" },
      from: `${Number(last.slice(0, 4)) - most_years}-01-01`,
      to: last,
      group_by: "project_id",
      columns: ["sensor_value"],
      is_whole_day: true,
    }, signal);
    const values = rows.numbers("sensor_value");
    return Array.from(rows.numbers("ts_utc"))
      .filter((_, i) => !Number.isNaN(values[i]))
      .map((at_ms) => dayOf(at_ms, zone.value).slice(0, 7));
  });
}

/** The matched index of the days, and the coverage of each day. */
export function useIndexOf({ from, to }: Days) {
  const measure = energyMeasure();
  const key = measure && [project.value!.id, from, to, measure] as const;
  return useLoad(key, async ([project_id, from, to, measure], signal) => {
    const query = { project_id, component: "inverter", measure, from, to, include: ["matched"] };
    const [whole, days] = await Promise.all([
      getPerformance({
        ...query,
        interval: "Full",
        group_by: "project_id",
        columns: ["performance_index_setpoint_matched", "coverage"],
      }, signal),
      getPerformance({
        ...query,
        interval: "OneDay",
        group_by: "project_id",
        columns: ["coverage"],
      }, signal),
    ]);
    const [index, coverage] = ["performance_index_setpoint_matched", "coverage"]
      .map((name) => whole.numbers(name)[0] ?? NaN);
    return { index, coverage, day_coverage: days.numbers("coverage") };
  });
}

/** A site's alarms, as the interface reports them. */
type SiteAlarms = {
  readonly name: string;
  readonly annunciated: number;
  readonly rate: { readonly average: number; readonly peak: number };
  readonly floods: { readonly count: number };
  readonly standing: { readonly count: number; readonly stale: number };
  readonly by_severity: readonly { readonly severity: string; readonly count: number }[];
  readonly top: {
    readonly alarms: readonly {
      readonly rule_name: string | null;
      readonly source_tag: string | null;
      readonly count: number;
    }[];
  };
  readonly time_to_clear: { readonly median_s: number | null };
};

/** The alarms of the days by site. */
export function useAlarmsOf(days: Days) {
  const { from_ms, to_ms } = timeOf(days);
  return useLoad([project.value!.id, from_ms, to_ms] as const, async (key, signal) => {
    const [project_id, from_ms, to_ms] = key;
    const { sites } = await getJson<{ readonly sites: readonly SiteAlarms[] }>(
      "/platform/v1/alarms/report",
      { project_id, from: new Date(from_ms).toISOString(), to: new Date(to_ms).toISOString() },
      signal,
    );
    return sites;
  });
}

/** The work of the days: issues with what they cost, and completed work orders. */
export function useWorkOf(days: Days) {
  const { from, to } = days;
  const { from_ms, to_ms } = timeOf(days);
  const key = [project.value!.id, from, to, from_ms, to_ms, at_ms.value] as const;
  return useLoad(key, async ([project_id, from, to, from_ms, to_ms, at = Infinity], signal) => {
    const query = { project_id, limit: 10_000 };
    const [issues, orders, spans] = await Promise.all([
      getJson<readonly Issue[]>("/platform/v1/issues", query, signal),
      getJson<readonly WorkOrder[]>("/platform/v1/work-orders", query, signal),
      getRows(`${losses_path}/timeline`, {
        project_id,
        dt_start: from,
        dt_end: to,
        limit: most_spans,
        columns: "device_id,from,to,part,energy",
      }, signal),
    ]);
    const [begin, end, energy] = ["from", "to", "energy"].map(spans.numbers);
    const parts = spans.texts("part");
    const losses = spans.texts("device_id").map((device_id, i) => ({
      device_id,
      from_ms: begin[i],
      to_ms: end[i],
      part: parts[i]!,
      energy: energy[i],
    }));
    return {
      issues: issuesOf(issues.filter((it) => Date.parse(it.created_at) <= at), {
        losses,
        time: { from_ms, to_ms },
      }),
      orders: orders.filter((it) => completedMs(it) >= from_ms && completedMs(it) < to_ms),
    };
  });
}

/** The version of the program that answers. */
export function useVersion() {
  return useLoad(
    "version",
    async (_, signal) =>
      (await getJson<{ readonly version?: string }>("/healthz", {}, signal)).version,
  );
}
