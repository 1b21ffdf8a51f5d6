// What deviation rules compare: minutes of sensors beside their model, or beside their peers.
import { limits } from "../../base/limits.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import type { Basis } from "../../model/rules/kind.ts";
import type { MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import {
  besideModel,
  besidePeers,
  type ComparedMinutes,
  never,
} from "../../store/rules/watch_minute.ts";

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
  const step = Math.max(1, Math.floor(limits.deviation_cells / Math.max(1, members.length)));
  for (let at = from_minute; at < to_minute; at += step) {
    const span = { from_minute: at, to_minute: Math.min(at + step, to_minute) };
    yield* from === "model"
      ? besideModel(connection, { ...span, ...which })
      : besidePeers(connection, { ...span, ...which });
  }
}

/** Peers: sensors of one site that measure the same at components of one kind. */
function groupOf({ site_no, component, measure, sentinel_tag }: Sensor): string {
  return `${site_no}\n${component}\n${measure}\n${sentinel_tag}`;
}
