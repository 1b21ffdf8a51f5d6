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
import { queryRoutes } from "./query/operator.ts";
import { Asking, sqlRoutes } from "./query/query.ts";
import { retentionRoutes } from "./retention/retention.ts";
import { ruleRoutes } from "./rules/rule.ts";
import { healthRoutes } from "./samples/health.ts";
import { influxRoutes } from "./samples/influx.ts";
import { ingestRoutes } from "./samples/ingest.ts";
import { remoteWriteRoute } from "./samples/prometheus.ts";
import { promQlRoutes } from "./samples/promql.ts";
import { latestRoutes } from "./samples/latest.ts";
import { signalRoutes } from "./samples/signal.ts";
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
  return [...routes, ...sqlRoutes(asking), ...linkRoutes(services, { routes, asking })];
}

function readAndWriteRoutes(services: Services): readonly Route[] {
  return [
    ...about("Send data", [
      ...ingestRoutes(services),
      ...influxRoutes(services),
      remoteWriteRoute(services),
      ...alarmIngestRoutes(services),
    ]),
    ...about("Read data", [
      ...signalRoutes(services),
      ...latestRoutes(services),
      ...promQlRoutes(services),
      ...performanceRoutes(services),
      ...availabilityRoutes(services),
      ...counterRoutes(services),
      ...healthRoutes(services),
    ]),
    ...about("Alarms", [
      ...ruleRoutes(services),
      ...alarmFigureRoutes(services),
      ...alarmRoutes(services),
      ...alarmFeedRoutes(services),
      ...alarmActionRoutes(services),
    ]),
    ...about("Work", [...issueRoutes(services), ...workOrderRoutes(services)]),
    ...about("Plant", [
      ...metaRoutes(services),
      ...deviceRoutes(services),
      ...savedViewRoutes(services),
    ]),
    ...about("Work", syncRoutes(services)),
    ...about("Plant", siteRoutes(services)),
    ...about("Service", retentionRoutes(services)),
    ...about("Access", [
      ...tokenRoutes(services),
      ...userRoutes(services),
      ...sessionRoutes(services),
      ...oidcRoutes(services),
    ]),
    ...about("Plant", [...organizationRoutes(services), ...projectRoutes(services)]),
    ...about("Webhooks", [
      ...subscriptionRoutes(services),
      ...deliveryRoutes(services),
      ...signingKeyRoutes(services),
    ]),
    ...about("Service", [...backupRoutes(services), ...queryRoutes(services)]),
  ];
}

function about(area: Area, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({ ...route, area }));
}
