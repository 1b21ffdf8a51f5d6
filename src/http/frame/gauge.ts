// What `/metrics` tells: requests, ingest, rules and webhooks, the database and the process.
import { recent } from "../../base/recent.ts";
import { countDeliveries } from "../../store/webhooks/delivery_record.ts";
import { readSizes } from "../../store/size.ts";
import type { Gates } from "./gates.ts";
import type { Metrics } from "./metrics.ts";
import type { Services } from "./services.ts";

/** What gauges of requests read. */
type Doors = { readonly metrics: Metrics; readonly gates: Pick<Gates, "in_flight" | "refused"> };

/** Adds every gauge; each is read when the metrics are printed. */
export function addGauges(services: Services, { metrics, gates }: Doors): void {
  addRequestGauges(services, { metrics, gates });
  addWorkGauges(services, metrics);
  addStoreGauges(services, metrics);
}

function addRequestGauges(
  { ingest, alarm_ingest, budget }: Services,
  { metrics, gates }: Doors,
): void {
  metrics.gauge("in_flight", "Requests that are running, by kind.", () => gates.in_flight);
  metrics.gauge(
    "refused_requests",
    "Requests refused because too many are running, by kind and by whose limit.",
    () => gates.refused,
  );
  metrics.gauge("ingest_rows", "Rows sent since the start, by result.", () => ({
    ...ingest.totals,
    queued: ingest.queued_rows,
  }));
  metrics.gauge("alarm_ingest_rows", "Rows of alarms sent since the start, by result.", () => ({
    ...alarm_ingest.totals,
    queued: alarm_ingest.queued_rows,
  }));
  metrics.gauge("body_memory_bytes", "Memory reserved for bodies of requests.", () => {
    return { "": budget.reserved_bytes };
  });
  metrics.gauge("bodies_refused", "Bodies refused for lack of memory since the start.", () => {
    return { ...budget.refused };
  });
}

function addWorkGauges({ database, rules, roll, deliveries }: Services, metrics: Metrics): void {
  metrics.gauge("rules_suspended", "Alarm rules that failed and are suspended.", () => {
    return { "": rules.suspended.size };
  });
  metrics.gauge("roll_backlog_rows", "Samples stored and not yet aggregated.", () => {
    return { "": roll.state.backlog };
  });
  metrics.gauge("webhook_deliveries", "Stored deliveries, by state.", () => {
    return database.aside(countDeliveries);
  });
  metrics.gauge("webhook_attempts", "Attempts since the start, by result.", () => {
    return deliveries.state.attempts;
  });
  metrics.gauge("webhook_attempts_under_way", "Attempts that are running.", () => {
    return { "": deliveries.state.flying };
  });
  metrics.gauge(
    "webhook_breakers_open",
    "Subscriptions that rest because their receiver fails.",
    () => {
      return { "": deliveries.state.breakers_open };
    },
  );
}

function addStoreGauges({ database, effects }: Services, metrics: Metrics): void {
  const started_s = effects.now_us() / 1e6;
  // Two gauges show them: they are read once for both, and anew for each print.
  const readAll = recent(() => database.aside(readSizes), { age_ms: 0, effects });
  const sizes = async (figure: string) => {
    const all = await readAll();
    return Object.fromEntries(
      all.filter((size) => size.figure === figure).map(({ of, value }) => [of, value]),
    );
  };
  metrics.gauge("stored_rows", "Approximate rows of each growing table.", () => sizes("rows"));
  metrics.gauge(
    "database_bytes",
    "Size of the database file and of its memory.",
    () => sizes("bytes"),
  );
  metrics.gauge(
    "stamps_ahead_seconds",
    "How far the time stamps of stored rows are ahead of the clock.",
    () => {
      return { "": database.ahead_us / 1e6 };
    },
  );
  metrics.gauge("process_memory_bytes", "Memory of the process, by kind.", () => {
    const { rss, heapUsed, external } = Deno.memoryUsage();
    return { resident: rss, heap: heapUsed, external };
  });
  metrics.gauge("start_time_seconds", "When the service started, since 1970 UTC.", () => {
    return { "": started_s };
  });
}
