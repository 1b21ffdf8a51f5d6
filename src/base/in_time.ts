// Waits for something no longer than one may.
import type { Effects } from "./effects.ts";

/**
 * Waits until `promise` is fulfilled, `wait_ms` are over, or `signal` aborts, whichever is first;
 * says whether it was `promise`. What was awaited goes on; when it rejects, so does this.
 */
export async function inTime(
  promise: Promise<unknown>,
  { wait_ms, effects, signal }: {
    readonly wait_ms: number;
    readonly effects: Pick<Effects, "sleep">;
    readonly signal?: AbortSignal;
  },
): Promise<boolean> {
  const settled = new AbortController();
  const stop = signal ? AbortSignal.any([signal, settled.signal]) : settled.signal;
  try {
    const patience = effects.sleep(wait_ms, stop);
    return await Promise.race([promise.then(() => true), patience.then(() => false)]);
  } finally {
    settled.abort();
  }
}
