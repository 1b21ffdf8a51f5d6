// What waits to be delivered to one subscription, in memory: the next of it, in order.

/** A delivery that waits. */
export type Waiting = {
  readonly delivery_no: number;
  readonly event_no: number;
  /** Attempts made so far. */
  readonly attempts: number;
  /** On the clock that never jumps, microseconds. */
  readonly due_us: number;
};

/** Orders what waits: negative where the first comes first. */
export type Order = (a: Waiting, b: Waiting) => number;

/** In the order of events. */
export function byEvent(a: Waiting, b: Waiting): number {
  return a.event_no - b.event_no || a.delivery_no - b.delivery_no;
}

/** In the order in which they are due. */
export function byDue(a: Waiting, b: Waiting): number {
  return a.due_us - b.due_us || a.delivery_no - b.delivery_no;
}

/** A sorted queue; what comes mostly goes to its end. */
export class Queue {
  readonly #order: Order;
  #items: Waiting[] = [];
  #taken = 0;

  constructor(order: Order, items: readonly Waiting[] = []) {
    this.#order = order;
    this.#items = items.toSorted(order);
  }

  get size(): number {
    return this.#items.length - this.#taken;
  }

  /** The first one. */
  peek(): Waiting | undefined {
    return this.#items[this.#taken];
  }

  /** The first ones, `count` at most. */
  upcoming(count: number): readonly Waiting[] {
    return this.#items.slice(this.#taken, this.#taken + count);
  }

  /** Takes the first one out. */
  shift(): void {
    this.#taken++;
    if (this.#taken < 1_000 && this.#taken < this.#items.length) return;
    this.#items = this.#items.slice(this.#taken);
    this.#taken = 0;
  }

  /** Puts one in its place. */
  put(item: Waiting): void {
    let [low, high] = [this.#taken, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#order(this.#items[middle], item) <= 0) low = middle + 1;
      else high = middle;
    }
    this.#items.splice(low, 0, item);
  }

  /** Drops all but the first `count`; gives the last that stays. */
  cut(count: number): Waiting {
    this.#items.length = this.#taken + count;
    return this.#items.at(-1)!;
  }
}
