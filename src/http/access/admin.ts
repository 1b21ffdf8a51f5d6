// The routes of tenancy: sites, tokens, users, organizations, projects, webhooks.
import { deliveryRoutes } from "../webhooks/delivery.ts";
import type { Route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { siteRoutes } from "../plant/site.ts";
import { subscriptionRoutes } from "../webhooks/subscription.ts";
import { tenantRoutes } from "./tenant.ts";
import { tokenRoutes } from "./token.ts";
import { userRoutes } from "./user.ts";

/** The routes under `/admin/v1`, and what a reader learns of its own projects. */
export function adminRoutes(services: Services): readonly Route[] {
  return [
    ...siteRoutes(services),
    ...tokenRoutes(services),
    ...userRoutes(services),
    ...tenantRoutes(services),
    ...subscriptionRoutes(services),
    ...deliveryRoutes(services),
  ];
}
