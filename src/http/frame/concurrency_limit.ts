// How much runs at once: slots in all and per token, a short queue, then a refusal.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { inTime } from "../../base/in_time.ts";
import { limits } from "../../base/limits.ts";

/** How many may run at once, and how many may wait: in all and of one token. */
export type Bounds = {
  /** What is bounded, in refusals. */
  readonly noun: string;
  readonly running: number;
  readonly running_per_token: number;
  readonly queued: number;
  readonly queued_per_token: number;
};

type Waiting = { readonly token_id: string; readonly admit: () => void };

/** Counts what runs, makes the next wait for a slot, and refuses when too many wait. */
export class Gate {
  /** How many were refused: over the share of their token, or because the service is full. */
  readonly refused = { token: 0, service: 0 };
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
   * Takes a slot for a token and gives the function that frees it, which may be called again. When
   * there is no room in the queue, or no slot came free in time, throws a `Fault`: too_many where
   * the token runs its whole share, unavailable where the service is full. Unavailable, too, once
   * the gate is closed.
   */
  async enter(token_id: string, signal: AbortSignal): Promise<() => void> {
    if (!this.#open) throw stopping();
    if (this.#isFree(token_id)) this.#take(token_id);
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

  #isFree(token_id: string): boolean {
    return this.#in_all < this.#bounds.running && !this.#hasShare(token_id);
  }

  /** Whether a token runs as many as it may. */
  #hasShare(token_id: string): boolean {
    return (this.#running.get(token_id) ?? 0) >= this.#bounds.running_per_token;
  }

  #take(token_id: string): void {
    this.#in_all++;
    this.#running.set(token_id, (this.#running.get(token_id) ?? 0) + 1);
  }

  async #wait(token_id: string, signal: AbortSignal): Promise<void> {
    const of_token = this.#waiting.filter((entry) => entry.token_id === token_id).length;
    const { queued, queued_per_token } = this.#bounds;
    if (this.#waiting.length >= queued || of_token >= queued_per_token) this.#refuse(token_id);
    const slot = Promise.withResolvers<void>();
    const entry = { token_id, admit: slot.resolve };
    this.#waiting.push(entry);
    const wait_ms = limits.queue_wait_ms;
    await inTime(slot.promise, { wait_ms, effects: this.#effects, signal });
    const at = this.#waiting.indexOf(entry);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#refuse(token_id);
  }

  #refuse(token_id: string): never {
    const whose = this.#hasShare(token_id) ? "token" : "service";
    this.refused[whose]++;
    throw overloaded(whose, this.#bounds.noun);
  }

  #leave(token_id: string): void {
    this.#in_all--;
    const left = (this.#running.get(token_id) ?? 1) - 1;
    if (left > 0) this.#running.set(token_id, left);
    else this.#running.delete(token_id);
    const at = this.#waiting.findIndex((entry) => this.#isFree(entry.token_id));
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

function overloaded(whose: "token" | "service", noun: string): Fault {
  const { retry_after_s } = limits;
  if (whose === "service") {
    return new Fault("unavailable", `too many ${noun} at once; try again shortly`, {
      retry_after_s,
    });
  }
  const message = `too many ${noun} of this token at once; try again when one has ended`;
  return new Fault("too_many", message, { retry_after_s });
}
