// Ends what rules say of tags that they watch no longer.
import { clear } from "../../model/alarms/life.ts";
import { atRest } from "../../model/rules/state_machine.ts";
import { replaceStates } from "../../store/rules/watch.ts";
import type { AlarmChanges } from "../alarms/unit_of_work.ts";
import { recoveryOf } from "./transitions.ts";
import { placeOf, stateRows, type WatchIndex } from "./watched_tags.ts";
import { WatchedPoint } from "./point.ts";

/**
 * Clears the active alarms of the points that `after` lacks. Their last occurrences stay known: a
 * rule that watches again takes up those that have not ended.
 */
export async function retireGone(
  changes: AlarmChanges,
  { before, after, suspended = new Map() }: {
    readonly before: WatchIndex;
    readonly after: WatchIndex;
    readonly suspended?: ReadonlyMap<number, unknown>;
  },
): Promise<void> {
  const gone = before.points.filter(({ watchpoint }) => !after.point(watchpoint));
  if (gone.length === 0) return;
  const active = gone.filter(({ active_no }) => active_no !== undefined);
  await changes.load({ nos: active.map(({ active_no }) => active_no!) });
  const at_us = changes.write.now_us;
  const left = new Set(after.points.map(({ watchpoint }) => watchpoint.rule.rule_no));
  for (const point of active) {
    const known = changes.get(point.active_no!);
    const reason = after.place(point.watchpoint)
      ? "its rule is of another kind now"
      : left.has(point.watchpoint.rule.rule_no)
      ? "its rule watches the tag no longer"
      : suspended.has(point.watchpoint.rule.rule_no)
      ? "its rule is suspended"
      : "its rule was removed or disabled";
    const step = known && clear(known, {
      ...recoveryOf(known, { ...point.machine, at_us, value: 0 }),
      ...{ recovered_value: null, last_value: point.last ?? known.last_value },
      ...{ kind: "system", detail: { reason } },
    });
    if (step) changes.change(step.occurrence, step.events);
  }
  const back = gone.filter(({ occurrences, watchpoint }) =>
    occurrences.size > 0 && !after.place(watchpoint)
  );
  const rested = back.map((point) => {
    const { watchpoint, begun_us, occurrences, active_no, machine } = point;
    const turned_us = active_no === undefined ? machine.turned_us : at_us;
    return new WatchedPoint({ machine: atRest(watchpoint, turned_us), occurrences, begun_us });
  });
  await replaceStates(changes.write.connection, gone.map(placeOf), rested.flatMap(stateRows));
}
