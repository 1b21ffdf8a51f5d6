// A watched tag and the rules on it: as they are committed, and as the open write would have them.
import { rule_limits } from "../../model/rules/limits.ts";
import type { Point, RuleKind, Trigger } from "../../model/rules/kind.ts";
import { type Condition, definitionOf } from "../../model/rules/kinds.ts";
import type { Watchpoint } from "../../model/rules/rule.ts";
import {
  amended,
  type Heard,
  hush,
  type Machine,
  step,
  tick,
  type Transition,
} from "../../model/rules/state_machine.ts";
import { heldOf } from "../../model/rules/condition.ts";
import { knownSilentBefore, type TagNews } from "../../model/rules/news.ts";
import { Span } from "../../model/rules/span.ts";

/** A value as a sample has it; null for a bad one. */
export type SampleValue = Point["value"];

/** What a rule on a tag starts from. */
export type PointState = {
  readonly machine: Machine;
  /** By subject, the last occurrence that was raised. */
  readonly occurrences: ReadonlyMap<number, number>;
  /** From when on a stale rule counts while its tag has sent nothing. */
  readonly begun_us: number;
};

/** One rule on one tag. */
export class WatchedPoint {
  /** What moves it on. */
  readonly trigger: Trigger<Condition>["by"];
  readonly begun_us: number;
  /** The values that a rate of change is counted from. */
  span: Span | undefined;
  machine: Machine;
  occurrences: ReadonlyMap<number, number>;
  /** What is compared with the limits, as of the newest sample. */
  last: number | null;
  /** The same, as the open write would have it. */
  next: Machine;
  next_occurrences: ReadonlyMap<number, number>;
  next_last: number | null = null;
  next_span: Span | undefined;
  /** When the clock is to look at it; Infinity: never. */
  timer_us = Infinity;

  constructor(
    state: PointState,
    more: { readonly span?: Span; readonly last?: number | null } = {},
  ) {
    const { condition } = state.machine.watchpoint.rule;
    this.begun_us = state.begun_us;
    this.machine = this.next = state.machine;
    this.occurrences = this.next_occurrences = state.occurrences;
    this.last = more.last ?? null;
    const { needs } = definitionOf(condition);
    this.trigger = needs.trigger.by;
    const span_us = needs.spanUs(condition);
    if (span_us > 0) this.span = this.next_span = more.span ?? new Span(span_us);
  }

  get watchpoint(): Watchpoint {
    return this.machine.watchpoint;
  }

  get kind(): RuleKind {
    return this.machine.watchpoint.rule.condition.kind;
  }

  /** The occurrence whose condition holds, as committed. */
  get active_no(): number | undefined {
    const { phase, subject } = this.machine;
    const active = phase === "active" || phase === "falling";
    return active ? this.occurrences.get(subject) : undefined;
  }

  /** Since when its tag was silent, given its newest value. */
  heard(valued_us: number): Heard {
    return {
      before_us: Number.isFinite(valued_us) ? valued_us : undefined,
      begun_us: this.begun_us,
    };
  }

  begin(): void {
    this.next = this.machine;
    this.next_occurrences = this.occurrences;
    this.next_last = this.last;
    this.next_span = this.span;
    this.span?.drop();
  }

  see(point: Point, told: Transition[]): void {
    const span = this.next_span;
    const { ts_us, value } = point;
    const seen = span ? { ...point, earlier: span.earlier(ts_us) } : point;
    this.next = step(this.next, seen, told);
    if (this.next.phase !== "quiet") this.#note(seen);
    if (span && value !== null && typeof value !== "string") span.add(ts_us, Number(value));
  }

  /** Looks at the clock, with no newer sample. */
  wait(
    { now_us, valued_us }: { readonly now_us: number; readonly valued_us: number },
    told: Transition[],
  ): void {
    const silent = hush(this.next, { ...this.heard(valued_us), upto_us: now_us }, told);
    this.next = tick(silent, now_us - rule_limits.watch_grace_us, told);
  }

