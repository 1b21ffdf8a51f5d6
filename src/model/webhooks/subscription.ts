// Who is told of events, where and how: a subscription as it is kept, and the forms to ask for one.
import { z } from "zod";
import { Fault, type Flaw } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { formFlaws } from "../data/form_flaw.ts";
import { webhook_words, type WebhookWord } from "./webhook.ts";
import { headerFlaws } from "./header.ts";
import { name_form } from "../data/text_form.ts";

/** Paused by a person, disabled by the service for a reason; deliveries are held meanwhile. */
export const subscription_states = ["enabled", "paused", "disabled"] as const;
export type SubscriptionState = typeof subscription_states[number];

/** A subscription; instants are microseconds since 1970 UTC. */
export type Subscription = {
  readonly subscription_no: number;
  readonly id: string;
  readonly organization_id: string;
  /** Null for every project of the organization. */
  readonly project_ids: readonly string[] | null;
  readonly name: string;
  /** A URL. */
  readonly target: string;
  readonly event_types: readonly WebhookWord[];
  /** What is sent beside the service's own headers; their values may be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout_s: number;
  /** Whether each event waits until the one before it is settled. */
  readonly is_ordered: boolean;
  /** Whether it is told of what it said itself, by the inbound sync. */
  readonly hears_itself: boolean;
  readonly state: SubscriptionState;
  /** Why it is disabled. */
  readonly reason: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly deleted_at: number | null;
};

/** A secret of a subscription; it signs until `expires_at`, or until the next rotation. */
export type SubscriptionSecret = {
  readonly subscription_no: number;
  readonly secret: string;
  readonly created_at: number;
  readonly expires_at: number | null;
};

const target_form = z.string().max(limits.webhook_target_length).superRefine((text, context) => {
  const message = targetFlaw(text);
  if (message !== undefined) context.addIssue({ code: "custom", message, input: text });
});

const headers_form = z.record(z.string(), z.string()).superRefine((headers, context) => {
  for (const { path, message } of headerFlaws(headers)) {
    context.addIssue({ code: "custom", message, path: [...path], input: headers });
  }
});

const common = {
  name: name_form.describe("What it is for."),
  projects: z.array(name_form).min(1).max(limits.repeated_values).optional()
    .describe(
      "Projects that it is limited to, by id or key; by default all that the token can access.",
    ),
  target: target_form.describe("Address that events are sent to: an http or https URL."),
  event_types: z.array(z.enum(webhook_words)).min(1).max(webhook_words.length)
    .describe(
      "Events that it gets: types, all types of a family such as alarm.*, or * for everything.",
    ),
  timeout_s: z.int().min(1).max(limits.webhook_timeout_s).default(
    limits.webhook_timeout_default_s,
  ).describe("How long an answer may take, in seconds."),
  is_ordered: z.boolean().default(false)
    .describe("Whether each event waits until the one before it is settled."),
  hears_itself: z.boolean().default(false)
    .describe("Whether it also gets the changes of a sync that its own secret signed."),
};

/** The form of a new subscription. */
export const subscription_schema = z.strictObject({
  ...common,
  organization: name_form.optional()
    .describe("Organization, by id or key; by default the token's own."),
  headers: headers_form.default({}).describe("Additional headers."),
});

/** The form of a subscription that is changed: what is said is all that holds afterwards. */
export const subscription_change_schema = z.strictObject({
  ...common,
  headers: headers_form.optional()
    .describe("Additional headers; if left out, they stay as they are."),
});

/** A new subscription in plain data. Throws a `Fault` (invalid) with every flaw. */
export function parseSubscription(data: unknown): z.output<typeof subscription_schema> {
  return parse(subscription_schema, data);
}

/** A subscription's change in plain data. Throws a `Fault` (invalid) with every flaw. */
export function parseSubscriptionChange(
  data: unknown,
): z.output<typeof subscription_change_schema> {
  return parse(subscription_change_schema, data);
}

/** The refusal of a subscription for its flaws. */
export function subscriptionRefusal(flaws: readonly Flaw[]): Fault {
  return new Fault("invalid", "the subscription is wrong", { flaws });
}

/** What is wrong with the form of a target; where it leads to is another question. */
function targetFlaw(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text.trim())) return "give an http:// or https:// URL";
  // The URL's parser takes them away or turns them around: what is shown would not be what is sent.
  if (/[\s\\\p{Cc}]/u.test(text)) return "give it without blanks, line breaks and backslashes";
  if (url.username || url.password) return "give credentials in a header, not in the address";
  return text.includes("#") ? "give the address without its fragment" : undefined;
}

function parse<T extends z.ZodObject>(schema: T, data: unknown): z.output<T> {
  const parsed = schema.safeParse(data, { reportInput: true });
  if (parsed.success) return parsed.data;
  const known = Object.keys(schema.shape);
  throw subscriptionRefusal(parsed.error.issues.flatMap((it) => formFlaws(it, () => known)));
}
