// Which sensors a performance request means, and which group each of them belongs to.
import {
  type ComponentName,
  type Measure,
  type MeasureName,
  measures,
} from "../../model/plant/measure.ts";
import type { DayRange, Interval } from "../../model/time/bucket.ts";
import type { Column } from "../../model/data/column.ts";
import type { Dimension } from "../../model/performance/performance.ts";
import type { Project, Sensor } from "../../model/plant/plant.ts";
import type { StatisticsAsked } from "../../model/statistics/statistic.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** A checked request of either performance endpoint; empty filters mean all. */
export type PerformanceRequest = {
  readonly projects: readonly Project[];
  readonly range: DayRange;
  readonly interval: Interval;
  readonly sentinel_tag: string;
  readonly component: ComponentName;
  readonly measure: MeasureName;
  readonly hierarchy_ids: readonly string[];
  readonly block_ids: readonly string[];
  readonly group_by: readonly Dimension[];
  readonly use_solar_bounds: boolean;
  /** Whether rows tell forecasts, of runs issued before an instant (Infinity for all). */
  readonly forecast?: { readonly issued_before_us: number } | undefined;
  /** Whether rows tell matched figures. */
  readonly matched?: boolean;
  /** Whether rows tell what their expected values stand on. */
  readonly evidence?: boolean;
  /** Whether rows tell statistics of their samples. */
  readonly statistics?: StatisticsAsked;
  /** The columns to answer with, of those in `model/performance/performance.ts`. */
  readonly columns: readonly Column[];
};

/** One group_by key: the words of its rows. */
export type Group = {
  readonly project_id: string | null;
  readonly svc_block_id: string | null;
  readonly hierarchy_id: string | null;
  readonly sensor_tag: string | null;
  readonly portfolio: string | null;
  readonly sensors: readonly Sensor[];
};

/** The sensors of one time zone, by number. */
export type ZoneSensors = {
  readonly timezone: string;
  readonly sensor_nos: Int32Array;
  /** The tags that they read. */
  readonly tag_nos: Int32Array;
};

/** The sensors of a request, in groups ordered by their key. */
export type Selection = {
  readonly measure: Measure;
  readonly sensors: readonly Sensor[];
  readonly groups: readonly Group[];
  /** The group of each sensor number; -1 for a sensor that is not selected. */
  readonly group_of: Int32Array;
  readonly zones: readonly ZoneSensors[];
};

/** Selects the sensors of a request and groups them. */
export function selectSensors(catalog: Catalog, request: PerformanceRequest): Selection {
  const sensors = catalog.sensorsOfMeasure(request.measure).filter(matcherOf(request));
  return {
    measure: measures.get(request.measure)!,
    sensors,
    ...groupSensors(catalog, sensors, request),
    zones: zonesOf(sensors, request.projects),
  };
}

/** The groups of some sensors by the dimensions of a request. */
export function groupSensors(
  catalog: Catalog,
  sensors: readonly Sensor[],
  request: Pick<PerformanceRequest, "projects" | "group_by">,
): Pick<Selection, "groups" | "group_of"> {
  const projects = new Map(request.projects.map((project) => [project.project_no, project]));
  const by_key = Map.groupBy(sensors, (sensor) => keyOf(sensor, request.group_by));
  const groups = [...by_key.values()]
    .map((members) => groupOf(members, { catalog, projects, group_by: request.group_by }))
    .toSorted(compareGroups);
  const highest = sensors.reduce((no, sensor) => Math.max(no, sensor.sensor_no), 0);
  const group_of = new Int32Array(highest + 1).fill(-1);
  groups.forEach((group, i) => group.sensors.forEach((it) => group_of[it.sensor_no] = i));
  return { groups, group_of };
}

/** Sensors by the time zone of their project. */
export function zonesOf(
  sensors: readonly Sensor[],
  projects: readonly Project[],
): readonly ZoneSensors[] {
  const timezones = new Map(projects.map((project) => [project.project_no, project.timezone]));
  const by_zone = Map.groupBy(sensors, (sensor) => timezones.get(sensor.project_no)!);
  return [...by_zone].map(([timezone, members]) => ({
    timezone,
    sensor_nos: Int32Array.from(members, (sensor) => sensor.sensor_no).sort(),
    tag_nos: Int32Array.from(new Set(members.map((sensor) => sensor.tag_no))).sort(),
  }));
}

function matcherOf(request: PerformanceRequest): (sensor: Sensor) => boolean {
  const project_nos = new Set(request.projects.map((project) => project.project_no));
  const hierarchy_ids = new Set(request.hierarchy_ids);
  const block_ids = new Set<string | null>(request.block_ids);
  return (sensor) =>
    sensor.component === request.component &&
    sensor.sentinel_tag === request.sentinel_tag &&
    project_nos.has(sensor.project_no) &&
    (hierarchy_ids.size === 0 || hierarchy_ids.has(sensor.hierarchy_id)) &&
    (block_ids.size === 0 || block_ids.has(sensor.block_id));
}

/** A text that two sensors share exactly when they are in one group. */
function keyOf(sensor: Sensor, group_by: readonly Dimension[]): string {
  if (group_by.includes("hierarchy_id")) return sensor.hierarchy_id;
  const project = group_by.includes("project_id") ? sensor.project_no : "";
  const block = group_by.includes("block_id") ? sensor.block_id ?? "" : "";
  return `${project} ${block}`;
}

type Grouping = {
  readonly catalog: Catalog;
  readonly projects: ReadonlyMap<number, Project>;
  readonly group_by: readonly Dimension[];
};

/** `portfolio` is that of all the group's projects, null where they differ. */
function groupOf(sensors: readonly Sensor[], { catalog, projects, group_by }: Grouping): Group {
  const [first] = sensors;
  const by_sensor = group_by.includes("hierarchy_id");
  const project = projects.get(first.project_no)!;
  const same = sensors.every((it) => projects.get(it.project_no)!.portfolio === project.portfolio);
  return {
    project_id: group_by.includes("project_id") ? project.id : null,
    svc_block_id: group_by.includes("block_id") ? first.block_id : null,
    hierarchy_id: by_sensor ? first.hierarchy_id : null,
    sensor_tag: by_sensor ? catalog.tag(first.tag_no)?.sensor_tag ?? null : null,
    portfolio: same ? project.portfolio : null,
    sensors,
  };
}

/** By the identifiers of project, block and sensor: the same order each time, and no more. */
export function compareGroups(a: Group, b: Group): number {
  return compareText(a.project_id, b.project_id) || compareText(a.svc_block_id, b.svc_block_id) ||
    compareText(a.hierarchy_id, b.hierarchy_id);
}

function compareText(a: string | null, b: string | null): number {
  const [left, right] = [a ?? "", b ?? ""];
  return left < right ? -1 : left > right ? 1 : 0;
}
