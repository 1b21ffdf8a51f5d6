// The budget of what requests hold in memory: bodies from their first byte to their answer, files
// of links until they are sent.
import { Fault } from "./fault.ts";
import { limits } from "./limits.ts";

/** Counts what a reader of a body holds. */
export type Meter = {
  /** Bytes that are about to be held. Throws a `Fault` when there is no room for them. */
  readonly take: (bytes: number) => void;
  /** Bytes that are held no longer. */
  readonly give: (bytes: number) => void;
};

/** Counts nothing: for a command that reads one file after another. */
export const unmetered: Meter = { take() {}, give() {} };

/** Refusals since the start, by their kind. */
type Refused = { too_large: number; too_many: number; unavailable: number };

/**
 * Bytes for all bodies together. Those of one token get half: whoever floods leaves room for the
 * others.
 */
export class Budget {
  readonly #bytes: number;
  readonly #token_bytes: number;
  readonly #tokens = new Map<string, number>();
  #reserved_bytes = 0;
  readonly #refused: Refused = { too_large: 0, too_many: 0, unavailable: 0 };

  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#token_bytes = bytes / 2;
  }

  /** The budget beside a database that may use `memory_mb` MiB: half as much, within a bound. */
  static beside(memory_mb: number): Budget {
    return new Budget(Math.min(limits.held_bytes, memory_mb * 1024 * 1024 / 2));
  }

  /** Bytes that are reserved now; what is free for every body is not among them. */
  get reserved_bytes(): number {
    return this.#reserved_bytes;
  }

  /** What was refused since the start. */
  get refused(): Readonly<Refused> {
    return this.#refused;
  }

  /** An account for one body of a token. */
  open(token_id: string): Account {
    return new Account((bytes, body_bytes) => this.#reserve(token_id, bytes, body_bytes));
  }

  /** Reserves bytes, or gives back what is below zero, for a body that has `body_bytes` then. */
  #reserve(token_id: string, bytes: number, body_bytes: number): void {
    const of_token = (this.#tokens.get(token_id) ?? 0) + bytes;
    if (bytes > 0) {
      if (body_bytes > this.#token_bytes) throw this.#tooLarge();
      if (of_token > this.#token_bytes) throw this.#noRoom("too_many", "of this token ");
      if (this.#reserved_bytes + bytes > this.#bytes) throw this.#noRoom("unavailable", "");
    }
    this.#reserved_bytes += bytes;
    if (of_token > 0) this.#tokens.set(token_id, of_token);
    else this.#tokens.delete(token_id);
  }

  #tooLarge(): Fault {
    this.#refused.too_large++;
    const most = `${this.#token_bytes} bytes of memory`;
    return new Fault("too_large", `this takes more than ${most} at once: send or read less`);
  }

  #noRoom(code: "too_many" | "unavailable", whose: string): Fault {
    this.#refused[code]++;
    const message = `too much ${whose}is being read or stored at once: try again, fewer at once`;
    return new Fault(code, message, { retry_after_s: limits.retry_after_s });
  }
}

/**
 * What one body holds. It reserves in steps, so that counting costs nothing. The first step is
 * free: a small body is taken whoever floods, and the bound on requests bounds these too.
 */
export class Account implements Meter {
  readonly #reserve: (bytes: number, body_bytes: number) => void;
  #held_bytes = 0;
  #reserved_bytes = 0;

  constructor(reserve: (bytes: number, body_bytes: number) => void) {
    this.#reserve = reserve;
  }

  take(bytes: number): void {
    this.#held_bytes += bytes;
    if (this.#held_bytes > this.#reserved_bytes + limits.held_step_bytes) this.#settle();
  }

  give(bytes: number): void {
    this.#held_bytes -= bytes;
    if (this.#held_bytes < this.#reserved_bytes - limits.held_step_bytes) this.#settle();
  }

  /** Gives all of it back: the body is answered. */
  close(): void {
    this.#held_bytes = 0;
    this.#settle();
  }

  /** Reserves what is held, in whole steps. */
  #settle(): void {
    const steps = Math.ceil(this.#held_bytes / limits.held_step_bytes) - 1;
    const wanted_bytes = Math.max(0, steps) * limits.held_step_bytes;
    this.#reserve(wanted_bytes - this.#reserved_bytes, wanted_bytes);
    this.#reserved_bytes = wanted_bytes;
  }
}
