// Deviation rules of one basis, and what minutes tell them; nothing is stored here.
import type { Sensor } from "../../model/plant/plant.ts";
import { basisOf } from "../../model/rules/condition.ts";
import type { Basis } from "../../model/rules/kind.ts";
import type { Watchpoint } from "../../model/rules/rule.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Transition } from "../../model/rules/state_machine.ts";
import type { MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import { comparedMinutes, type Comparison, comparisonOf } from "./deviation.ts";
import type { WatchedPoint } from "./point.ts";

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
  readonly watch: { point(watchpoint: Watchpoint): WatchedPoint | undefined };
};

/** The side of a basis, of which nothing is known to be judged. */
export function sideOf(
  from: Basis,
  { watchpoints, sensors, watch }: SideSource,
): MinuteSide {
  const points = new Map<number, WatchedPoint[]>();
  for (const watchpoint of watchpoints) {
    const { rule: { condition }, sensor_no } = watchpoint;
    if (basisOf(condition) !== from || sensor_no === null) continue;
    const point = watch.point(watchpoint);
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
