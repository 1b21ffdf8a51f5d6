// The queues of deliveries, one for each subscription's endpoint, and whose turn it is to send.
import { webhook_limits } from "../../model/webhooks/limits.ts";
import { Breaker, type BreakerAttempt } from "../../model/webhooks/retry.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";

/** A delivery that is to be sent. */
export type PendingDelivery = {
  readonly delivery_no: number;
  readonly event_no: number;
  /** Attempts made so far. */
  readonly attempts: number;
  /** On the clock that never jumps, microseconds. */
  readonly due_us: number;
};

/** The queues of all subscriptions, served in turn: within what may be sent at once. */
export class EndpointQueues {
  /** The one whose turn is longest ago first. */
  readonly #queues = new Map<number, EndpointQueue>();
  readonly #by_origin = new Map<string, number>();
  #flying = 0;

  /** Attempts under way. */
  get flying(): number {
    return this.#flying;
  }

  get all(): Iterable<EndpointQueue> {
    return this.#queues.values();
  }

  get(subscription_no: number): EndpointQueue | undefined {
    return this.#queues.get(subscription_no);
  }

  put(queue: EndpointQueue): void {
    this.#queues.set(queue.subscription_no, queue);
  }

  remove(subscription_no: number): void {
    this.#queues.delete(subscription_no);
  }

