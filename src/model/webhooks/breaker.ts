// Whether a receiver that keeps failing is left alone for a while: one breaker a subscription.
import { webhook_limits } from "./limits.ts";

/** Attempts that ended within a stretch of time. */
type Stretch = { readonly from_us: number; ended: number; failed: number };

/** An attempt under way, to be told how it ended: well, badly, or with no word of the receiver. */
export type BreakerAttempt = {
  readonly succeed: (now_us: number) => void;
  readonly fail: (now_us: number) => void;
  /** After either of the others it changes nothing. */
  readonly end: () => void;
};

/**
 * Opens when attempts keep failing; what is due then waits, and costs no attempt. After its wait
 * one attempt is let through: it closes the breaker, or doubles the wait. Instants are microseconds
 * of one clock that never jumps.
 */
export class Breaker {
  #failures_in_row = 0;
  /** The last minutes, the newest last; short stretches, as there can be very many attempts. */
  #stretches: Stretch[] = [];
  #open_until_us: number | undefined;
  #wait_us: number = webhook_limits.breaker_wait_us;
  /** The attempt under way that decides. */
  #trial: BreakerAttempt | undefined;

  get isOpen(): boolean {
    return this.#open_until_us !== undefined;
  }

  /** From when an attempt may be made; Infinity while the one that decides is under way. */
  get from_us(): number {
    return this.#trial ? Infinity : this.#open_until_us ?? -Infinity;
  }

  /** Says that an attempt begins; whatever comes of it, what this gives is to be told. */
  begin(): BreakerAttempt {
    const attempt: BreakerAttempt = {
      succeed: (now_us) => this.#succeed(now_us),
      fail: (now_us) => this.#fail(now_us, attempt),
      end: () => {
        if (this.#trial === attempt) this.#trial = undefined;
      },
    };
    if (this.isOpen) this.#trial = attempt;
    return attempt;
  }

  #succeed(now_us: number): void {
    this.#failures_in_row = 0;
    if (this.isOpen) this.#close();
    this.#stretchAt(now_us).ended++;
  }

  #fail(now_us: number, attempt: BreakerAttempt): void {
    if (this.isOpen) {
      // One that began before the breaker opened says nothing new.
      if (this.#trial !== attempt) return;
      this.#wait_us = Math.min(2 * this.#wait_us, webhook_limits.breaker_longest_wait_us);
      return this.#open(now_us);
    }
    this.#failures_in_row++;
    const stretch = this.#stretchAt(now_us);
    stretch.ended++;
    stretch.failed++;
    if (this.#isHopeless()) this.#open(now_us);
  }

  #isHopeless(): boolean {
    if (this.#failures_in_row >= webhook_limits.breaker_failures) return true;
    const sum = (name: "ended" | "failed") =>
      this.#stretches.reduce((sum, stretch) => sum + stretch[name], 0);
    const ended = sum("ended");
    return ended >= webhook_limits.breaker_attempts &&
      sum("failed") >= webhook_limits.breaker_share * ended;
  }

  #open(now_us: number): void {
    this.#open_until_us = now_us + this.#wait_us;
    this.#trial = undefined;
  }

  #close(): void {
    this.#open_until_us = undefined;
    this.#wait_us = webhook_limits.breaker_wait_us;
    this.#trial = undefined;
    this.#stretches = [];
  }

  #stretchAt(now_us: number): Stretch {
    const from_us = now_us - now_us % webhook_limits.breaker_stretch_us;
    const since_us = now_us - webhook_limits.breaker_window_us;
    this.#stretches = this.#stretches.filter((stretch) => stretch.from_us > since_us);
    const last = this.#stretches.at(-1);
    if (last && last.from_us >= from_us) return last;
    const stretch = { from_us, ended: 0, failed: 0 };
    this.#stretches.push(stretch);
    return stretch;
  }
}
