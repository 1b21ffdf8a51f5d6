// Reads which deliveries are to be made, and stores what came of their attempts.
import type { Delivery, WebhookType } from "../../model/webhooks/webhook.ts";
import { chunkOf, rangeOf } from "../alarms/row.ts";
import type { Connection } from "../connection.ts";
import delivery_due from "./delivery_due.sql" with { type: "text" };
import delivery_settle from "./delivery_settle.sql" with { type: "text" };
import delivery_streak from "./delivery_streak.sql" with { type: "text" };
import outbox_body from "./outbox_body.sql" with { type: "text" };

/** A delivery that is to be made; instants are microseconds since 1970 UTC. */
export type DueDelivery = Pick<Delivery, "delivery_no" | "event_no" | "attempts" | "due_at">;

/** What is sent of an event. */
export type EventBody = {
  readonly event_no: number;
  readonly id: string;
  readonly type: WebhookType;
  readonly body: string;
};

/** An attempt that was made. */
export type Attempt = {
  readonly delivery_no: number;
  /** Which one of its delivery, from 1. */
  readonly attempt: number;
  readonly sent_at: number;
  readonly took_ms: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly address: string | null;
  /** The first KiB of what was answered. */
  readonly answer: string | null;
};

/** How a delivery goes on after an attempt. */
export type Settlement =
  & Pick<Delivery, "delivery_no" | "state" | "attempts" | "due_at" | "settled_at">
  & { readonly attempt: Attempt };

/** The next deliveries of a subscription, `count` at most. */
export function readDue(
  connection: Connection,
  page: { readonly subscription_no: number; readonly is_ordered: boolean; readonly count: number },
): Promise<DueDelivery[]> {
  return connection.rows<DueDelivery>(delivery_due, page);
}

/** What is sent of some events, those that are still kept. */
export async function readBodies(
  connection: Connection,
  event_nos: readonly number[],
): Promise<EventBody[]> {
  if (event_nos.length === 0) return [];
  return await connection.rows<EventBody>(outbox_body, { event_nos, ...rangeOf(event_nos) });
}

/** The subscriptions that have had nothing but failures, each since when. */
export function readStreaks(
  connection: Connection,
): Promise<{ readonly subscription_no: number; readonly since: number }[]> {
  return connection.rows(delivery_streak);
}

/** Stores attempts, and how their deliveries go on. */
export async function settleDeliveries(
  connection: Connection,
  settlements: readonly Settlement[],
): Promise<void> {
  const attempts = settlements.map(({ attempt }) => attempt);
  await connection.append("delivery_attempt", chunkOf(attempt_columns, attempts));
  await connection.run(
    "CREATE TEMP TABLE IF NOT EXISTS delivery_stage " +
      "(delivery_no BIGINT, state VARCHAR, attempts INTEGER, due_at BIGINT, settled_at BIGINT)",
  );
  await connection.append("delivery_stage", chunkOf(settlement_columns, settlements));
  const nos = settlements.map(({ delivery_no }) => delivery_no);
  await connection.run(delivery_settle, rangeOf(nos));
  await connection.run("DELETE FROM delivery_stage");
}

/** The columns of the table `delivery_attempt`, in its order. */
const attempt_columns = {
  delivery_no: "int64",
  attempt: "int32",
  sent_at: "int64",
  took_ms: "float64",
  status: "int32",
  error: "text",
  address: "text",
  answer: "text",
} as const satisfies Record<keyof Attempt, string>;

const settlement_columns = {
  delivery_no: "int64",
  state: "text",
  attempts: "int32",
  due_at: "int64",
  settled_at: "int64",
} as const satisfies Record<Exclude<keyof Settlement, "attempt">, string>;
