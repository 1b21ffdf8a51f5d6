// What webhooks report: the types of events, what a subscription may ask for, the envelope.
import { oneOf, type PlainRow } from "../data/row.ts";
import type { Project } from "../plant/plant.ts";

/** Every type of event, and when it is sent. */
export const webhook_docs = {
  "alarm.raised": "An alarm was raised.",
  "alarm.updated": "An alarm changed in another way, or got events.",
  "alarm.cleared": "The condition of an alarm ended.",
  "alarm.resolved": "An operator resolved an alarm.",
  "issue.created": "An issue was opened.",
  "issue.updated": "An issue or one of its work orders changed.",
  "issue.resolved": "An issue was resolved.",
  "issue.merged": "An issue was merged into another one.",
  "issue.deleted": "An issue was deleted.",
  "workorder.created": "A work order was made.",
  "workorder.updated": "A work order changed and was not completed.",
  "workorder.completed": "A work order was completed.",
  "workorder.deleted": "A work order was deleted.",
  "report.ready": "A month of a project is over and its figures are settled.",
  "webhook.test": "Someone tested a subscription; only that one gets it.",
} as const satisfies Readonly<Record<string, string>>;

export type WebhookType = keyof typeof webhook_docs;
export const webhook_types = Object.keys(webhook_docs) as readonly WebhookType[];

/** What a subscription may ask for: types, all types of a family, or everything. */
export const webhook_words = [
  ...["*", "alarm.*", "issue.*", "workorder.*", "report.*"] as const,
  ...webhook_types,
] as const;
export type WebhookWord = typeof webhook_words[number];

/** Whether the words of a subscription ask for events of a type. */
export function asksFor(words: readonly WebhookWord[], type: WebhookType): boolean {
  const family = `${type.slice(0, type.indexOf("."))}.*`;
  return words.some((word) => word === "*" || word === type || word === family);
}

/** An event as it is sent to every receiver. */
export type WebhookEvent = {
  readonly id: string;
  readonly type: WebhookType;
  /** ISO 8601, UTC. */
  readonly occurred_at: string;
  readonly project: Pick<Project, "id" | "organization_id">;
  /** JSON of an object. */
  readonly data: string;
};

/** The body of every attempt to send an event. */
export function envelopeOf({ id, type, occurred_at, project, data }: WebhookEvent): string {
  const { organization_id, id: project_id } = project;
  const head = { schema_version: 1, id, type, occurred_at, organization_id, project_id };
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`;
}

/** Where a delivery stands: held while its subscription is paused or disabled. */
export const delivery_states = ["pending", "acknowledged", "dead", "held"] as const;
export type DeliveryState = typeof delivery_states[number];

/** An event on its way to a subscription; instants are microseconds since 1970 UTC. */
export const delivery_table = {
  delivery_no: "int64",
  event_no: "int64",
  subscription_no: "int32",
  state: oneOf(delivery_states),
  /** Attempts made so far. */
  attempts: "int32",
  due_at: "instant",
  settled_at: "instant?",
  created_at: "instant",
} as const;

/** An event on its way to a subscription; instants are microseconds since 1970 UTC. */
export type Delivery = PlainRow<typeof delivery_table>;
