// Judges rolled-up minutes by deviation rules, in the background and in their order.
import { limits } from "../../base/limits.ts";
import { type Effects, giveWay } from "../../base/effects.ts";
import { availability_limits } from "../../model/availability/limits.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import { Lock } from "../../base/lock.ts";
import { apart } from "../../base/together.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Transition } from "../../model/rules/state_machine.ts";
import { day_minutes, type MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { replaceStates } from "../../store/rules/state.ts";
import {
  type JudgedMinutes,
  newestMinutes,
  readJudged,
  saveJudged,
} from "../../store/rules/minute.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { AlarmUnitOfWork } from "../alarms/unit_of_work.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";
import type { RollupState } from "../rollup/backlog.ts";
import type { Rules } from "./rule.ts";
import type { Suspend } from "./suspend.ts";
import type { Evaluator } from "./evaluator.ts";
import { applyTransitions, type Ledger } from "./transitions.ts";
import { placeOf, stateRows } from "./watched_tags.ts";
import {
  type JudgedSpan,
  judgeMinutes,
  type MinuteSide,
  sideName,
  sidesOf,
  sideWith,
} from "./deviation.ts";
import type { WatchedPoint } from "./point.ts";

/** What watching minutes stands on. */
export type MinuteEvaluatorOptions = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly rules: Rules;
  readonly evaluator: Evaluator;
  readonly roll: { readonly state: Pick<RollupState, "backlog" | "over_minute"> };
  readonly alarms: Alarms;
  readonly suspend: Suspend;
  readonly effects: Pick<Effects, "now_us" | "sleep" | "random">;
};

type Sides = readonly MinuteSide[];

/** What minutes tell: sides as they are then, transitions, and the points that moved. */
type Judged = {
  readonly sides: Sides;
  readonly told: readonly Transition[];
  readonly moved: readonly WatchedPoint[];
};

const nothing: MinuteSpan = { from_minute: Infinity, to_minute: -Infinity };

/**
 * Deviation rules. A pass looks at the minutes in which readings changed since the last one, up to
 * `rule_limits.deviation_lag_minutes` before the roll-up's, and takes each sensor's in order: one
 * is judged when it has a value and an expected one and is newer than every one judged before of
 * its sensor. What changes later, by late samples or corrected weather, is not judged again. How
 * far it is, is saved whenever a rule moves, and now and then: a pass that is repeated tells the
 * same.
 */
export class MinuteEvaluator {
  /** Judges in the background; only when readings or rules changed. */
  readonly loop: Loop;
  readonly #options: MinuteEvaluatorOptions;
  readonly #session: Connection;
  readonly #lock = new Lock();
  #sides!: Sides;
  /** The roll-up's, as of the last look. */
  #over_minute: number;
  /** When the wall clock was set for the last time, or the start. */
  #set_minute: number;
  /** The rules that the sides are of. */
  #version = -1;
  /** Minutes whose readings changed and are not looked at yet. */
  #changed = nothing;
  /** Of those that are being looked at. */
  #left_minutes = 0;
  /** Minutes judged since that was last saved. */
  #unsaved_minutes = 0;

  private constructor(options: MinuteEvaluatorOptions, session: Connection) {
    this.#options = options;
    this.#session = session;
    this.#over_minute = options.roll.state.over_minute;
    this.#set_minute = minuteAt(options.effects);
    this.loop = new Loop({
      name: "evaluating rolled-up minutes",
      effects: options.effects,
      retry_ms: limits.loop_retry_ms,
      turn: (signal) => this.#turn(signal),
    });
  }

  /** Takes up where the last process stopped. */
  static async open(options: MinuteEvaluatorOptions): Promise<MinuteEvaluator> {
    const session = options.database.session();
    const evaluator = new MinuteEvaluator(options, session);
    await evaluator.#meetRules(await readJudged(session));
    const judged = evaluator.#sides.flatMap((side) => [...side.judged.values()]);
    evaluator.wake({
      from_minute: judged.reduce((least, minute) => Math.min(least, minute + 1), Infinity),
      to_minute: options.roll.state.over_minute,
    });
    return evaluator;
  }

