// Who receives events, where and how: a subscription as it is kept, and the forms to ask for one.
import { json, oneOf, type PlainRow } from "../data/row.ts";
import * as z from "zod";
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { webhook_limits } from "./limits.ts";
import { parseForm } from "../data/parse_form.ts";
import { webhook_words, type WebhookWord } from "./webhook.ts";
import { name_form } from "../data/text_form.ts";

/** Paused by a person, disabled by the service for a reason; deliveries are held meanwhile. */
export const subscription_states = ["enabled", "paused", "disabled"] as const;

/** A subscription as it is kept. */
export const subscription_table = {
  subscription_no: "int32",
  id: "text",
  organization_id: "text",
  /** Null for every project of the organization. */
  project_ids: "text[]?",
  name: "text",
  /** A URL. */
  target: "text",
  /** Each a `WebhookWord`. */
  event_types: "text[]",
  /** What is sent beside the service's own headers; their values may be secret. */
  headers: json<Readonly<Record<string, string>>>(),
  timeout_s: "int32",
  /** Whether each event waits until the one before it is settled. */
  is_ordered: "bool",
  /** Whether it also receives the changes of its own inbound sync. */
  hears_itself: "bool",
  state: oneOf(subscription_states),
  /** Why it is disabled. */
  reason: "text?",
  created_at: "instant",
  updated_at: "instant",
  deleted_at: "instant?",
} as const;

/** A subscription; instants are microseconds since 1970 UTC. */
export type Subscription = Omit<PlainRow<typeof subscription_table>, "event_types"> & {
  readonly event_types: readonly WebhookWord[];
};

/** A secret of a subscription; it signs until `expires_at`, or until the next rotation. */
export const subscription_secret_table = {
  subscription_no: "int32",
  secret: "text",
  created_at: "instant",
  expires_at: "instant?",
} as const;

/** A secret of a subscription; it signs until `expires_at`, or until the next rotation. */
export type SubscriptionSecret = PlainRow<typeof subscription_secret_table>;

/** A subscription that another service keeps, with the secrets that sign for it now. */
export type ToldSubscription = {
  readonly subscription: Subscription;
  readonly secrets: readonly SubscriptionSecret[];
};

/** That another service gave up on a subscription, and when. */
export type ToldDisabled = Pick<Subscription, "id" | "updated_at"> & { readonly reason: string };

const target_form = z.string().max(webhook_limits.target_length).superRefine((text, context) => {
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
  timeout_s: z.int().min(1).max(webhook_limits.timeout_s).default(
    webhook_limits.timeout_default_s,
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
  return parseForm(subscription_schema, data, { refuse: subscriptionRefusal });
}

/** A subscription's change in plain data. Throws a `Fault` (invalid) with every flaw. */
export function parseSubscriptionChange(
  data: unknown,
): z.output<typeof subscription_change_schema> {
  return parseForm(subscription_change_schema, data, { refuse: subscriptionRefusal });
}

/** The refusal of a subscription for its flaws. */
export function subscriptionRefusal(flaws: readonly Flaw[]): Fault {
  return refusal("the subscription is wrong", flaws);
}

/** What is wrong with headers; neither a bad name nor any value is repeated. */
export function headerFlaws(headers: Readonly<Record<string, string>>): readonly HeaderFlaw[] {
  const names = Object.keys(headers);
  if (names.length > webhook_limits.headers) {
    return [{ path: [], message: `give at most ${webhook_limits.headers} headers` }];
  }
  const seen = new Set<string>();
  return names.flatMap((name) => {
    const message = headerFlaw(name, headers[name], seen);
    seen.add(name.toLowerCase());
    if (message === undefined) return [];
    return [{ path: isToken(name) ? [name] : [], message }];
  });
}

/** A flaw by where it is: the name of a header, or none for all of them. */
type HeaderFlaw = { readonly path: readonly string[]; readonly message: string };

/** Set by the service or by the connection itself (RFC 9110 section 7.6.1). */
const reserved = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);
const reserved_families = ["x-svc-", "webhook-", "proxy-"];

function headerFlaw(name: string, value: string, seen: ReadonlySet<string>): string | undefined {
  const lower = name.toLowerCase();
  if (!isToken(name)) return "give names of letters, digits and !#$%&'*+-.^_`|~";
  if (seen.has(lower)) return "is there twice";
  if (reserved.has(lower) || reserved_families.some((family) => lower.startsWith(family))) {
    return "is the service's own, or the connection's";
  }
  if (value.length > webhook_limits.header_length) {
    return `give at most ${webhook_limits.header_length} characters`;
  }
  // RFC 9110 section 5.5, without its obsolete letters.
  if (!/^(?:[!-~](?:[ \t!-~]*[!-~])?)?$/.test(value)) {
    return "give printable ASCII without line breaks, and no blanks at the ends";
  }
  return undefined;
}

function isToken(name: string): boolean {
  return name.length <= webhook_limits.header_length && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
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
