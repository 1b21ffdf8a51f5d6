// Delivers events: claims what is due, sends it, stores what came of it, until it is settled.
import { getLogger } from "@logtape/logtape";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import { Lock } from "../../base/lock.ts";
import { together } from "../../base/together.ts";
import type { Effects } from "../../base/effects.ts";
import { type BreakerStand, longest_wait_us } from "../../model/webhooks/retry.ts";
import type { Settings } from "../../model/setting.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";
import type { Database } from "../../store/database.ts";
import {
  type DueDelivery,
  readDue,
  readStreaks,
  settleDeliveries,
} from "../../store/webhooks/delivery.ts";
import { dropDeliveries } from "../../store/webhooks/delivery_record.ts";
import { Loop } from "../core/loop.ts";
import {
  type AttemptOutcome,
  notSent,
  outcomeOf,
  outcomeOfLostEvent,
  type Send,
  sender,
  type SendParts,
} from "./attempt.ts";
import { EndpointQueue, EndpointQueues, type PendingDelivery } from "./endpoint_queue.ts";
import { EventCache, type SentEvent } from "./event_cache.ts";
import type { Outbox } from "./outbox.ts";

const log = getLogger(["wattkeeper", "webhook"]);

/** What delivery works with. */
export type DeliverParts = SendParts & {
  readonly database: Database;
  readonly outbox: Pick<Outbox, "listen">;
  readonly settings: Pick<Settings, "webhook_allow" | "port" | "stop_grace_ms">;
};

/** Where delivery stands, for metrics. */
export type DeliverState = {
  readonly flying: number;
  /** Subscriptions whose receiver is left alone for a while. */
  readonly breakers_open: number;
  /** Attempts since the start, by what followed. */
  readonly attempts: Readonly<Record<string, number>>;
};

/**
 * Sends what is pending in the database to its subscriptions. Claims are kept in memory alone: what
 * was sent and not settled when the process ends is sent again, under the same id. Times to wait
 * run on a clock that never jumps; a start takes them from the stored instants, within bounds, and
 * so does a wall clock that was set.
 */
export class Deliveries {
  /** Sends in the background, asleep until something is due. */
  readonly sending: Loop;
  /** Stores in the background what ended, many at a time, and reads what is next. */
  readonly settling: Loop;
  readonly #parts: DeliverParts;
  readonly #send: Send;
  readonly #events: EventCache;
  readonly #queues = new EndpointQueues();
  /** Held by who settles or reads queues: what is read is never older than what was settled. */
  readonly #lock = new Lock();
  readonly #attempts: Record<string, number> = {};
  readonly #flights = new Set<Promise<void>>();
  /** Ends what is under way. */
  readonly #cut = new AbortController();
  #ended: AttemptOutcome[] = [];
  #is_stopped = false;

