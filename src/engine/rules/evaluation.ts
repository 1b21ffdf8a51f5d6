// What one write makes of rules: alarms of what samples and clock tell, of tags that are gone too.
import { clear } from "../../model/alarms/life.ts";
import { atRest, type Transition } from "../../model/rules/state_machine.ts";
import { replaceStates } from "../../store/rules/watch.ts";
import type { AlarmChanges } from "../alarms/unit_of_work.ts";
import type { SampleStage } from "../samples/staging.ts";
import { type AlarmMaker, applyTransitions, type Ledger, recoveryOf } from "./transitions.ts";
import { placeOf, stateRows, type WatchIndex } from "./watched_tags.ts";
import { reviewLate } from "./late_samples.ts";
import { WatchedPoint, type WatchedTag } from "./point.ts";

/**
 * A write's work on an index. Nothing of it counts before `commit`; what a write had staged that
 * failed is forgotten where the next one begins.
 */
export class Round {
  readonly index: WatchIndex;
  readonly #round: number;
  readonly #touched: WatchedTag[] = [];
  readonly #told: Transition[] = [];
  readonly #late = new Map<WatchedTag, number[]>();
  /** Points that are stored whether they changed or not. */
  readonly #stored: Set<WatchedPoint>;

  constructor(
    index: WatchIndex,
    { round, stored = [] }: {
      readonly round: number;
      readonly stored?: readonly WatchedPoint[];
    },
  ) {
    this.index = index;
    this.#round = round;
    this.#stored = new Set(stored);
  }

  /** The points of the tags that it looked at. */
  get points(): readonly WatchedPoint[] {
    return this.#touched.flatMap(({ sampled }) => sampled);
  }

  /** Judges the staged samples of watched tags from `from_us` on, each tag's by their times. */
  see(stage: SampleStage, { from_us }: { readonly from_us: number }): void {
    for (const row of watchedRows(this.index, stage)) {
      const ts_us = stage.tsAt(row);
      if (ts_us < from_us) continue;
      const tag = this.#touch(this.index.get(stage.tagAt(row))!);
      const value = stage.valueAt(row);
      if (ts_us > tag.next_head_us) tag.see({ ts_us, value }, this.#told);
      else {
        tag.amend(ts_us, value);
        const late = this.#late.get(tag);
        if (late) late.push(ts_us);
        else this.#late.set(tag, [ts_us]);
      }
    }
  }

  /** Lets the clock look at a point. */
  wait(point: WatchedPoint, now_us: number): void {
    const tag = this.#touch(this.index.get(point.watchpoint.tag_no)!);
    point.wait({ now_us, valued_us: tag.next_valued_us }, this.#told);
  }

  /** Makes alarms of what was told, and writes down where rules stand now. */
  async finish(changes: AlarmChanges, maker: AlarmMaker): Promise<void> {
    if (this.#told.length > 0) {
      this.#told.sort(byTime);
      await applyTransitions(changes, this.#told, { ...maker, ledger: ledgerOf(this.index) });
    }
    if (this.#late.size > 0) await reviewLate(changes, this.#late, maker);
    for (const { sampled, crossed } of this.#touched) {
      for (const point of sampled) if (point.isTurned(crossed)) this.#stored.add(point);
    }
    if (this.#stored.size === 0) return;
    const points = [...this.#stored];
    await replaceStates(changes.write.connection, points.map(placeOf), points.flatMap(stateRows));
  }

  /** Takes everything over: after the commit. */
  commit(): void {
    for (const tag of this.#touched) tag.commit();
  }

  #touch(tag: WatchedTag): WatchedTag {
    if (tag.round !== this.#round) {
      tag.begin(this.#round);
      this.#touched.push(tag);
    }
    return tag;
  }
}

/**
 * Clears the active alarms of the points that `after` lacks. Their last occurrences stay known: a
 * rule that watches again goes on with those that have not ended.
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

/** The staged rows of watched tags, by time. */
function watchedRows(index: WatchIndex, stage: SampleStage): readonly number[] {
  const rows: number[] = [];
  if (index.tags.length === 0) return rows;
  let last_us = -Infinity;
  let sorted = true;
  for (let row = 0; row < stage.rows; row++) {
    if (!index.has(stage.tagAt(row))) continue;
    const ts_us = stage.tsAt(row);
    sorted &&= ts_us >= last_us;
    last_us = ts_us;
    rows.push(row);
  }
  return sorted ? rows : rows.sort((a, b) => stage.tsAt(a) - stage.tsAt(b));
}

function byTime(a: Transition, b: Transition): number {
  return a.at_us - b.at_us || a.watchpoint.tag_no - b.watchpoint.tag_no ||
    a.watchpoint.rule.rule_no - b.watchpoint.rule.rule_no;
}

function ledgerOf(index: WatchIndex): Ledger {
  return {
    lastOf: (watchpoint, subject) => index.point(watchpoint)!.next_occurrences.get(subject),
    put({ watchpoint, subject }, occurrence_no) {
      const point = index.point(watchpoint)!;
      point.next_occurrences = new Map(point.next_occurrences).set(subject, occurrence_no);
    },
  };
}
