// The gates of the service, one a kind of work, so that no kind takes another's room.
import type { Effects } from "../../base/effects.ts";
import { limits } from "../../base/limits.ts";
import { Gate } from "./concurrency_limit.ts";
import type { Readings } from "./metrics.ts";
import type { Route } from "./route.ts";

/** Short requests, downloads, and streams of events, which stay open. */
type Kind = "request" | "stream" | "events";

/** Admits requests by the kind of their route. */
export class Gates {
  readonly #gates: Readonly<Record<Kind, Gate>>;

  constructor(effects: Pick<Effects, "sleep">) {
    const queue = { queued: limits.queued, queued_per_token: limits.queued_per_token };
    this.#gates = {
      request: new Gate({
        ...{ ...queue, noun: "requests" },
        running: limits.requests_in_flight,
        running_per_token: limits.requests_per_token,
      }, effects),
      stream: new Gate({
        ...{ ...queue, noun: "downloads" },
        running: limits.streams_in_flight,
        running_per_token: limits.streams_per_token,
      }, effects),
      // Nobody waits for what may stay open for days.
      events: new Gate({
        ...{ queued: 0, queued_per_token: 0, noun: "streams of events" },
        running: limits.events_in_flight,
        running_per_token: limits.events_per_token,
      }, effects),
    };
  }

  /** Whether new work is taken. */
  get open(): boolean {
    return this.#gates.request.open;
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
  enter(route: Route, token_id: string, signal: AbortSignal): Promise<() => void> {
    return this.#gates[kindOf(route)].enter(token_id, signal);
  }

  /** Refuses all that come from now on. */
  close(): void {
    for (const [, gate] of this.#all) gate.close();
  }

  get #all(): readonly [string, Gate][] {
    return Object.entries(this.#gates);
  }
}

function kindOf({ answer }: Route): Kind {
  if (answer.kind === "events") return "events";
  const is_streamed = answer.kind === "stream" || answer.kind === "json" && answer.streamed;
  return is_streamed ? "stream" : "request";
}
