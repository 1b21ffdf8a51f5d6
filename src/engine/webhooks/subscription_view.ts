// Subscriptions as answers show them: never a secret again, nor the values of headers.
import * as z from "zod";
import { type Subscription, subscription_states } from "../../model/webhooks/subscription.ts";
import { breaker_states, type BreakerStand } from "../../model/webhooks/retry.ts";
import { webhook_words } from "../../model/webhooks/webhook.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { NewSecret, Subscriptions } from "./subscription.ts";

const instant = z.string().describe("ISO 8601, UTC.");

/** The form of a subscription in answers. */
export const shown_subscription_schema = z.strictObject({
  id: z.string(),
  organization_id: z.string(),
  project_ids: z.array(z.string()).nullable().describe("Null: every project of it."),
  name: z.string(),
  target: z.string(),
  event_types: z.array(z.enum(webhook_words)),
  header_names: z.array(z.string()).describe(
    "Names of the additional headers; their values are not shown.",
  ),
  timeout_s: z.int(),
  is_ordered: z.boolean(),
  hears_itself: z.boolean(),
  state: z.enum(subscription_states)
    .describe("Deliveries are held while it is paused (by a person) or disabled (by the service)."),
  reason: z.string().nullable().describe("Why it is disabled."),
  secret_created_at: instant.describe(
    "When its newest secret was made. The secret is not shown again.",
  ),
  former_secret_until: instant.nullable()
    .describe("Until when the old secret also signs; null if there is none."),
  created_at: instant,
  updated_at: instant,
  breaker: z.strictObject({
    state: z.enum(breaker_states).describe(
      "closed: events are sent. open: the receiver keeps failing and is left alone. trying: one " +
        "attempt is under way, which decides.",
    ),
    since: instant.nullable().describe("Since when it is open; null while closed."),
    next_try_at: instant.nullable().describe("When the next attempt is made; null while closed."),
  }).optional().describe("With include=breaker: whether the receiver is left alone for a while."),
}).meta({ title: "Subscription" });

/** The form of an answer that tells a new secret. */
export const new_secret_schema = shown_subscription_schema.extend({
  secret: z.string().describe("The newest secret. It is shown only in this answer."),
});

/** The form of what is left of a removed subscription. */
export const removed_schema = z.strictObject({ id: z.string(), deleted_at: instant });

/** The form of the answer to a test: the event that is on its way. */
export const test_schema = z.strictObject({
  event_id: z.string().describe(
    "Id of the webhook.test event, as in x-svc-event-id of its delivery.",
  ),
});

export type ShownSubscription = z.infer<typeof shown_subscription_schema>;
export type ShownSecret = z.infer<typeof new_secret_schema>;
export type ShownRemoved = z.infer<typeof removed_schema>;
export type ShownTest = z.infer<typeof test_schema>;

/** A breaker in words. */
export function showBreaker(stand: BreakerStand): NonNullable<ShownSubscription["breaker"]> {
  if (stand.state === "closed") return { state: "closed", since: null, next_try_at: null };
  const { state, since_us, next_us } = stand;
  return { state, since: instantText(since_us), next_try_at: instantText(next_us) };
}

/** A subscription as it stands. */
export function showSubscription(
  subscription: Subscription,
  known: Pick<Subscriptions, "secretsOf">,
): ShownSubscription {
  const [newest, former] = known.secretsOf(subscription);
  return {
    id: subscription.id,
    organization_id: subscription.organization_id,
    project_ids: subscription.project_ids && [...subscription.project_ids],
    name: subscription.name,
    target: subscription.target,
    event_types: [...subscription.event_types],
    header_names: Object.keys(subscription.headers),
    timeout_s: subscription.timeout_s,
    is_ordered: subscription.is_ordered,
    hears_itself: subscription.hears_itself,
    state: subscription.state,
    reason: subscription.reason,
    secret_created_at: instantText(newest.created_at),
    former_secret_until: former ? instantText(former.expires_at!) : null,
    created_at: instantText(subscription.created_at),
    updated_at: instantText(subscription.updated_at),
  };
}

/** A subscription with its new secret. */
export function showSecret(
  { subscription, secret }: NewSecret,
  known: Pick<Subscriptions, "secretsOf">,
): ShownSecret {
  return { ...showSubscription(subscription, known), secret };
}

/** A subscription that was removed. */
export function showRemoved({ id, deleted_at }: Subscription): ShownRemoved {
  return { id, deleted_at: instantText(deleted_at!) };
}
