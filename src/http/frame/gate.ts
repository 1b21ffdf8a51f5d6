// The gates of the service, one a kind of work, so that no kind takes another's room.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { inTime } from "../../base/in_time.ts";
import { limits } from "../../base/limits.ts";
import { request_limits } from "./limits.ts";
import type { Readings } from "./metrics.ts";
import { isStreamed, type Route } from "./route.ts";

/** Short requests, downloads, and streams of events, which stay open. */
type Kind = "request" | "stream" | "events";

/** Admits requests by the kind of their route. */
export class Gates {
  /** Whether new work is taken. */
  open = true;
  readonly #gates: Readonly<Record<Kind, Gate>>;

  constructor(effects: Pick<Effects, "sleep">) {
    const queue = {
      queued: request_limits.queued,
      queued_per_token: request_limits.queued_per_token,
    };
    this.#gates = {
      request: new Gate({
        ...{ ...queue, noun: "requests" },
        running: request_limits.requests_in_flight,
        running_per_token: request_limits.requests_per_token,
      }, effects),
      stream: new Gate({
        ...{ ...queue, noun: "downloads" },
        running: request_limits.streams_in_flight,
        running_per_token: request_limits.streams_per_token,
      }, effects),
      // Nobody waits for what may stay open for days.
      events: new Gate({
        ...{ queued: 0, queued_per_token: 0, noun: "streams of events" },
        running: request_limits.events_in_flight,
        running_per_token: request_limits.events_per_token,
      }, effects),
    };
  }

  /** How many requests run now, by kind. */
  get in_flight(): Readings {
    return Object.fromEntries(this.#all.map(([kind, gate]) => [kind, gate.in_flight]));
  }

  /** How many were refused for want of a slot, by kind and by whose bound it was. */
  get refused(): Readings {
    return Object.fromEntries(
      this.#all.flatMap(([kind, { refused }]) =>
        Object.entries(refused).map(([whose, count]) => [`${kind}_${whose}`, count])
      ),
    );
  }

  /** Takes a slot for a request on a route, as `Gate.enter` does. */
  enter(route: Route, token_id: string, asker: Asker): Promise<() => void> {
    return this.#gates[kindOf(route)].enter(token_id, asker);
  }

  /** Throws a `Fault` (unavailable) once the gates are closed; what runs or waits goes on. */
  requireOpen(): void {
    if (this.open) return;
    throw new Fault("unavailable", "the service is stopping", {
      retry_after_s: limits.retry_after_s,
    });
  }

  get #all(): readonly [string, Gate][] {
    return Object.entries(this.#gates);
  }
}

function kindOf({ answer }: Route): Kind {
  if (answer.kind === "events") return "events";
  return isStreamed(answer) ? "stream" : "request";
}

/** How many may run at once, and how many may wait: in all and of one token. */
export type Bounds = {
  /** What is bounded, in refusals. */
  readonly noun: string;
  /** Whose share it is; by default a token's. */
  readonly whose?: string;
  readonly running: number;
  readonly running_per_token: number;
  readonly queued: number;
  readonly queued_per_token: number;
};

/** Who enters; its signal ends the wait, and is not looked at where there is none. */
type Asker = { readonly signal: AbortSignal };

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

  constructor(bounds: Bounds, effects: Pick<Effects, "sleep">) {
    this.#bounds = bounds;
    this.#effects = effects;
  }

  /** How many run now. */
  get in_flight(): number {
    return this.#in_all;
  }

  /**
   * Takes a slot for a token and gives the function that frees it, which may be called again. When
   * there is no room in the queue, or no slot came free in time, throws a `Fault`: too_many where
   * the token runs its whole share, unavailable where the service is full.
   */
  async enter(token_id: string, asker: Asker): Promise<() => void> {
    if (this.#isFree(token_id)) this.#take(token_id);
    else await this.#wait(token_id, asker.signal);
    let held = true;
    return () => {
      if (held) this.#leave(token_id);
      held = false;
    };
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
    const wait_ms = request_limits.queue_wait_ms;
    await inTime(slot.promise, { wait_ms, effects: this.#effects, signal });
    const at = this.#waiting.indexOf(entry);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#refuse(token_id);
  }

  #refuse(token_id: string): never {
    const whose = this.#hasShare(token_id) ? "token" : "service";
    this.refused[whose]++;
    throw overloaded(whose, this.#bounds);
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

function overloaded(
  full: "token" | "service",
  { noun, whose = "token" }: Pick<Bounds, "noun" | "whose">,
): Fault {
  const { retry_after_s } = limits;
  if (full === "service") {
    return new Fault("unavailable", `too many ${noun} at once; try again shortly`, {
      retry_after_s,
    });
  }
  const message = `too many ${noun} of this ${whose} at once; try again when one has ended`;
  return new Fault("too_many", message, { retry_after_s });
}
