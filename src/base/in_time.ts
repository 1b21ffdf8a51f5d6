// Waiting that ends: for something, for a time, or until told to stop, whichever is first.
import type { Effects } from "./effects.ts";

/** How long to wait at most (Infinity: as long as it takes), and what ends the wait as well. */
export type Patience = {
  readonly wait_ms: number;
  readonly effects: Pick<Effects, "sleep">;
  readonly signal?: AbortSignal;
};

/**
 * Waits until `promise` is fulfilled, `wait_ms` are over, or `signal` aborts, whichever is first;
 * says whether it was `promise`. What was awaited goes on; when it rejects, so does this.
 */
export async function inTime(
  promise: Promise<unknown>,
  { wait_ms, effects, signal }: Patience,
): Promise<boolean> {
  // Not AbortSignal.any: Deno 2.7 forgets one that nothing but its listener holds.
  const stop = new AbortController();
  const end = () => stop.abort();
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end);
  try {
    const patience = wait_ms < Infinity
      ? effects.sleep(Math.max(0, wait_ms), stop.signal)
      : aborted(stop.signal);
    return await Promise.race([promise.then(() => true), patience.then(() => false)]);
  } finally {
    signal?.removeEventListener("abort", end);
    end();
  }
}

/** Resolves when `signal` aborts, or at once where it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Wakes the one who waits for it; a ring while nobody waits is kept for the next wait. */
export class Bell {
  #rung = Promise.withResolvers<void>();

  ring(): void {
    this.#rung.resolve();
  }

  /** Forgets that it was rung. */
  still(): void {
    this.#rung = Promise.withResolvers<void>();
  }

  /** Waits until it has been rung since it was last still. */
  async wait(patience: Patience): Promise<void> {
    await inTime(this.#rung.promise, patience);
  }
}
