// What an operator's machines ask: is it alive, does it take work, what has it done.
import { Fault } from "../base/fault.ts";
import { inTime } from "../base/in_time.ts";
import { limits } from "../base/limits.ts";
import { recent } from "../base/recent.ts";
import { addGauges } from "./frame/gauge.ts";
import type { Gates } from "./frame/gates.ts";
import type { Metrics } from "./frame/metrics.ts";
import { type Route, route } from "./frame/route.ts";
import type { Services } from "./frame/services.ts";

/** What the frame around the routes tells of itself. */
export type FrameState = {
  readonly metrics: Metrics;
  readonly gates: Pick<Gates, "open" | "in_flight" | "refused">;
};

/**
 * `/healthz`, `/readyz` and `/metrics`: public, without parameters. Whoever asks them, and however
 * often, the database is asked about once a second.
 */
export function opsRoutes(services: Services, frame: FrameState): readonly Route[] {
  const { database, effects } = services;
  const { registry } = frame.metrics;
  const aged = { age_ms: limits.ops_age_ms, effects };
  const answers = recent(() => database.answers(), aged);
  const print = recent(() => registry.metrics(), aged);
  addGauges(services, frame);
  const common = { method: "GET", scope: null, project: null, params: [] } as const;
  return [
    route({
      ...common,
      name: "healthz",
      path: "/healthz",
      summary: "Whether the process runs",
      doc: "Answers at once, without the database.",
      answer: { kind: "json", schema: status_schema },
      handle: () => Response.json({ status: "ok" }),
    }),
    route({
      ...common,
      name: "readyz",
      path: "/readyz",
      summary: "Whether the service accepts requests",
      doc: "503 while the service stops, or if the database does not answer within a second. The " +
        "database is checked once a second at most.",
      answer: { kind: "json", schema: status_schema },
      handle: () => ready(services, { frame, answers }),
    }),
    route({
      ...common,
      name: "metrics",
      path: "/metrics",
      summary: "Metrics for Prometheus",
      doc: "Requests, durations, stored rows, sizes and the process, in the text format of " +
        "Prometheus. They contain no customer data. They are updated once a second at most.",
      answer: { kind: "text", media_type: "text/plain" },
      handle: async () => {
        const headers = { "content-type": registry.contentType };
        return new Response(await print(), { headers });
      },
    }),
  ];
}

const status_schema = {
  type: "object",
  required: ["status"],
  properties: { status: { type: "string", enum: ["ok"] } },
} as const;

async function ready(
  { effects }: Pick<Services, "effects">,
  { frame, answers }: {
    readonly frame: FrameState;
    readonly answers: () => Promise<boolean>;
  },
): Promise<Response> {
  if (!frame.gates.open) throw notReady("the service is stopping");
  const answer = answers();
  const is_heard = await inTime(answer, { wait_ms: limits.ready_ms, effects });
  if (!is_heard || !await answer) throw notReady("the database does not answer");
  return Response.json({ status: "ok" });
}

function notReady(reason: string): Fault {
  return new Fault("unavailable", reason, { retry_after_s: limits.retry_after_s });
}
