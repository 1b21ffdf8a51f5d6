// Whose turn it is to send: round robin, within what may be under way over all and to one origin.
import { limits } from "../../base/limits.ts";
import type { Lane } from "./endpoint_queue.ts";
import type { Waiting } from "./priority_queue.ts";

/** The lanes of all subscriptions, and what is under way of them. */
export class Turns {
  /** The one whose turn is longest ago first. */
  readonly #lanes = new Map<number, Lane>();
  readonly #by_origin = new Map<string, number>();
  #flying = 0;

  /** Attempts under way. */
  get flying(): number {
    return this.#flying;
  }

  get lanes(): Iterable<Lane> {
    return this.#lanes.values();
  }

  get(subscription_no: number): Lane | undefined {
    return this.#lanes.get(subscription_no);
  }

  put(lane: Lane): void {
    this.#lanes.set(lane.subscription_no, lane);
  }

  remove(subscription_no: number): void {
    this.#lanes.delete(subscription_no);
  }

  /** The lane whose turn it is; undefined where none may send now. */
  next(now_us: number): Lane | undefined {
    if (this.#flying >= limits.webhooks_in_flight) return undefined;
    for (const lane of this.#lanes.values()) {
      if (lane.ready_us > now_us) continue;
      if ((this.#by_origin.get(lane.origin) ?? 0) < limits.webhooks_per_origin) return lane;
    }
  }

  /** Says that a lane sends what it claimed; gives what says that this ended. */
  begin(lane: Lane, waiting: Waiting): () => void {
    const { origin, subscription_no } = lane;
    this.#flying++;
    this.#by_origin.set(origin, (this.#by_origin.get(origin) ?? 0) + 1);
    if (this.#lanes.delete(subscription_no)) this.#lanes.set(subscription_no, lane);
    return () => {
      this.#flying--;
      lane.land(waiting);
      const left = this.#by_origin.get(origin)! - 1;
      if (left > 0) this.#by_origin.set(origin, left);
      else this.#by_origin.delete(origin);
    };
  }

  /** When the next lane may send that may not yet; Infinity: something else has to happen first. */
  nextUs(now_us: number): number {
    let least_us = Infinity;
    for (const { ready_us } of this.#lanes.values()) {
      if (ready_us > now_us && ready_us < least_us) least_us = ready_us;
    }
    return least_us;
  }
}
