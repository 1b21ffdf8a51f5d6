// What waits to be rolled up: stored writes, samples of minutes that are not over, values held on.
import { rollup_limits } from "../../model/rollup/limits.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { minute_us } from "../../model/time/series.ts";
import { measures } from "../../model/plant/measure.ts";
import type { TagQuarters } from "../../store/rollup/progress.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** A write's stamp, the number of its samples, and, where it is known, the instant of the first. */
export type Stamp = {
  readonly received_at: number;
  readonly rows: number;
  readonly from_us?: number;
};

/** Where the roll-up stands, for metrics. */
export type RollupState = {
  /** Samples that are stored and not looked at yet. */
  readonly backlog: number;
  /** Samples that were looked at and wait for their minutes to be over. */
  readonly waiting: number;
  /** Everything stored up to this stamp was looked at. */
  readonly rolled_to_us: number;
  /** Minutes before it are over for it. */
  readonly over_minute: number;
  /** Days of tags of the past that are to be rolled up again; each pass takes some. */
  readonly stale_days: number;
  /** Whether there may be any: from when they are marked, before a pass has counted them. */
  readonly may_be_stale: boolean;
  /** How often such days were marked since the start. */
  readonly marks: number;
};

/** Hands out writes in the order of their stamps; each is counted once, when it is first seen. */
export class Backlog {
  #stamps: Stamp[] = [];
  #rows = 0;
  #from_us = Infinity;
  /** How many samples the last pass took, and whether they were of few quarter-hours. */
  #taken = 0;
  #is_dense = false;
  /** Whether a pass is at them, and how many have failed since nothing waited. */
  #is_open = false;
  #failed = 0;

  /** The last write that is known, if one waits. */
  get last_us(): number | undefined {
    return this.#stamps.at(-1)?.received_at;
  }

  /** How many samples wait. */
  get rows(): number {
    return this.#rows;
  }

  /** The same where all of them are of an instant or later; else 0. */
  rowsFrom(from_us: number): number {
    return this.#from_us >= from_us ? this.#rows : 0;
  }

  /** Adds writes in rising order; those up to the last one are known. */
  add(stamps: readonly Stamp[]): void {
    const last_us = this.last_us ?? -Infinity;
    for (const stamp of stamps) {
      if (stamp.received_at <= last_us) continue;
      this.#stamps.push(stamp);
      this.#rows += stamp.rows;
      this.#from_us = Math.min(this.#from_us, stamp.from_us ?? -Infinity);
    }
  }

