// Every route of the service, room by room, in the order in which the reference shows them.
import { adminRoutes } from "./access/admin.ts";
import { alarmActionRoutes } from "./alarms/action.ts";
import { alarmRoutes } from "./alarms/alarm.ts";
import { alarmIngestRoutes } from "./alarms/ingest.ts";
import { alarmReportRoutes } from "./alarms/report.ts";
import { alarmStreamRoutes } from "./alarms/stream.ts";
import { availabilityRoutes } from "./availability/availability.ts";
import { lossRoutes } from "./availability/loss.ts";
import { overrideRoutes } from "./availability/override.ts";
import { timelineRoutes } from "./availability/timeline.ts";
import { measureRoutes } from "./performance/measure.ts";
import { performanceRoutes } from "./performance/performance.ts";
import { ruleRoutes } from "./rules/rule.ts";
import { ingestRoutes } from "./samples/ingest.ts";
import { signalRoutes } from "./samples/signal.ts";
import { tagRoutes } from "./samples/tag.ts";
import { jwksRoutes } from "./webhooks/jwks.ts";
import { signingKeyRoutes } from "./webhooks/signing_key.ts";
import { issueRoutes } from "./work/issue.ts";
import { issueActionRoutes } from "./work/issue_action.ts";
import { syncRoutes } from "./work/sync.ts";
import { workOrderRoutes } from "./work/work_order.ts";
import type { Route } from "./frame/route.ts";
import type { Services } from "./frame/services.ts";

/** The routes over the parts of a service; those of its reference and health aside. */
export function routesOf(services: Services): readonly Route[] {
  return [
    ...ingestRoutes(services),
    ...alarmIngestRoutes(services),
    ...signalRoutes(services),
    ...performanceRoutes(services),
    ...availabilityRoutes(services),
    ...timelineRoutes(services),
    ...overrideRoutes(services),
    ...lossRoutes(services),
    ...ruleRoutes(services),
    ...alarmReportRoutes(services),
    ...alarmRoutes(services),
    ...alarmStreamRoutes(services),
    ...alarmActionRoutes(services),
    ...issueRoutes(services),
    ...issueActionRoutes(services),
    ...workOrderRoutes(services),
    ...measureRoutes(),
    ...tagRoutes(services),
    ...syncRoutes(services),
    ...adminRoutes(services),
    ...signingKeyRoutes(services),
    ...jwksRoutes(services),
  ];
}
