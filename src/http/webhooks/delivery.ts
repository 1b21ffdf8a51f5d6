// Deliveries of webhooks under /admin/v1/deliveries, and the page that explains what is delivered.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import {
  redeliver_form,
  redelivered_form,
  redeliverEvents,
} from "../../engine/webhooks/redeliver.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";
import type { Grant } from "../../model/access/token.ts";
import {
  delivery_states,
  envelopeOf,
  webhook_docs,
  webhook_types,
  type WebhookEvent,
} from "../../model/webhooks/webhook.ts";
import type { Attempt } from "../../store/webhooks/delivery.ts";
import {
  listAttempts,
  listDeliveries,
  type RecordedDelivery,
} from "../../store/webhooks/delivery_record.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { readData } from "../frame/json_body.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { html } from "@hono/hono/html";
import { rowSchema } from "../../model/data/column_schema.ts";
import { addressRefusal } from "../../model/webhooks/address.ts";
import { attempt_jitter, attempt_waits_us } from "../../model/webhooks/retry.ts";
import {
  envelope_columns,
  webhook_data,
  webhook_header_docs,
  webhookDataName,
} from "../../model/webhooks/shape.ts";
import { documentPage, type Fills, wordFills } from "../page/document.ts";
import { code, type Html, listed, row, table, wordRows } from "../page/html.ts";
import { durationText } from "../page/quantity.ts";
import { fieldTable, type Schema } from "../page/schema_table.ts";
import guide from "./webhooks.md" with { type: "text" };
import { utf8 } from "../../base/bytes.ts";
import { signatureHeader, standardHeaders } from "../../model/webhooks/signature.ts";
import { jwkOf, signingKey } from "../../model/webhooks/signature_key.ts";

const path = "/admin/v1/deliveries";

/** Listing deliveries with their attempts, and replaying events, within the token's reach. */
export function deliveryRoutes(services: Services): readonly Route[] {
  return [listRoute(services), replayRoute(services), getRoute(services)];
}

/** Everything that a receiver has to know. */
export function webhookPage(): Promise<string> {
  return documentPage(guide, {
    event_types: table(["type", "sent when", "data"], webhook_types.map(typeRow)),
    event_data: table(["data", "", "fields"], Object.keys(webhook_data).map(dataRow)),
    envelope_fields: fieldTable(rowSchema(envelope_columns) as Schema),
    headers: table(["header", ""], wordRows(webhook_header_docs)),
    ...exampleFills(),
    attempt_count: attempt_waits_us.length,
    attempts: table(
      ["attempt", "after the one before", "at random between"],
      attempt_waits_us.map(attemptRow),
    ),
    ...wordFills("delivery", delivery_states),
    refused: table(["address", "why it is refused"], refused_addresses.map(refusedRow)),
  });
}

function listRoute({ database, subscriptions, catalog }: Services): Route {
  return route({
    ...common,
    name: "deliveries",
    method: "GET",
    path,
    summary: "Deliveries of webhooks",
    doc: "Deliveries to the subscriptions that the token can access, the newest first.",
    params: [
      of_project,
      { ...text, name: "subscription_id", doc: "Only to this subscription." },
      { ...text, name: "state", values: delivery_states, doc: "Only deliveries in this state." },
      {
        ...text,
        name: "type",
        values: webhook_types,
        doc: "Only deliveries of events of this type.",
      },
      { ...text, name: "event_id", doc: "Only deliveries of this event." },
      {
        ...count,
        name: "limit",
        ...{ minimum: 1, maximum: webhook_limits.delivery_page_rows },
        default: webhook_limits.delivery_page_rows_default,
        doc: "Largest number of deliveries on the page.",
      },
      { ...count, name: "offset", minimum: 0, default: 0, doc: "Deliveries to skip." },
    ],
    answer: { kind: "json", schema: () => z.toJSONSchema(list_schema) },
    handle: async ({ values, grant }) => {
      const { project_id, subscription_id, state, type, event_id, limit, offset } = values;
      const reached = reach(subscriptions, { grant: grant!, subscription_id });
      const filter = {
        ...{ subscription_nos: [...reached.keys()], delivery_no: null, limit, offset },
        project_no: catalog.project(project_id ?? "")?.project_no ?? null,
        ...{ state: state ?? null, type: type ?? null, event_id: event_id ?? null },
      };
      const rows = await database.read((connection) => listDeliveries(connection, filter));
      return Response.json({ deliveries: rows.map((row) => shown(row, reached)) });
    },
  });
}

