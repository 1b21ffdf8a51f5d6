// What one write makes of rules: alarms of what samples, late ones too, and the clock tell.
import { giveWay, isLongAt } from "../../base/effects.ts";
import { clear } from "../../model/alarms/life.ts";
import { atRest, type Transition } from "../../model/rules/state_machine.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import type { Occurrence } from "../../model/alarms/alarm.ts";
import { durationUs } from "../../model/rules/kind.ts";
import { definitionOf } from "../../model/rules/kinds.ts";
import { Follower } from "../../model/rules/series.ts";
import type { TagNews } from "../../model/rules/news.ts";
import { reachBack } from "../../model/rules/span.ts";
import { readSpans, replaceStates, type SeenSample } from "../../store/rules/state.ts";
import { listOccurrences } from "../../store/alarms/alarm.ts";
import type { Connection } from "../../store/connection.ts";
import type { AlarmUnitOfWork } from "../alarms/unit_of_work.ts";
import type { SampleStage } from "../samples/staging.ts";
import {
  type AlarmMaker,
  applyTransitions,
  type Ledger,
  recordLate,
  recoveryOf,
} from "./transitions.ts";
import { placeOf, stateRows, type WatchIndex } from "./watched_tags.ts";
import { WatchedPoint, type WatchedTag } from "./point.ts";

/** What is known of a tag that comes by a gateway; undefined for any other. */
export type NewsOf = (tag: WatchedTag) => TagNews | undefined;

/**
 * A write's work on an index. Nothing of it counts before `commit`; what a write had staged that
 * failed is forgotten where the next one begins.
 */
export class Round {
  readonly index: WatchIndex;
  readonly #round: number;
  readonly #newsOf: NewsOf;
  readonly #touched: WatchedTag[] = [];
  readonly #told: Transition[] = [];
  readonly #late = new Map<WatchedTag, number[]>();
  /** Points that are stored whether they changed or not. */
  readonly #stored: Set<WatchedPoint>;

  constructor(
    index: WatchIndex,
    { round, stored = [], newsOf }: {
      readonly round: number;
      readonly newsOf: NewsOf;
      readonly stored?: readonly WatchedPoint[];
    },
  ) {
    this.index = index;
    this.#round = round;
    this.#newsOf = newsOf;
    this.#stored = new Set(stored);
  }

  /** The points of the tags that it looked at. */
  get points(): readonly WatchedPoint[] {
    return this.#touched.flatMap(({ sampled }) => sampled);
  }

