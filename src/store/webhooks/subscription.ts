// Stores subscriptions with sealed secrets, and what their state means for their deliveries.
import {
  type Subscription,
  subscription_secret_table,
  subscription_table,
  type SubscriptionSecret,
} from "../../model/webhooks/subscription.ts";
import { omit, type PlainRow } from "../../model/data/row.ts";
import type { WebhookWord } from "../../model/webhooks/webhook.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import { secret_places } from "../vault.ts";
import subscription_change_sql from "./subscription_change.sql" with { type: "text" };
import subscription_insert_sql from "./subscription_insert.sql" with { type: "text" };

table("subscription", subscription_table);

/** Every subscription, its lists as words with a space between them. */
const subscriptions_list = statement({
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
  const { vault } = connection;
  const rows = await connection.rows(subscriptions_list);
  return rows.map((row) => ({
    ...row,
    project_ids: row.project_ids?.split(" ") ?? null,
    event_types: row.event_types.split(" ") as WebhookWord[],
    headers: JSON.parse(vault.unseal(row.headers, secret_places.headers(row.subscription_no))),
  }));
}

const stored_columns = { ...subscription_table, headers: "text" } as const;

/** Stores a new subscription. */
const subscription_insert = statement({
  sql: subscription_insert_sql,
  parameters: stored_columns,
});

/** Stores a new subscription. */
export async function insertSubscription(
  connection: Connection,
  subscription: Subscription,
): Promise<void> {
  await connection.run(subscription_insert, rowOf(connection, subscription));
}

/** Stores what may change of a subscription. */
const subscription_change = statement({
  sql: subscription_change_sql,
  parameters: omit(stored_columns, "id", "organization_id", "created_at"),
});

/** Stores what may change of a subscription. */
export async function changeSubscription(
  connection: Connection,
  subscription: Subscription,
): Promise<void> {
  await connection.run(subscription_change, rowOf(connection, subscription));
}

function rowOf({ vault }: Connection, { headers, ...subscription }: Subscription) {
  const place = secret_places.headers(subscription.subscription_no);
  return { ...subscription, headers: vault.seal(JSON.stringify(headers), place) };
}

const secrets_table = table("subscription_secret", subscription_secret_table);

/** Every secret, of a subscription the newest first. */
const secrets_list = statement({
  sql: `
    SELECT {row}
    FROM subscription_secret
    ORDER BY subscription_no, created_at DESC, expires_at DESC NULLS FIRST`,
  row: subscription_secret_table,
});

/** Every secret that is kept, of a subscription the newest first. */
export async function readSecrets(connection: Connection): Promise<SubscriptionSecret[]> {
  const { vault } = connection;
  const rows = await connection.rows(secrets_list);
  return rows.map((row) => ({
    ...row,
    secret: vault.unseal(row.secret, secret_places.secret(row)),
  }));
}

const secrets_delete = statement({
  sql: "DELETE FROM subscription_secret WHERE subscription_no = $subscription_no::INTEGER",
  parameters: { subscription_no: "int32" },
});

/** Stores the secrets of a subscription in place of those that it had. */
export async function replaceSecrets(
  connection: Connection,
  subscription_no: number,
  secrets: readonly SubscriptionSecret[],
): Promise<void> {
  await connection.run(secrets_delete, { subscription_no });
  const { vault } = connection;
  await appendRows(
    connection,
    secrets_table,
    secrets.map((row) => ({ ...row, secret: vault.seal(row.secret, secret_places.secret(row)) })),
  );
}

/** The subscriptions that are there, without what is sealed of them. */
const live_list = statement({
  sql: `
    SELECT subscription_no, id, name FROM subscription
    WHERE deleted_at IS NULL
    ORDER BY subscription_no`,
  row: { subscription_no: "int32", id: "text", name: "text" },
});

/** A subscription whose sealed texts can't be opened. */
export type SealedSubscription = PlainRow<typeof live_list.row>;

const headers_replace = statement({
  sql: `
    UPDATE subscription SET headers = $headers::VARCHAR
    WHERE subscription_no = $subscription_no::INTEGER`,
  parameters: { subscription_no: "int32", headers: "text" },
});

const subscriptions_pause = statement({
  sql: "UPDATE subscription SET state = 'paused' WHERE state = 'enabled'",
});

const secrets_forget = statement({ sql: "DELETE FROM subscription_secret" });

const numbers_list = statement({
  sql: "SELECT subscription_no FROM subscription",
  row: { subscription_no: "int32" },
});

/**
 * Forgets what is sealed of subscriptions, and pauses them; gives those that are there. Those that
 * are deleted have no headers either.
 */
export async function forgetSealed(connection: Connection): Promise<SealedSubscription[]> {
  await connection.run(secrets_forget);
  await connection.run(subscriptions_pause);
  for (const { subscription_no } of await connection.rows(numbers_list)) {
    const headers = connection.vault.seal("{}", secret_places.headers(subscription_no));
    await connection.run(headers_replace, { subscription_no, headers });
  }
  const live = await connection.rows(live_list);
  for (const { subscription_no } of live) await holdDeliveries(connection, subscription_no);
  return live;
}

/** Holds the deliveries of a subscription that are not settled. */
const deliveries_hold = statement({
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
  await connection.run(deliveries_hold, { subscription_no });
}

/** Makes the held deliveries of a subscription due. */
const deliveries_free = statement({
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
  await connection.run(deliveries_free, due);
}

/** Ends the deliveries of a subscription that are not settled. */
const deliveries_end = statement({
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
  await connection.run(deliveries_end, settled);
}