  /** Says that the rules changed, or in which minutes readings did. */
  wake(span: MinuteSpan = nothing): void {
    this.#changed = {
      from_minute: Math.min(this.#changed.from_minute, span.from_minute),
      to_minute: Math.max(this.#changed.to_minute, span.to_minute),
    };
    this.loop.wake();
  }

  /** Says that the wall clock was set: nothing is judged while `follow` moves the rules' points. */
  async followClock(follow: () => Promise<void>): Promise<void> {
    await this.#lock.run(async () => {
      await follow();
      this.#version = -1;
      this.#set_minute = minuteAt(this.#options.effects);
    });
    this.loop.wake();
  }

  /** Minutes that are being looked at and are left. */
  get left_minutes(): number {
    return this.#left_minutes;
  }

  /** Resolves when every minute that was rolled up before the call, but the last, is judged. */
  settle(): Promise<void> {
    return this.#lock.run(() => this.#look());
  }

  /** Ends after the running pass. */
  close(): Promise<void> {
    return this.#lock.run(() => Promise.resolve(this.#session.close()));
  }

  /** Gives how long to sleep: for a while if some minutes wait to be over. */
  async #turn(signal: AbortSignal): Promise<number> {
    // While much is behind, sensors would be beside peers that are further than they are.
    const is_behind = this.#options.roll.state.backlog > availability_limits.backlog_rows;
    if (!is_behind) await this.#lock.run(() => this.#look(signal));
    return this.#changed.from_minute === Infinity ? Infinity : rule_limits.deviation_pause_ms;
  }

  async #look(signal?: AbortSignal): Promise<void> {
    if (this.#isOutdated()) await this.#meetRules(judgedOf(this.#sides));
    this.#followBack();
    const span = this.#take();
    let from_minute = span.from_minute;
    this.#left_minutes = Math.max(0, span.to_minute - from_minute);
    try {
      while (from_minute < span.to_minute && !signal?.aborted) {
        const to_minute = Math.min(from_minute + day_minutes, span.to_minute);
        const reach_minute = to_minute < span.to_minute ? to_minute : this.#end_minute;
        if (!await this.#judge({ from_minute, to_minute, reach_minute })) break;
        from_minute = to_minute;
        this.#left_minutes = span.to_minute - from_minute;
        await giveWay();
      }
    } finally {
      if (from_minute < span.to_minute) this.wake({ ...span, from_minute });
    }
  }

  /** The end of the minutes that are over for long enough. */
  get #end_minute(): number {
    return this.#options.roll.state.over_minute - rule_limits.deviation_lag_minutes;
  }

  /** Where the roll-up went back to a clock that was set back, minutes count from then. */
  #followBack(): void {
    const { over_minute } = this.#options.roll.state;
    const isBack = over_minute < this.#over_minute;
    this.#over_minute = over_minute;
    if (!isBack) return;
    const latest = this.#set_minute - rule_limits.deviation_lag_minutes - 1;
    this.#sides = this.#sides.map((side) => ({
      ...side,
      judged: new Map([...side.judged].map(([no, last]) => [no, Math.min(last, latest)])),
    }));
  }

  #isOutdated(): boolean {
    return this.#version !== this.#options.rules.version;
  }

  /** Reads the rules; what they newly watch is judged from its next minute on. */
  async #meetRules(known: JudgedMinutes): Promise<void> {
    const { rules, catalog, evaluator, effects } = this.#options;
    this.#version = rules.version;
    const source = { watchpoints: rules.watchpoints, sensors: catalog.sensors, evaluator };
    const sides: MinuteSide[] = [];
    for (const side of sidesOf(source)) {
      const of_side = known.get(sideName(side));
      const sensors = [...side.points.keys()];
      const begun = sensors.filter((sensor_no) => !of_side?.has(sensor_no));
      const newest = await newestMinutes(this.#session, {
        sensors: begun,
        from_minute: firstMinute(effects),
      });
      const judged = sensors.map((no) => [no, of_side?.get(no) ?? newest.get(no) ?? -1] as const);
      sides.push({ ...side, judged: new Map(judged) });
    }
    this.#sides = sides;
    this.#unsaved_minutes = rule_limits.deviation_unsaved_minutes;
  }

  /** Takes the changed minutes out that are over for long enough. */
  #take(): MinuteSpan {
    const { from_minute, to_minute } = this.#changed;
    const end_minute = this.#end_minute;
    if (from_minute >= end_minute) return nothing;
    this.#changed = to_minute > end_minute ? { from_minute: end_minute, to_minute } : nothing;
    return {
      from_minute: Math.max(from_minute, firstMinute(this.#options.effects)),
      to_minute: Math.min(to_minute, end_minute),
    };
  }

  /** Judges minutes, and stores what they tell; false when the rules changed meanwhile. */
  async #judge(span: JudgedSpan): Promise<boolean> {
    try {
      return await this.#judgeAll(span);
    } catch (error) {
      if (await this.#suspend(span, error)) return false;
      throw error;
    }
  }

  async #judgeAll(span: JudgedSpan): Promise<boolean> {
    const judged = await this.#judged(this.#sides, span);
    if (this.#isOutdated()) return false;
    const minutes = this.#unsaved_minutes + span.to_minute - span.from_minute;
    const is_due = judged.moved.length > 0 || minutes >= rule_limits.deviation_unsaved_minutes;
    const is_stored = !is_due || await this.#options.alarms.write(async (changes) => {
      if (this.#isOutdated()) return false;
      await this.#apply(changes, judged);
      return true;
    });
    if (!is_stored) return false;
    for (const point of pointsOf(judged.sides)) point.commit();
    this.#unsaved_minutes = is_due ? 0 : minutes;
    this.#sides = judged.sides;
    return true;
  }

  /** Suspends the rules that throw `error` in minutes; false where none of them does alone. */
  async #suspend(span: JudgedSpan, error: unknown): Promise<boolean> {
    const { database, alarms, suspend } = this.#options;
    const rule_nos = pointsOf(this.#sides).map(({ watchpoint }) => watchpoint.rule.rule_no);
    const failed = await apart([...new Set(rule_nos)], async (some) => {
      const only = new Set(some);
      const sides = this.#sides.map((side) => sideWith(side, only));
      const judged = await this.#judged(sides, span);
      await database.rehearse(async (write) => {
        const changes = alarms.begin(write);
        await this.#apply(changes, judged);
        await changes.store();
      });
    }, error);
    if (failed.length > 0) await suspend(failed);
    return failed.length > 0;
  }

  /** What minutes tell. */
  async #judged(before: Sides, span: JudgedSpan): Promise<Judged> {
    const told: Transition[] = [];
    const sides: MinuteSide[] = [];
    for (const side of before) {
      sides.push(await judgeMinutes(this.#session, side, { ...span, told }));
    }
    const moved = pointsOf(sides).filter((point) => point.next !== point.machine);
    return { sides, told, moved };
  }

  /** Makes alarms of what was told and saves where everything stands. */
  async #apply(changes: AlarmUnitOfWork, { sides, told, moved }: Judged): Promise<void> {
    const { catalog, effects } = this.#options;
    const in_order = told.toSorted((a, b) => a.at_us - b.at_us);
    await applyTransitions(changes, in_order, { catalog, effects, ledger: ledgerOf(moved) });
    const { connection } = changes.write;
    await replaceStates(connection, moved.map(placeOf), moved.flatMap(stateRows));
    await saveJudged(changes.write, judgedOf(sides));
  }
}

function pointsOf(sides: Sides): readonly WatchedPoint[] {
  return sides.flatMap(({ points }) => [...points.values()].flat());
}

function judgedOf(sides: Sides): JudgedMinutes {
  return new Map(sides.map((side) => [sideName(side), side.judged]));
}

function ledgerOf(points: readonly WatchedPoint[]): Ledger {
  const by_watchpoint = new Map(points.map((point) => [point.watchpoint, point]));
  return {
    lastOf: (watchpoint, subject) => by_watchpoint.get(watchpoint)!.next_occurrences.get(subject),
    put({ watchpoint, subject }, occurrence_no) {
      const point = by_watchpoint.get(watchpoint)!;
      point.next_occurrences = new Map(point.next_occurrences).set(subject, occurrence_no);
    },
  };
}

/** Minutes before it are history: never judged. */
function firstMinute(effects: Pick<Effects, "now_us">): number {
  return minuteAt(effects) - rule_limits.watch_back_us / minute_us;
}

function minuteAt({ now_us }: Pick<Effects, "now_us">): number {
  return Math.floor(now_us() / minute_us);
}
