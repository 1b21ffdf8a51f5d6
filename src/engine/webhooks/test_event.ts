// Sends a test event to one subscription, on the way that every event takes.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Database } from "../../store/database.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Outbox } from "./outbox.ts";

type Parts = {
  readonly database: Database;
  readonly catalog: Pick<Catalog, "projects">;
  readonly outbox: Outbox;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/**
 * Puts a `webhook.test` event for a subscription into the outbox, whatever it asks for; gives its
 * id. Throws a `Fault` (conflict) for one that is not enabled, or that has no project yet.
 */
export async function sendTestEvent(
  { database, catalog, outbox, effects }: Parts,
  subscription: Subscription,
): Promise<string> {
  const { subscription_no, id: subscription_id, name, state } = subscription;
  if (state !== "enabled") {
    throw new Fault("conflict", `the subscription is ${state}: resume it first`);
  }
  const project = projectOf(subscription, catalog);
  if (project === undefined) {
    throw new Fault("conflict", "the organization has no project yet, and an event is of one");
  }
  const id = newId(effects);
  const data = JSON.stringify({ subscription_id, name });
  const draft = { id, type: "webhook.test", occurred_at: effects.now_us(), project, data } as const;
  const queued = await database.write((write) =>
    outbox.add(write, [{ ...draft, origin: null, only: subscription_no }])
  );
  outbox.committed(queued);
  return id;
}

function projectOf(
  { organization_id, project_ids }: Subscription,
  { projects }: Pick<Catalog, "projects">,
): Project | undefined {
  return projects.find((it) =>
    it.organization_id === organization_id && (project_ids?.includes(it.id) ?? true)
  );
}
