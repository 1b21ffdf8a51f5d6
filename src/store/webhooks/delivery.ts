// Stores events that others are told of, their deliveries, and what came of the attempts.
import { omit, oneOf, pick, type PlainRow } from "../../model/data/row.ts";
import { type Delivery, delivery_table, webhook_types } from "../../model/webhooks/webhook.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, rangeOf, stageRows, table, workTable } from "../table.ts";
import delivery_settle_sql from "./delivery_settle.sql" with { type: "text" };
import delivery_streak_sql from "./streak_list.sql" with { type: "text" };

/** An event as it is kept. */
export const outbox_table = table("outbox", {
  /** Rises with the order of commits. */
  event_no: "int64",
  id: "text",
  type: oneOf(webhook_types),
  occurred_at: "instant",
  organization_id: "text",
  project_no: "int32",
  /** The subscription whose word it is, by its id. */
  origin: "text?",
  /** What every attempt sends. */
  body: "text",
  created_at: "instant",
});

/** An event as it is kept; instants are microseconds since 1970 UTC. */
export type OutboxEvent = PlainRow<typeof outbox_table.columns>;

/** The highest numbers of events and deliveries. */
const last_numbers_find = statement({
  sql: `
    SELECT
      coalesce((SELECT max(event_no) FROM outbox), 0)::BIGINT AS event_no,
      coalesce((SELECT max(delivery_no) FROM delivery), 0)::BIGINT AS delivery_no`,
  row: { event_no: "int64", delivery_no: "int64" },
});

/** The highest numbers given so far. */
export type OutboxNumbers = { event_no: number; delivery_no: number };

/** The highest numbers of what is stored. */
export async function lastOutboxNumbers(connection: Connection): Promise<OutboxNumbers> {
  const [last] = await connection.rows(last_numbers_find);
  return last;
}

/** Stores new events. */
export async function insertOutbox(
  connection: Connection,
  events: readonly OutboxEvent[],
): Promise<void> {
  await appendRows(connection, outbox_table, events);
}

const deliveries_table = table("delivery", delivery_table);

/** Stores new deliveries. */
export async function insertDeliveries(
  connection: Connection,
  deliveries: readonly Delivery[],
): Promise<void> {
  await appendRows(connection, deliveries_table, deliveries);
}

/** The next deliveries of a subscription: in the order of its events, or of when they are due. */
const due_list = statement({
  sql: `
    SELECT {row}
    FROM delivery
    WHERE subscription_no = $subscription_no::INTEGER AND state = 'pending'
    ORDER BY CASE WHEN $is_ordered::BOOLEAN THEN event_no ELSE due_at END, delivery_no
    LIMIT $count::BIGINT`,
  parameters: { subscription_no: "int32", is_ordered: "bool", count: "int64" },
  row: pick(delivery_table, "delivery_no", "event_no", "attempts", "due_at"),
});

/** A delivery that is to be made; instants are microseconds since 1970 UTC. */
export type DueDelivery = PlainRow<typeof due_list.row>;

/** The next deliveries of a subscription, `count` at most. */
export function readDue(
  connection: Connection,
  page: { readonly subscription_no: number; readonly is_ordered: boolean; readonly count: number },
): Promise<DueDelivery[]> {
  return connection.rows(due_list, page);
}

/** What attempts of some events send. */
const bodies_read = statement({
  sql: `
    SELECT {row}
    FROM outbox
    WHERE
      event_no IN (SELECT unnest($event_nos::BIGINT[]))
      AND event_no BETWEEN $from_no::BIGINT AND $to_no::BIGINT
    ORDER BY event_no`,
  parameters: { event_nos: "int64[]", from_no: "int64", to_no: "int64" },
  row: pick(outbox_table.columns, "event_no", "id", "type", "body"),
});

/** What is sent of an event. */
export type EventBody = PlainRow<typeof bodies_read.row>;

/** What is sent of some events, those that are still kept. */
export async function readBodies(
  connection: Connection,
  event_nos: readonly number[],
): Promise<EventBody[]> {
  if (event_nos.length === 0) return [];
  return await connection.rows(bodies_read, { event_nos, ...rangeOf(event_nos) });
}

/** Since when a subscription has had nothing but failures. */
const streaks_list = statement({
  sql: delivery_streak_sql,
  row: { subscription_no: "int32", since: "instant" },
});

/** The subscriptions that have had nothing but failures, each since when. */
export function readStreaks(connection: Connection): Promise<PlainRow<typeof streaks_list.row>[]> {
  return connection.rows(streaks_list);
}

/** The attempts that were made. */
export const attempt_table = table("delivery_attempt", {
  delivery_no: "int64",
  /** Which one of its delivery, from 1. */
  attempt: "int32",
  sent_at: "instant",
  took_ms: "float64",
  status: "int32?",
  error: "text?",
  address: "text?",
  /** The first KiB of what was answered. */
  answer: "text?",
});

/** An attempt that was made. */
export type Attempt = PlainRow<typeof attempt_table.columns>;

const settlement_stage = workTable(
  "delivery_stage",
  omit(delivery_table, "event_no", "subscription_no", "created_at"),
);

/** How a delivery goes on after an attempt. */
export type Settlement = PlainRow<typeof settlement_stage.columns> & { readonly attempt: Attempt };

/** Stores how deliveries go on; what was held or ended meanwhile stays so. */
const staged_settle = statement({
  sql: delivery_settle_sql,
  parameters: { from_no: "int64", to_no: "int64" },
});

/** Stores attempts, and how their deliveries go on. */
export async function settleDeliveries(
  connection: Connection,
  settlements: readonly Settlement[],
): Promise<void> {
  await appendRows(connection, attempt_table, settlements.map(({ attempt }) => attempt));
  await stageRows(connection, settlement_stage, settlements);
  await connection.run(staged_settle, rangeOf(settlements.map(({ delivery_no }) => delivery_no)));
}
