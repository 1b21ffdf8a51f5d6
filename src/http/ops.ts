// What an operator's machines ask: is it alive, does it take work, what has it done; and the same
// for an administrator's screen.
import * as z from "zod";
import { Fault } from "../base/fault.ts";
import { inTime } from "../base/in_time.ts";
import { limits } from "../base/limits.ts";
import { request_limits } from "./frame/limits.ts";
import { readGrowth } from "../engine/retention/retention.ts";
import { readTiers } from "../engine/retention/tiers.ts";
import { findUnwell } from "../engine/signals/health.ts";
import { metricsPlace } from "../model/setting_form.ts";
import { health_states } from "../model/samples/health.ts";
import { freeBytes } from "../engine/core/machine.ts";
import { instantText } from "../wire/bytes/instant.ts";
import { countEvents } from "../store/counters/event.ts";
import { backupTime } from "../store/folder.ts";
import { readSizes } from "../store/retention/disk.ts";
import { countDeliveries } from "../store/webhooks/delivery_record.ts";
import { asksForPage } from "./frame/client.ts";
import type { Gates } from "./frame/gate.ts";
import { known, type Metrics, recent } from "./frame/metrics.ts";
import { addDestinationGauges } from "./destinations/destination.ts";
import { addUpstreamGauges } from "./upstream/upstream.ts";
import { type Route, route } from "./frame/route.ts";
import { documentOf, shared_page } from "./screens/screens.ts";
import type { Services } from "./frame/services.ts";

/** What the frame around the routes says about itself. */
export type FrameState = {
  readonly metrics: Metrics;
  readonly gates: Pick<Gates, "open" | "in_flight" | "refused">;
};

/**
 * `/healthz` and `/readyz`: public, without parameters; and the metrics as JSON for an
 * administrator. Whoever asks them, and however often, the database is asked about once a second.
 */
export function opsRoutes(services: Services, frame: FrameState): readonly Route[] {
  const { database, effects } = services;
  const answers = recent(() => database.answers(), { age_ms: request_limits.ops_age_ms, effects });
  return [
    route({
      ...common,
      name: "healthz",
      path: "/healthz",
      summary: "Whether the process runs",
      doc: "Answers at once, without the database, with the version of the program.",
      answer: { kind: "json", schema: process_schema },
      handle: () => Response.json({ status: "ok", version: services.version }),
    }),
    route({
      ...common,
      name: "readyz",
      path: "/readyz",
      summary: "Whether the service accepts requests",
      doc: "503 while the service stops, while the disk refuses writes, or if the database " +
        "does not answer within a second. The database is checked once a second at most.",
      answer: { kind: "json", schema: status_schema },
      handle: () => ready(services, { frame, answers }),
    }),
    route({
      ...common,
      name: "health",
      path: "/health",
      summary: "The same as InfluxDB says it",
      doc: "What /readyz tells, for clients of InfluxDB 2. A browser gets the screen.",
      any_query: true,
      answer: { kind: "json", schema: health_schema },
      errors: {
        media_type: "application/json",
        schema: health_schema,
        print: ({ detail }) => JSON.stringify(healthOf(services, "fail", detail)),
      },
      handle: async ({ request }) => {
        if (asksForPage(request)) return await documentOf(shared_page);
        await ready(services, { frame, answers });
        return Response.json(healthOf(services, "pass", "ready for writes"));
      },
    }),
    statusRoute(services, { frame, answers }),
  ];
}

function healthOf({ version }: Services, status: "pass" | "fail", message: string) {
  return { name: "wattkeeper", message, status, checks: [], version };
}

/** `/metrics`, for whom the setting says. */
export function metricsRoute(services: Services, { metrics, gates }: FrameState): Route {
  const { effects, settings } = services;
  const { registry } = metrics;
  const print = recent(() => registry.metrics(), { age_ms: request_limits.ops_age_ms, effects });
  addGauges(services, { metrics, gates });
  return route({
    ...common,
    name: "metrics",
    path: "/metrics",
    summary: "Metrics for Prometheus",
    doc: "Requests, durations, stored rows, sizes and the process, in the text format of " +
      "Prometheus. They contain no customer data. They are updated once a second at most. The " +
      "setting `metrics` can demand an administrator's token, or give them their own address.",
    scope: metricsPlace(settings.metrics) === "token" ? "admin" : null,
    answer: { kind: "text", media_type: "text/plain" },
    handle: async () => {
      const headers = { "content-type": registry.contentType };
      return new Response(await print(), { headers });
    },
  });
}

