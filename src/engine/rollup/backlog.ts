// The writes whose samples are not rolled up yet: their stamps and how many samples each stored.

/** A write's stamp and the number of its samples. */
export type Stamp = { readonly received_at: number; readonly rows: number };

/** Hands out writes in the order of their stamps; each is counted once, when it is first seen. */
export class Backlog {
  #stamps: readonly Stamp[] = [];

  /** The last write that is known, if one waits. */
  get last_us(): number | undefined {
    return this.#stamps.at(-1)?.received_at;
  }

  /** Adds writes, all after the last one. */
  add(stamps: readonly Stamp[]): void {
    this.#stamps = [...this.#stamps, ...stamps];
  }

  /** Forgets the writes up to `upto`: they are rolled up. */
  drop(upto: number): void {
    this.#stamps = this.#stamps.filter(({ received_at }) => received_at > upto);
  }

  /** The stamp of the last of the next writes, at least one, with at most about `rows` samples. */
  next(rows: number): number | undefined {
    let taken = 0;
    const end = this.#stamps.findIndex((stamp) => (taken += stamp.rows) > rows);
    return this.#stamps.at(end < 0 ? -1 : Math.max(end - 1, 0))?.received_at;
  }

  /** How many samples wait. */
  rows(): number {
    return this.#stamps.reduce((sum, { rows }) => sum + rows, 0);
  }
}
