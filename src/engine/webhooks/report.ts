// Monthly reports: when a month of a project is over and settled, webhooks tell of its report.
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { browserOrigin, listenAddress } from "../../model/access/session.ts";
import { isValid } from "../../model/data/chunk.ts";
import { included_columns } from "../../model/performance/performance.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Settings } from "../../model/setting.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import { isNewMonth, lastMonth, type ReportMonth } from "../../model/webhooks/report.ts";
import type { ReportRow } from "../../model/webhooks/shape.ts";
import type { Database } from "../../store/database.ts";
import { insertReport, isReportReady, readReports } from "../../store/webhooks/report.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";
import { performanceAnswer } from "../performance/performance.ts";
import type { Rollup } from "../rollup/rollup.ts";
import type { Outbox, OutboxDraft } from "./outbox.ts";

const log = getLogger(["wattkeeper", "webhook"]);

type ReportParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly roll: Pick<Rollup, "state">;
  readonly outbox: Outbox;
  readonly effects: Pick<Effects, "now_us" | "sleep">;
  readonly settings: Pick<Settings, "public_url" | "host" | "port" | "tls_cert">;
};

/** Tells in the background of each month that is over and settled. */
export function reportLoop(parts: ReportParts): Loop {
  const period_ms = webhook_limits.report_look_ms;
  return new Loop({
    name: "telling of monthly reports",
    effects: parts.effects,
    // After an outage, gateways first send what they kept.
    first_ms: period_ms,
    retry_ms: period_ms,
    turn: async () => {
      await tellReports(parts);
      return period_ms;
    },
  });
}

/**
 * Tells of the last month of each project that has data in it and was not told of, once what was
 * stored is rolled up. A project that fails holds no other one up, and is thrown at last.
 */
export async function tellReports(parts: ReportParts): Promise<void> {
  const { database, catalog, effects } = parts;
  if (isBehind(parts)) return;
  const told = Map.groupBy(await database.read(readReports), ({ project_no }) => project_no);
  const failures: unknown[] = [];
  for (const project of catalog.projects) {
    const month = lastMonth(project.timezone, effects.now_us());
    const months = told.get(project.project_no)?.map(({ month }) => month) ?? [];
    if (!isNewMonth(month.name, months)) continue;
    await tellReport(parts, project, month).catch((error) => failures.push(error));
  }
  for (const error of failures) throw error;
}

/** Whether what was stored a while ago is not rolled up, or the past is rolled up again. */
function isBehind({ database, roll: { state } }: ReportParts): boolean {
  const since_us = database.ago(webhook_limits.report_look_ms * 1000);
  return state.may_be_stale || state.backlog > 0 && state.rolled_to_us < since_us;
}

/** Stores the event in the same write as the fact that the month is told of. */
async function tellReport(
  parts: ReportParts,
  project: Project,
  month: ReportMonth,
): Promise<void> {
  const { database, outbox } = parts;
  const { project_no } = project;
  if (!await database.read((it) => isReportReady(it, { ...month, project_no }))) return;
  const drafts = outbox.hasListeners(project) ? [await draftOf(parts, project, month)] : [];
  const queued = await database.write(async (write) => {
    await insertReport(write.connection, { project_no, month: month.name });
    return await outbox.add(write, drafts);
  });
  outbox.committed(queued);
  const { key } = project;
  log.info("the report of {month} of {project} is ready", { month: month.name, project: key });
}

async function draftOf(
  parts: ReportParts,
  project: Project,
  month: ReportMonth,
): Promise<OutboxDraft> {
  const { project_no, id: project_id, key, name, timezone } = project;
  const sites = parts.catalog.sites.filter((site) => site.project_no === project_no);
  const data: ReportRow = {
    project_id,
    project: { key },
    name,
    sites: sites.map((site) => site.name),
    month: month.name,
    timezone,
    from: month.from,
    to: month.to,
    coverage: await coverageOf(parts, project, month),
    link: linkOf(parts, project_id, month),
  };
  const occurred_at = parts.effects.now_us();
  return { type: "report.ready", occurred_at, project, data: JSON.stringify(data), origin: null };
}

/** The share of daylight of the project's inverters that is measured and expected. */
async function coverageOf(
  { database, catalog }: ReportParts,
  project: Project,
  { from_day, to_day }: ReportMonth,
): Promise<number | null> {
  const hasEnergy = catalog.sensors.some(({ project_no, component, measure }) =>
    project_no === project.project_no && component === "inverter" && measure === "energy"
  );
  const answer = await performanceAnswer({ database, catalog }, {
    projects: [project],
    range: { from_day, to_day },
    interval: "Full",
    sentinel_tag: "default",
    component: "inverter",
    measure: hasEnergy ? "energy" : "active_power",
    hierarchy_ids: [],
    block_ids: [],
    group_by: ["project_id"],
    use_solar_bounds: false,
    matched: true,
    columns: included_columns.matched.filter(({ name }) => name === "coverage"),
  });
  for await (const { rows, vectors: [coverage] } of answer.chunks) {
    if (rows > 0 && coverage.kind === "float64" && isValid(coverage.valid, 0)) {
      return coverage.values[0];
    }
  }
  return null;
}

/** Null where the service listens on any free port, which only its log tells. */
function linkOf({ settings }: ReportParts, project: string, { name }: ReportMonth): string | null {
  if (settings.public_url === "none" && settings.port === 0) return null;
  const origin = browserOrigin(settings, listenAddress(settings));
  return `${origin}/report?${new URLSearchParams({ project, month: name })}`;
}
