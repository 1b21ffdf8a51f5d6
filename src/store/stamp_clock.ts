// The clock of stamps: the wall clock, but it never goes back and never stands still.
import type { Effects } from "../base/effects.ts";
import { database_limits } from "./limits.ts";

/** What the clock is made of. */
export type StampEffects = Pick<Effects, "now_us" | "monotonic_ms">;

/**
 * Shows the wall clock, except while that is behind the last stamp: then it runs on from that stamp
 * with the clock that never jumps, a little slower than time, so that the wall clock catches up
 * some day. Instants are microseconds since 1970 UTC.
 */
export class StampClock {
  readonly #effects: StampEffects;
  #last: Mark;
  /** Where stamps went on otherwise than time; the oldest first. */
  readonly #marks: Mark[];

  /** Goes on from `last_us`, the last stamp that is stored. */
  constructor(effects: StampEffects, last_us: number) {
    this.#effects = effects;
    this.#last = { at_ms: effects.monotonic_ms(), stamp_us: last_us };
    this.#marks = [this.#last];
  }

  get now_us(): number {
    return Math.max(this.#effects.now_us(), this.#ranUs());
  }

  /** How far the wall clock is behind; 0 while this is the wall clock. */
  get ahead_us(): number {
    return Math.max(0, this.#ranUs() - this.#effects.now_us());
  }

  /** A stamp later than every one before it. */
  next(): number {
    const stamp_us = Math.max(this.#last.stamp_us + 1, this.now_us);
    this.#last = { at_ms: this.#effects.monotonic_ms(), stamp_us };
    const expected_us = stampAt(this.#marks.at(-1)!, this.#last.at_ms);
    if (Math.abs(stamp_us - expected_us) > database_limits.stamp_mark_us) {
      this.#marks.push(this.#last);
      if (this.#marks.length > database_limits.stamp_marks) this.#marks.shift();
    }
    return stamp_us;
  }

  /**
   * The stamp that was current `time_us` ago, as time passed: a wall clock that is set makes
   * nothing older. Before the start nothing is known but the last stamp, and time stood still.
   */
  ago(time_us: number): number {
    const at_ms = this.#effects.monotonic_ms() - time_us / 1000;
    const next = this.#marks.findIndex((mark) => mark.at_ms > at_ms);
    if (next < 0) return Math.min(stampAt(this.#marks.at(-1)!, at_ms), this.now_us);
    const known_us = stampAt(this.#marks[Math.max(0, next - 1)], at_ms);
    return Math.min(known_us, this.#marks[next].stamp_us);
  }

  #ranUs(): number {
    const { at_ms, stamp_us } = this.#last;
    const ran_us = (this.#effects.monotonic_ms() - at_ms) * 1000;
    return Math.floor(stamp_us + database_limits.stamp_run_share * ran_us);
  }
}

/** When a stamp was given, on the clock that never jumps. */
type Mark = { readonly at_ms: number; readonly stamp_us: number };

/** The stamp that there is then if stamps go on from a mark as time does. */
function stampAt({ at_ms, stamp_us }: Mark, then_ms: number): number {
  return Math.round(stamp_us + (then_ms - at_ms) * 1000);
}
