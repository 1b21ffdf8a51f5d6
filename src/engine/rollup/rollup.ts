// Keeps minutes, readings, quarter-hours and days up to date as samples arrive and time passes.
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import type { Effects } from "../../base/effects.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import { Lock } from "../../base/lock.ts";
import { minute_us } from "../../model/time/series.ts";
import { day_minutes, type MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import { storeEvents } from "../../store/counters/event.ts";
import { storeLent } from "../../store/expected/lent.ts";
import type { Database, Write } from "../../store/database.ts";
import {
  findAlive,
  findPending,
  findTouched,
  listStamps,
  openRollSession,
  type Progress,
  readProgress,
  saveProgress,
  touchQuarters,
  touchStored,
} from "../../store/rollup/progress.ts";
import {
  clearStale,
  countStale,
  hasSamples,
  markAhead,
  markOlder,
  type TimeSpan,
  touchFeeds,
  touchStale,
} from "../../store/rollup/stale.ts";
import type { RollPlant } from "../../store/rollup/plant.ts";
import { touchWeather } from "../../store/expected/worktables.ts";
import { countWorked } from "../../store/rollup/verify.ts";
import { storeChanges } from "../../store/rollup/change.ts";
import { type Catalog, day_us } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";
import { aheadUs, Backlog, OpenMinutes, type RollupState, type Stamp } from "./backlog.ts";
import { Marks } from "./marks.ts";
import {
  type Found,
  isUnchanged,
  type PassPlan,
  planPass,
  readWorkPlant,
  workSlice,
} from "./pass.ts";
import { storeNew, unfoldTouched } from "./whole.ts";

/** What the roll-up stands on. */
type RollupOptions = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly effects: Pick<Effects, "now_us" | "sleep">;
  /** About how much a pass computes and stores at a time, where it is not as usual. */
  readonly bounds?: RollupBounds;
};

/** How much a slice and a transaction hold; with how many touched ones new whole ones go first. */
type PassBounds = Readonly<
  Record<"units" | "rows_per_write" | "new_wholes" | "most_new_wholes", number>
>;
export type RollupBounds = Partial<PassBounds>;

/**
 * What a pass takes of the stored writes alone, no stale days: those up to a stamp, by default the
 * next ones, of their samples the newer ones.
 */
type Part = { readonly upto?: number; readonly since_us?: number };

/** A slice of a pass: its first minute, and how many minutes and readings it had and changed. */
type WorkedSlice = Readonly<Record<"from_minute" | "worked" | "changed", number>>;

/**
 * The roll-up. A pass takes the samples stored since the last one, computes whole what they touch,
 * and stores only what differs: a pass that is repeated changes nothing. Minutes count once they
 * are over; their samples wait in memory, and the saved progress stays before the first of them.
 */
export class Rollup {
  /** Rolls up in the background; sleeps while there is nothing to do. */
  readonly loop: Loop;
  readonly #database: Database;
  readonly #effects: Pick<Effects, "now_us" | "sleep">;
  readonly #session: Connection;
  readonly #place: { readonly database: Database; readonly session: Connection };
  readonly #waiting: OpenMinutes;
  readonly #bounds: PassBounds;
  readonly #backlog = new Backlog();
  readonly #lock = new Lock();
  #progress: Progress;
  #plant: RollPlant | undefined;
  readonly #marks = new Marks();
  #stale_left = true;
  #stale_days = 0;
  /** Samples that were put off, by day of a tag. */
  #put_off_rows = 0;
  /** Told of each slice of a pass that was computed. */
  onWorked: ((slice: WorkedSlice) => void) | undefined;
  /** Told how many days of tags of the past are left, before a pass takes some of them. */
  onStale: ((days: number) => void) | undefined;
  /** Told of the span of minutes in which readings changed, once they are stored. */
  onStored: ((span: MinuteSpan) => void) | undefined;

