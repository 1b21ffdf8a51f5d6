// Deliveries of webhooks under /admin/v1/deliveries: what became of each, and events told again.
import { z } from "zod";
import { Fault } from "../../base/fault.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import {
  redeliver_form,
  redelivered_form,
  redeliverEvents,
} from "../../engine/webhooks/redeliver.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";
import type { Grant } from "../../model/access/token.ts";
import { delivery_states, webhook_types } from "../../model/webhooks/webhook.ts";
import type { Attempt } from "../../store/webhooks/delivery.ts";
import {
  listAttempts,
  listDeliveries,
  type RecordedDelivery,
} from "../../store/webhooks/delivery_record.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { readData } from "../frame/json_body.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const path = "/admin/v1/deliveries";

/** Listing deliveries with their attempts, and replaying events, within the token's reach. */
export function deliveryRoutes(services: Services): readonly Route[] {
  return [listRoute(services), replayRoute(services), getRoute(services)];
}

function listRoute({ database, subscriptions }: Services): Route {
  return route({
    ...common,
    name: "deliveries",
    method: "GET",
    path,
    summary: "Deliveries of webhooks",
    doc: "Deliveries to the subscriptions that the token can access, the newest first.",
    params: [
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
    answer: { kind: "json", schema: z.toJSONSchema(list_schema) },
    handle: async ({ values, grant }) => {
      const { subscription_id, state, type, event_id, limit, offset } = values;
      const reached = reach(subscriptions, { grant: grant!, subscription_id });
      const filter = {
        ...{ subscription_nos: [...reached.keys()], delivery_no: null, limit, offset },
        ...{ state: state ?? null, type: type ?? null, event_id: event_id ?? null },
      };
      const rows = await database.read((connection) => listDeliveries(connection, filter));
      return Response.json({ deliveries: rows.map((row) => shown(row, reached)) });
    },
  });
}

function getRoute({ database, subscriptions }: Services): Route {
  return route({
    ...common,
    name: "delivery",
    method: "GET",
    path: `${path}/{id}`,
    summary: "A delivery of a webhook",
    doc: "The delivery with each of its attempts: time, duration, address and answer.",
    params: [{ ...text, name: "id", in: "path", required: true, doc: "The delivery's id." }],
    answer: { kind: "json", schema: z.toJSONSchema(one_schema) },
    handle: async ({ values: { id }, grant }) => {
      const reached = reach(subscriptions, { grant: grant! });
      const delivery_no = /^\d{1,15}$/.test(id) ? Number(id) : 0;
      const any = { state: null, type: null, event_id: null, limit: 1, offset: 0 };
      const filter = { ...any, subscription_nos: [...reached.keys()], delivery_no };
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
    params: [],
    body: {
      media_types: ["application/json"],
      limit_bytes: webhook_limits.subscription_body_bytes,
      doc: "The events, and the subscription.",
      schema: z.toJSONSchema(redeliver_form, { io: "input" }),
    },
    answer: { kind: "json", status: 202, schema: z.toJSONSchema(redelivered_form) },
    handle: async ({ request, grant }) => {
      const replayed = await redeliverEvents(services, await readData(request), { grant: grant! });
      return Response.json(replayed, { status: 202 });
    },
  });
}

const common = { scope: "manage", project: null } as const;
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
});

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
