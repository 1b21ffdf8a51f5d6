// The part of the API description that says what others are sent: OpenAPI's `webhooks`.
import { rowSchema } from "../../model/data/column_schema.ts";
import { webhook_docs, webhook_types, type WebhookType } from "../../model/webhooks/webhook.ts";
import {
  envelope_columns,
  webhook_data,
  webhook_header_docs,
  webhookDataName,
} from "../../model/webhooks/shape.ts";

/** A request for each type of event. */
export function describeWebhooks(): object {
  return Object.fromEntries(webhook_types.map((type) => [type, { post: operation(type) }]));
}

/** The schemas that they refer to. */
export function webhookSchemas(): Record<string, object> {
  const data = Object.entries(webhook_data).map(([name, { doc, columns }]) => [
    name,
    { ...rowSchema(columns), description: doc },
  ]);
  return { WebhookEnvelope: rowSchema(envelope_columns), ...Object.fromEntries(data) };
}

function operation(type: WebhookType): object {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  return {
    operationId: `webhook_${type.replace(".", "_")}`,
    summary: webhook_docs[type],
    description: "Sent to every subscription that asks for it. Answer first, then do the work. " +
      "An event can come more than once, and events can come in a different order.",
    security: [],
    parameters: Object.entries(webhook_header_docs).map(([name, description]) => ({
      name,
      in: "header",
      required: true,
      description,
      schema: name === "x-svc-event-type" ? { type: "string", const: type } : { type: "string" },
    })),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            allOf: [ref("WebhookEnvelope")],
            type: "object",
            required: ["type", "data"],
            properties: {
              schema_version: { type: "integer", const: 1 },
              type: { type: "string", const: type },
              data: ref(webhookDataName(type)),
            },
          },
        },
      },
    },
    responses: answers,
  };
}

const answers = {
  "2XX": { description: "Accepted: it is not sent again." },
  "410": { description: "Gone: the subscription is disabled." },
  "429": {
    description: "Too many requests: it is sent again after Retry-After (one day at most), or " +
      "after a minute.",
  },
  "503": {
    description: "Unavailable: it is sent again after Retry-After (one day at most), or after a " +
      "minute.",
  },
  default: { description: "Not accepted: it is sent again later. Redirects are not followed." },
} as const;