  /** Whether where it stands is to be written; with `crossed` how high it stands as well. */
  isTurned(crossed: boolean): boolean {
    const { machine, next } = this;
    if (machine === next) return crossed && next.phase !== "quiet";
    return machine.phase !== next.phase || machine.since_us !== next.since_us ||
      machine.turned_us !== next.turned_us || machine.subject !== next.subject ||
      machine.bits !== next.bits || (crossed && next.phase !== "quiet");
  }

  /** Takes a value that came late as a peak, and among those that later rates are counted from. */
  amend(ts_us: number, value: SampleValue): void {
    const earlier = this.next_span?.earlier(ts_us);
    this.next = amended(this.next, { ts_us, value, earlier });
    if (this.span === undefined || typeof value === "string") return;
    if (this.next_span === this.span) this.next_span = this.span.copy();
    this.next_span!.amend(ts_us, value === null ? null : Number(value));
  }

  commit(): void {
    this.machine = this.next;
    this.occurrences = this.next_occurrences;
    this.last = this.next_last;
    this.span = this.next_span;
    this.span?.keep();
  }

  #note(point: Point): void {
    const held = heldOf(this.watchpoint, point);
    if (held !== undefined) this.next_last = Number(held);
  }
}

/** What is known of a tag's samples. */
export type TagState = {
  readonly tag_no: number;
  /** The newest sample that was judged, and the newest with a value; -Infinity: none. */
  readonly head_us: number;
  readonly valued_us: number;
};

/** One tag and every rule on it. */
export class WatchedTag {
  readonly tag_no: number;
  readonly points: readonly WatchedPoint[];
  /** Those that its samples move on; the others look at minutes. */
  readonly sampled: readonly WatchedPoint[];
  head_us: number;
  valued_us: number;
  next_head_us: number;
  next_valued_us: number;
  /** What is known of it where it comes by a gateway. */
  news: TagNews | undefined;
  /** The round of which the rest is. */
  round = 0;
  /** Whether peaks are to be saved: for samples that reach another time to do so, or a late one. */
  crossed = false;

  constructor({ tag_no, head_us, valued_us }: TagState, points: readonly WatchedPoint[]) {
    this.tag_no = tag_no;
    this.head_us = this.next_head_us = head_us;
    this.valued_us = this.next_valued_us = valued_us;
    this.points = points;
    this.sampled = points.filter(({ trigger }) => trigger !== "minutes");
  }

  /** Starts a write's samples from what is committed, whatever became of an earlier write's. */
  begin(round: number, news: TagNews | undefined): void {
    this.round = round;
    this.news = news;
    this.crossed = false;
    this.next_head_us = this.head_us;
    this.next_valued_us = this.valued_us;
    for (const point of this.sampled) point.begin();
  }

  /** Judges a sample newer than every one before. */
  see({ ts_us, value }: Pick<Point, "ts_us" | "value">, told: Transition[]): void {
    const valued_us = this.next_valued_us;
    for (const point of this.sampled) {
      const heard = point.heard(valued_us);
      const known_us = this.news && knownSilentBefore(this.news, silentSince(heard));
      point.see({ ts_us, value, ...heard, known_us }, told);
    }
    this.crossed ||= slotOf(ts_us) !== slotOf(this.next_head_us);
    this.next_head_us = ts_us;
    if (value !== null) this.next_valued_us = ts_us;
  }

  /** Takes note of a value that came after newer samples. */
  amend(ts_us: number, value: SampleValue): void {
    if (value !== null) this.next_valued_us = Math.max(this.next_valued_us, ts_us);
    for (const point of this.sampled) {
      const { next } = point;
      point.amend(ts_us, value);
      this.crossed ||= point.next !== next;
    }
  }

  commit(): void {
    this.head_us = this.next_head_us;
    this.valued_us = this.next_valued_us;
    for (const point of this.sampled) point.commit();
  }
}

/** Since when a tag is silent, as far as is known. */
export function silentSince({ before_us, begun_us }: Heard): number {
  return before_us ?? begun_us ?? -Infinity;
}

/** Peaks of what goes on are saved whenever a tag's samples reach another slot of this length. */
export function slotOf(ts_us: number): number {
  return Math.floor(ts_us / rule_limits.watch_slot_us);
}
