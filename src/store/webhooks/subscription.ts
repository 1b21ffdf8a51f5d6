// Stores subscriptions, their secrets, and what their state means for their deliveries.
import type { Subscription, SubscriptionSecret } from "../../model/webhooks/subscription.ts";
import type { WebhookWord } from "../../model/webhooks/webhook.ts";
import type { Connection } from "../connection.ts";
import subscription_change from "./subscription_change.sql" with { type: "text" };
import subscription_insert from "./subscription_insert.sql" with { type: "text" };
import subscription_list from "./subscription_list.sql" with { type: "text" };
import subscription_secret_list from "./subscription_secret_list.sql" with { type: "text" };

/** Every subscription that was ever made, the oldest first. */
export async function readSubscriptions(connection: Connection): Promise<Subscription[]> {
  type Texts = {
    readonly project_ids: string | null;
    readonly event_types: string;
    readonly headers: string;
  };
  const rows = await connection.rows<Omit<Subscription, keyof Texts> & Texts>(subscription_list);
  return rows.map((row) => ({
    ...row,
    project_ids: row.project_ids?.split(" ") ?? null,
    event_types: row.event_types.split(" ") as WebhookWord[],
    headers: JSON.parse(row.headers),
  }));
}

/** Every secret that is kept, of a subscription the newest first. */
export function readSecrets(connection: Connection): Promise<SubscriptionSecret[]> {
  return connection.rows<SubscriptionSecret>(subscription_secret_list);
}

/** Stores a new subscription. */
export async function insertSubscription(
  connection: Connection,
  subscription: Subscription,
): Promise<void> {
  await connection.run(subscription_insert, rowOf(subscription));
}

/** Stores what may change of a subscription. */
export async function changeSubscription(
  connection: Connection,
  subscription: Subscription,
): Promise<void> {
  const { id: _, organization_id: __, created_at: ___, ...row } = rowOf(subscription);
  await connection.run(subscription_change, row);
}

/** Stores the secrets of a subscription in place of those that it had. */
export async function replaceSecrets(
  connection: Connection,
  subscription_no: number,
  secrets: readonly SubscriptionSecret[],
): Promise<void> {
  const gone = "DELETE FROM subscription_secret WHERE subscription_no = $subscription_no";
  const insert = "INSERT INTO subscription_secret VALUES " +
    "($subscription_no, $secret, $created_at::BIGINT, $expires_at::BIGINT)";
  await connection.run(gone, { subscription_no });
  for (const secret of secrets) await connection.run(insert, secret);
}

/** Keeps the deliveries of a subscription that are not settled until it is enabled again. */
export async function holdDeliveries(
  connection: Connection,
  subscription_no: number,
): Promise<void> {
  const hold = "UPDATE delivery SET state = 'held' " +
    "WHERE subscription_no = $subscription_no AND state = 'pending'";
  await connection.run(hold, { subscription_no });
}

/** Lets the held deliveries of a subscription go at an instant. */
export async function freeDeliveries(
  connection: Connection,
  due: { readonly subscription_no: number; readonly due_at: number },
): Promise<void> {
  const free = "UPDATE delivery SET state = 'pending', due_at = $due_at::BIGINT " +
    "WHERE subscription_no = $subscription_no AND state = 'held'";
  await connection.run(free, due);
}

/** Ends the deliveries of a subscription that are not settled, and never will be. */
export async function endDeliveries(
  connection: Connection,
  settled: { readonly subscription_no: number; readonly settled_at: number },
): Promise<void> {
  const end = "UPDATE delivery SET state = 'dead', settled_at = $settled_at::BIGINT " +
    "WHERE subscription_no = $subscription_no AND state IN ('pending', 'held')";
  await connection.run(end, settled);
}

function rowOf({ headers, ...subscription }: Subscription) {
  return { ...subscription, headers: JSON.stringify(headers) };
}
