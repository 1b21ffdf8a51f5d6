// Reads the record of deliveries for answers, counts it, and drops what is old.
import { oneOf, pick, type PlainRow } from "../../model/data/row.ts";
import {
  type Delivery,
  delivery_states,
  delivery_table,
  type DeliveryState,
  webhook_types,
} from "../../model/webhooks/webhook.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { type Attempt, attempt_table, outbox_table } from "./delivery.ts";
import delivery_list_sql from "./delivery_list.sql" with { type: "text" };

/** Which deliveries; null for whatever. */
export type DeliveryFilter = {
  readonly subscription_nos: readonly number[];
  readonly delivery_no: number | null;
  readonly project_no: number | null;
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

/** Deliveries to some subscriptions with their events. */
const deliveries_list = statement({
  sql: delivery_list_sql,
  parameters: {
    subscription_nos: "int32[]",
    delivery_no: "int64?",
    project_no: "int32?",
    state: "text?",
    type: "text?",
    event_id: "text?",
    limit: "int64",
    offset: "int64",
  },
  row: {
    delivery_no: "int64",
    subscription_no: "int32",
    event_id: "text",
    type: oneOf(webhook_types),
    ...pick(delivery_table, "state", "attempts", "due_at", "settled_at", "created_at"),
  },
});

/** A delivery with its event. */
export type RecordedDelivery = PlainRow<typeof deliveries_list.row>;

/** Deliveries, the newest first. */
export async function listDeliveries(
  connection: Connection,
  filter: DeliveryFilter,
): Promise<RecordedDelivery[]> {
  if (filter.subscription_nos.length === 0) return [];
  return await connection.rows(deliveries_list, filter);
}

/** The attempts of a delivery. */
const attempts_list = statement({
  sql: `
    SELECT {row}
    FROM delivery_attempt
    WHERE delivery_no = $delivery_no::BIGINT
    ORDER BY attempt, sent_at`,
  parameters: { delivery_no: "int64" },
  row: attempt_table.columns,
});

/** The attempts of a delivery, in their order. */
export function listAttempts(
  connection: Connection,
  delivery: Pick<Delivery, "delivery_no">,
): Promise<Attempt[]> {
  return connection.rows(attempts_list, delivery);
}

/** Events of an organization, those recorded within a span or the one of an id. */
const events_list = statement({
  sql: `
    SELECT {row} FROM outbox
    WHERE organization_id = $organization_id::VARCHAR
      AND ($event_id::VARCHAR IS NULL OR id = $event_id::VARCHAR)
      AND ($from_us::BIGINT IS NULL OR created_at >= $from_us::BIGINT)
      AND ($to_us::BIGINT IS NULL OR created_at < $to_us::BIGINT)
    ORDER BY event_no
    LIMIT $count::BIGINT`,
  parameters: {
    organization_id: "text",
    event_id: "text?",
    from_us: "instant?",
    to_us: "instant?",
    count: "int64",
  },
  row: pick(outbox_table.columns, "event_no", "id", "type", "project_no", "origin"),
});

/** An event that could be told again. */
export type RecordedEvent = PlainRow<typeof events_list.row>;

/** Events, the oldest first. */
export function listEvents(connection: Connection, filter: EventFilter): Promise<RecordedEvent[]> {
  return connection.rows(events_list, filter);
}

/** The events on their way to a subscription. */
const under_way_list = statement({
  sql: `
    SELECT event_no
    FROM delivery
    WHERE subscription_no = $subscription_no::INTEGER AND state IN ('pending', 'held')
    ORDER BY event_no`,
  parameters: { subscription_no: "int32" },
  row: { event_no: "int64" },
});

/** The events that are on their way to a subscription already. */
export async function readUnderWay(
  connection: Connection,
  subscription_no: number,
): Promise<ReadonlySet<number>> {
  const rows = await connection.rows(under_way_list, { subscription_no });
  return new Set(rows.map(({ event_no }) => event_no));
}

const deliveries_count = statement({
  sql: "SELECT state, count(*)::BIGINT AS deliveries FROM delivery GROUP BY state ORDER BY state",
  row: { state: oneOf(delivery_states), deliveries: "int64" },
});

/** How many deliveries stand in each state. */
export async function countDeliveries(connection: Connection): Promise<Record<string, number>> {
  const rows = await connection.rows(deliveries_count);
  return Object.fromEntries(rows.map(({ state, deliveries }) => [state, deliveries]));
}

/** Deletes deliveries that were settled, one way or the other, long ago. */
const deliveries_drop = statement({
  sql: `
    DELETE FROM delivery
    WHERE state IN ('acknowledged', 'dead') AND settled_at < $before_us::BIGINT`,
  parameters: { before_us: "instant" },
});

/** Deletes old attempts of which the delivery is gone. */
const attempts_drop = statement({
  sql: `
    DELETE FROM delivery_attempt
    WHERE sent_at < $before_us::BIGINT AND delivery_no NOT IN (SELECT delivery_no FROM delivery)`,
  parameters: { before_us: "instant" },
});

/** Deletes old events of which no delivery is left. */
const events_drop = statement({
  sql: `
    DELETE FROM outbox
    WHERE created_at < $before_us::BIGINT AND event_no NOT IN (SELECT event_no FROM delivery)`,
  parameters: { before_us: "instant" },
});

/** Drops what was settled before an instant, and events that nobody waits for any more. */
export async function dropDeliveries(connection: Connection, before_us: number): Promise<void> {
  for (const drop of [deliveries_drop, attempts_drop, events_drop]) {
    await connection.run(drop, { before_us });
  }
}