  /** Forgets the writes up to `upto`: they are rolled up. */
  drop(upto: number): void {
    const left = this.#stamps.filter(({ received_at }) => received_at > upto);
    [this.#stamps, this.#rows, this.#from_us] = [[], 0, Infinity];
    this.add(left);
    this.#is_open = false;
    if (left.length === 0) this.#failed = 0;
  }

  /**
   * The stamp of the last of the next writes, at least one, with what samples a pass takes: half as
   * many after each that failed, for which the database may have had too little memory.
   */
  next(): number | undefined {
    if (this.#is_open) this.#failed = Math.min(this.#failed + 1, rollup_limits.halvings);
    this.#is_open = true;
    const whole = this.#is_dense ? rollup_limits.dense_rows : rollup_limits.rows;
    const most = whole / 2 ** this.#failed;
    this.#taken = 0;
    const end = this.#stamps.findIndex((stamp) => {
      if (this.#taken > 0 && this.#taken + stamp.rows > most) return true;
      this.#taken += stamp.rows;
      return false;
    });
    return this.#stamps.at(end < 0 ? -1 : end - 1)?.received_at;
  }

  /** Says of how many quarter-hours of tags the last ones were. */
  touched(quarters: number): void {
    this.#is_dense = this.#taken > quarters * rollup_limits.dense_quarter;
  }
}

type Pending = {
  readonly tag_no: number;
  readonly minute: number;
  /** Stamp of the first such sample, and how many came with it or after. */
  readonly received_at: number;
  readonly rows: number;
};

/** What waits for one minute, and the first and the last stamp of it. */
type Open = { readonly rows: Pending[]; first_us: number; last_us: number };

/** Tags whose values a coming minute can change although no sample of them comes. */
export class OpenMinutes {
  readonly #catalog: Catalog;
  /** By minute: there are few, of many tags each. */
  readonly #pending = new Map<number, Open>();
  /** Each tag's last minute with a sample. */
  readonly #alive = new Map<number, number>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  addPending(rows: readonly Pending[]): void {
    for (const row of rows) {
      const open = this.#pending.getOrInsertComputed(
        row.minute,
        () => ({ rows: [], first_us: Infinity, last_us: -Infinity }),
      );
      open.rows.push(row);
      open.first_us = Math.min(open.first_us, row.received_at);
      open.last_us = Math.max(open.last_us, row.received_at);
    }
  }

  /** Forgets what was stored after `upto`: a pass that failed took it, and the next one does. */
  retake(upto: number): void {
    for (const [minute, { rows, last_us }] of this.#pending) {
      if (last_us <= upto) continue;
      this.#pending.delete(minute);
      this.addPending(rows.filter(({ received_at }) => received_at <= upto));
    }
  }

  addAlive(rows: readonly { readonly tag_no: number; readonly minute: number }[]): void {
    for (const { tag_no, minute } of rows) {
      this.#alive.set(tag_no, Math.max(this.#alive.get(tag_no) ?? minute, minute));
    }
  }

  /** The quarter-hours of tags that the minutes [from, to), which are over now, concern. */
  due(from: number, to: number): TagQuarters {
    const due: TagQuarters = { tag_no: [], quarter: [], since: [] };
    const take = (tag_no: number, first: number, last: number) => {
      for (let quarter = Math.floor(first / 15); quarter <= Math.floor(last / 15); quarter++) {
        due.tag_no.push(tag_no);
        due.quarter.push(quarter);
        due.since.push(Math.max(first - quarter * 15, 0));
      }
    };
    if (from === to) return due;
    for (const [minute, { rows }] of this.#pending) {
      if (minute < to) { for (const { tag_no } of rows) take(tag_no, minute, minute); }
    }
    for (const [tag_no, last] of this.#alive) {
      const reach = this.#horizon(tag_no) + 1;
      const own = [Math.max(from, last), Math.min(last + reach, to)] as const;
      // Before a sample that came ahead of its time, from a clock that is ahead, an older one of
      // before `from` is carried on.
      const before = [from, Math.min(from + reach, last, to)] as const;
      for (const [first, end] of [before, own]) if (first < end) take(tag_no, first, end - 1);
    }
    return due;
  }

  /** Forgets what the minutes before `minute` were waited for. */
  drop(minute: number): void {
    for (const open of this.#pending.keys()) if (open < minute) this.#pending.delete(open);
    for (const [tag_no, last] of this.#alive) {
      if (last + rollup_limits.hold_s / 60 + 1 < minute) this.#alive.delete(tag_no);
    }
  }

  /** Forgets what minutes from `minute` on are waited for: a clock that was ahead stored it. */
  cut(minute: number): void {
    for (const open of this.#pending.keys()) if (open >= minute) this.#pending.delete(open);
    for (const [tag_no, last] of this.#alive) if (last >= minute) this.#alive.delete(tag_no);
  }

  /** How many samples stored up to `upto` wait for their minutes to be over. */
  rows(upto: number): number {
    let rows = 0;
    for (const pending of this.#pending.values()) {
      for (const row of pending.rows) if (row.received_at <= upto) rows += row.rows;
    }
    return rows;
  }

  /** The last stamp before every sample that still waits at `minute`. */
  before_us(minute: number): number {
    let before_us = Infinity;
    for (const [open, { first_us }] of this.#pending) {
      if (open >= minute) before_us = Math.min(before_us, first_us - 1);
    }
    return before_us;
  }

  /** Whether the passing of time brings nothing from `minute` on. */
  isEmpty(minute: number): boolean {
    if (this.#pending.size > 0) return false;
    for (const [tag_no, last] of this.#alive) {
      if (last + this.#horizon(tag_no) + 1 > minute) return false;
    }
    return true;
  }

  /** For how many minutes after its last sample a tag can still bring about values. */
  #horizon(tag_no: number): number {
    const holds = this.#catalog.sensorsOfTag(tag_no).some((sensor) =>
      measures.get(sensor.measure)?.over_time === "time_weighted_mean"
    );
    const tag = this.#catalog.tag(tag_no);
    const carry_s = tag?.lane === "model"
      ? rollup_limits.model_carry_s
      : tag?.carry_s ?? rollup_limits.carry_s;
    return Math.ceil(Math.max(carry_s, holds ? rollup_limits.hold_s : 0) / 60);
  }
}

/** No sample lies so far ahead of a minute but what a clock stored that was ahead. */
export function aheadUs(minute: number): number {
  return (minute + 1) * minute_us + sample_limits.future_us;
}
