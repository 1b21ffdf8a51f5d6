// What fails too often waits: failures are counted by who or what fails, and come back evenly.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { access_limits } from "../../model/access/limits.ts";
import { networkKey } from "../../model/webhooks/address.ts";

/** How many failures a key has left, as of when; they come back evenly. */
type Bucket = { readonly left: number; readonly at_ms: number };

/** Who or what fails, and how often it may in the throttle's window. */
export type Tried = { readonly key: string; readonly most: number };

type Parts = {
  readonly effects: Pick<Effects, "monotonic_ms">;
  readonly window_ms: number;
  /** What there were too many of, in a refusal. */
  readonly what: string;
};

/** Counts failures in memory. */
export class Throttle {
  readonly #parts: Parts;
  /** Those that were used last are last. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Counts a try as failed for each key until the function that it gives takes that back. Throws a
   * `Fault` (too_many) where one of them has no failure left.
   */
  take(tried: readonly Tried[]): () => void {
    const wait_ms = Math.max(...tried.map((one) => this.#waitMs(one)));
    if (wait_ms > 0) {
      throw new Fault("too_many", `too many ${this.#parts.what}; try again later`, {
        retry_after_s: Math.ceil(wait_ms / 1000),
      });
    }
    for (const one of tried) this.#put(one, -1);
    return () => tried.forEach((one) => this.#put(one, 1));
  }

  #waitMs(one: Tried): number {
    const missing = 1 - this.#left(one);
    return missing <= 0 ? 0 : missing * this.#parts.window_ms / one.most;
  }

  #left({ key, most }: Tried): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return most;
    const passed_ms = this.#parts.effects.monotonic_ms() - bucket.at_ms;
    return Math.min(most, bucket.left + most * passed_ms / this.#parts.window_ms);
  }

  #put(one: Tried, change: number): void {
    const left = Math.min(one.most, this.#left(one) + change);
    this.#buckets.delete(one.key);
    if (left < one.most) {
      this.#buckets.set(one.key, { left, at_ms: this.#parts.effects.monotonic_ms() });
    }
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > access_limits.failures_known) this.#buckets.delete(oldest);
  }
}

/** What a client's address is counted by; null where it is not known. */
export function addressKey(address: string | null): string {
  return `address ${address === null ? "" : networkKey(address)}`;
}