  private constructor(options: RollupOptions, session: Connection, progress: Progress) {
    this.#database = options.database;
    this.#effects = options.effects;
    this.#session = session;
    this.#place = { database: options.database, session };
    this.#progress = progress;
    this.#waiting = new OpenMinutes(options.catalog);
    const { units, rows_per_write, new_wholes, most_new_wholes } = rollup_limits;
    this.#bounds = { units, rows_per_write, new_wholes, most_new_wholes, ...options.bounds };
    this.loop = new Loop({
      name: "rolling up samples",
      effects: options.effects,
      retry_ms: limits.loop_retry_ms,
      gather_ms: rollup_limits.pause_ms,
      turn: () => this.#turn(),
    });
  }

  /** Goes on where the last process stopped. */
  static async open(options: RollupOptions): Promise<Rollup> {
    const session = await openRollSession(options.database);
    const roll = new Rollup(options, session, await readProgress(session));
    const { to_us } = roll.#progress;
    await roll.#findAlive({ from: 0, upto: to_us });
    roll.#backlog.add(await listStamps(session, to_us));
    return roll;
  }

  get state(): RollupState {
    const open_rows = this.#openRows();
    return {
      backlog: this.#backlog.rows - open_rows + Math.round(this.#put_off_rows * this.#stale_days),
      waiting: this.#waiting.rows(this.#progress.to_us) + open_rows,
      rolled_to_us: this.#progress.to_us,
      over_minute: this.#progress.minute,
      stale_days: this.#stale_days,
      may_be_stale: this.#stale_left,
      marks: this.#marks.made,
    };
  }

  /** Says that there is something to do. */
  wake(): void {
    this.loop.wake();
  }

  /** Says that samples were stored: they count from now on. */
  stored(stamp: Stamp): void {
    if (stamp.received_at > this.#progress.to_us) this.#backlog.add([stamp]);
    if (this.#isDue()) this.wake();
  }

  /** Whether anything is to be looked at before the next minute is over and a turn comes. */
  #isDue(): boolean {
    const { rows } = this.#backlog;
    const open_rows = this.#openRows();
    return open_rows < rows || open_rows >= rollup_limits.open_rows ||
      rows > 0 && this.#waiting.isEmpty(this.#progress.minute);
  }

  /** How many samples wait, where all that do are of minutes that are not over; else 0. */
  #openRows(): number {
    return this.#backlog.rowsFrom(Math.max(this.#nowMinute(), this.#progress.minute) * minute_us);
  }