  /** The queue whose turn it is; undefined where none may send now. */
  next(now_us: number): EndpointQueue | undefined {
    if (this.#flying >= webhook_limits.webhooks_in_flight) return undefined;
    for (const queue of this.#queues.values()) {
      if (queue.ready_us > now_us) continue;
      if ((this.#by_origin.get(queue.origin) ?? 0) < webhook_limits.webhooks_per_origin) {
        return queue;
      }
    }
  }

  /** Notes that a queue sends what it claimed; gives the call that notes the end of it. */
  begin(queue: EndpointQueue, delivery: PendingDelivery): () => void {
    const { origin, subscription_no } = queue;
    this.#flying++;
    this.#by_origin.set(origin, (this.#by_origin.get(origin) ?? 0) + 1);
    if (this.#queues.delete(subscription_no)) this.#queues.set(subscription_no, queue);
    return () => {
      this.#flying--;
      queue.land(delivery);
      const left = this.#by_origin.get(origin)! - 1;
      if (left > 0) this.#by_origin.set(origin, left);
      else this.#by_origin.delete(origin);
    };
  }

  /** When the next queue will be ready; Infinity: something else has to happen first. */
  nextUs(now_us: number): number {
    let least_us = Infinity;
    for (const { ready_us } of this.#queues.values()) {
      if (ready_us > now_us && ready_us < least_us) least_us = ready_us;
    }
    return least_us;
  }
}

/**
 * The next of a subscription's pending deliveries; the rest stays in the database until there is
 * room. What is claimed is neither sent nor read again until it is settled.
 */
export class EndpointQueue {
  readonly subscription_no: number;
  breaker = new Breaker();
  /** Since when there has been nothing but failures, on the clock that never jumps. */
  failing_since_us: number | undefined;
  /** Attempts under way. */
  flying = 0;
  #subscription: Subscription;
  #order: Order;
  #pending: SortedQueue;
  readonly #claimed = new Map<number, BreakerAttempt>();
  /** Those of them that failed, and are not settled yet. */
  readonly #failed = new Set<number>();
  /** The last that would be in memory: what comes behind it may be in the database alone. */
  #horizon: PendingDelivery | "none" | "all" = "none";
  /** The newest delivery that was read; numbers rise in the order of commits. */
  #read_to = 0;
  /** What arrived while a page was being read; undefined otherwise. */
  #arrived: PendingDelivery[] | undefined;
  #origin = "";

  constructor(subscription: Subscription) {
    this.subscription_no = subscription.subscription_no;
    this.#subscription = subscription;
    this.#order = orderOf(subscription);
    this.#pending = new SortedQueue(this.#order);
    this.#origin = new URL(subscription.target).origin;
  }

  get subscription(): Subscription {
    return this.#subscription;
  }

  /** Where its target leads to: scheme, host and port. */
  get origin(): string {
    return this.#origin;
  }

  /** Takes a changed subscription: pending deliveries are read again, failures are forgotten. */
  change(subscription: Subscription): void {
    const is_new = subscription.updated_at !== this.#subscription.updated_at;
    this.#subscription = subscription;
    if (!is_new) return;
    this.#origin = new URL(subscription.target).origin;
    this.#order = orderOf(subscription);
    this.readAnew();
    this.breaker = new Breaker();
    this.failing_since_us = undefined;
  }

  /** Forgets what waits in memory: it is read again. */
  readAnew(): void {
    this.#pending = new SortedQueue(this.#order);
    this.unread();
  }

  /** From when the next one may be sent; Infinity while that depends on what is under way. */
  get ready_us(): number {
    const next = this.#pending.peek();
    const { state, is_ordered } = this.#subscription;
    if (next === undefined || state !== "enabled") return Infinity;
    const most = is_ordered ? 1 : webhook_limits.webhooks_per_subscription;
    // What failed waits in front again once it is settled: in order nothing may pass it.
    const under_way = is_ordered ? this.flying + this.#failed.size : this.flying;
    return under_way < most ? Math.max(next.due_us, this.breaker.from_us) : Infinity;
  }

  /** The next ones, `count` at most. */
  upcoming(count: number): readonly PendingDelivery[] {
    return this.#pending.upcoming(count);
  }

  /** Takes the next one out, to be sent. */
  claim(): PendingDelivery {
    const next = this.#pending.peek()!;
    this.#pending.shift();
    this.#claimed.set(next.delivery_no, this.breaker.begin());
    this.flying++;
    return next;
  }

  /** Notes how the attempt of a claimed one ended, by the clock that never jumps. */
  note(
    { delivery_no }: PendingDelivery,
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

  /** Notes that a claimed one is no longer under way, whatever its outcome. */
  land({ delivery_no }: PendingDelivery): void {
    this.flying--;
    this.#claimed.get(delivery_no)?.end();
  }

  /** Notes that the outcome of a claimed one is stored. */
  release({ delivery_no }: PendingDelivery): void {
    this.#claimed.delete(delivery_no);
    this.#failed.delete(delivery_no);
  }

  /** Takes a new one that was just stored. */
  arrive(delivery: PendingDelivery): void {
    if (this.#arrived) this.#arrived.push(delivery);
    // It may have been read before this call.
    else if (delivery.delivery_no > this.#read_to) this.add(delivery);
  }

  /** Takes one that the database holds; leaves it there where others come before it. */
  add(delivery: PendingDelivery): void {
    if (this.#isNear(delivery)) this.#put(delivery);
  }

  /** Whether there may be more in the database than in memory, and room for it. */
  get needs_reading(): boolean {
    return this.#subscription.state === "enabled" && this.#horizon !== "all" &&
      this.#arrived === undefined && this.#pending.size < webhook_limits.webhooks_waiting / 2;
  }

  /** Notes that a page is being read; gives the call that takes it, if it is still valid then. */
  read(): (page: readonly PendingDelivery[]) => void {
    const arrived: PendingDelivery[] = this.#arrived = [];
    return (page) => {
      if (this.#arrived !== arrived) return;
      this.#arrived = undefined;
      for (const { delivery_no } of page) this.#read_to = Math.max(this.#read_to, delivery_no);
      const open = page.filter(({ delivery_no }) => !this.#claimed.has(delivery_no));
      this.#pending = new SortedQueue(this.#order, open);
      this.#horizon = page.length < webhook_limits.webhooks_waiting ? "all" : page.at(-1)!;
      for (const delivery of arrived) this.arrive(delivery);
    };
  }

  /** Notes that reading failed and has to be done again. */
  unread(): void {
    this.#arrived = undefined;
    this.#horizon = "none";
  }

  #isNear(delivery: PendingDelivery): boolean {
    if (this.#horizon === "none") return false;
    return this.#horizon === "all" || this.#order(delivery, this.#horizon) <= 0;
  }

  #put(delivery: PendingDelivery): void {
    this.#pending.put(delivery);
    if (this.#pending.size < 2 * webhook_limits.webhooks_waiting) return;
    this.#horizon = this.#pending.cut(webhook_limits.webhooks_waiting);
  }
}

function orderOf({ is_ordered }: Subscription): Order {
  return is_ordered ? byEvent : byDue;
}

/** Orders deliveries: negative where the first comes first. */
type Order = (a: PendingDelivery, b: PendingDelivery) => number;

/** In the order of events. */
function byEvent(a: PendingDelivery, b: PendingDelivery): number {
  return a.event_no - b.event_no || a.delivery_no - b.delivery_no;
}

/** In the order in which they are due. */
function byDue(a: PendingDelivery, b: PendingDelivery): number {
  return a.due_us - b.due_us || a.delivery_no - b.delivery_no;
}

/** A sorted queue; a new delivery mostly goes to its end. */
class SortedQueue {
  readonly #order: Order;
  #items: PendingDelivery[] = [];
  #taken = 0;

  constructor(order: Order, items: readonly PendingDelivery[] = []) {
    this.#order = order;
    this.#items = items.toSorted(order);
  }

  get size(): number {
    return this.#items.length - this.#taken;
  }

  /** The first one. */
  peek(): PendingDelivery | undefined {
    return this.#items[this.#taken];
  }

  /** The first ones, `count` at most. */
  upcoming(count: number): readonly PendingDelivery[] {
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
  put(item: PendingDelivery): void {
    let [low, high] = [this.#taken, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#order(this.#items[middle], item) <= 0) low = middle + 1;
      else high = middle;
    }
    this.#items.splice(low, 0, item);
  }

  /** Drops all but the first `count`; gives the last that stays. */
  cut(count: number): PendingDelivery {
    this.#items.length = this.#taken + count;
    return this.#items.at(-1)!;
  }
}