  /** Judges the staged samples of watched tags from `from_us` on, each tag's by their times. */
  async see(stage: SampleStage, { from_us }: { readonly from_us: number }): Promise<void> {
    for (const [place, row] of watchedRows(this.index, stage).entries()) {
      if (isLongAt(place)) await giveWay();
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
  async finish(changes: AlarmUnitOfWork, maker: AlarmMaker): Promise<void> {
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
      tag.begin(this.#round, this.#newsOf(tag));
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
  changes: AlarmUnitOfWork,
  { before, after, suspended = new Map(), elsewhere = new Set() }: {
    readonly before: WatchIndex;
    readonly after: WatchIndex;
    readonly suspended?: ReadonlyMap<number, unknown>;
    readonly elsewhere?: ReadonlySet<number>;
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
      : elsewhere.has(point.watchpoint.rule.rule_no)
      ? "its rule is judged elsewhere now, by a gateway or the centre"
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

/** Samples of a tag that came late and lie together, by their times. */
type LateRun = { readonly tag: WatchedTag; readonly ts: readonly number[] };

/**
 * Reviews the stored samples around late ones, whose times come rising by tag. An excursion that
 * one of them takes part in, and that no alarm of its rule and tag overlaps, is recorded raised
 * and cleared. What goes on at the tag's newest sample is the present's, which stays as it is.
 */
async function reviewLate(
  changes: AlarmUnitOfWork,
  late: ReadonlyMap<WatchedTag, readonly number[]>,
  maker: AlarmMaker,
): Promise<void> {
  let runs = [...late].flatMap(([tag, ts]) => tag.points.some(isReviewed) ? runsOf(tag, ts) : []);
  let reach_us = rule_limits.review_us;
  for (let round = 1; round <= rule_limits.review_rounds && runs.length > 0; round++) {
    const unsettled: LateRun[] = [];
    for (const group of groupsOf(runs, reach_us)) {
      const reviews = await look(changes.write.connection, group, reach_us);
      const found = await newExcursions(changes, reviews.flatMap((review) => review.excursions));
      const is_last = round === rule_limits.review_rounds;
      for (const { raise, clear, at_edge } of found) {
        if (clear && (is_last || !at_edge)) recordLate(changes, { raise, clear }, maker);
      }
      const open = new Set(found.filter((it) => !it.clear || it.at_edge).map(({ run }) => run));
      unsettled.push(...open);
    }
    runs = unsettled;
    reach_us *= rule_limits.review_growth;
  }
}

function isReviewed({ trigger }: WatchedPoint): boolean {
  // A late value ends a silence, and makes none.
  return trigger === "samples";
}

function runsOf(tag: WatchedTag, ts: readonly number[]): LateRun[] {
  const runs: number[][] = [];
  for (const ts_us of ts) {
    const run = runs.at(-1);
    if (run && ts_us - run.at(-1)! < rule_limits.review_us) run.push(ts_us);
    else runs.push([ts_us]);
  }
  return runs.map((ts) => ({ tag, ts }));
}

/** Runs to be read at once: those that lie together, a tag's once. */
function groupsOf(runs: readonly LateRun[], reach_us: number): LateRun[][] {
  const groups: { runs: LateRun[]; tags: Set<WatchedTag>; end_us: number }[] = [];
  for (const run of runs.toSorted((a, b) => a.ts[0] - b.ts[0])) {
    const end_us = run.ts.at(-1)! + reach_us;
    const group = groups.at(-1);
    if (group && run.ts[0] - reach_us < group.end_us && !group.tags.has(run.tag)) {
      group.runs.push(run);
      group.tags.add(run.tag);
      group.end_us = Math.max(group.end_us, end_us);
    } else groups.push({ runs: [run], tags: new Set([run.tag]), end_us });
  }
  return groups.map((group) => group.runs);
}

async function look(
  connection: Connection,
  runs: readonly LateRun[],
  reach_us: number,
): Promise<readonly Review[]> {
  const reviews = runs.flatMap((run) =>
    run.tag.points.filter(isReviewed).map((point) => new Review(run, point))
  );
  const by_tag = Map.groupBy(reviews, ({ run }) => run.tag.tag_no);
  const spans = runs.map(({ tag, ts }) => {
    const more_us = Math.max(...by_tag.get(tag.tag_no)!.map((review) => review.more_us));
    const to_us = Math.min(ts.at(-1)! + reach_us + more_us, tag.next_head_us) + 1;
    return { tag_no: tag.tag_no, from_us: ts[0] - reach_us - more_us, to_us };
  });
  for await (const sample of readSpans(connection, spans)) {
    for (const review of by_tag.get(sample.tag_no)!) review.see(sample);
  }
  for (const review of reviews) review.end();
  return reviews;
}

/** Time in which a condition held. */
export type Stretch = {
  readonly raise: Transition;
  /** Undefined: it goes on where the look ends. */
  readonly clear: Transition | undefined;
  /** Until when it is known to go on: what comes after may be another. */
  readonly until_us: number;
};

/** The same, of which late samples are part. */
type Excursion = Stretch & {
  readonly run: LateRun;
  /** It holds from the first sample that was looked at: it may have begun before. */
  readonly at_edge: boolean;
};

/** One rule's look at the past around a run. */
class Review {
  readonly run: LateRun;
  readonly excursions: Excursion[] = [];
  readonly #point: WatchedPoint;
  readonly #follower: Follower;
  #first_us: number | undefined;
  #last_us = -Infinity;
  #raise: Transition | undefined;

  constructor(run: LateRun, point: WatchedPoint) {
    this.run = run;
    this.#point = point;
    this.#follower = new Follower(point.watchpoint);
  }

  /** How much further than the reach it looks: so far a sample is of effect. */
  get more_us(): number {
    return durationUs(this.#point.watchpoint.rule.on_delay_s) + this.#back_us;
  }

  /** How far back of a value the one may be that it is compared with. */
  get #back_us(): number {
    const { condition } = this.#point.watchpoint.rule;
    return reachBack(definitionOf(condition).needs.spanUs(condition));
  }

  see(sample: SeenSample): void {
    if (sample.value !== null) this.#first_us ??= sample.ts_us;
    this.#last_us = sample.ts_us;
    this.#tell(this.#follower.see(sample));
  }

  end(): void {
    const { next_head_us } = this.run.tag;
    const is_head = this.#last_us === next_head_us;
    const { phase } = this.#point.next;
    const is_over = phase === "quiet" || phase === "rising";
    if (is_head && is_over && this.#follower.machine.phase === "falling") {
      // The present says that it is over, whatever is left of the delay.
      const told = this.#follower.wait(Infinity);
      this.#tell(told.map((it) => ({ ...it, at_us: Math.min(it.at_us, next_head_us) })));
    }
    if (is_head) return;
    // Whether it lasts for its delay a look further ahead tells.
    if (this.#follower.machine.phase === "rising") this.#tell(this.#follower.wait(Infinity));
    if (this.#raise) this.#add(this.#raise, undefined);
  }

  #tell(told: readonly Transition[]): void {
    for (const transition of told) {
      if (transition.kind === "raise") this.#raise = transition;
      if (transition.kind !== "clear" || !this.#raise) continue;
      this.#add(this.#raise, transition);
      this.#raise = undefined;
    }
  }

  #add(raise: Transition, clear: Transition | undefined): void {
    const { run } = this;
    const from_us = raise.since_us - this.#back_us;
    const to_us = clear?.since_us ?? Infinity;
    if (!run.ts.some((ts_us) => ts_us >= from_us && ts_us <= to_us)) return;
    // What is about to be raised is the present's.
    const { phase, since_us } = this.#point.next;
    if (phase === "rising" && (clear?.at_us ?? Infinity) > since_us) return;
    const until_us = clear?.at_us ?? this.#last_us;
    const at_edge = raise.since_us === this.#first_us;
    this.excursions.push({ run, raise, clear, until_us, at_edge });
  }
}

/** The excursions that no alarm of their rule and tag overlaps, by the time of their beginning. */
export async function newExcursions<E extends Stretch>(
  changes: AlarmUnitOfWork,
  excursions: readonly E[],
): Promise<readonly E[]> {
  if (excursions.length === 0) return [];
  const of = <T>(pick: (excursion: Stretch) => T) => [...new Set(excursions.map(pick))];
  const stored = await listOccurrences(changes.write.connection, {
    rule_nos: of(({ raise }) => raise.watchpoint.rule.rule_no),
    source_tags: of(({ raise }) => raise.watchpoint.source_tag),
    from_us: Math.min(...excursions.map(({ raise }) => raise.at_us)),
    to_us: Math.max(...excursions.map(({ until_us }) => until_us + 1)),
  });
  const changed = [...changes.all].map(({ occurrence }) => occurrence);
  const nos = new Set(changed.map(({ occurrence_no }) => occurrence_no));
  const all = [...changed, ...stored.filter(({ occurrence_no }) => !nos.has(occurrence_no))];
  const known = Map.groupBy(all, placeKey);
  return excursions
    .filter((excursion) =>
      !known.get(placeKey({
        rule_no: excursion.raise.watchpoint.rule.rule_no,
        source_tag: excursion.raise.watchpoint.source_tag,
      }))?.some((occurrence) => overlaps(occurrence, excursion))
    )
    .sort((a, b) => a.raise.at_us - b.raise.at_us);
}

function placeKey({ rule_no, source_tag }: Pick<Occurrence, "rule_no" | "source_tag">): string {
  return `${rule_no} ${source_tag}`;
}

function overlaps({ raised_at, cleared_at }: Occurrence, { raise, until_us }: Stretch): boolean {
  return raised_at === raise.at_us ||
    (raised_at < until_us && (cleared_at ?? Infinity) > raise.at_us);
}
