// A background loop: does what is due, sleeps until more is, and tries again what failed.
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { Bell } from "../../base/in_time.ts";

const log = getLogger(["wattkeeper", "loop"]);

/** What a loop does, and when. */
export type LoopOptions = {
  /** What it does, for the log and the metrics: "rolling up samples". */
  readonly name: string;
  readonly effects: Pick<Effects, "sleep">;
  /** Does all that is due and gives the milliseconds until it is to look again; Infinity: never. */
  readonly turn: (signal: AbortSignal) => Promise<number>;
  /** How long it waits after a turn that failed. */
  readonly retry_ms: number;
  /** How long it waits before its first turn; not at all where it is left out. */
  readonly first_ms?: number;
  /** How long it waits once more when it wakes up, so that a turn has more to do. */
  readonly gather_ms?: number;
};

/** Runs turn after turn, one at a time. A turn that fails is tried again, and never ends it. */
export class Loop {
  /** Waited for before each turn, where there is something that goes first. */
  goesAfter: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly #options: LoopOptions;
  readonly #bell = new Bell();
  #failures = 0;
  #has_failed = false;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Turns that failed since the last one that did not. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether it has ended of itself. */
  get has_failed(): boolean {
    return this.#has_failed;
  }

  /** Says that there is something to do; during a turn it makes another turn follow. */
  wake(): void {
    this.#bell.ring();
  }

  /** Runs until `signal` aborts; resolves after the running turn. */
  async run(signal: AbortSignal): Promise<void> {
    const { effects, first_ms = 0, gather_ms = 0 } = this.#options;
    try {
      if (first_ms > 0) await effects.sleep(first_ms, signal);
      for (;;) {
        if (this.goesAfter) await this.goesAfter(signal);
        if (signal.aborted) return;
        const wait_ms = await this.#turn(signal);
        await this.#bell.wait({ wait_ms, effects, signal });
        if (wait_ms > 0 && gather_ms > 0) await effects.sleep(gather_ms, signal);
      }
    } catch (error) {
      this.#failures++;
      this.#has_failed = true;
      log.error("{loop} has ended: {error}", { loop: this.name, error });
      throw error;
    }
  }

  /** One turn; gives how long to sleep after it. */
  async #turn(signal: AbortSignal): Promise<number> {
    const { turn, effects, retry_ms } = this.#options;
    this.#bell.still();
    try {
      const wait_ms = await turn(signal);
      if (this.#failures > 0) log.info("{loop} works again", { loop: this.name });
      this.#failures = 0;
      return wait_ms;
    } catch (error) {
      this.#failures++;
      this.#logNowAndThen(error);
      await effects.sleep(retry_ms, signal);
      return 0;
    }
  }

  /** Logs the first failure in a row, the 10th, the 100th and so on: a full disk fills no log. */
  #logNowAndThen(error: unknown): void {
    const failures = this.#failures;
    if (!/^10*$/.test(`${failures}`)) return;
    log.error("{loop} failed ({failures} in a row) and is tried again: {error}", {
      loop: this.name,
      ...{ failures, error },
    });
  }
}
