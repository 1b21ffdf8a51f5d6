// Stores subscriptions, their secrets, and what their state means for their deliveries.
import {
  type Subscription,
  subscription_secret_table,
  subscription_table,
  type SubscriptionSecret,
} from "../../model/webhooks/subscription.ts";
import { omit } from "../../model/data/row.ts";
import type { WebhookWord } from "../../model/webhooks/webhook.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import subscription_change_sql from "./subscription_change.sql" with { type: "text" };
import subscription_insert_sql from "./subscription_insert.sql" with { type: "text" };

table("subscription", subscription_table);

/** Every subscription, its lists as words with a space between them. */
const list_subscriptions = statement({
  sql: `
    SELECT
      subscription_no, id, organization_id,
      array_to_string(project_ids, ' ')::VARCHAR AS project_ids, name, target,
      array_to_string(event_types, ' ')::VARCHAR AS event_types, headers, timeout_s, is_ordered,
      hears_itself, state, reason, created_at, updated_at, deleted_at
    FROM subscription
    ORDER BY subscription_no`,
  row: { ...subscription_table, project_ids: "text?", event_types: "text", headers: "text" },
});

/** Every subscription that was ever made, the oldest first. */
export async function readSubscriptions(connection: Connection): Promise<Subscription[]> {
  const rows = await connection.rows(list_subscriptions);
  return rows.map((row) => ({
    ...row,
    project_ids: row.project_ids?.split(" ") ?? null,
    event_types: row.event_types.split(" ") as WebhookWord[],
    headers: JSON.parse(row.headers),
  }));
}

const stored_columns = { ...subscription_table, headers: "text" } as const;

/** Stores a new subscription. */
const insert_subscription = statement({
  sql: subscription_insert_sql,
  parameters: stored_columns,
});

/** Stores a new subscription. */
export async function insertSubscription(
  connection: Connection,
  subscription: Subscription,
): Promise<void> {
  await connection.run(insert_subscription, rowOf(subscription));
}

/** Stores what may change of a subscription. */
const change_subscription = statement({
  sql: subscription_change_sql,
  parameters: omit(stored_columns, "id", "organization_id", "created_at"),
});

/** Stores what may change of a subscription. */
export async function changeSubscription(
  connection: Connection,
  subscription: Subscription,
): Promise<void> {
  await connection.run(change_subscription, rowOf(subscription));
}

function rowOf({ headers, ...subscription }: Subscription) {
  return { ...subscription, headers: JSON.stringify(headers) };
}

const secrets_table = table("subscription_secret", subscription_secret_table);

/** Every secret, of a subscription the newest first. */
const list_secrets = statement({
  sql: `
    SELECT {row}
    FROM subscription_secret
    ORDER BY subscription_no, created_at DESC, expires_at DESC NULLS FIRST`,
  row: subscription_secret_table,
});

/** Every secret that is kept, of a subscription the newest first. */
export function readSecrets(connection: Connection): Promise<SubscriptionSecret[]> {
  return connection.rows(list_secrets);
}

const delete_secrets = statement({
  sql: "DELETE FROM subscription_secret WHERE subscription_no = $subscription_no::INTEGER",
  parameters: { subscription_no: "int32" },
});

/** Stores the secrets of a subscription in place of those that it had. */
export async function replaceSecrets(
  connection: Connection,
  subscription_no: number,
  secrets: readonly SubscriptionSecret[],
): Promise<void> {
  await connection.run(delete_secrets, { subscription_no });
  await appendRows(connection, secrets_table, secrets);
}

/** Holds the deliveries of a subscription that are not settled. */
const hold_deliveries = statement({
  sql: `
    UPDATE delivery SET state = 'held'
    WHERE subscription_no = $subscription_no::INTEGER AND state = 'pending'`,
  parameters: { subscription_no: "int32" },
});

/** Keeps the deliveries of a subscription that are not settled until it is enabled again. */
export async function holdDeliveries(
  connection: Connection,
  subscription_no: number,
): Promise<void> {
  await connection.run(hold_deliveries, { subscription_no });
}

/** Makes the held deliveries of a subscription due. */
const free_deliveries = statement({
  sql: `
    UPDATE delivery SET state = 'pending', due_at = $due_at::BIGINT
    WHERE subscription_no = $subscription_no::INTEGER AND state = 'held'`,
  parameters: { subscription_no: "int32", due_at: "instant" },
});

/** Lets the held deliveries of a subscription go at an instant. */
export async function freeDeliveries(
  connection: Connection,
  due: { readonly subscription_no: number; readonly due_at: number },
): Promise<void> {
  await connection.run(free_deliveries, due);
}

/** Ends the deliveries of a subscription that are not settled. */
const end_deliveries = statement({
  sql: `
    UPDATE delivery SET state = 'dead', settled_at = $settled_at::BIGINT
    WHERE subscription_no = $subscription_no::INTEGER AND state IN ('pending', 'held')`,
  parameters: { subscription_no: "int32", settled_at: "instant" },
});

/** Ends the deliveries of a subscription that are not settled, and never will be. */
export async function endDeliveries(
  connection: Connection,
  settled: { readonly subscription_no: number; readonly settled_at: number },
): Promise<void> {
  await connection.run(end_deliveries, settled);
}
