// What a request for a subscription may ask: the reach that it means, and where events may go.
import { Fault } from "../../base/fault.ts";
import { addressRefusal, type AllowedNetworks, literalOf } from "../../model/webhooks/address.ts";
import { subscriptionRefusal } from "../../model/webhooks/subscription.ts";
import type { Grant } from "../../model/access/token.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { requireReach, resolveReach } from "../access/reach_request.ts";

/** An organization, and some projects of it or (null) all. */
type SubscriptionReach = {
  readonly organization_id: string;
  readonly project_ids: readonly string[] | null;
};

/**
 * The reach that is meant, by ids or keys. Throws a `Fault`: invalid with every flaw, or forbidden
 * beyond the maker's.
 */
export function checkReach(
  wanted: { readonly organization?: string; readonly projects?: string[] },
  maker: { readonly catalog: Catalog; readonly grant?: Grant },
): SubscriptionReach {
  const asker = { ...maker, refuse: { invalid: subscriptionRefusal, forbidden } };
  const { organization_id, project_ids } = resolveReach(wanted, asker);
  if (organization_id === null) {
    const keys = maker.catalog.organizations.slice(0, 10).map(({ key }) => key).join(", ");
    const message = `say of which organization: ${keys || "there is none yet, apply a site first"}`;
    throw subscriptionRefusal([{ path: "organization", message }]);
  }
  const reach = { organization_id, project_ids };
  requireReach(reach, asker);
  return reach;
}

/**
 * Throws a `Fault` (invalid) for a target that must not be sent to. A name is only looked up, and
 * its address judged, at each attempt.
 */
export function checkTarget(target: string, allowed: AllowedNetworks): void {
  const { hostname } = new URL(target);
  const is_here = /(^|\.)localhost\.?$/.test(hostname);
  const address = is_here ? "127.0.0.1" : literalOf(hostname);
  const refusal = address === undefined ? undefined : addressRefusal(address, allowed);
  if (refusal === undefined) return;
  const message = `${refusal}; the setting webhook_allow can list it`;
  throw subscriptionRefusal([{ path: "target", message }]);
}

function forbidden(): Fault {
  return new Fault("forbidden", "a subscription can't reach further than the token that makes it");
}