  /**
   * Rolls up what is stored of the days (UTC) from `recent_us` on. What is stored of days before it
   * is put off: it follows as days of the past, the newest first.
   */
  rollRecent(recent_us: number): Promise<void> {
    return this.#lock.run(async () => {
      const from = this.#progress.to_us;
      this.#backlog.add(await listStamps(this.#session, this.#backlog.last_us ?? from));
      const upto = this.#backlog.last_us;
      if (upto === undefined) return;
      await this.#database.write((write) => markOlder(write, { from, upto, before_us: recent_us }));
      this.#stale_days = await countStale(this.#session);
      const put_off_rows = this.#backlog.rows / Math.max(1, this.#stale_days);
      await this.#pass({ upto, since_us: recent_us });
      this.#put_off_rows = put_off_rows;
      this.#stale_left = true;
    });
  }

  /** Resolves when everything stored before the call is rolled up. */
  async settle(): Promise<void> {
    (await this.holdSettled())[Symbol.dispose]();
  }

  /** Rolls everything up and stands still, at minutes before `over_minute`, until disposed of. */
  async holdSettled(): Promise<Disposable & { readonly over_minute: number }> {
    const target_us = this.#database.committed_us;
    const held = await this.hold(async () => {
      do await this.#pass(); while (this.#isBehind(target_us));
    });
    return { ...held, over_minute: this.#progress.minute };
  }

  /** Stands still, until disposed of, once something was done. */
  hold(first = () => Promise.resolve()): Promise<Disposable> {
    return new Promise((resolve, reject) => {
      this.#lock.run(async () => {
        await first();
        const released = Promise.withResolvers<void>();
        resolve({ [Symbol.dispose]: released.resolve });
        await released.promise;
      }).catch(reject);
    });
  }

  /**
   * Marks what was rolled up of some tags as stale, all or what a span holds, within the
   * transaction that changes their mapping. Call `wake` after it has committed.
   */
  async markStale(write: Write, tag_nos: readonly number[], span?: TimeSpan): Promise<void> {
    this.#stale_left = true;
    await this.#marks.make(write, tag_nos, span);
  }

  /** Ends after the running pass. */
  close(): Promise<void> {
    return this.#lock.run(() => Promise.resolve(this.#session.close()));
  }

  #isBehind(target_us: number): boolean {
    return this.#stale_left ||
      this.#backlog.last_us !== undefined && this.#progress.to_us < target_us;
  }

  /** Gives how long to sleep: until the next minute if some tag's values wait for it. */
  async #turn(): Promise<number> {
    await this.#lock.run(() => this.#passOn());
    if (this.#isDue() || this.#stale_left) return 0;
    if (this.#waiting.isEmpty(this.#progress.minute)) return Infinity;
    return (minute_us - this.#effects.now_us() % minute_us) / 1000;
  }

  /** One pass. Days of the past that can't be read where they lie hold up nothing new. */
  async #passOn(): Promise<void> {
    try {
      await this.#pass();
    } catch (error) {
      if (!(error instanceof Fault && error.code === "unavailable")) throw error;
      await this.#pass({});
      throw error;
    }
  }

  /** One pass: over a part of what is stored, or over the next writes and some stale days. */
  async #pass(part?: Part): Promise<void> {
    await this.#followBack();
    // A clock that is set back by less takes no minute back.
    const minute = Math.max(this.#nowMinute(), this.#progress.minute);
    const over_us = minute * minute_us;
    await this.#marks.see(this.#database);
    // Before newer samples of a tag end what its older ones carry on into these minutes.
    const due = this.#waiting.due(this.#progress.minute, minute);
    const upto = await this.#takeStored(over_us, part);
    await touchQuarters(this.#session, due);
    const waiting = part ? 0 : await this.#takeStale(minute);
    const clearsStale = () => waiting > 0 && this.#marks.are_seen;
    await this.#storeTouched({ to_us: upto, minute }, clearsStale);
    if (minute > this.#progress.minute) this.#waiting.drop(minute);
    this.#progress = { to_us: upto, minute };
    this.#backlog.drop(upto);
    if (part === undefined) this.#stale_left = waiting > 0 || !this.#marks.are_seen;
  }

  /** Touches what the next stale days hold; gives how many are stale. */
  async #takeStale(minute: number): Promise<number> {
    const over = { over_us: minute * minute_us, ahead_us: aheadUs(minute) };
    const days = await touchStale(this.#session, { days: rollup_limits.stale_days, ...over });
    if (days !== this.#stale_days) this.onStale?.(days);
    this.#stale_days = days;
    return days;
  }

  /**
   * Goes back to the wall clock's minute where a clock was far ahead, of it and of what is stored:
   * else minutes would not be waited for until that time comes. What it stored then waits for its
   * day. A clock that is behind what is stored is the wrong one.
   */
  async #followBack(): Promise<void> {
    const minute = this.#nowMinute();
    if (minute >= this.#progress.minute - day_minutes) return;
    const from_us = aheadUs(minute);
    if (await hasSamples(this.#session, { from_us, to_us: from_us + day_us })) return;
    const { to_us } = this.#progress;
    this.#waiting.cut(from_us / minute_us);
    await this.#database.write(async (write) => {
      await markAhead(write, from_us);
      await saveProgress(write, {
        to_us: Math.min(to_us, this.#waiting.before_us(minute)),
        minute,
      });
    });
    this.#progress = { to_us, minute };
    await this.#findAlive({ from: 0, upto: to_us });
  }

  #nowMinute(): number {
    return Math.floor(this.#effects.now_us() / minute_us);
  }

  /** Touches what newly stored samples hold; gives the stamp they reach. */
  async #takeStored(over_us: number, part?: Part): Promise<number> {
    const from = this.#progress.to_us;
    this.#backlog.add(await listStamps(this.#session, this.#backlog.last_us ?? from));
    const upto = part?.upto ?? this.#backlog.next() ?? from;
    const range = { from, upto, since_us: part?.since_us ?? 0, over_us };
    await touchStored(this.#session, range);
    if (upto === from) return upto;
    const ahead_us = aheadUs(over_us / minute_us);
    const pending = await findPending(this.#session, { from, upto, over_us, ahead_us });
    this.#waiting.retake(from);
    this.#waiting.addPending(pending);
    await this.#findAlive(range);
    return upto;
  }

  async #storeTouched(progress: Progress, clears_stale: () => boolean): Promise<void> {
    const touched = await findTouched(this.#session);
    this.#backlog.touched(touched.rows);
    if (touched.rows === 0 && !clears_stale()) return;
    const over_minute = progress.minute;
    const plant = await readWorkPlant(this.#session, this.#plant);
    await unfoldTouched(this.#place, { is_new_plant: plant !== this.#plant });
    this.#plant = plant;
    if (clears_stale()) await touchFeeds(this.#session, { over_us: over_minute * minute_us });
    const { to_us: stored_us, minute: since_minute } = this.#progress;
    if (plant.kind.has_models) {
      await touchWeather(this.#session, { over_minute, stored_us, since_minute });
    }
    const about = { over_minute, plant, ...this.#bounds };
    const stored = await storeNew(this.#place, { touched, ...about });
    if (stored) this.onStored?.(stored);
    const work = await planPass(this.#session, about);
    const finish = async (write: Write) => {
      if (clears_stale()) await clearStale(write);
      // What was stored by the plant as it was can lie on days that had nothing then.
      await this.#marks.repeat(write);
      const to_us = Math.min(progress.to_us, this.#waiting.before_us(progress.minute));
      await saveProgress(write, { to_us, minute: progress.minute });
    };
    if (await this.#storeSlices(work, finish)) return;
    if (clears_stale()) await this.#database.writeOn(this.#session, finish);
  }

  /**
   * Computes and stores slice by slice, what differs of it, and with the last one finishes: a
   * crash between them loses nothing. Says whether anything was stored.
   */
  async #storeSlices(work: PassPlan, finish: (write: Write) => Promise<void>): Promise<boolean> {
    const { rows_per_write } = this.#bounds;
    let differs = false;
    for (const [i, slice] of work.slices.entries()) {
      const is_last = i === work.slices.length - 1;
      const found = await workSlice(this.#session, { ...work, slice, rows_per_write });
      await this.#tell(found);
      differs ||= !isUnchanged(found);
      if (is_last ? !differs : isUnchanged(found)) continue;
      await storeChanges(found, {
        database: this.#database,
        session: this.#session,
        rows_per_write,
        finish: async (write) => {
          if (found.events > 0) await storeEvents(write);
          if (found.lent > 0) await storeLent(write);
          if (is_last) await finish(write);
        },
      });
      const { from_minute, to_minute } = found.range;
      this.onStored?.({ from_minute, to_minute: to_minute + 1 });
    }
    return differs;
  }

  async #tell({ range, counts }: Found): Promise<void> {
    if (!this.onWorked) return;
    const { fresh = 0, other = 0 } = counts.get("reading") ?? {};
    const worked = await countWorked(this.#session);
    this.onWorked({ from_minute: range.from_minute, worked, changed: fresh + other });
  }

  async #findAlive(range: { readonly from: number; readonly upto: number }): Promise<void> {
    const minute = this.#nowMinute();
    const since_us = Math.min(minute, this.#progress.minute || minute) * minute_us -
      rollup_limits.hold_s * 1_000_000;
    const ahead_us = aheadUs(Math.max(minute, this.#progress.minute));
    this.#waiting.addAlive(await findAlive(this.#session, { ...range, since_us, ahead_us }));
  }
}