  private constructor(parts: DeliverParts) {
    this.#parts = parts;
    this.#send = sender(parts);
    this.#events = new EventCache(parts.database);
    const { effects } = parts;
    const retry_ms = webhook_limits.retry_ms;
    this.sending = new Loop({
      name: "sending webhooks",
      ...{ effects, retry_ms },
      turn: async () => {
        await this.#claim();
        const now_us = this.#nowUs();
        const wait_ms = (this.#queues.nextUs(now_us) - now_us) / 1000;
        return effects.owns() ? wait_ms : Math.min(wait_ms, webhook_limits.owner_ms);
      },
    });
    this.settling = new Loop({
      name: "storing outcomes of webhooks",
      ...{ effects, retry_ms },
      gather_ms: webhook_limits.gather_ms,
      turn: async (signal) => {
        while (await this.#store()) await effects.sleep(webhook_limits.gather_ms, signal);
        return Infinity;
      },
    });
  }

  /** Takes up what is pending, and follows every change from now on. */
  static async open(parts: DeliverParts): Promise<Deliveries> {
    const deliveries = new Deliveries(parts);
    for (const subscription of parts.subscriptions.list()) deliveries.#take(subscription);
    const now_us = parts.effects.now_us();
    const ahead_us = deliveries.#nowUs() - now_us;
    for (const { subscription_no, since } of await parts.database.read(readStreaks)) {
      const queue = deliveries.#queues.get(subscription_no);
      // What a person changed since then may well have ended it.
      if (!queue) continue;
      const since_us = Math.min(Math.max(since, queue.subscription.updated_at), now_us);
      queue.failing_since_us = since_us + ahead_us;
    }
    parts.subscriptions.listen((subscription) => deliveries.#take(subscription));
    parts.outbox.listen((queued) => {
      for (const delivery of queued) {
        if (delivery.state !== "pending") continue;
        deliveries.#queues.get(delivery.subscription_no)?.arrive(deliveries.#pending(delivery));
      }
      deliveries.sending.wake();
    });
    return deliveries;
  }

  get state(): DeliverState {
    const queues = [...this.#queues.all];
    return {
      flying: this.#queues.flying,
      breakers_open: queues.filter(({ breaker }) => breaker.isOpen).length,
      attempts: this.#attempts,
    };
  }

  /** The breaker of a subscription, by the wall clock; closed where nothing was sent yet. */
  breakerOf(subscription_no: number): BreakerStand {
    const stand = this.#queues.get(subscription_no)?.breaker.stand ?? { state: "closed" };
    if (stand.state === "closed") return stand;
    const { state, since_us, next_us } = stand;
    const ahead_us = this.#nowUs() - this.#parts.effects.now_us();
    return { state, since_us: since_us - ahead_us, next_us: next_us - ahead_us };
  }

  /** Says that the wall clock was set: what is due by then is sent, however long it was to wait. */
  followClock(): void {
    for (const queue of this.#queues.all) queue.readAnew();
    this.settling.wake();
  }

  /** Claims nothing any more. */
  stop(): void {
    this.#is_stopped = true;
  }

  /** Does all that is due now, until nothing is. */
  async settle(): Promise<void> {
    for (;;) {
      const has_settled = await this.#store();
      await this.#claim();
      if (!has_settled && this.#flights.size + this.#ended.length === 0) return;
      if (this.#flights.size > 0) await Promise.race(this.#flights);
    }
  }

  /**
   * Claims nothing any more, and ends when nothing is under way: what is may end within the grace,
   * and is stored; what does not is sent again after the next start.
   */
  async close(): Promise<void> {
    this.stop();
    const { effects, settings: { stop_grace_ms } } = this.#parts;
    const ended = new AbortController();
    const cut = effects.sleep(stop_grace_ms, ended.signal).then(() => this.#cut.abort());
    while (this.#flights.size > 0) {
      await Promise.race(this.#flights);
      await this.#storeEnded();
    }
    await this.#storeEnded();
    ended.abort();
    await cut;
  }

  async #storeEnded(): Promise<void> {
    try {
      await this.#store();
    } catch (error) {
      this.#tell(error);
    }
  }

  /** Sends what is due, as far as it may be under way at once. */
  async #claim(): Promise<void> {
    while (this.#maySend && this.#hasRoom()) {
      const queue = this.#queues.next(this.#nowUs());
      if (queue === undefined) break;
      const [{ event_no }] = queue.upcoming(1);
      if (this.#events.get(event_no) === undefined) {
        const ahead = queue.upcoming(webhook_limits.bodies_ahead);
        await this.#events.load(ahead.map(({ event_no }) => event_no));
        // The queue may have changed meanwhile.
        const [next] = queue.upcoming(1);
        if (next?.event_no !== event_no || queue.ready_us > this.#nowUs()) continue;
        if (!this.#maySend) break;
      }
      this.#fly(queue, this.#events.get(event_no));
    }
    if ([...this.#queues.all].some((queue) => queue.needs_reading)) this.settling.wake();
  }

  get #maySend(): boolean {
    return !this.#is_stopped && this.#parts.effects.owns();
  }

  #hasRoom(): boolean {
    return this.#ended.length + this.#queues.flying < webhook_limits.webhooks_unsettled;
  }

  #fly(queue: EndpointQueue, event: SentEvent | undefined): void {
    const delivery = queue.claim();
    const land = this.#queues.begin(queue, delivery);
    const flight = this.#attempt(queue, delivery, { event }).finally(() => {
      land();
      this.#flights.delete(flight);
      this.sending.wake();
      this.settling.wake();
    });
    this.#flights.add(flight);
  }

  async #attempt(
    queue: EndpointQueue,
    delivery: PendingDelivery,
    { event }: { readonly event: SentEvent | undefined },
  ): Promise<void> {
    const { effects, database } = this.#parts;
    if (event === undefined) {
      this.#ended.push(outcomeOfLostEvent({ queue, delivery, at_us: database.now_us }, effects));
      return;
    }
    const { signal } = this.#cut;
    const sent = await this.#send(event, queue.subscription, { signal }).catch((error) => {
      log.error("making an attempt of event {event_no} failed: {error}", { ...delivery, error });
      return notSent("the attempt could not be made: the service's log says why", effects);
    });
    // It was not given its time: it is sent again after the next start.
    if (signal.aborted && sent.status === null) return;
    // No attempt of a receiver's: it is sent by whoever is the owner then.
    if (!effects.owns() && sent.status === null) {
      queue.release(delivery);
      return queue.add(delivery);
    }
    const at = { at_us: database.now_us, now_us: this.#nowUs() };
    const ended = outcomeOf({ queue, delivery, sent, ...at }, effects);
    const { kind } = ended.verdict;
    this.#attempts[kind] = (this.#attempts[kind] ?? 0) + 1;
    this.#ended.push(ended);
  }

  /** Stores what ended and reads queues that have room; says whether there was anything to do. */
  #store(): Promise<boolean> {
    return this.#lock.run(async () => {
      // More ends while these are stored.
      const ended = this.#ended.slice();
      const failed = await together(ended, (some) => this.#settle(some));
      const left = failed.map(({ part }) => part);
      this.#ended = [...left, ...this.#ended.slice(ended.length)];
      // All others are settled; these are tried again after a while.
      if (failed.length > 0) throw failed[0].error;
      const hungry = [...this.#queues.all].filter((queue) => queue.needs_reading);
      for (const queue of hungry) await this.#read(queue);
      if (ended.length + hungry.length > 0) this.sending.wake();
      return ended.length + hungry.length > 0;
    });
  }

  /** Stores what ended, in one transaction, and does it. */
  async #settle(ended: readonly AttemptOutcome[]): Promise<void> {
    const settlements = ended.map(({ settlement }) => settlement);
    await this.#parts.database.write(({ connection }) => settleDeliveries(connection, settlements));
    for (const one of ended) await this.#follow(one);
  }

  /** Does what is stored of an attempt. */
  async #follow({ queue, delivery, verdict, settlement }: AttemptOutcome): Promise<void> {
    queue.release(delivery);
    const { subscription: { id, name } } = queue;
    const { attempts, event_no } = delivery;
    if (verdict.kind === "retry") {
      const { due_at } = settlement;
      queue.add(this.#pending({ ...delivery, attempts: attempts + 1, due_at }));
    } else if (verdict.kind === "dead") {
      log.warning("event {event_no} could not be delivered to {subscription}: {reason}", {
        ...{ event_no, subscription: id, name, reason: verdict.reason },
      });
    } else if (verdict.kind === "disable" && queue.subscription.state === "enabled") {
      log.warning("subscription {subscription} is disabled: {reason}", {
        ...{ subscription: id, name, reason: verdict.reason },
      });
      // Where that fails the delivery is tried again, to the same end.
      await this.#parts.subscriptions.disable(id, verdict.reason).catch((error) => {
        queue.unread();
        this.#tell(error);
      });
    }
  }

