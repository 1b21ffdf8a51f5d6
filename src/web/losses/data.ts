// What the page asks for: accounts, availability, states, the index by week, and the evidence.
import { getJson, getRows } from "../frame/api.ts";
import { at_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { performance_path, performanceParams } from "../frame/performance.ts";
import { devicesOf, plantKey, sensorOf } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { dayAfter, dayStart } from "../frame/zone.ts";
import { account_columns, accountsOf } from "./account.ts";
import { availabilitiesOf, availability_columns } from "./availability.ts";
import type { Days, Range } from "./range.ts";
import type { Selection } from "./view.ts";

/** The most rows that a timeline is asked for. */
export const most_spans = 100_000;

/** How many weeks the trend of the index looks back. */
const trend_weeks = 260;

/** The request for the accounts or the availability of days, by bucket or by inverter. */
function dayQuery({ from, to }: Days, { columns, by }: {
  readonly columns: readonly string[];
  readonly by: { readonly interval: string } | "inverter";
}) {
  return {
    project_ids: [project.value!.id],
    dt_start: from,
    dt_end: to,
    group_by: [by === "inverter" ? "hierarchy_id" : "project_id"],
    time_interval: by === "inverter" ? "Full" : by.interval,
    columns: [by === "inverter" ? "hierarchy_id" : "bucket_start", ...columns].join(","),
  };
}

/** The request for accounts. */
export const lossQuery = (days: Days, by: { readonly interval: string } | "inverter") => ({
  ...dayQuery(days, { columns: account_columns, by }),
  include: ["causes"],
});

export const losses_path = "/platform/v1/losses";
export const availability_path = "/platform/v1/availability";

/** The accounts of the range: by bucket, and by inverter. */
export function useAccounts(range: Range, again?: unknown) {
  const { from, to, interval } = range;
  return useLoad([project.value!.id, from, to, interval] as const, async (_, signal) => {
    const [buckets, inverters] = await Promise.all([
      getRows(losses_path, lossQuery(range, { interval }), signal),
      getRows(losses_path, lossQuery(range, "inverter"), signal),
    ]);
    return {
      buckets: accountsOf(buckets, "bucket_start"),
      inverters: accountsOf(inverters, "hierarchy_id"),
    };
  }, { again });
}

/** The request for availability with the share of time that is known. */
export const availabilityQuery = (days: Days, by: { readonly interval: string } | "inverter") => ({
  ...dayQuery(days, { columns: availability_columns, by }),
  include: ["known"],
});

/** The availability of the range: by bucket, and by inverter. */
export function useAvailability(range: Range, again?: unknown) {
  const { from, to, interval } = range;
  return useLoad([project.value!.id, from, to, interval] as const, async (_, signal) => {
    const [buckets, inverters] = await Promise.all([
      getRows(availability_path, availabilityQuery(range, { interval }), signal),
      getRows(availability_path, availabilityQuery(range, "inverter"), signal),
    ]);
    return {
      buckets: availabilitiesOf(buckets, "bucket_start"),
      inverters: availabilitiesOf(inverters, "hierarchy_id"),
    };
  }, { again });
}

/** Every state but full capability, which is what is left of the time. */
export const other_states = [
  ...["partial_capability", "service_setpoint", "requested_shutdown"],
  ...["out_of_environmental_specification", "out_of_electrical_specification"],
  ...["dc_side_outage", "forced_outage", "planned_corrective_action", "scheduled_maintenance"],
  ...["suspended", "unknown"],
] as const;

/** The spans in which inverters were in any other state than full capability. */
export function useStates({ from, to }: Days) {
  return useLoad([project.value!.id, from, to] as const, async ([project_id], signal) => {
    const rows = await getRows(`${availability_path}/timeline`, {
      project_id,
      dt_start: from,
      dt_end: to,
      state: other_states,
      limit: most_spans,
      columns: "hierarchy_id,from,to,state",
    }, signal);
    return {
      length: rows.length,
      hierarchy_id: rows.texts("hierarchy_id"),
      from: rows.numbers("from"),
      to: rows.numbers("to"),
      state: rows.texts("state"),
    };
  });
}

/** The request for the matched index by week, of whole weeks that end by a day. */
export function indexQuery(last: string) {
  const [first] = devicesOf("inverter");
  const weekday = (new Date(last).getUTCDay() + 6) % 7;
  const to = weekday === 6 ? last : dayAfter(last, -1 - weekday);
  return performanceParams({
    project_id: project.value!.id,
    component: "inverter",
    measure: first && sensorOf(first, "energy") ? "energy" : "active_power",
    interval: "OneWeek",
    from: dayAfter(to, 1 - 7 * trend_weeks),
    to,
    group_by: "project_id",
    include: ["matched"],
    columns: ["performance_index_setpoint_matched", "coverage"],
  });
}

/** Less than this of a week measured says nothing of it. */
const least_coverage = 0.5;

/** The matched index of each whole week by a day, of weeks that are measured well enough. */
export function useIndex(last: string) {
  const has_inverters = devicesOf("inverter").length > 0;
  const key = plantKey(has_inverters ? [project.value!.id, last] as const : undefined);
  return useLoad(key, async ([, last], signal) => {
    const rows = await getRows(performance_path, indexQuery(last), signal);
    const [at, index, coverage] = ["ts_utc", "performance_index_setpoint_matched", "coverage"]
      .map(rows.numbers);
    return Array.from(at, (at_ms, i) => ({ at_ms, value: index[i], coverage: coverage[i] }))
      .filter(({ value, coverage }) => !Number.isNaN(value) && coverage >= least_coverage);
  });
}

/** The request for the spans in which energy was lost. */
export const lossSpanQuery = ({ device, part, from, to }: Selection) => ({
  project_id: project.value!.id,
  dt_start: from,
  dt_end: to,
  hierarchy_ids: device?.hierarchy_id ? [device.hierarchy_id] : undefined,
  part: part === "other" ? undefined : part,
  limit: most_spans,
});

/** The spans in which energy was lost, with their evidence; the greatest first. */
export function useLossSpans(selected: Selection) {
  const query = lossSpanQuery(selected);
  return useLoad([query] as const, async ([query], signal) => {
    const rows = await getRows(`${losses_path}/timeline`, query, signal);
    const [from, to, energy] = ["from", "to", "energy"].map(rows.numbers);
    const [id, part, evidence, detail] = ["hierarchy_id", "part", "evidence", "detail"]
      .map(rows.texts);
    return id.map((hierarchy_id, i) => ({
      hierarchy_id,
      from_ms: from[i],
      to_ms: to[i],
      part: part[i]!,
      energy: energy[i],
      evidence: evidence[i],
      detail: detail[i],
    })).toSorted((a, b) => b.energy - a.energy);
  });
}

/** The states of an inverter on a day with their evidence, in the order of time. */
export function useDayStates(hierarchy_id: string | null, day: string) {
  const key = hierarchy_id ? [project.value!.id, hierarchy_id, day] as const : undefined;
  return useLoad(key, async ([project_id, hierarchy_id, day], signal) => {
    const rows = await getRows(`${availability_path}/timeline`, {
      project_id,
      dt_start: day,
      dt_end: day,
      hierarchy_ids: [hierarchy_id],
      columns: "from,to,state,evidence,detail,unavailable",
    }, signal);
    const [from, to, unavailable] = ["from", "to", "unavailable"].map(rows.numbers);
    const [state, evidence, detail] = ["state", "evidence", "detail"].map(rows.texts);
    return state.map((state, i) => ({
      from_ms: from[i],
      to_ms: to[i],
      state: state!,
      unavailable: unavailable[i],
      evidence: evidence[i],
      detail: detail[i],
    }));
  });
}

/** What operators say of inverters. */
export type Override = {
  readonly override_id: string;
  readonly hierarchy_ids: readonly string[];
  readonly state: string | null;
  readonly loss: string | null;
  readonly share: number | null;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly author: string;
  readonly created_at: string;
};

export const overrides_path = `${availability_path}/overrides`;

/** The overrides that reach into the days, as they were at the moment; the newest first. */
export function useOverrides({ from, to }: Days, again: unknown) {
  const key = [project.value!.id, from, to, at_ms.value, zone.value] as const;
  return useLoad(key, async ([project_id, from, to, at_ms, zone], signal) => {
    const all = await getJson<readonly Override[]>(overrides_path, {
      project_id,
      from: new Date(dayStart(from, zone)).toISOString(),
      to: new Date(dayStart(dayAfter(to), zone)).toISOString(),
      limit: 1000,
    }, signal);
    return all.filter(({ created_at }) => !(Date.parse(created_at) > (at_ms ?? Infinity)))
      .toSorted((a, b) => b.from < a.from ? -1 : 1);
  }, { again });
}
