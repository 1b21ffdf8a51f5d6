// Reads the record of deliveries for answers, counts it, and drops what is old.
import type { Delivery, DeliveryState, WebhookType } from "../../model/webhooks/webhook.ts";
import type { Connection } from "../connection.ts";
import type { Attempt } from "./delivery.ts";
import delivery_attempt_drop from "./delivery_attempt_drop.sql" with { type: "text" };
import delivery_attempt_list from "./delivery_attempt_list.sql" with { type: "text" };
import delivery_drop from "./delivery_drop.sql" with { type: "text" };
import delivery_list from "./delivery_list.sql" with { type: "text" };
import outbox_drop from "./outbox_drop.sql" with { type: "text" };
import outbox_list from "./outbox_list.sql" with { type: "text" };

/** A delivery with its event. */
export type RecordedDelivery = Omit<Delivery, "event_no"> & {
  readonly event_id: string;
  readonly type: WebhookType;
};

/** Which deliveries; null for whatever. */
export type DeliveryFilter = {
  readonly subscription_nos: readonly number[];
  readonly delivery_no: number | null;
  readonly state: DeliveryState | null;
  readonly type: string | null;
  readonly event_id: string | null;
  readonly limit: number;
  readonly offset: number;
};

/** Which events; null for whatever. The span is of when they were recorded. */
export type EventFilter = {
  readonly organization_id: string;
  readonly event_id: string | null;
  readonly from_us: number | null;
  readonly to_us: number | null;
  readonly count: number;
};

/** An event that could be told again. */
export type RecordedEvent = {
  readonly event_no: number;
  readonly id: string;
  readonly type: WebhookType;
  readonly project_no: number;
  readonly origin: string | null;
};

/** Deliveries, the newest first. */
export async function listDeliveries(
  connection: Connection,
  filter: DeliveryFilter,
): Promise<RecordedDelivery[]> {
  if (filter.subscription_nos.length === 0) return [];
  return await connection.rows<RecordedDelivery>(delivery_list, filter);
}

/** The attempts of a delivery, in their order. */
export function listAttempts(
  connection: Connection,
  delivery: Pick<Delivery, "delivery_no">,
): Promise<Attempt[]> {
  const { delivery_no } = delivery;
  return connection.rows<Attempt>(delivery_attempt_list, { delivery_no });
}

/** Events, the oldest first. */
export function listEvents(connection: Connection, filter: EventFilter): Promise<RecordedEvent[]> {
  return connection.rows<RecordedEvent>(outbox_list, filter);
}

/** The events that are on their way to a subscription already. */
export async function readUnderWay(
  connection: Connection,
  subscription_no: number,
): Promise<ReadonlySet<number>> {
  const rows = await connection.rows<{ event_no: number }>(
    "SELECT event_no FROM delivery WHERE subscription_no = $subscription_no " +
      "AND state IN ('pending', 'held') ORDER BY event_no",
    { subscription_no },
  );
  return new Set(rows.map(({ event_no }) => event_no));
}

/** How many deliveries stand in each state. */
export async function countDeliveries(connection: Connection): Promise<Record<string, number>> {
  const rows = await connection.rows<{ state: string; deliveries: number }>(
    "SELECT state, count(*)::BIGINT AS deliveries FROM delivery GROUP BY state ORDER BY state",
  );
  return Object.fromEntries(rows.map(({ state, deliveries }) => [state, deliveries]));
}

/** Drops what was settled before an instant, and events that nobody waits for any more. */
export async function dropDeliveries(connection: Connection, before_us: number): Promise<void> {
  for (const drop of [delivery_drop, delivery_attempt_drop, outbox_drop]) {
    await connection.run(drop, { before_us });
  }
}
