// Sends stored events again: one event, or all of a subscription in a span of time.
import * as z from "zod";
import { Fault, refusal } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";
import { asksFor } from "../../model/webhooks/webhook.ts";
import type { Database } from "../../store/database.ts";
import {
  listEvents,
  readUnderWay,
  type RecordedEvent,
} from "../../store/webhooks/delivery_record.ts";
import { instantFlaw, instantOf } from "../../wire/bytes/instant.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Outbox } from "./outbox.ts";
import type { SubscriptionMaker, Subscriptions } from "./subscription.ts";

/** What a redelivery works with. */
type RedeliverParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly subscriptions: Subscriptions;
  readonly outbox: Outbox;
};

const instant_form = z.string().max(limits.key_length).transform((text, context) => {
  const at_us = instantOf(text);
  if (Number.isNaN(at_us)) {
    context.addIssue({ code: "custom", message: instantFlaw(text), input: text });
  }
  return at_us;
});

/** The form of a request to redeliver. */
export const redeliver_form = z.strictObject({
  subscription_id: z.string().max(limits.key_length).optional()
    .describe(
      "The subscription. With event_id it can be left out: then all that the event is for.",
    ),
  event_id: z.string().max(limits.key_length).optional().describe("The one event."),
  from: instant_form.optional().describe(
    "Or all events recorded at or after this time: ISO 8601 with an offset.",
  ),
  to: instant_form.optional().describe("… and before this time."),
});

/** The form of its answer. */
export const redelivered_form = z.strictObject({
  events: z.int().describe("Number of events that were found."),
  deliveries: z.int().describe(
    "Number of deliveries that were made; events that are still being sent make none.",
  ),
});

/** Who asks, and for the events of which project alone. */
type ReplayMaker = SubscriptionMaker & { readonly project_id?: string };

type Asked = z.output<typeof redeliver_form>;

/**
 * Puts stored events on their way again, under their own ids and with their own bytes. Throws a
 * `Fault`: invalid with every flaw, not_found for what the maker does not reach.
 */
export async function redeliverEvents(
  parts: RedeliverParts,
  data: unknown,
  maker: ReplayMaker = {},
): Promise<z.output<typeof redelivered_form>> {
  const asked = parseRedeliver(data);
  const { subscriptions, database, outbox } = parts;
  const hearers = asked.subscription_id === undefined
    ? subscriptions.list(maker)
    : [subscriptions.find(asked.subscription_id, maker)];
  const replayed = await database.write(async (write) => {
    const found = new Set<number>();
    const addressed = [];
    for (const subscription of hearers) {
      const events = await listEvents(write.connection, filterOf(asked, subscription));
      if (events.length > webhook_limits.replay_events) throw tooMany();
      const { subscription_no } = subscription;
      const under_way = await readUnderWay(write.connection, subscription_no);
      for (const event of events) {
        if (!isFor(event, subscription, { ...parts, only_id: maker.project_id })) continue;
        found.add(event.event_no);
        const { event_no } = event;
        if (!under_way.has(event_no)) addressed.push({ event_no, subscription });
      }
    }
    return { events: found.size, queued: await outbox.address(write, addressed) };
  });
  if (asked.event_id !== undefined && replayed.events === 0) {
    throw new Fault("not_found", `there is no event ${JSON.stringify(asked.event_id)}`);
  }
  outbox.committed(replayed.queued);
  return { events: replayed.events, deliveries: replayed.queued.length };
}

function parseRedeliver(data: unknown): Asked {
  const refuse = (flaws: Fault["flaws"]) => refusal("the replay is wrong", flaws);
  const asked = parseForm(redeliver_form, data, { refuse });
  const { event_id, from, to, subscription_id } = asked;
  if (event_id !== undefined) {
    if (from === undefined && to === undefined) return asked;
    throw refuse([{ path: "event_id", message: "give an event or a time range, not both" }]);
  }
  const missing = Object.entries({ subscription_id, from, to })
    .filter(([, value]) => value === undefined)
    .map(([path]) => ({ path, message: "is required without event_id" }));
  if (missing.length > 0) throw refuse(missing);
  if (from! < to!) return asked;
  throw refuse([{ path: "to", message: "give an instant after from" }]);
}

function filterOf({ event_id, from, to }: Asked, { organization_id }: Subscription) {
  return {
    organization_id,
    event_id: event_id ?? null,
    from_us: from ?? null,
    to_us: to ?? null,
    count: webhook_limits.replay_events + 1,
  };
}

/** Whether a subscription is one to hear of an event, as it stands now. */
function isFor(
  { type, project_no, origin }: RecordedEvent,
  { id, project_ids, hears_itself, event_types }: Subscription,
  { catalog, only_id }: Pick<RedeliverParts, "catalog"> & {
    /** The one project whose events are told again; undefined for all. */
    readonly only_id: string | undefined;
  },
): boolean {
  if (type === "webhook.test") return false;
  const project_id = catalog.projectByNo(project_no)?.id;
  if (only_id !== undefined && only_id !== project_id) return false;
  return project_id !== undefined && (project_ids === null || project_ids.includes(project_id)) &&
    (hears_itself || id !== origin) && asksFor(event_types, type);
}

function tooMany(): Fault {
  const message = `more than ${webhook_limits.replay_events} events lie between from and to`;
  return new Fault("invalid", message, {
    flaws: [{ path: "to", message: "give a shorter time range, and replay the next one after it" }],
  });
}
