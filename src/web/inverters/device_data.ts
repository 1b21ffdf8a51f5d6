// What is known of one inverter in the shown time, and nothing later than the moment.
import { getJson, getRows } from "../frame/api.ts";
import { at_ms, moment_ms } from "../frame/clock.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { expectedOf, getPerformance } from "../frame/performance.ts";
import type { Device } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { dayAfter, dayStart } from "../frame/zone.ts";
import { type Grid, gridOf } from "./cells.ts";
import {
  type AlarmRow,
  alarmThen,
  foldIssue,
  type HistoryRow,
  type IssueRow,
  type ShownAlarm,
} from "./past.ts";
import { digitOf } from "../parts/priority.tsx";
import type { EvidenceName, LossPart, LostSpan, State, StateSpan } from "./states.ts";
import type { MapRange } from "./view.ts";

const refresh_ms = 60_000;

/** Asks anew each minute while it is now. */
function keeping() {
  return at_ms.value === undefined ? { refresh_ms } : {};
}

/** States and losses with their evidence, each in the order of time. */
export type DeviceEvidence = {
  readonly states: readonly StateSpan[];
  readonly losses: readonly LostSpan[];
};

/** The states of an inverter and what it lost, up to the moment. */
export function useDeviceEvidence(
  { hierarchy_id }: Device,
  { from, to }: MapRange,
): Load<DeviceEvidence> {
  const project_id = project.value!.id;
  const key = [project_id, hierarchy_id, from, to, at_ms.value] as const;
  return useLoad(hierarchy_id === null ? undefined : key, async (_, signal) => {
    const until_ms = moment_ms.peek();
    const query = {
      project_id,
      hierarchy_ids: hierarchy_id!,
      dt_start: from,
      dt_end: to,
      limit: 100_000,
    };
    const [states, losses] = await Promise.all([
      getRows("/platform/v1/availability/timeline", query, signal),
      getRows("/platform/v1/losses/timeline", query, signal),
    ]);
    const spansOf = (rows: typeof states) => {
      const [starts, ends] = [rows.numbers("from"), rows.numbers("to")];
      const [evidence, detail] = [rows.texts("evidence"), rows.texts("detail")];
      return Array.from({ length: rows.length }, (_, i) => ({
        from_ms: starts[i],
        to_ms: Math.min(ends[i], until_ms),
        is_over: ends[i] <= until_ms,
        evidence: evidence[i] as EvidenceName,
        detail: detail[i],
      }));
    };
    const [names, authors] = [states.texts("state"), states.texts("override_author")];
    const reasons = states.texts("override_reason");
    const [parts, energies] = [losses.texts("part"), losses.numbers("energy")];
    return {
      states: spansOf(states).map((span, i) => ({
        ...span,
        state: names[i] as State,
        override: authors[i] === null
          ? undefined
          : { author: authors[i], reason: reasons[i] ?? "" },
      })).filter((span) => span.from_ms < span.to_ms),
      losses: spansOf(losses).map((span, i) => ({
        ...span,
        part: parts[i] as LossPart,
        energy_wh: span.is_over ? energies[i] : NaN,
      })).filter((span) => span.from_ms < span.to_ms),
    };
  }, keeping());
}

/** The curves of an inverter and of its peers; the inverter's is the first row. */
export function useCurves(
  device: Device,
  peers: readonly Device[],
  range: MapRange,
): Load<Grid> {
  const project_id = project.value!.id;
  const shown = [device, ...peers];
  const ids = shown.flatMap(({ sensors }) =>
    sensors.filter((it) => it.component_measure === "active_power").map((it) => it.hierarchy_id)
  );
  const interval = range.kind === "month" ? "OneDay" : range.zoom ? range.interval : "FiveMinutes";
  const key = [project_id, ids.join(), range.from, range.to, range.zoom, interval, at_ms.value];
  return useLoad(ids.length === 0 ? undefined : key, async (_, signal) => {
    const names = ["sensor_value", "model_value", "coverage"];
    const rows = await getPerformance({
      project_id,
      component: "inverter",
      measure: "active_power",
      interval,
      from: range.from,
      to: range.to,
      group_by: "hierarchy_id",
      hierarchy_ids: ids,
      include: ["matched"],
      columns: ["hierarchy_id", ...names],
    }, signal);
    const minutes = interval === "OneMinute" ? 1 : 5;
    const grid = gridOf(rows, {
      ...range.zoom ?? {},
      until_ms: moment_ms.peek(),
      is_replay: at_ms.peek() !== undefined,
      devices: shown,
      names,
      is_sum: true,
      endOf: (at) => at + (interval === "OneDay" ? 86_400_000 : minutes * 60_000),
    });
    const { sensor_value, model_value, coverage } = grid.columns;
    return { ...grid, columns: { sensor_value, model_value: expectedOf(model_value, coverage) } };
  }, keeping());
}

/** The alarms of an inverter that stood in the shown time, as they were at the moment. */
export function useDeviceAlarms(
  { device_id }: Device,
  { from, to }: MapRange,
): Load<readonly ShownAlarm[]> {
  const project_id = project.value!.id;
  const key = [project_id, device_id, from, to, at_ms.value] as const;
  return useLoad(key, async (_, signal) => {
    const until_ms = Math.min(moment_ms.peek(), dayStart(dayAfter(to), zone.peek()));
    const from_ms = dayStart(from, zone.peek());
    const query = { project_id, device_id, limit: 10_000 };
    const rows = await getJson<readonly AlarmRow[]>("/platform/v1/alarms", query, signal);
    return rows.flatMap((row) => alarmThen(row, moment_ms.peek()) ?? [])
      .filter(({ raised_ms, cleared_ms = Infinity }) =>
        raised_ms < until_ms && cleared_ms > from_ms
      )
      .toSorted((a, b) => digitOf(a.severity) - digitOf(b.severity) || b.raised_ms - a.raised_ms);
  }, keeping());
}

/** The issues about an inverter that were open at the moment, each as it was then. */
export function useDeviceIssues({ device_id }: Device, again: number): Load<readonly IssueRow[]> {
  const project_id = project.value!.id;
  return useLoad([project_id, device_id, at_ms.value], async (_, signal) => {
    const query = { project_id, device_id, limit: 10_000 };
    const of_device = await getJson<readonly IssueRow[]>("/platform/v1/issues", query, signal);
    const then_ms = at_ms.peek();
    if (then_ms === undefined) return of_device;
    const then = await Promise.all(of_device.map((row) => issueThen(row, then_ms, signal)));
    return then.flatMap((it) => it ?? []);
  }, { ...keeping(), again });
}

/** The issue as it was at a moment; undefined where there was none yet. */
async function issueThen(
  row: IssueRow,
  at_ms: number,
  signal: AbortSignal,
): Promise<IssueRow | undefined> {
  if (Date.parse(row.created_at) > at_ms) return undefined;
  if (Date.parse(row.updated_at) <= at_ms) return row;
  const path = `/platform/v1/issues/${row.id}/history`;
  const history = await getJson<readonly HistoryRow[]>(
    path,
    { project_id: project.peek()!.id },
    signal,
  );
  return foldIssue(row, { history, at_ms });
}
