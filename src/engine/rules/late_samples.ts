// Looks at the past around samples that came late, for alarms that would have been and were not.
import { rule_limits } from "../../model/rules/limits.ts";
import type { Occurrence } from "../../model/alarms/alarm.ts";
import { durationUs } from "../../model/rules/kind.ts";
import { definitionOf } from "../../model/rules/kinds.ts";
import type { Transition } from "../../model/rules/state_machine.ts";
import { Follower } from "../../model/rules/series.ts";
import { reachBack } from "../../model/rules/span.ts";
import { listOccurrences } from "../../store/alarms/alarm.ts";
import type { Connection } from "../../store/connection.ts";
import { readSpans, type SeenSample } from "../../store/rules/watch.ts";
import type { AlarmChanges } from "../alarms/unit_of_work.ts";
import { type AlarmMaker, recordLate } from "./transitions.ts";
import type { WatchedPoint, WatchedTag } from "./point.ts";

/** Samples of a tag that came late and lie together, by their times. */
type LateRun = { readonly tag: WatchedTag; readonly ts: readonly number[] };

/**
 * Reviews the stored samples around late ones, whose times come rising by tag. An excursion that
 * one of them takes part in, and that no alarm of its rule and tag overlaps, is recorded raised
 * and cleared. What goes on at the tag's newest sample is the present's, which stays as it is.
 */
export async function reviewLate(
  changes: AlarmChanges,
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

/** Time in which a condition held, of which late samples are part. */
type Excursion = {
  readonly run: LateRun;
  readonly raise: Transition;
  /** Undefined: it goes on where the look ends. */
  readonly clear: Transition | undefined;
  /** Until when it is known to go on: what comes after may be another. */
  readonly until_us: number;
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
async function newExcursions(
  changes: AlarmChanges,
  excursions: readonly Excursion[],
): Promise<readonly Excursion[]> {
  if (excursions.length === 0) return [];
  const of = <T>(pick: (excursion: Excursion) => T) => [...new Set(excursions.map(pick))];
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

function overlaps({ raised_at, cleared_at }: Occurrence, { raise, until_us }: Excursion): boolean {
  return raised_at === raise.at_us ||
    (raised_at < until_us && (cleared_at ?? Infinity) > raise.at_us);
}
