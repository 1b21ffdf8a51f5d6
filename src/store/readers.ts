// The connections that reads lease: a few at a time, in the order of asking.
import type { Effects } from "../base/effects.ts";
import { Fault } from "../base/fault.ts";
import { inTime } from "../base/in_time.ts";
import { limits } from "../base/limits.ts";
import { database_limits } from "./limits.ts";
import type { Connection } from "./connection.ts";

/** Why nothing is interrupted any more. A signal that is given no reason makes an error. */
const has_ended = "the work has ended";

/** So many may work at a time; the others wait, in the order of asking. */
class Places {
  readonly #effects: Pick<Effects, "sleep">;
  /** What is said to who has waited too long. */
  readonly #busy: string;
  /** Who waits for a place, the longest first; each is told that it has one. */
  readonly #waiting = new Set<() => void>();
  #free: number = database_limits.readers;

  constructor(effects: Pick<Effects, "sleep">, busy: string) {
    this.#effects = effects;
    this.#busy = busy;
  }

  /** Throws a `Fault` (unavailable) where none comes free in time. */
  async enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const place = Promise.withResolvers<void>();
    this.#waiting.add(place.resolve);
    const wait_ms = database_limits.reader_wait_ms;
    await inTime(place.promise, { wait_ms, effects: this.#effects, signal });
    const has_place = !this.#waiting.delete(place.resolve);
    if (has_place) return;
    signal?.throwIfAborted();
    throw new Fault("unavailable", `${this.#busy}; try again shortly`, {
      retry_after_s: limits.retry_after_s,
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free++;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

/**
 * Opens connections as they are needed and keeps those that worked for the next read. Who may read
 * old days elsewhere, which can hang, has a place among those that do: others never wait for it.
 */
export class Readers {
  readonly #open: () => Connection;
  readonly #effects: Pick<Effects, "sleep">;
  readonly #idle: Connection[] = [];
  readonly #near: Places;
  readonly #far: Places;

  constructor(open: () => Connection, effects: Pick<Effects, "sleep">) {
    this.#open = open;
    this.#effects = effects;
    this.#near = new Places(effects, "the database is busy");
    this.#far = new Places(effects, "others wait for old days, too");
  }

  /**
   * Runs `work` on a connection that nobody else uses. Throws a `Fault` (unavailable) when none
   * comes free in time. When `signal` aborts, it waits no longer, and the running statement and
   * those that follow are interrupted and throw.
   */
  async run<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let place: Places | undefined;
    const goTo = async (places: Places) => {
      if (place === places) return;
      place?.leave();
      place = undefined;
      await places.enter(signal);
      place = places;
    };
    await goTo(this.#near);
    try {
      signal?.throwIfAborted();
      const connection = this.#idle.pop() ?? this.#open();
      connection.onFar = () => goTo(this.#far);
      return await this.#use(connection, work, signal);
    } finally {
      place?.leave();
    }
  }

  /** Closes the connections; nothing may be running. */
  close(): void {
    for (const connection of this.#idle) connection.close();
  }

  /** One that fails may be in the middle of something: it is not kept. */
  async #use<T>(
    connection: Connection,
    work: (connection: Connection) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    let ended: AbortController | undefined;
    // One that comes before its statement runs is forgotten, and others may follow that.
    const interrupt = async () => {
      ended = new AbortController();
      while (!ended.signal.aborted) {
        connection.interrupt();
        await this.#effects.sleep(database_limits.interrupt_again_ms, ended.signal);
      }
    };
    signal?.addEventListener("abort", interrupt);
    try {
      signal?.throwIfAborted();
      const result = await work(connection);
      this.#idle.push(connection);
      return result;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      signal?.removeEventListener("abort", interrupt);
      ended?.abort(has_ended);
    }
  }
}
