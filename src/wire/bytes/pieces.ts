// Gathers the parts of a stream into pieces that are worth sending: large ones go as they are.
import { body_limits } from "./limits.ts";

/**
 * Parts in order, taken as pieces of at most `body_limits.piece_bytes`. Small parts are copied
 * together; a part that is large by itself is passed on without a copy.
 */
export class Pieces {
  readonly #ready: Uint8Array[] = [];
  #room: number = body_limits.first_piece_bytes;
  #open = new Uint8Array(0);
  #at = 0;

  /** Adds one part, which nobody may change from now on. */
  add(part: Uint8Array): void {
    if (part.length >= body_limits.piece_bytes / 2) {
      this.#close();
      for (let at = 0; at < part.length; at += body_limits.piece_bytes) {
        this.#ready.push(part.subarray(at, at + body_limits.piece_bytes));
      }
      return;
    }
    if (this.#at + part.length > this.#open.length) {
      this.#close();
      this.#open = new Uint8Array(Math.max(this.#room, part.length));
      this.#room = Math.min(body_limits.piece_growth * this.#room, body_limits.piece_bytes);
    }
    this.#open.set(part, this.#at);
    this.#at += part.length;
  }

  /** Takes the pieces that are full. */
  *full(): Generator<Uint8Array, void> {
    yield* this.#ready.splice(0);
  }

  /** Takes all that is left. */
  *rest(): Generator<Uint8Array, void> {
    this.#close();
    yield* this.#ready.splice(0);
  }

  #close(): void {
    if (this.#at > 0) this.#ready.push(this.#open.subarray(0, this.#at));
    this.#open = this.#open.subarray(this.#at);
    this.#at = 0;
  }
}
