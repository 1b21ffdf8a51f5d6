// Stores events that others are told of, and their deliveries: whole sets at a time, in a write.
import type { Delivery, WebhookType } from "../../model/webhooks/webhook.ts";
import { chunkOf } from "../alarms/row.ts";
import type { Connection } from "../connection.ts";

/** An event as it is kept; instants are microseconds since 1970 UTC. */
export type OutboxEvent = {
  /** Rises with the order of commits. */
  readonly event_no: number;
  readonly id: string;
  readonly type: WebhookType;
  readonly occurred_at: number;
  readonly organization_id: string;
  readonly project_no: number;
  /** The subscription whose word it is, by its id. */
  readonly origin: string | null;
  /** What every attempt sends. */
  readonly body: string;
  readonly created_at: number;
};

/** The highest numbers given so far. */
export type OutboxNumbers = { event_no: number; delivery_no: number };

/** The highest numbers of what is stored. */
export async function lastOutboxNumbers(connection: Connection): Promise<OutboxNumbers> {
  const [last] = await connection.rows<OutboxNumbers>(
    "SELECT coalesce((SELECT max(event_no) FROM outbox), 0)::BIGINT AS event_no, " +
      "coalesce((SELECT max(delivery_no) FROM delivery), 0)::BIGINT AS delivery_no",
  );
  return last;
}

/** Stores new events. */
export async function insertOutbox(
  connection: Connection,
  events: readonly OutboxEvent[],
): Promise<void> {
  await connection.append("outbox", chunkOf(outbox_columns, events));
}

/** Stores new deliveries. */
export async function insertDeliveries(
  connection: Connection,
  deliveries: readonly Delivery[],
): Promise<void> {
  await connection.append("delivery", chunkOf(delivery_columns, deliveries));
}

/** The columns of the table `outbox`, in its order. */
const outbox_columns = {
  event_no: "int64",
  id: "unique",
  type: "text",
  occurred_at: "int64",
  organization_id: "text",
  project_no: "int32",
  origin: "text",
  body: "unique",
  created_at: "int64",
} as const satisfies Record<keyof OutboxEvent, string>;

/** The columns of the table `delivery`, in its order. */
const delivery_columns = {
  delivery_no: "int64",
  event_no: "int64",
  subscription_no: "int32",
  state: "text",
  attempts: "int32",
  due_at: "int64",
  settled_at: "int64",
  created_at: "int64",
} as const satisfies Record<keyof Delivery, string>;
