// Minutes beside what is expected of them, by model or peers, and what they tell rules.
import { rule_limits } from "../../model/rules/limits.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import { yardstickOf } from "../../model/rules/condition.ts";
import { bases, type Basis, type Yardstick } from "../../model/rules/kind.ts";
import { PairSpan, spanBack } from "../../model/rules/pair_span.ts";
import type { Watchpoint } from "../../model/rules/rule.ts";
import type { Transition } from "../../model/rules/state_machine.ts";
import { minute_us } from "../../model/time/series.ts";
import type { MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import {
  besideModel,
  besidePeers,
  type ComparedMinutes,
  matchedBesideModel,
  never,
} from "../../store/rules/minute.ts";
import type { WatchedPoint } from "./point.ts";

/** The sensors that some rules watch, by what they are compared with. */
export type Comparison = Yardstick & {
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
  asked: Omit<Comparison, "members">,
): Comparison {
  const { from, watched } = asked;
  if (from === "model") {
    const members = Array.from(watched, (sensor_no) => ({ sensor_no, group_no: 0, weight: 1 }));
    return { ...asked, members };
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
  return { ...asked, members };
}

/** Which minutes are compared; of each sensor only those after its own in `after`. */
type Asked = MinuteSpan & { readonly after?: ReadonlyMap<number, number> };

/**
 * Minutes with a value and an expected one of the watched sensors, in order of time, [from, to); of
 * each only those after its own in `after`. In pieces, whatever the range. Over a span of several
 * minutes they are means up to each, where the span is known well enough.
 */
export async function* comparedMinutes(
  connection: Connection,
  comparison: Comparison,
  asked: Asked,
): AsyncGenerator<ComparedMinutes, void> {
  const { from, span_minutes } = comparison;
  if (span_minutes === 1) {
    yield* storedMinutes(connection, comparison, { ...asked, beside: minutesBeside[from] });
    return;
  }
  const { from_minute, to_minute, after } = asked;
  const back = spanBack(span_minutes);
  const spans = new Map<number, PairSpan>();
  const stored = storedMinutes(connection, comparison, {
    from_minute: from_minute - back,
    to_minute,
    after: after && new Map([...after].map(([sensor_no, minute]) => [sensor_no, minute - back])),
    beside: matchedBeside[from],
  });
  for await (const piece of stored) yield meansOf(piece, { span_minutes, spans, ...asked });
}

/** What a piece adds to the spans of its sensors, and the means up to the minutes asked for. */
function meansOf(
  piece: ComparedMinutes,
  { span_minutes, spans, from_minute, after }: Asked & {
    readonly span_minutes: number;
    readonly spans: Map<number, PairSpan>;
  },
): ComparedMinutes {
  const [sensor_no, minute] = [new Int32Array(piece.rows), new Int32Array(piece.rows)];
  const [value, expected] = [new Float64Array(piece.rows), new Float64Array(piece.rows)];
  let rows = 0;
  for (let i = 0; i < piece.rows; i++) {
    const [no, at] = [piece.sensor_no[i], piece.minute[i]];
    const span = spans.get(no) ?? new PairSpan(span_minutes);
    spans.set(no, span);
    span.add({ minute: at, value: piece.value[i], expected: piece.expected[i] });
    const is_asked = at >= from_minute && at > (after?.get(no) ?? -1);
    const means = is_asked ? span.means() : undefined;
    if (means === undefined) continue;
    [sensor_no[rows], minute[rows]] = [no, at];
    [value[rows], expected[rows]] = [means.value, means.expected];
    rows++;
  }
  return { rows, sensor_no, minute, value, expected };
}

/** What is stored of the minutes asked for, as one of the readings below gives it. */
async function* storedMinutes(
  connection: Connection,
  { watched, members }: Comparison,
  { from_minute, to_minute, after, beside }: Asked & { readonly beside: typeof besidePeers },
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
    yield* beside(connection, { ...span, ...which });
  }
}

const minutesBeside: Readonly<Record<Basis, typeof besidePeers>> = {
  model: besideModel,
  peers: besidePeers,
};

/** The same with what can be matched alone. */
const matchedBeside: Readonly<Record<Basis, typeof besidePeers>> = {
  model: matchedBesideModel,
  peers: besidePeers,
};

/** The points that are judged by one yardstick. */
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

/** The side of each yardstick, of which nothing is known to be judged. */
export function sidesOf({ watchpoints, sensors, evaluator }: SideSource): readonly MinuteSide[] {
  const points = watchpoints.flatMap((watchpoint) =>
    yardstickOf(watchpoint.rule.condition) ? evaluator.point(watchpoint) ?? [] : []
  );
  return byYardstick(points, ({ watchpoint }) => watchpoint).map(({ by_sensor, ...yardstick }) => {
    const watched = new Set(by_sensor.keys());
    const comparison = comparisonOf(sensors, { ...yardstick, watched });
    return { comparison, points: by_sensor, judged: new Map() };
  });
}

/** What looks at minutes, by what it compares them with and by sensor. */
export function byYardstick<T>(
  items: readonly T[],
  watchpointOf: (item: T) => Watchpoint,
): readonly (Yardstick & { readonly by_sensor: ReadonlyMap<number, readonly T[]> })[] {
  const judged = items.flatMap((item) => {
    const { rule: { condition }, sensor_no } = watchpointOf(item);
    const yardstick = yardstickOf(condition);
    return yardstick && sensor_no !== null ? [{ item, sensor_no, ...yardstick }] : [];
  });
  return bases.flatMap((from) => {
    const own = judged.filter((it) => it.from === from);
    return [...Map.groupBy(own, (it) => it.span_minutes)].map(([span_minutes, alike]) => {
      const groups = Map.groupBy(alike, ({ sensor_no }) => sensor_no);
      const by_sensor = new Map([...groups].map(([no, all]) => [no, all.map(({ item }) => item)]));
      return { from, span_minutes, by_sensor };
    });
  });
}

/** The name that what is judged of a side is kept under. */
export function sideName({ comparison: { from, span_minutes } }: MinuteSide): string {
  return span_minutes === 1 ? from : `${from} ${span_minutes}`;
}

/** Minutes that are judged, and the end of those that are judged with them. */
export type JudgedSpan = MinuteSpan & { readonly reach_minute: number };

/** A side with the points of some rules alone, by number. */
export function sideWith(side: MinuteSide, only: ReadonlySet<number>): MinuteSide {
  const points = [...side.points].map(([sensor_no, all]) =>
    [sensor_no, all.filter(({ watchpoint }) => only.has(watchpoint.rule.rule_no))] as const
  );
  return { ...side, points: new Map(points) };
}

/**
 * Judges minutes, of each sensor those after the last that was judged; up to `reach_minute` those
 * as well whose span has some of them. The points' next states are what they come to, for `commit`;
 * gives the side as it is then.
 */
export async function judgeMinutes(
  session: Connection,
  side: MinuteSide,
  { from_minute, to_minute, reach_minute, told }: JudgedSpan & { readonly told: Transition[] },
): Promise<MinuteSide> {
  if (side.points.size === 0) return side;
  for (const points of side.points.values()) for (const point of points) point.begin();
  const judged = new Map(side.judged);
  const pieces = comparedMinutes(session, side.comparison, {
    from_minute,
    to_minute: Math.min(to_minute + side.comparison.span_minutes - 1, reach_minute),
    after: side.judged,
  });
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
