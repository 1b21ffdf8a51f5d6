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
  const stop = new AbortController();
  const patience = asleep(wait_ms, effects, signal ? [stop.signal, signal] : [stop.signal]);
  try {
    return await Promise.race([promise.then(() => true), patience.then(() => false)]);
  } finally {
    stop.abort(over);
  }
}

/** Sleeps for a time, or as long as it takes (Infinity), until one of `signals` aborts. */
async function asleep(
  wait_ms: number,
  { sleep }: Patience["effects"],
  signals: readonly AbortSignal[],
): Promise<void> {
  await (wait_ms < Infinity ? sleep(Math.max(0, wait_ms), ...signals) : aborted(...signals));
}

/** Why a wait has ended. A signal that is given no reason makes an error, which costs far more. */
const over = "it is over";

/** Resolves when one of `signals` aborts, or at once where one has. */
export function aborted(...signals: AbortSignal[]): Promise<void> {
  // Not AbortSignal.any: Deno 2.7 forgets one that nothing but its listener holds.
  return new Promise((resolve) => {
    const end = () => {
      for (const signal of signals) signal.removeEventListener("abort", end);
      resolve();
    };
    for (const signal of signals) signal.addEventListener("abort", end);
    if (signals.some((signal) => signal.aborted)) end();
  });
}

/** Wakes the one who waits for it; a ring while nobody waits is kept for the next wait. */
export class Bell {
  /** Of all waits until it is rung: one of devices that are read every second makes none anew. */
  #rung = new AbortController();

  ring(): void {
    this.#rung.abort(over);
  }

  /** Forgets that it was rung. */
  still(): void {
    if (this.#rung.signal.aborted) this.#rung = new AbortController();
  }

  /** Waits until it has been rung since it was last still. */
  async wait({ wait_ms, effects, signal }: Patience): Promise<void> {
    const rung = this.#rung.signal;
    await asleep(wait_ms, effects, signal ? [rung, signal] : [rung]);
  }
}

/** Takes an error of work that was told to end, which is nobody's; any other is thrown again. */
export function unlessEnded(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}
