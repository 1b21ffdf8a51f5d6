// Notices that the wall clock was set, so that whatever keeps instants of it follows at once.
import type { Effects } from "../../base/effects.ts";
import type { Log } from "../core/log.ts";
import { Loop } from "../core/loop.ts";
import { service_limits } from "./limits.ts";

type Parts = {
  readonly effects: Pick<Effects, "now_us" | "monotonic_ms" | "sleep">;
  readonly log: Log;
  /** Lets everything follow; told how far the clock was set, back where it is negative. */
  readonly follow: (set_us: number) => Promise<void>;
};

/**
 * Compares the wall clock with the one that never jumps, every few seconds: nobody else has to wake
 * up for that, and sleeps until what is due by the clock. A machine that slept looks like a clock
 * that was set forth.
 */
export class ClockWatch {
  /** Looks in the background. */
  readonly loop: Loop;
  readonly #parts: Parts;
  /** How far the two clocks are apart. */
  #apart_us: number;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#apart_us = this.#apartUs();
    this.loop = new Loop({
      name: "watching the clock",
      effects: parts.effects,
      retry_ms: service_limits.clock_look_ms,
      turn: async () => {
        await this.look();
        return service_limits.clock_look_ms;
      },
    });
  }

  /** One look. A set of the clock that not everything could follow is told again. */
  async look(): Promise<void> {
    const { follow, log } = this.#parts;
    const apart_us = this.#apartUs();
    const set_us = apart_us - this.#apart_us;
    if (Math.abs(set_us) >= service_limits.clock_set_us) {
      const seconds = Math.round(Math.abs(set_us) / 1_000_000);
      if (set_us < 0) log.warning("the clock was set back by {seconds} s", { seconds });
      else log.warning("the clock was set forth by {seconds} s, or the machine slept", { seconds });
      await follow(set_us);
    }
    this.#apart_us = apart_us;
  }

  #apartUs(): number {
    const { effects } = this.#parts;
    return effects.now_us() - effects.monotonic_ms() * 1000;
  }
}
