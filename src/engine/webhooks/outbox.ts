// The outbox: events stored in the write that caused them, with a delivery for each subscription.
import { getLogger } from "@logtape/logtape";
import { utf8 } from "../../base/bytes.ts";
import type { Effects } from "../../base/effects.ts";
import { newId } from "../../base/id.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";
import { type Delivery, envelopeOf, type WebhookType } from "../../model/webhooks/webhook.ts";
import type { Database, Write } from "../../store/database.ts";
import {
  insertDeliveries,
  insertOutbox,
  lastOutboxNumbers,
  type OutboxEvent,
  type OutboxNumbers,
} from "../../store/webhooks/delivery.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Subscriptions } from "./subscription.ts";

const log = getLogger(["wattkeeper", "webhook"]);

type Parts = {
  readonly database: Database;
  readonly subscriptions: Pick<Subscriptions, "get" | "matching" | "ofOrganization">;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** An event before it is stored. */
export type OutboxDraft = {
  /** A new one where it is not said. */
  readonly id?: string;
  readonly type: WebhookType;
  /** Microseconds since 1970 UTC. */
  readonly occurred_at: number;
  readonly project: Project;
  /** JSON of an object. */
  readonly data: string;
  /** Id of the subscription that caused it, which gets it only if it asks for that. */
  readonly origin: string | null;
  /** Number of the one subscription that it is for, whatever that asks for. */
  readonly only?: number;
};

/** An event on its way to a subscription. */
type Addressed = { readonly event_no: number; readonly subscription: Subscription };

/** Deliveries that a write stored, by rising number. */
export type Queued = readonly Delivery[];

/** The one way to send webhook events. */
export class Outbox {
  readonly #parts: Parts;
  /** Numbers of a write that fails are never given again. */
  readonly #numbers: OutboxNumbers;
  readonly #listeners = new Set<(queued: Queued) => void>();

  private constructor(parts: Parts, numbers: OutboxNumbers) {
    this.#parts = parts;
    this.#numbers = numbers;
  }

  /** Reads how far the numbers are. */
  static async open(parts: Parts): Promise<Outbox> {
    return new Outbox(parts, await parts.database.read(lastOutboxNumbers));
  }

  /** Whether an organization has subscriptions: without any, no event need be made. */
  hasListeners({ organization_id }: Pick<Project, "organization_id">): boolean {
    return this.#parts.subscriptions.ofOrganization(organization_id).length > 0;
  }

  /**
   * Stores events within the caller's write, in their order, and their deliveries; events of an
   * organization that has no subscription are left out, and so are those that are too large. The
   * caller says so (`committed`) after the commit.
   */
  async add(write: Write, drafts: readonly OutboxDraft[]): Promise<Queued> {
    const events: OutboxEvent[] = [];
    const addressed: Addressed[] = [];
    for (const draft of drafts) {
      if (!this.hasListeners(draft.project)) continue;
      const event = this.#eventOf(draft, write.stamp_us);
      if (event === undefined) continue;
      events.push(event);
      const { event_no } = event;
      for (const subscription of this.#hearersOf(draft)) addressed.push({ event_no, subscription });
    }
    if (events.length > 0) await insertOutbox(write.connection, events);
    return await this.address(write, addressed);
  }

  /** Stores deliveries of stored events within the caller's write: due now, or held. */
  async address(write: Write, addressed: readonly Addressed[]): Promise<Queued> {
    const { connection, stamp_us } = write;
    const deliveries = addressed.map(({ event_no, subscription }): Delivery => ({
      delivery_no: ++this.#numbers.delivery_no,
      event_no,
      subscription_no: subscription.subscription_no,
      state: subscription.state === "enabled" ? "pending" : "held",
      attempts: 0,
      due_at: stamp_us,
      settled_at: null,
      created_at: stamp_us,
    }));
    if (deliveries.length > 0) await insertDeliveries(connection, deliveries);
    return deliveries;
  }

  /** Tells the listeners what was stored; after its commit. */
  committed(queued: Queued): void {
    if (queued.length === 0) return;
    for (const listener of [...this.#listeners]) listener(queued);
  }

  /**
   * Tells `listener` of each commit from now on; gives the way to stop that. It must not throw,
   * and must not write before it returns.
   */
  listen(listener: (queued: Queued) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #hearersOf({ type, project, origin, only }: OutboxDraft): readonly Subscription[] {
    const { subscriptions } = this.#parts;
    if (only === undefined) return subscriptions.matching({ type, project, origin });
    const subscription = subscriptions.get(only);
    return subscription ? [subscription] : [];
  }

  /** Undefined where its body is larger than receivers are to take. */
  #eventOf(draft: OutboxDraft, created_at: number): OutboxEvent | undefined {
    const { id = newId(this.#parts.effects), type, occurred_at, project, data, origin } = draft;
    const body = envelopeOf({ id, type, occurred_at: instantText(occurred_at), project, data });
    if (isTooLarge(body)) {
      const subject = subjectOf(data);
      log.error("{type} of {subject} is larger than a webhook may be and is not sent", {
        ...{ type, subject, project_id: project.id, bytes: utf8(body).length },
        limit_bytes: webhook_limits.body_bytes,
      });
      return undefined;
    }
    const { organization_id, project_no } = project;
    const event_no = ++this.#numbers.event_no;
    return {
      event_no,
      id,
      type,
      occurred_at,
      organization_id,
      project_no,
      origin,
      body,
      created_at,
    };
  }
}

/** A character takes three bytes at most. */
function isTooLarge(body: string): boolean {
  const limit = webhook_limits.body_bytes;
  return body.length > limit || (3 * body.length > limit && utf8(body).length > limit);
}

/** Id of what an event is about, and nothing else that it says. */
function subjectOf(data: string): string {
  const { id, svc_occurrence_ref } = JSON.parse(data);
  return String(svc_occurrence_ref ?? id);
}
