// Bounds what can be tried in vain: each key has so many failures in a span of time.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { access_limits } from "../../model/access/limits.ts";

/** How many failures a key has left, as of an instant; they come back evenly. */
type Bucket = { readonly left: number; readonly at_us: number };

/** Who or what fails, and how often it may in `access_limits.failures_us`. */
export type Tried = { readonly key: string; readonly most: number };

/** Counts failures in memory. */
export class Throttle {
  readonly #effects: Pick<Effects, "now_us">;
  /** Those that were used last are last. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(effects: Pick<Effects, "now_us">) {
    this.#effects = effects;
  }

  /**
   * Counts a try as failed for each key until the function that it gives takes that back. Throws a
   * `Fault` (too_many) where one of them has no failure left.
   */
  take(tried: readonly Tried[]): () => void {
    const wait_us = Math.max(...tried.map((one) => this.#waitUs(one)));
    if (wait_us > 0) {
      throw new Fault("too_many", "too many attempts to sign in failed; try again later", {
        retry_after_s: Math.ceil(wait_us / 1e6),
      });
    }
    for (const one of tried) this.#put(one, -1);
    return () => tried.forEach((one) => this.#put(one, 1));
  }

  #waitUs(one: Tried): number {
    const missing = 1 - this.#left(one);
    return missing <= 0 ? 0 : missing * access_limits.failures_us / one.most;
  }

  #left({ key, most }: Tried): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return most;
    const passed_us = Math.max(0, this.#effects.now_us() - bucket.at_us);
    return Math.min(most, bucket.left + most * passed_us / access_limits.failures_us);
  }

  #put(one: Tried, change: number): void {
    const left = Math.min(one.most, this.#left(one) + change);
    this.#buckets.delete(one.key);
    if (left < one.most) this.#buckets.set(one.key, { left, at_us: this.#effects.now_us() });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > access_limits.failures_known) this.#buckets.delete(oldest);
  }
}
