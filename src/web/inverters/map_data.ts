// What the map draws, loaded: power by bucket, outages, and the measure that is shown.
import { getRows, type Rows } from "../frame/api.ts";
import { at_ms, moment_ms } from "../frame/clock.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { getPerformance, type PerformanceQuery } from "../frame/performance.ts";
import { type Device, devicesOf } from "../frame/plant.ts";
import { project } from "../frame/session.ts";
import { type Grid, gridOf, medianOfOthers, peerGroups } from "./cells.ts";
import {
  measureCodes,
  outageCells,
  power_columns,
  type PowerCells,
  powerCells,
  shortfallCodes,
} from "./judge.ts";
import { out_states } from "./states.ts";
import { endOf, type MapRange, measuresOf } from "./view.ts";

/** Everything that the map and what stands beside it are made of. */
export type MapData = {
  readonly devices: readonly Device[];
  readonly grid: Grid;
  readonly cells: PowerCells;
  readonly groups: readonly (readonly number[])[];
  /** Of the shown measure. */
  readonly codes: Uint8Array;
  /** The measure's values and the medians of their peers; undefined for a shortfall. */
  readonly values: { readonly own: Float64Array; readonly peers: Float64Array } | undefined;
  readonly range: MapRange;
};

const refresh_ms = 60_000;

/** The map's data, asked for anew each minute. */
export function useMap(range: MapRange, show: string): Load<MapData> {
  const { id: project_id } = project.value!;
  const devices = devicesOf("inverter");
  const key = devices.length === 0
    ? undefined
    : [project_id, range, show, at_ms.value, devices.length] as const;
  return useLoad(key, async (_, signal) => {
    const until = { until_ms: moment_ms.peek(), is_replay: at_ms.peek() !== undefined };
    const [power, outages, measure] = await Promise.all([
      getPerformance(mapQuery(range, "shortfall"), signal),
      getOutages(range, project_id, signal),
      isShortfall(show) ? undefined : getPerformance(mapQuery(range, show), signal),
    ]);
    const making = { ...until, devices, endOf: endOf(range), ...windowOf(range) };
    return mapOf({ power, outages, measure }, { making, range, show });
  }, { refresh_ms: at_ms.value === undefined ? refresh_ms : undefined });
}

/** What is asked for of the map's buckets: power, or the measure that is shown. */
export function mapQuery({ interval, from, to }: MapRange, show: string): PerformanceQuery {
  const common = {
    project_id: project.value!.id,
    component: "inverter",
    interval,
    from,
    to,
    group_by: "hierarchy_id",
  } as const;
  if (!isShortfall(show)) {
    return { ...common, measure: show, columns: ["hierarchy_id", "sensor_value"] };
  }
  return {
    ...common,
    measure: "active_power",
    columns: ["hierarchy_id", ...power_columns],
    include: ["matched"],
  };
}

/** Whether a shortfall is shown, not a measure. */
export function isShortfall(show: string): show is "shortfall" | "peers" {
  return show === "shortfall" || show === "peers";
}

type Answers = { readonly power: Rows; readonly outages: Rows; readonly measure?: Rows };

type Making = Omit<Parameters<typeof gridOf>[1], "names" | "is_sum">;

function mapOf(
  { power, outages, measure }: Answers,
  { making, range, show }: { making: Making; range: MapRange; show: string },
): MapData {
  const { devices } = making;
  const grid = gridOf(power, { ...making, names: power_columns, is_sum: true });
  const groups = peerGroups(devices);
  const rated = devices.map(({ rated_w }) => rated_w);
  const found = outagesOf(outages, grid, { making, range });
  const cells = powerCells(grid, { rated, groups, ...found });
  const made = { devices, grid, cells, groups, range };
  if (measure === undefined) {
    const by = show === "peers" ? "peers" : "shortfall";
    return { ...made, values: undefined, codes: shortfallCodes(grid, cells, by) };
  }
  const unit = measuresOf().get(show) ?? "";
  const of_measure = gridOf(measure, { ...making, names: ["sensor_value"], is_sum: isAdded(unit) });
  const own = of_measure.columns.sensor_value;
  const peers = medianOfOthers({ values: own, columns: of_measure.starts.length }, groups);
  const is_same = of_measure.starts.length === grid.starts.length;
  const none = new Uint8Array(own.length);
  const codes = measureCodes(of_measure, {
    values: own,
    peers,
    is_out: is_same ? cells.is_out : none,
    unit,
  });
  return { ...made, values: { own, peers }, codes };
}

function outagesOf(
  rows: Rows,
  grid: Grid,
  { making, range }: { readonly making: Making; readonly range: MapRange },
) {
  const { devices, until_ms } = making;
  const hours = Float64Array.from(grid.starts, (at, i) => (grid.ends[i] - at) / 3_600_000);
  if (range.kind === "day") {
    const row_of = new Map(devices.map(({ hierarchy_id }, row) => [hierarchy_id, row]));
    const [from, to] = [rows.numbers("from"), rows.numbers("to")];
    const spans = rows.texts("hierarchy_id").flatMap((id, i) => {
      const row = row_of.get(id);
      return row === undefined ? [] : [{ row, from_ms: from[i], to_ms: Math.min(to[i], until_ms) }];
    });
    return { ...outageCells(grid, spans), hours };
  }
  const names = ["availability", "capacity_hours"];
  const days = gridOf(rows, { ...making, names, is_sum: false });
  const column_of = new Map(Array.from(days.starts, (at, i) => [at, i]));
  const at = (name: string, i: number) => {
    const count = grid.starts.length;
    const column = column_of.get(grid.starts[i % count]);
    if (column === undefined) return NaN;
    return days.columns[name][Math.floor(i / count) * days.starts.length + column];
  };
  const below = (share: number) =>
    Uint8Array.from(grid.columns.coverage, (_, i) => Number(at(names[0], i) < share));
  // The account knows how long each day's light was; of a day that it has not, nothing is lost.
  const lights = grid.starts.map((_, column) =>
    devices.reduce((most, { rated_w }, row) => {
      const capacity_wh = at(names[1], row * grid.starts.length + column) * 1000;
      return rated_w && capacity_wh > 0 ? Math.max(most, capacity_wh / rated_w) : most;
    }, 0)
  );
  return { is_out: below(0.5), has_outage: below(0.99), hours: lights };
}

/** States of outages by their spans for a day, how much of each day they took for a month. */
function getOutages(
  { kind, from, to }: MapRange,
  project_id: string,
  signal: AbortSignal,
): Promise<Rows> {
  const days = { dt_start: from, dt_end: to };
  if (kind === "day") {
    return getRows("/platform/v1/availability/timeline", {
      ...days,
      project_id,
      state: out_states,
      columns: "hierarchy_id,from,to",
      limit: 100_000,
    }, signal);
  }
  return getRows("/platform/v1/availability", {
    ...days,
    project_ids: project_id,
    time_interval: "OneDay",
    group_by: "hierarchy_id",
    include: "ts_utc",
    columns: "hierarchy_id,availability,capacity_hours,ts_utc",
  }, signal);
}

function windowOf({ zoom }: MapRange) {
  return zoom ?? {};
}

/** Whether the values of several sensors of one device are added up. */
function isAdded(unit: string): boolean {
  return ["W", "VA", "var", "A", "Wh"].includes(unit);
}
