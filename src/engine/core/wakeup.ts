// Wakes a loop that sleeps: what rings while nobody waits is not lost.
import type { Effects } from "../../base/effects.ts";

/** One loop waits; anyone rings. */
export class Bell {
  #is_rung = false;
  #notify = () => {};

  ring(): void {
    this.#is_rung = true;
    this.#notify();
  }

  /** Resolves when it was rung since the last wait, after a time (Infinity: never), or on abort. */
  async wait(
    wait_ms: number,
    { effects, signal }: { readonly effects: Pick<Effects, "sleep">; readonly signal: AbortSignal },
  ): Promise<void> {
    if (!this.#is_rung && !signal.aborted && wait_ms > 0) {
      const waking = new AbortController();
      const woken = new Promise<void>((resolve) => this.#notify = resolve);
      signal.addEventListener("abort", this.#notify, { once: true });
      const asleep = wait_ms < Infinity ? [effects.sleep(wait_ms, waking.signal)] : [];
      await Promise.race([woken, ...asleep]);
      waking.abort();
      signal.removeEventListener("abort", this.#notify);
    }
    this.#is_rung = false;
  }
}
