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
  #last_us: number;
  /** When the last stamp was given, on the clock that never jumps. */
  #last_ms: number;

  /** Goes on from `last_us`, the last stamp that is stored. */
  constructor(effects: StampEffects, last_us: number) {
    this.#effects = effects;
    this.#last_us = last_us;
    this.#last_ms = effects.monotonic_ms();
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
    const stamp_us = Math.max(this.#last_us + 1, this.now_us);
    this.#last_us = stamp_us;
    this.#last_ms = this.#effects.monotonic_ms();
    return stamp_us;
  }

  #ranUs(): number {
    const ran_us = (this.#effects.monotonic_ms() - this.#last_ms) * 1000;
    return Math.floor(this.#last_us + database_limits.stamp_run_share * ran_us);
  }
}
