// Minutes beside what is expected of them, by model or peers, and what they tell rules.
import { rule_limits } from "../../model/rules/limits.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import { basisOf } from "../../model/rules/condition.ts";
import type { Basis } from "../../model/rules/kind.ts";
import type { Watchpoint } from "../../model/rules/rule.ts";
import type { Transition } from "../../model/rules/state_machine.ts";
import { minute_us } from "../../model/time/series.ts";
import type { MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import { besideModel, besidePeers, type ComparedMinutes, never } from "../../store/rules/minute.ts";
import type { WatchedPoint } from "./point.ts";

/** The sensors that some rules watch, by what is expected of them. */
export type Comparison = {
  readonly from: Basis;
  readonly watched: ReadonlySet<number>;
  /** The watched sensors; by peers all sensors of their groups, each with its weight. */
  readonly members: readonly Member[];
};

type Member = {
  readonly sensor_no: number;
  readonly group_no: number;
  readonly weight: number;
};

/** What is compared to judge `watched`, numbers of sensors out of `sensors`: those of the plant. */
export function comparisonOf(
  sensors: readonly Sensor[],
  { from, watched }: Pick<Comparison, "from" | "watched">,
): Comparison {
  if (from === "model") {
    const members = Array.from(watched, (sensor_no) => ({ sensor_no, group_no: 0, weight: 1 }));
    return { from, watched, members };
  }
  const groups = Map.groupBy(sensors, groupOf);
  const members = [...groups.values()]
    .filter((group) => group.some(({ sensor_no }) => watched.has(sensor_no)))
    .flatMap((group, group_no) => {
      // One without a capacity: shares of it can't be told for all alike.
      const rated = group.every(({ capacity }) => capacity !== null && capacity > 0);
      return group.map(({ sensor_no, capacity }) => ({
        sensor_no,
        group_no,
        weight: rated ? capacity! : 1,
      }));
    });
  return { from, watched, members };
}

/**
 * Minutes with a value and an expected one of the watched sensors, in order of time, [from, to); of
 * each only those after its own in `after`. In pieces, whatever the range.
 */
export async function* comparedMinutes(
  connection: Connection,
  { from, watched, members }: Comparison,
  { from_minute, to_minute, after }: MinuteSpan & { readonly after?: ReadonlyMap<number, number> },
): AsyncGenerator<ComparedMinutes, void> {
  const which = {
    sensors: Int32Array.from(members, ({ sensor_no }) => sensor_no),
    after: Int32Array.from(
      members,
      ({ sensor_no }) => watched.has(sensor_no) ? after?.get(sensor_no) ?? -1 : never,
    ),
    group_nos: Int32Array.from(members, ({ group_no }) => group_no),
    weights: members.map(({ weight }) => weight),
  };
  const step = Math.max(1, Math.floor(rule_limits.deviation_cells / Math.max(1, members.length)));
  for (let at = from_minute; at < to_minute; at += step) {
    const span = { from_minute: at, to_minute: Math.min(at + step, to_minute) };
    yield* minutesBeside[from](connection, { ...span, ...which });
  }
}

const minutesBeside: Readonly<Record<Basis, typeof besidePeers>> = {
  model: besideModel,
  peers: besidePeers,
};

/** The points that are judged by one basis. */
export type MinuteSide = {
  readonly comparison: Comparison;
  /** By sensor. */
  readonly points: ReadonlyMap<number, readonly WatchedPoint[]>;
  /** The last minute that was judged of each sensor. */
  readonly judged: ReadonlyMap<number, number>;
};

/** What a side is made of: everything that is watched, and the plant's sensors. */
export type SideSource = {
  readonly watchpoints: readonly Watchpoint[];
  readonly sensors: readonly Sensor[];
  readonly evaluator: { point(watchpoint: Watchpoint): WatchedPoint | undefined };
};

/** The side of a basis, of which nothing is known to be judged. */
export function sideOf(
  from: Basis,
  { watchpoints, sensors, evaluator }: SideSource,
): MinuteSide {
  const points = new Map<number, WatchedPoint[]>();
  for (const watchpoint of watchpoints) {
    const { rule: { condition }, sensor_no } = watchpoint;
    if (basisOf(condition) !== from || sensor_no === null) continue;
    const point = evaluator.point(watchpoint);
    if (point) points.set(sensor_no, [...points.get(sensor_no) ?? [], point]);
  }
  const watched = new Set(points.keys());
  return { comparison: comparisonOf(sensors, { from, watched }), points, judged: new Map() };
}

/** A side with the points of some rules alone, by number. */
export function sideWith(side: MinuteSide, only: ReadonlySet<number>): MinuteSide {
  const points = [...side.points].map(([sensor_no, all]) =>
    [sensor_no, all.filter(({ watchpoint }) => only.has(watchpoint.rule.rule_no))] as const
  );
  return { ...side, points: new Map(points) };
}

/**
 * Judges minutes, of each sensor those after the last that was judged. The points' next states are
 * what they come to, for `commit`; gives the side as it is then.
 */
export async function judgeMinutes(
  session: Connection,
  side: MinuteSide,
  { told, ...span }: MinuteSpan & { readonly told: Transition[] },
): Promise<MinuteSide> {
  if (side.points.size === 0) return side;
  for (const points of side.points.values()) for (const point of points) point.begin();
  const judged = new Map(side.judged);
  const pieces = comparedMinutes(session, side.comparison, { ...span, after: side.judged });
  for await (const { rows, sensor_no, minute, value, expected } of pieces) {
    for (let i = 0; i < rows; i++) {
      const seen = { ts_us: minute[i] * minute_us, value: value[i], expected: expected[i] };
      for (const point of side.points.get(sensor_no[i])!) point.see(seen, told);
      judged.set(sensor_no[i], minute[i]);
    }
  }
  return { ...side, judged };
}

/** Peers: sensors of one site that measure the same at components of one kind. */
function groupOf({ site_no, component, measure, sentinel_tag }: Sensor): string {
  return `${site_no}\n${component}\n${measure}\n${sentinel_tag}`;
}