function getRoute({ database, subscriptions, catalog }: Services): Route {
  return route({
    ...common,
    name: "delivery",
    method: "GET",
    path: `${path}/{id}`,
    summary: "A delivery of a webhook",
    doc: "The delivery with each of its attempts: time, duration, address and answer.",
    params: [
      { ...text, name: "id", in: "path", required: true, doc: "The delivery's id." },
      of_project,
    ],
    answer: { kind: "json", schema: () => z.toJSONSchema(one_schema) },
    handle: async ({ values: { id, project_id }, grant }) => {
      const project_no = catalog.project(project_id ?? "")?.project_no ?? null;
      const reached = reach(subscriptions, { grant: grant! });
      const delivery_no = /^\d{1,15}$/.test(id) ? Number(id) : 0;
      const any = { state: null, type: null, event_id: null, limit: 1, offset: 0 };
      const filter = { ...any, subscription_nos: [...reached.keys()], delivery_no, project_no };
      const [row] = await database.read((connection) => listDeliveries(connection, filter));
      if (row === undefined) {
        throw new Fault("not_found", `there is no delivery ${JSON.stringify(id.slice(0, 100))}`);
      }
      const attempts = await database.read((connection) => listAttempts(connection, row));
      return Response.json({ ...shown(row, reached), attempt_log: attempts.map(shownAttempt) });
    },
  });
}

function replayRoute(services: Services): Route {
  return route({
    ...common,
    name: "delivery_replay",
    method: "POST",
    path: `${path}/replay`,
    summary: "Send events again",
    doc: "Sends an event, or the events of a subscription in a time range, again, with the same " +
      "id and the same bytes. Events that are still being sent are not affected. A " +
      `time range may have at most ${webhook_limits.replay_events} events of the organization.`,
    params: [of_project],
    body: {
      media_types: ["application/json"],
      limit_bytes: webhook_limits.subscription_body_bytes,
      doc: "The events, and the subscription.",
      schema: () => z.toJSONSchema(redeliver_form, { io: "input" }),
    },
    answer: { kind: "json", status: 202, schema: () => z.toJSONSchema(redelivered_form) },
    faults: ["not_found"],
    handle: async ({ request, grant, values: { project_id } }) => {
      const data = await readData(request);
      const replayed = await redeliverEvents(services, data, { grant: grant!, project_id });
      return Response.json(replayed, { status: 202 });
    },
  });
}

const common = { scope: "manage", project: "project_id" } as const;
const of_project = {
  ...project_param,
  required: false,
  doc: "Only events of this project, by id or key.",
} as const;
const text = { in: "query", kind: "text", required: false } as const;
const count = { in: "query", kind: "integer", required: false } as const;
const instant = z.string().describe("ISO 8601, UTC.");

const shown_schema = z.strictObject({
  id: z.string(),
  subscription_id: z.string(),
  event_id: z.string(),
  type: z.enum(webhook_types),
  state: z.enum(delivery_states),
  attempts: z.int().describe("Attempts made so far."),
  due_at: instant.nullable().describe("When the next attempt is due; null if there is none."),
  settled_at: instant.nullable().describe("When it was acknowledged or became dead."),
  created_at: instant,
}).meta({ title: "Delivery" });

const attempt_schema = z.strictObject({
  attempt: z.int(),
  sent_at: instant,
  took_ms: z.number(),
  status: z.int().nullable().describe("Null if no answer came."),
  error: z.string().nullable().describe("Why no answer came."),
  address: z.string().nullable().describe("The address that was called, or refused."),
  answer: z.string().nullable().describe("The first KiB of the answer."),
});

const list_schema = z.strictObject({ deliveries: z.array(shown_schema) });
const one_schema = shown_schema.extend({ attempt_log: z.array(attempt_schema) });