const service_schema = z.strictObject({
  version: z.string(),
  now: z.string().describe("The clock of the service: ISO 8601, UTC."),
  not_ready: z.string().nullable().describe("Why it does not accept requests; null: it does."),
  memory_mb: z.number().describe("What the database may use of memory, in MiB."),
  broken_files: z.array(z.string())
    .describe("Files of old days that are missing or damaged: the first hundred of them, and how."),
  metrics: z.record(z.string(), z.record(z.string(), z.number()))
    .describe("The gauges by name, without `wattkeeper_`: value by label, `` for none."),
});

/** What the service says of itself, and whether its database answers. */
type Asked = { readonly frame: FrameState; readonly answers: () => Promise<boolean> };

const common = {
  method: "GET",
  scope: null,
  project: null,
  params: [],
  to_the_end: true,
} as const;

function statusRoute(services: Services, asked: Asked): Route {
  const { database, effects, settings, version } = services;
  const { metrics } = asked.frame;
  const tiers = recent(() => readTiers(database), { age_ms: request_limits.ops_age_ms, effects });
  const readings = recent(() => metrics.readings(), { age_ms: request_limits.ops_age_ms, effects });
  return route({
    ...common,
    name: "status",
    path: "/admin/v1/status",
    summary: "State of the service",
    doc: "What /readyz and the gauges of /metrics tell, as JSON, with the version and the clock " +
      "of the service. It is updated once a second at most.",
    scope: "admin",
    answer: { kind: "json", schema: () => z.toJSONSchema(service_schema) },
    handle: async () => {
      const refusal = await ready(services, asked).then(
        () => null,
        ({ message }: Error) => message,
      );
      const state: z.input<typeof service_schema> = {
        version: version,
        now: instantText(effects.now_us()),
        not_ready: refusal,
        memory_mb: settings.memory_mb,
        broken_files: (await tiers()).flaws.slice(0, request_limits.broken_files),
        metrics: await readings(),
      };
      return Response.json(state);
    },
  });
}

const status_schema = {
  type: "object",
  required: ["status"],
  properties: { status: { type: "string", enum: ["ok"] } },
} as const;

const health_schema = {
  type: "object",
  required: ["name", "message", "status", "checks", "version"],
  properties: {
    ...{ name: { type: "string" }, message: { type: "string" }, version: { type: "string" } },
    status: { type: "string", enum: ["pass", "fail"] },
    checks: { type: "array", items: { type: "object" } },
  },
} as const;

const process_schema = {
  type: "object",
  required: ["status", "version"],
  properties: { ...status_schema.properties, version: { type: "string" } },
} as const;

async function ready(
  { effects, database }: Pick<Services, "effects" | "database">,
  { frame, answers }: Asked,
): Promise<Response> {
  if (!frame.gates.open) throw notReady("the service is stopping");
  const { write_refusal } = database;
  if (write_refusal !== undefined) throw notReady(`${write_refusal}: writes are refused`);
  const answer = answers();
  const is_heard = await inTime(answer, { wait_ms: request_limits.ready_ms, effects });
  if (!is_heard || !await answer) throw notReady("the database does not answer");
  return Response.json({ status: "ok" });
}

function notReady(reason: string): Fault {
  return new Fault("unavailable", reason, { retry_after_s: limits.retry_after_s });
}

/** Adds every gauge; each is read when the metrics are printed. */
function addGauges(services: Services, { metrics, gates }: FrameState): void {
  addRequestGauges(services, { metrics, gates });
  addWorkGauges(services, metrics);
  addStoreGauges(services, metrics);
  addRetentionGauges(services, metrics);
  addUpstreamGauges(services, metrics);
  addDestinationGauges(services, metrics);
}

function addRequestGauges(
  { ingest, alarm_ingest, budget, connections }: Services,
  { metrics, gates }: FrameState,
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
  metrics.gauge("connections", "Connections of clients that are open.", () => connections.counts);
  metrics.gauge("connections_closed", "Connections that the service closed, by reason.", () => {
    return { ...connections.closed };
  });
  metrics.gauge("body_memory_bytes", "Memory reserved for bodies of requests.", () => {
    return { "": budget.reserved_bytes };
  });
  metrics.gauge("bodies_refused", "Bodies refused for lack of memory since the start.", () => {
    return { ...budget.refused };
  });
}

