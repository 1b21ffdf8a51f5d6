// The queues of deliveries, one for each subscription's endpoint, and whose turn it is to send.
import { limits } from "../../base/limits.ts";
import { Breaker, type BreakerAttempt } from "../../model/webhooks/breaker.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";

/** A delivery that waits. */
export type Waiting = {
  readonly delivery_no: number;
  readonly event_no: number;
  /** Attempts made so far. */
  readonly attempts: number;
  /** On the clock that never jumps, microseconds. */
  readonly due_us: number;
};

/** The lanes of all subscriptions, and what is under way of them. */
export class Turns {
  /** The one whose turn is longest ago first. */
  readonly #lanes = new Map<number, Lane>();
  readonly #by_origin = new Map<string, number>();
  #flying = 0;

  /** Attempts under way. */
  get flying(): number {
    return this.#flying;
  }

  get lanes(): Iterable<Lane> {
    return this.#lanes.values();
  }

  get(subscription_no: number): Lane | undefined {
    return this.#lanes.get(subscription_no);
  }

  put(lane: Lane): void {
    this.#lanes.set(lane.subscription_no, lane);
  }

  remove(subscription_no: number): void {
    this.#lanes.delete(subscription_no);
  }

  /** The lane whose turn it is; undefined where none may send now. */
  next(now_us: number): Lane | undefined {
    if (this.#flying >= limits.webhooks_in_flight) return undefined;
    for (const lane of this.#lanes.values()) {
      if (lane.ready_us > now_us) continue;
      if ((this.#by_origin.get(lane.origin) ?? 0) < limits.webhooks_per_origin) return lane;
    }
  }

  /** Says that a lane sends what it claimed; gives what says that this ended. */
  begin(lane: Lane, waiting: Waiting): () => void {
    const { origin, subscription_no } = lane;
    this.#flying++;
    this.#by_origin.set(origin, (this.#by_origin.get(origin) ?? 0) + 1);
    if (this.#lanes.delete(subscription_no)) this.#lanes.set(subscription_no, lane);
    return () => {
      this.#flying--;
      lane.land(waiting);
      const left = this.#by_origin.get(origin)! - 1;
      if (left > 0) this.#by_origin.set(origin, left);
      else this.#by_origin.delete(origin);
    };
  }

  /** When the next lane may send that may not yet; Infinity: something else has to happen first. */
  nextUs(now_us: number): number {
    let least_us = Infinity;
    for (const { ready_us } of this.#lanes.values()) {
      if (ready_us > now_us && ready_us < least_us) least_us = ready_us;
    }
    return least_us;
  }
}

/**
 * The next of a subscription's pending deliveries; the rest stays in the database until there is
 * room. What is claimed is neither sent nor read again until it is settled.
 */
export class Lane {
  readonly subscription_no: number;
  breaker = new Breaker();
  /** Since when there has been nothing but failures, on the clock that never jumps. */
  failing_since_us: number | undefined;
  /** Attempts under way. */
  flying = 0;
  #subscription: Subscription;
  #order: Order;
  #queue: Queue;
  readonly #claimed = new Map<number, BreakerAttempt>();
  /** Those of them that failed, and are not settled yet. */
  readonly #failed = new Set<number>();
  /** The last that would be in memory: what comes behind it may be in the database alone. */
  #horizon: Waiting | "none" | "all" = "none";
  /** The newest delivery that was read; numbers rise in the order of commits. */
  #read_to = 0;
  /** What came while the lane was being read; undefined while it is not. */
  #arrived: Waiting[] | undefined;
  #origin = "";

  constructor(subscription: Subscription) {
    this.subscription_no = subscription.subscription_no;
    this.#subscription = subscription;
    this.#order = orderOf(subscription);
    this.#queue = new Queue(this.#order);
    this.#origin = new URL(subscription.target).origin;
  }

  get subscription(): Subscription {
    return this.#subscription;
  }

  /** Where its target leads to: scheme, host and port. */
  get origin(): string {
    return this.#origin;
  }

  /** Takes a changed subscription: what it had to deliver is read anew, past failures forgiven. */
  change(subscription: Subscription): void {
    const is_new = subscription.updated_at !== this.#subscription.updated_at;
    this.#subscription = subscription;
    if (!is_new) return;
    this.#origin = new URL(subscription.target).origin;
    this.#order = orderOf(subscription);
    this.#queue = new Queue(this.#order);
    this.#horizon = "none";
    this.#arrived = undefined;
    this.breaker = new Breaker();
    this.failing_since_us = undefined;
  }

  /** From when the next one may be sent; Infinity while that depends on what is under way. */
  get ready_us(): number {
    const next = this.#queue.peek();
    const { state, is_ordered } = this.#subscription;
    if (next === undefined || state !== "enabled") return Infinity;
    const most = is_ordered ? 1 : limits.webhooks_per_subscription;
    // What failed waits in front again once it is settled: in order nothing may pass it.
    const under_way = is_ordered ? this.flying + this.#failed.size : this.flying;
    return under_way < most ? Math.max(next.due_us, this.breaker.from_us) : Infinity;
  }

  /** The next ones, `count` at most. */
  upcoming(count: number): readonly Waiting[] {
    return this.#queue.upcoming(count);
  }

  /** Takes the next one out, to be sent. */
  claim(): Waiting {
    const next = this.#queue.peek()!;
    this.#queue.shift();
    this.#claimed.set(next.delivery_no, this.breaker.begin());
    this.flying++;
    return next;
  }

  /** Says how the attempt of a claimed one ended, at an instant of the clock that never jumps. */
  note(
    { delivery_no }: Waiting,
    { is_good, now_us }: { readonly is_good: boolean; readonly now_us: number },
  ): void {
    const attempt = this.#claimed.get(delivery_no)!;
    if (is_good) {
      attempt.succeed(now_us);
      this.failing_since_us = undefined;
    } else {
      attempt.fail(now_us);
      this.failing_since_us ??= now_us;
      this.#failed.add(delivery_no);
    }
  }

  /** Says that a claimed one is no longer under way, whatever came of it. */
  land({ delivery_no }: Waiting): void {
    this.flying--;
    this.#claimed.get(delivery_no)?.end();
  }

  /** Says that a claimed one is settled, and in the database as such. */
  release({ delivery_no }: Waiting): void {
    this.#claimed.delete(delivery_no);
    this.#failed.delete(delivery_no);
  }

  /** Takes a new one that was just stored. */
  hear(waiting: Waiting): void {
    if (this.#arrived) this.#arrived.push(waiting);
    // Word of it may come after it was read.
    else if (waiting.delivery_no > this.#read_to) this.add(waiting);
  }

  /** Takes one that the database holds; leaves it there where others come before it. */
  add(waiting: Waiting): void {
    if (this.#isNear(waiting)) this.#put(waiting);
  }

  /** Whether there may be more in the database than in memory, and room for it. */
  get needs_reading(): boolean {
    return this.#subscription.state === "enabled" && this.#horizon !== "all" &&
      this.#arrived === undefined && this.#queue.size < limits.webhooks_waiting / 2;
  }

  /** Says that the lane is being read; gives what takes the page, unless it is stale by then. */
  read(): (page: readonly Waiting[]) => void {
    const arrived: Waiting[] = this.#arrived = [];
    return (page) => {
      if (this.#arrived !== arrived) return;
      this.#arrived = undefined;
      for (const { delivery_no } of page) this.#read_to = Math.max(this.#read_to, delivery_no);
      const open = page.filter(({ delivery_no }) => !this.#claimed.has(delivery_no));
      this.#queue = new Queue(this.#order, open);
      this.#horizon = page.length < limits.webhooks_waiting ? "all" : page.at(-1)!;
      for (const waiting of arrived) this.hear(waiting);
    };
  }

  /** Says that reading failed: it is to be done again. */
  unread(): void {
    this.#arrived = undefined;
    this.#horizon = "none";
  }

  #isNear(waiting: Waiting): boolean {
    if (this.#horizon === "none") return false;
    return this.#horizon === "all" || this.#order(waiting, this.#horizon) <= 0;
  }

  #put(waiting: Waiting): void {
    this.#queue.put(waiting);
    if (this.#queue.size < 2 * limits.webhooks_waiting) return;
    this.#horizon = this.#queue.cut(limits.webhooks_waiting);
  }
}

function orderOf({ is_ordered }: Subscription): Order {
  return is_ordered ? byEvent : byDue;
}

/** Orders what waits: negative where the first comes first. */
type Order = (a: Waiting, b: Waiting) => number;

/** In the order of events. */
function byEvent(a: Waiting, b: Waiting): number {
  return a.event_no - b.event_no || a.delivery_no - b.delivery_no;
}

/** In the order in which they are due. */
function byDue(a: Waiting, b: Waiting): number {
  return a.due_us - b.due_us || a.delivery_no - b.delivery_no;
}

/** A sorted queue; what comes mostly goes to its end. */
class Queue {
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