  /** Takes into memory what a queue has to deliver next. */
  async #read(queue: EndpointQueue): Promise<void> {
    const { subscription_no, subscription: { is_ordered } } = queue;
    const page = { subscription_no, is_ordered, count: webhook_limits.webhooks_waiting };
    const take = queue.read();
    try {
      const due = await this.#parts.database.read((connection) => readDue(connection, page));
      take(due.map((delivery) => this.#pending(delivery)));
    } catch (error) {
      queue.unread();
      throw error;
    }
  }

  #take(subscription: Subscription): void {
    const { subscription_no, deleted_at } = subscription;
    const queue = this.#queues.get(subscription_no);
    if (deleted_at !== null) this.#queues.remove(subscription_no);
    else if (queue) queue.change(subscription);
    else this.#queues.put(new EndpointQueue(subscription));
    this.settling.wake();
  }

  #pending({ delivery_no, event_no, attempts, due_at }: DueDelivery): PendingDelivery {
    // A clock of stamps that was far ahead when it was stored holds nothing up.
    const wait_us = Math.min(due_at - this.#parts.database.now_us, longest_wait_us);
    return { delivery_no, event_no, attempts, due_us: this.#nowUs() + wait_us };
  }

  /** Microseconds of the clock that never jumps. */
  #nowUs(): number {
    return Math.round(this.#parts.effects.monotonic_ms() * 1000);
  }

  #tell(error: unknown): void {
    log.error("delivering webhooks failed and is tried again: {error}", { error });
  }
}

type RetentionParts = {
  readonly database: Database;
  readonly settings: Pick<Settings, "webhook_keep_days">;
};

/** Drops what is older than the setting says; what is not settled stays, however old. */
export async function retainDeliveries({ database, settings }: RetentionParts): Promise<void> {
  const before_us = database.ago(settings.webhook_keep_days * 86_400_000_000);
  await database.write(({ connection }) => dropDeliveries(connection, before_us));
}

/** Does so in the background, a few times a day. */
export function retentionLoop(
  { effects, ...parts }: RetentionParts & { readonly effects: Pick<Effects, "sleep"> },
): Loop {
  const period_ms = webhook_limits.retain_ms;
  return new Loop({
    name: "dropping old deliveries",
    effects,
    // Not at the start, when there is enough to do.
    first_ms: period_ms,
    retry_ms: period_ms,
    turn: async () => {
      await retainDeliveries(parts);
      return period_ms;
    },
  });
}
