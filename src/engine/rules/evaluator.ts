// Evaluates rules: judges samples as they are stored, and looks again when time passes.
import type { Effects } from "../../base/effects.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import { type Failed, together } from "../../base/together.ts";
import type { Occurrence } from "../../model/alarms/alarm.ts";
import type { Condition } from "../../model/rules/kinds.ts";
import type { Watchpoint } from "../../model/rules/rule.ts";
import { dueUs, type Heard, silentUs } from "../../model/rules/state_machine.ts";
import type { Peak } from "../../model/rules/condition.ts";
import { knownSilentUs, type TagNews } from "../../model/rules/news.ts";
import type { Database } from "../../store/database.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { AlarmUnitOfWork } from "../alarms/unit_of_work.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";
import type { SampleStage } from "../samples/staging.ts";
import { makeIndex, WatchIndex } from "./watched_tags.ts";
import { silentSince, type WatchedPoint, type WatchedTag } from "./point.ts";
import { retireGone, Round } from "./evaluation.ts";

/** What the evaluator works on. */
export type EvaluatorParts = {
  readonly database: Database;
  readonly rules: Watched;
  readonly alarms: Alarms;
  readonly catalog: Catalog;
  readonly effects: Pick<Effects, "now_us" | "random" | "sleep">;
};

/** Where rules watch; by number, those that do not because they threw. */
export type Watched = {
  readonly watchpoints: readonly Watchpoint[];
  readonly suspended?: ReadonlyMap<number, unknown>;
  /** Those that another service judges. */
  readonly elsewhere?: ReadonlySet<number>;
};

/** How an active alarm goes on, as the samples say since its condition last began. */
export type Live = Pick<Occurrence, "last_value"> & Peak & { readonly condition: Condition };

/**
 * The rules at work. What a write makes of them is staged in a round, within its transaction, and
 * taken over by `commit` after it: whatever fails or is killed, memory and database say the same.
 * Times are the samples' own. The clock is only looked at where samples stay out: for a delay,
 * `rule_limits.watch_grace_us` after it; for a silence, at its time; after a start, not before
 * sources had `rule_limits.stale_grace_us` to deliver what they kept. A tag that never sent
 * anything counts from when the rule began to watch it.
 */
export class Evaluator {
  /** Does what is due by the clock in the background. */
  readonly loop: Loop;
  readonly #parts: EvaluatorParts;
  /** Since when sources could deliver what they kept. */
  #opened_us: number;
  #index = new WatchIndex([]);
  #rounds = 0;
  #timers = new Timers();
  /** By number of the occurrence whose condition holds. */
  #active = new Map<number, WatchedPoint>();
  /** The points that minutes move on. */
  #deviating: readonly WatchedPoint[] = [];
  /** What is known of tags that come by gateways; of one that never sent anything, too. */
  newsOf: (
    place: { readonly tag_no: number; readonly project_no: number },
    options: { readonly is_new: boolean },
  ) => TagNews | undefined = () => undefined;
  /** Told of rules that throw where the clock looks at them. */
  onFailed: ((failed: readonly Failed<number>[]) => Promise<void>) | undefined;

  private constructor(parts: EvaluatorParts) {
    this.#parts = parts;
    this.#opened_us = parts.effects.now_us();
    this.loop = new Loop({
      name: "evaluating rules by the clock",
      effects: parts.effects,
      retry_ms: rule_limits.watch_retry_ms,
      turn: async () => {
        await this.settle();
        return this.#sleepMs();
      },
    });
  }

