// Every route of the service, room by room, in the order in which the reference shows them.
import { tokenRoutes, userRoutes } from "./access/access.ts";
import { oidcRoutes } from "./access/oidc.ts";
import { sessionRoutes } from "./access/session.ts";
import { alarmActionRoutes, alarmRoutes } from "./alarms/alarm.ts";
import { alarmFigureRoutes } from "./alarms/figure.ts";
import { alarmFeedRoutes } from "./alarms/feed.ts";
import { alarmIngestRoutes } from "./alarms/ingest.ts";
import { availabilityRoutes } from "./availability/availability.ts";
import { backupRoutes } from "./backup/backup.ts";
import { counterRoutes } from "./counters/counter.ts";
import type { Area, Route } from "./frame/route.ts";
import type { Services } from "./frame/services.ts";
import { performanceRoutes } from "./performance/performance.ts";
import { deviceRoutes } from "./plant/device.ts";
import { metaRoutes, projectRoutes } from "./plant/meta.ts";
import { organizationRoutes, siteRoutes } from "./plant/site.ts";
import { linkRoutes } from "./query/link.ts";
import { Asking, operatorRoutes, sqlRoutes } from "./query/query.ts";
import { retentionRoutes } from "./retention/retention.ts";
import { ruleRoutes } from "./rules/rule.ts";
import { setpointRoutes } from "./setpoints/setpoint.ts";
import { sourceRoutes } from "./sources/source.ts";
import { ratingsRoute } from "./samples/excess.ts";
import { healthRoutes } from "./samples/health.ts";
import { importRoutes } from "./samples/import.ts";
import { influxRoutes } from "./samples/influx.ts";
import { ingestRoutes } from "./samples/ingest.ts";
import { remoteWriteRoute } from "./samples/prometheus.ts";
import { promQlRoutes } from "./samples/promql.ts";
import { latestRoutes } from "./samples/latest.ts";
import { signalRoutes } from "./samples/signal.ts";
import { centreRoutes } from "./upstream/centre.ts";
import { destinationRoutes } from "./destinations/destination.ts";
import { upstreamRoutes } from "./upstream/upstream.ts";
import { versionRoutes } from "./upstream/version.ts";
import { savedViewRoutes } from "./views/view.ts";
import { deliveryRoutes } from "./webhooks/delivery.ts";
import { signingKeyRoutes } from "./webhooks/signing_key.ts";
import { subscriptionRoutes } from "./webhooks/subscription.ts";
import { issueRoutes, syncRoutes } from "./work/issue.ts";
import { workOrderRoutes } from "./work/work_order.ts";

/** The routes over the parts of a service; those of its reference and health aside. */
export function routesOf(services: Services): readonly Route[] {
  const routes = readAndWriteRoutes(services);
  const asking = new Asking(services, routes);
  const asked = [...sqlRoutes(asking), ...linkRoutes(services, { routes, asking })];
  return [...routes, ...about("query", asked)];
}

function readAndWriteRoutes(services: Services): readonly Route[] {
  return [
    ...about("send", [
      ...ingestRoutes(services),
      ...importRoutes(services),
      ratingsRoute(services),
      ...influxRoutes(services),
      remoteWriteRoute(services),
      ...centreRoutes(services),
    ]),
    ...about("alarms", alarmIngestRoutes(services)),
    ...about("signals", [...signalRoutes(services), ...latestRoutes(services)]),
    ...about("prometheus", promQlRoutes(services)),
    ...about("performance", [...performanceRoutes(services), ...availabilityRoutes(services)]),
    ...about("signals", [...counterRoutes(services), ...healthRoutes(services)]),
    ...about("send", sourceRoutes(services)),
    ...about("plant", setpointRoutes(services)),
    ...about("alarms", [
      ...ruleRoutes(services),
      ...alarmFigureRoutes(services),
      ...alarmRoutes(services),
      ...alarmFeedRoutes(services),
      ...alarmActionRoutes(services),
    ]),
    ...about("issues", issueRoutes(services)),
    ...about("work", workOrderRoutes(services)),
    ...about("plant", [
      ...metaRoutes(services),
      ...deviceRoutes(services),
      ...savedViewRoutes(services),
    ]),
    ...about("issues", syncRoutes(services)),
    ...about("plant", [...siteRoutes(services), ...retentionRoutes(services)]),
    ...about("access", [
      ...tokenRoutes(services),
      ...userRoutes(services),
      ...sessionRoutes(services),
      ...oidcRoutes(services),
    ]),
    ...about("plant", [...organizationRoutes(services), ...projectRoutes(services)]),
    ...about("webhooks", [
      ...subscriptionRoutes(services),
      ...deliveryRoutes(services),
      ...signingKeyRoutes(services),
    ]),
    ...about("operation", [
      ...upstreamRoutes(services),
      ...destinationRoutes(services),
      ...versionRoutes(services),
      ...backupRoutes(services),
      ...operatorRoutes(services),
    ]),
  ];
}

function about(area: Area, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({ ...route, area }));
}
