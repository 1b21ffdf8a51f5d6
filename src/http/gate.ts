// How much runs at once: slots in all and per token, a short queue, then a refusal.
import type { Effects } from "../base/effects.ts";
import { Fault } from "../base/fault.ts";
import { limits } from "../base/limits.ts";

/** How many may run at once, in all and of one token, and how many may wait. */
export type Bounds = {
  readonly in_all: number;
  readonly per_token: number;
  readonly queued: number;
};

type Waiting = { readonly token_id: string; readonly admit: () => void };

/** Counts what runs, makes the next wait for a slot, and refuses when too many wait. */
export class Gate {
  readonly #bounds: Bounds;
  readonly #effects: Pick<Effects, "sleep">;
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #in_all = 0;
  #open = true;

  constructor(bounds: Bounds, effects: Pick<Effects, "sleep">) {
    this.#bounds = bounds;
    this.#effects = effects;
  }

  /** Whether new work is taken. */
  get open(): boolean {
    return this.#open;
  }

  /** How many run now. */
  get in_flight(): number {
    return this.#in_all;
  }

  /**
   * Takes a slot for a token and gives the function that frees it, which may be called again.
   * Throws a `Fault` (unavailable) when the queue is full, no slot came free in time, or the gate
   * is closed.
   */
  async enter(token_id: string, signal: AbortSignal): Promise<() => void> {
    if (!this.#open) throw stopping();
    if (this.#free(token_id)) this.#take(token_id);
    else await this.#wait(token_id, signal);
    let held = true;
    return () => {
      if (held) this.#leave(token_id);
      held = false;
    };
  }

  /** Refuses all that come from now on; what runs or waits goes on. */
  close(): void {
    this.#open = false;
  }

  #free(token_id: string): boolean {
    return this.#in_all < this.#bounds.in_all &&
      (this.#running.get(token_id) ?? 0) < this.#bounds.per_token;
  }

  #take(token_id: string): void {
    this.#in_all++;
    this.#running.set(token_id, (this.#running.get(token_id) ?? 0) + 1);
  }

  async #wait(token_id: string, signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#bounds.queued) throw overloaded();
    const settled = new AbortController();
    const waiting = Promise.withResolvers<void>();
    const entry = { token_id, admit: waiting.resolve };
    this.#waiting.push(entry);
    const stop = AbortSignal.any([signal, settled.signal]);
    const patience = this.#effects.sleep(limits.queue_wait_ms, stop);
    await Promise.race([waiting.promise, patience]);
    settled.abort();
    const at = this.#waiting.indexOf(entry);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    throw overloaded();
  }

  #leave(token_id: string): void {
    this.#in_all--;
    const left = (this.#running.get(token_id) ?? 1) - 1;
    if (left > 0) this.#running.set(token_id, left);
    else this.#running.delete(token_id);
    const at = this.#waiting.findIndex((entry) => this.#free(entry.token_id));
    if (at < 0) return;
    const [next] = this.#waiting.splice(at, 1);
    this.#take(next.token_id);
    next.admit();
  }
}

function stopping(): Fault {
  return new Fault("unavailable", "the service is stopping", {
    retry_after_s: limits.retry_after_s,
  });
}

function overloaded(): Fault {
  return new Fault("unavailable", "too many requests at once; try again shortly", {
    retry_after_s: limits.retry_after_s,
  });
}