  /** Takes up where the last process stopped; but for rules that throw, whose numbers it gives. */
  static async open(
    parts: EvaluatorParts,
  ): Promise<{ readonly evaluator: Evaluator; readonly failed: readonly Failed<number>[] }> {
    const evaluator = new Evaluator(parts);
    const before = new WatchIndex([]);
    const by_rule = Map.groupBy(parts.rules.watchpoints, ({ rule }) => rule.rule_no);
    const take = async (rule_nos: readonly number[]) => {
      const watchpoints = rule_nos.flatMap((rule_no) => by_rule.get(rule_no)!);
      const source = { before, watchpoints, now_us: evaluator.#opened_us };
      evaluator.#adopt(await parts.database.read((connection) => makeIndex(connection, source)));
    };
    const failed = await together([...by_rule.keys()], take);
    const out = new Set(failed.map(({ part }) => part));
    if (out.size > 0) await take([...by_rule.keys()].filter((rule_no) => !out.has(rule_no)));
    return { evaluator, failed };
  }

  /**
   * Judges the samples that a write has just appended. `begun` are the tags that it took up, and
   * `ruled` is where rules watch with them, if they do.
   */
  async judge(
    changes: AlarmUnitOfWork,
    { stage, ruled, begun }: {
      readonly stage: SampleStage;
      readonly ruled?: Watched;
      readonly begun?: ReadonlySet<number>;
    },
  ): Promise<Round> {
    const round = ruled ? await this.#take(changes, { ...ruled, begun }) : this.#begin();
    await round.see(stage, { from_us: changes.write.now_us - rule_limits.watch_back_us });
    await round.finish(changes, this.#parts);
    return round;
  }

  /**
   * Within a write that changed rules or the plant: `ruled` is where rules watch from now on.
   * Alarms of what is gone are cleared; what is still watched goes on where it stands.
   */
  async retire(changes: AlarmUnitOfWork, ruled: Watched): Promise<Round> {
    const round = await this.#take(changes, ruled);
    const { suspended, elsewhere } = ruled;
    const after = round.index;
    await retireGone(changes, { before: this.#index, after, suspended, elsewhere });
    await round.finish(changes, this.#parts);
    return round;
  }

  /** Takes a round over: right after its write has committed. */
  commit(round: Round): void {
    const before = new Map(round.points.map((point) => [point, point.active_no]));
    round.commit();
    if (round.index !== this.#index) return this.#adopt(round.index);
    for (const [point, active_no] of before) {
      if (active_no !== undefined) this.#active.delete(active_no);
      this.#note(point);
    }
  }

  /** A rule on a tag; undefined where it does not watch it. Another one after rules changed. */
  point(watchpoint: Watchpoint): WatchedPoint | undefined {
    return this.#index.point(watchpoint);
  }

  /** Says that sources are delivering what they kept: the clock waits for it as after a start. */
  awaitSources(): void {
    this.#opened_us = this.#parts.effects.now_us();
  }

  /**
   * Says that the wall clock was set: sources may have to deliver what they kept. Where it was
   * ahead, what is newest and where rules stand is read as after a start.
   */
  async followClock(set_us: number): Promise<void> {
    const { alarms, rules: { watchpoints } } = this.#parts;
    this.awaitSources();
    if (set_us < 0) {
      const ruled = { watchpoints, before: new WatchIndex([]) };
      this.commit(await alarms.write((changes) => this.#take(changes, ruled)));
    }
    this.loop.wake();
  }

  /** How the condition of an own alarm goes on; undefined where it holds no more. */
  live(occurrence_no: number): Live | undefined {
    const point = this.#active.get(occurrence_no) ??
      this.#deviating.find(({ active_no }) => active_no === occurrence_no);
    if (point === undefined) return undefined;
    const { peak_value, peak_at, watchpoint: { rule: { condition } } } = point.machine;
    if (point.trigger !== "silence") {
      return { last_value: point.last, peak_value, peak_at, condition };
    }
    const now_us = this.#parts.effects.now_us();
    const { before_us, begun_us } = this.#heard(point);
    const age_s = Math.max(0, now_us - (before_us ?? begun_us ?? now_us)) / 1_000_000;
    return { last_value: age_s, peak_value: age_s, peak_at: now_us, condition };
  }

  /** Does what is due by the clock; what a rule throws there delays no other. */
  async settle(): Promise<void> {
    const now_us = this.#parts.effects.now_us();
    const taken = this.#timers.take(now_us);
    const due = [...taken].filter((point) => this.#isDue(point, now_us));
    const by_rule = Map.groupBy(due, ({ watchpoint: { rule } }) => rule.rule_no);
    try {
      const failed = await together(
        [...by_rule.keys()],
        (rule_nos) => this.#wait(rule_nos.flatMap((rule_no) => by_rule.get(rule_no)!), now_us),
      );
      if (failed.length > 0) await this.onFailed!(failed);
    } finally {
      for (const point of taken) if (this.#isWatched(point)) this.#schedule(point, now_us);
    }
  }

  /** Lets the clock look at points that are due, in one transaction. */
  async #wait(due: readonly WatchedPoint[], now_us: number): Promise<void> {
    const round = await this.#parts.alarms.write(async (changes) => {
      const round = this.#begin();
      for (const { watchpoint } of due) {
        const point = this.#index.point(watchpoint);
        if (point && this.#isDue(point, now_us)) round.wait(point, this.#knownUs(point, now_us));
      }
      await round.finish(changes, this.#parts);
      return round;
    });
    this.commit(round);
  }

  #begin(): Round {
    return new Round(this.#index, { round: ++this.#rounds, newsOf: this.#newsOfTag });
  }

  /** A round on an index of its own. */
  async #take(
    { write: { connection, now_us } }: AlarmUnitOfWork,
    { before = this.#index, ...ruled }: Watched & {
      readonly begun?: ReadonlySet<number>;
      readonly before?: WatchIndex;
    },
  ): Promise<Round> {
    const index = await makeIndex(connection, { ...ruled, before, now_us });
    const stored = index.points.filter(({ trigger, watchpoint }) =>
      trigger === "silence" && !before.point(watchpoint)
    );
    return new Round(index, { round: ++this.#rounds, stored, newsOf: this.#newsOfTag });
  }

  #adopt(index: WatchIndex): void {
    this.#index = index;
    this.#timers = new Timers();
    this.#active = new Map();
    this.#deviating = index.points.filter(({ trigger }) => trigger === "minutes");
    for (const point of index.points) {
      point.timer_us = Infinity;
      this.#note(point);
    }
  }

  #note(point: WatchedPoint): void {
    const { active_no, trigger } = point;
    if (active_no !== undefined && trigger !== "minutes") this.#active.set(active_no, point);
    this.#schedule(point);
  }

  /** `looked_us`: when it was looked at; what is held since then is looked at again in a while. */
  #schedule(point: WatchedPoint, looked_us = -Infinity): void {
    const next_us = this.#timers.next_us;
    const due_us = this.#clockUs(point);
    this.#timers.put(point, due_us > looked_us ? due_us : looked_us + rule_limits.hold_us);
    if (this.#timers.next_us < next_us) this.loop.wake();
  }

  /** When the clock is to look at a point; Infinity: it need not. */
  #clockUs(point: WatchedPoint): number {
    return Math.max(this.#dueUs(point), this.#opened_us + rule_limits.stale_grace_us);
  }

  /** When a point's delay is over, or its tag is silent for too long. */
  #dueUs(point: WatchedPoint): number {
    // Minutes come long after their time: what they tell is not the clock's to say.
    if (point.trigger === "minutes") return Infinity;
    const delay_us = dueUs(point.machine) + rule_limits.watch_grace_us;
    return Math.min(delay_us, silentUs(point.machine, this.#heard(point)));
  }

  #isDue(point: WatchedPoint, now_us: number): boolean {
    return this.#clockUs(point) <= now_us && this.#dueUs(point) <= this.#knownUs(point, now_us);
  }

  /** Up to when it is known that a point's tag sent nothing more: where its gateway is away, not
   * up to now. */
  #knownUs(point: WatchedPoint, now_us: number): number {
    const tag = this.#index.get(point.watchpoint.tag_no)!;
    const news = this.#newsOfTag(tag);
    if (news === undefined) return now_us;
    return Math.min(now_us, knownSilentUs(news, silentSince(this.#heard(point))));
  }

  readonly #newsOfTag = ({ tag_no, valued_us, points }: WatchedTag): TagNews | undefined => {
    const { project_no } = points[0].watchpoint.rule;
    return this.newsOf({ tag_no, project_no }, { is_new: valued_us === -Infinity });
  };

  #heard(point: WatchedPoint): Heard {
    return point.heard(this.#index.get(point.watchpoint.tag_no)!.valued_us);
  }

  #isWatched(point: WatchedPoint): boolean {
    return this.#index.point(point.watchpoint) === point;
  }

  /** Until the next point is due. */
  #sleepMs(): number {
    return (this.#timers.next_us - this.#parts.effects.now_us()) / 1000;
  }
}

type Entry = { readonly due_us: number; readonly point: WatchedPoint };

/**
 * A heap of points. A point whose time moves back stays where it is until its time has come, and
 * is then put where it belongs: samples, which put every silence off, cost nothing here.
 */
class Timers {
  readonly #heap: Entry[] = [];

  /** When the first point is to be looked at; Infinity: none is. */
  get next_us(): number {
    return this.#heap[0]?.due_us ?? Infinity;
  }

  /** Notes that a point is due, unless it is noted for then or before. */
  put(point: WatchedPoint, due_us: number): void {
    if (due_us >= point.timer_us) return;
    point.timer_us = due_us;
    const heap = this.#heap;
    let at = heap.push({ due_us, point }) - 1;
    for (; at > 0; at = (at - 1) >> 1) {
      const parent = (at - 1) >> 1;
      if (heap[parent].due_us <= heap[at].due_us) break;
      [heap[parent], heap[at]] = [heap[at], heap[parent]];
    }
  }

  /** Takes out the points that are due up to `now_us`, each once. */
  take(now_us: number): ReadonlySet<WatchedPoint> {
    const due = new Set<WatchedPoint>();
    while (this.next_us <= now_us) {
      const { due_us, point } = this.#pop();
      if (due_us !== point.timer_us) continue;
      point.timer_us = Infinity;
      due.add(point);
    }
    return due;
  }

  #pop(): Entry {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = right < heap.length && heap[right].due_us < heap[left].due_us ? right : left;
      if (child >= heap.length || heap[at].due_us <= heap[child].due_us) return first;
      [heap[child], heap[at]] = [heap[at], heap[child]];
      at = child;
    }
  }
}
