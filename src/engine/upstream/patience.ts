// What is wrong with a destination, since when, and when it is tried again.
import type { Effects } from "../../base/effects.ts";
import { retryWaitMs } from "../../model/upstream/upstream.ts";
import type { LineFault } from "./line.ts";

type PatienceParts = {
  readonly effects: Pick<Effects, "monotonic_ms" | "now_us" | "random">;
  /** Is told of a reason that is new. */
  readonly onTrouble: (reason: string) => void;
  /** Is told when nothing is wrong any more. */
  readonly onEnd: () => void;
};

type Trouble = {
  readonly reason: string;
  readonly since_us: number;
  readonly tries: number;
  readonly next_ms: number;
};

/** Waits longer from failure to failure. */
export class Patience {
  readonly #parts: PatienceParts;
  #trouble: Trouble | undefined;

  constructor(parts: PatienceParts) {
    this.#parts = parts;
  }

  /** What is wrong, and what to do; null where nothing is. */
  get reason(): string | null {
    return this.#trouble?.reason ?? null;
  }

  get since_us(): number | null {
    return this.#trouble?.since_us ?? null;
  }

  /** In how many milliseconds the next try is; null where nothing is wrong. */
  get next_try_ms(): number | null {
    if (this.#trouble === undefined) return null;
    return Math.max(0, this.#trouble.next_ms - this.#parts.effects.monotonic_ms());
  }

  /** Notes a failure; gives how long to wait, in milliseconds. */
  waitAfter({ message, retry_after_ms }: Pick<LineFault, "message" | "retry_after_ms">): number {
    const { effects, onTrouble } = this.#parts;
    const tries = (this.#trouble?.tries ?? 0) + 1;
    const [byte] = effects.random(1);
    const wait_ms = retryWaitMs(tries, { share: byte / 256, retry_after_ms });
    if (this.#trouble?.reason !== message) onTrouble(message);
    this.#trouble = {
      reason: message,
      since_us: this.#trouble?.since_us ?? effects.now_us(),
      tries,
      next_ms: effects.monotonic_ms() + wait_ms,
    };
    return wait_ms;
  }

  /** Nothing is wrong any more. */
  end(): void {
    if (this.#trouble === undefined) return;
    this.forget();
    this.#parts.onEnd();
  }

  /** Begins anew, without a word. */
  forget(): void {
    this.#trouble = undefined;
  }
}