function addWorkGauges(services: Services, metrics: Metrics): void {
  const { database, rules, roll, deliveries, loops, sign_in, sources } = services;
  metrics.gauge("sources", "Devices and errors of all sources, by kind.", () => sources.totals);
  metrics.gauge("loop_failures", "Failures in a row of each background loop; 0: it works.", () => {
    return Object.fromEntries(loops.map(({ name, failures }) => [name, failures]));
  });
  metrics.gauge("sessions", "Browsers that are signed in.", () => {
    return { "": sign_in.sessions.list().length };
  });
  metrics.gauge("password_hashes", "Passwords that were hashed since the start.", () => {
    return { "": sign_in.hashed };
  });
  metrics.gauge("rules_suspended", "Alarm rules that failed and are suspended.", () => {
    return { "": rules.suspended.size };
  });
  metrics.gauge(
    "roll_backlog_rows",
    "Samples acknowledged and not yet aggregated, those of minutes that are not over too.",
    () => {
      const { backlog, waiting } = roll.state;
      return { "": backlog + waiting };
    },
  );
  metrics.gauge("roll_history_days", "Days of tags of the past to be aggregated again.", () => {
    return { "": roll.state.stale_days };
  });
  metrics.gauge("counter_events", "What happened to counters, by kind.", () => {
    return database.aside(countEvents);
  });
  metrics.gauge("sensors", "Sensors, by state.", () => countSensors(services));
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

/** How many sensors of all projects are in each state. */
async function countSensors(
  { database, catalog, heads, ingest, effects }: Services,
): Promise<Readonly<Record<string, number>>> {
  const asked = { sensors: catalog.sensors, now_us: effects.now_us() };
  await ingest.latest.load();
  const unwell = await database.aside((it) => findUnwell(it, { catalog, heads }, asked));
  const count = (state: string) => unwell.filter((it) => it.state === state).length;
  const counts = Object.fromEntries(health_states.map((state) => [state, count(state)]));
  return { ...counts, well: catalog.sensors.length - unwell.length };
}

function addStoreGauges(services: Services, metrics: Metrics): void {
  const { database, effects, settings, backups } = services;
  const started_s = effects.now_us() / 1e6;
  // Two gauges show them: they are read once for both, at each print.
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
  metrics.gauge("disk_free_bytes", "Space left on the disk of the data directory.", () => {
    return freeBytes(settings.data_dir).then((free) => ({ "": free }), () => ({}));
  });
  metrics.gauge(
    "backup_time_seconds",
    "When the last backup was made, since 1970 UTC.",
    async () => {
      const made_ms = await backupTime(settings.data_dir);
      return known({ "": made_ms === undefined ? null : made_ms / 1000 });
    },
  );
  metrics.gauge("backup_failed", "1 if the last backup that was tried failed, else 0.", () => {
    return { "": backups.has_failed ? 1 : 0 };
  });
  metrics.gauge("process_memory_bytes", "Memory of the process, by kind.", () => {
    const { rss, heapUsed, external } = Deno.memoryUsage();
    return { resident: rss, heap: heapUsed, external };
  });
  metrics.gauge("start_time_seconds", "When the service started, since 1970 UTC.", () => {
    return { "": started_s };
  });
}

/** How much there is of what retention looks after, and how that grows. */
function addRetentionGauges(services: Services, metrics: Metrics): void {
  const { database, effects } = services;
  const tiers = recent(() => readTiers(database), { age_ms: 0, effects });
  metrics.gauge("tier_days", "Days of samples that lie in files, by state.", async () => {
    const { whole, flaws } = await tiers();
    return { whole, broken: flaws.length };
  });
  metrics.gauge("tier_bytes", "Size of these files.", async () => ({ "": (await tiers()).bytes }));
  const growth = recent(() => readGrowth(services), { age_ms: 0, effects });
  metrics.gauge("database_growth_bytes", "Growth of the database, a day.", async () => {
    const { bytes_per_day } = await growth();
    return known({ "": bytes_per_day });
  });
  metrics.gauge(
    "disk_full_time_seconds",
    "When the disk is full if the database grows on like this, since 1970 UTC.",
    async () => {
      const { full_day } = await growth();
      return known({ "": full_day === null ? null : full_day * 86_400 });
    },
  );
}
