// Subscriptions, outbox and delivery over a network in the test's hand, below http.
import { deepEqual } from "node:assert/strict";
import type { Post, Posted } from "../../../src/base/effects_post.ts";
import { Deliveries } from "../../../src/engine/webhooks/dispatcher.ts";
import { SigningKeys } from "../../../src/engine/webhooks/signing.ts";
import { openWebhooks, wanted } from "../../help/webhook.ts";

/** An attempt as the network saw it. */
export type Call = {
  readonly at_us: number;
  readonly host: string;
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** What the network answers; what is not said is as a good receiver's. */
export type Answer = (call: Call, post: Post) => Partial<Posted> | Promise<Partial<Posted>>;

export const second_us = 1_000_000;
export const minute_us = 60 * second_us;
export const hour_us = 60 * minute_us;
export const day_us = 24 * hour_us;

const good: Posted = {
  status: 200,
  error: null,
  is_timeout: false,
  retry_after: null,
  address: "192.0.2.1",
  answer: "",
};

export type DeliveryWorld = Awaited<ReturnType<typeof openDelivery>>;

const key_settings = { signing_key_days: 90, signing_key_publish_hours: 24 };

/** Opens them; `now_us` is where the clock stands after a restart. */
export async function openDelivery(
  { path, now_us, answer = () => ({}), settings = {} }: {
    path?: string;
    now_us?: number;
    answer?: Answer;
    settings?: object;
  } = {},
) {
  const world = await openWebhooks({ path });
  const { database, subscriptions, outbox, clock, rows } = world;
  if (now_us !== undefined) clock.step((now_us - clock.now_us) / 1000);
  const calls: Call[] = [];
  const network = { answer };
  const post = async (post: Post): Promise<Posted> => {
    const call = {
      at_us: clock.now_us,
      host: post.url.hostname,
      id: post.headers["x-svc-event-id"],
      headers: post.headers,
      body: new TextDecoder().decode(post.body),
    };
    calls.push(call);
    return { ...good, ...await network.answer(call, post) };
  };
  const effects = { ...world.effects, post };
  const signing = await SigningKeys.open({ database, effects, settings: key_settings });
  const deliveries = await Deliveries.open({
    ...{ database, subscriptions, outbox, signing, effects, version: "test" },
    settings: { webhook_allow: "none", port: 8480, stop_grace_ms: 1000, ...settings },
  });
  return {
    ...{ ...world, effects, calls, network, signing, deliveries },
    /** Subscribes; gives the subscription. */
    async subscribe(more: object = {}) {
      return (await subscriptions.create(wanted(more))).subscription;
    },
    /** The states of all deliveries, oldest first. */
    async states() {
      return (await rows("SELECT state FROM delivery ORDER BY delivery_no"))
        .map(({ state }) => state);
    },
    /** Does what is due, and goes on to the next that is, until `to_us` or until nothing waits. */
    async live(to_us: number) {
      await deliveries.settle();
      while (clock.now_us < to_us) {
        const [{ due }] = await rows(
          "SELECT min(due_at)::BIGINT AS due FROM delivery WHERE state = 'pending'",
        );
        // What is overdue waits for its breaker.
        const next_us = due === null
          ? to_us
          : Number(due) <= clock.now_us
          ? clock.now_us + minute_us
          : Number(due);
        clock.advance((Math.min(next_us, to_us) - clock.now_us) / 1000);
        await deliveries.settle();
      }
    },
  };
}

/** Holds waits, in microseconds, to a schedule in seconds within a fifth. */
export function isOnSchedule(waits_us: readonly number[], schedule_s: readonly number[]): void {
  const near = waits_us.map((wait_us, i) =>
    Math.abs(wait_us / second_us / schedule_s[i] - 1) <= 0.2
  );
  deepEqual(near, schedule_s.map(() => true), `${waits_us}`);
}