/** The subscriptions that a token reaches, or the one of an id, by number. */
function reach(
  subscriptions: Services["subscriptions"],
  { grant, subscription_id }: { readonly grant: Grant; readonly subscription_id?: string },
): ReadonlyMap<number, Subscription> {
  const reached = subscription_id === undefined
    ? subscriptions.list({ grant })
    : [subscriptions.find(subscription_id, { grant })];
  return new Map(reached.map((subscription) => [subscription.subscription_no, subscription]));
}

function shown(
  row: RecordedDelivery,
  reached: ReadonlyMap<number, Subscription>,
): z.infer<typeof shown_schema> {
  const { delivery_no, subscription_no, event_id, type, state, attempts } = row;
  return {
    id: String(delivery_no),
    subscription_id: reached.get(subscription_no)!.id,
    ...{ event_id, type, state, attempts },
    due_at: state === "pending" ? instantText(row.due_at) : null,
    settled_at: row.settled_at === null ? null : instantText(row.settled_at),
    created_at: instantText(row.created_at),
  };
}

function shownAttempt(attempt: Attempt): z.infer<typeof attempt_schema> {
  const { delivery_no: _, sent_at, ...rest } = attempt;
  return { ...rest, sent_at: instantText(sent_at) };
}

function typeRow(type: typeof webhook_types[number]): Html {
  const name = webhookDataName(type);
  return row([code(type), webhook_docs[type], html`<a href="#data-${name}">${name}</a>`]);
}

function dataRow(name: string): Html {
  const { doc, columns } = webhook_data[name as keyof typeof webhook_data];
  const route = answered_by.get(name);
  return html`
    <tr id="data-${name}">
      <td>${name}</td>
      <td>${doc}</td>
      <td>${route === undefined
        ? listed(columns.map(({ name }) => name))
        : html`<a href="/docs#${route}">as in answers</a>`}</td>
    </tr>
  `;
}

/** The routes that answer the same data. */
const answered_by: ReadonlyMap<string, string> = new Map([
  ["AlarmOccurrence", "alarm"],
  ["Issue", "issue"],
  ["WorkOrder", "work_order"],
]);

function exampleFills(): Fills {
  const { t, body, secret, jwk, headers } = exampleDelivery();
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return {
    example_keys: [secret, JSON.stringify(jwk)].join("\n"),
    example_request: [...head, "", body].join("\n"),
    example_shell: `T=${t}\nBODY='${body}'\n` +
      `printf '%s' "$T.$BODY" | openssl dgst -sha256 -hmac '${secret}'`,
  };
}

function attemptRow(wait_us: number, i: number): Html {
  if (wait_us === 0) return row([i + 1, "at once", ""]);
  const [least, most] = [1 - attempt_jitter, 1 + attempt_jitter]
    .map((factor) => durationText(wait_us * factor));
  return row([i + 1, durationText(wait_us), `${least} to ${most}`]);
}

function refusedRow(address: string): Html {
  return row([code(address), addressRefusal(address, [])!.replace(`${address} is `, "")]);
}

/** One address of each range that is refused. */
const refused_addresses = [
  "127.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "224.0.0.1",
  "192.0.2.1",
  "::1",
  "fe80::1",
  "fd00::1",
  "::ffff:10.1.2.3",
  "64:ff9b::a01:203",
  "2002:a01:203::1",
] as const;

const example_event: WebhookEvent = {
  id: "0199f3a4-5b6c-7d8e-9f00-112233445566",
  type: "issue.deleted",
  occurred_at: "2026-06-01T11:59:59.250000Z",
  project: { id: "prj_1", organization_id: "org_1" },
  data: '{"id":"iss_1","name":"Inverter 7 is noisy"}',
};

/** A secret and a key that everybody knows (RFC 8037): for this example alone. */
const example_secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const example_seed = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";

/** What is sent for an event, and what it is checked with. */
function exampleDelivery() {
  const key = signingKey(example_seed);
  const t = Date.parse("2026-06-01T12:00:00Z") / 1000;
  const body = envelopeOf(example_event);
  const signing = { t, body: utf8(body), secrets: [example_secret], keys: [key] };
  const headers = {
    "content-type": "application/json",
    "x-svc-signature": signatureHeader(signing),
    "x-svc-event-id": example_event.id,
    "x-svc-event-type": example_event.type,
    ...standardHeaders(example_event.id, signing),
  };
  return { t, body, secret: example_secret, jwk: jwkOf(key), headers };
}
