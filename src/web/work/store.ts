// The plant's issues and work orders, as they are or as they were at a moment.
import { getJson, getRows, getTagged } from "../frame/api.ts";
import { at_ms, moment_minute_ms, moment_ms, now_ms } from "../frame/clock.ts";
import { work_beat } from "../frame/live.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { devices } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { dayOf } from "../frame/zone.ts";
import type { LossPart } from "../../model/availability/loss.ts";
import type { HistoryRow, IssueRow } from "../../model/work/issue_shape.ts";
import { type Affected, affectedOf, type Cost, costOf, reckonedTo } from "./cost.ts";
import { asNow, isChangedAfter, issueAt } from "./replay.ts";
import type { Issue } from "./item.ts";

export const issues_path = "/platform/v1/issues";
export const orders_path = "/platform/v1/work-orders";

/** For so long those that are done stay on the board. */
export const done_days = 30;

const day_ms = 86_400_000;
/** How many rows of a list are read at most. */
export const page_rows = 10_000;
export const refresh_ms = 60_000;

/** A photo; `created_at` says when it was sent, `to_come` that its bytes are at the other side. */
export type Photo = {
  readonly photo_id: string;
  readonly to_come: boolean;
  readonly media_type: string;
  readonly size: number;
  readonly created_by: string | null;
  readonly created_at: string;
};

/** An issue with everything that its page shows, and the tag that a change names it by. */
export type WholeIssue = {
  readonly issue: Issue;
  readonly history: readonly HistoryRow[];
  readonly photos: readonly Photo[];
  readonly etag: string | undefined;
};

/** The issues: all that are open, and what was done lately; of a moment, all that there were. */
export function useIssues(): Load<readonly Issue[]> {
  const at = at_ms.value;
  return useLoad(
    [project.value!.id, at],
    ([project_id], signal) =>
      at === undefined ? issuesNow(project_id, signal) : issuesThen(project_id, at, signal),
    at === undefined ? { refresh_ms, again: work_beat.value } : {},
  );
}

async function issuesNow(project_id: string, signal: AbortSignal): Promise<readonly Issue[]> {
  const query = { project_id, limit: page_rows };
  const updated_since = new Date(now_ms.peek() - done_days * day_ms).toISOString();
  const [open, changed] = await Promise.all([
    getJson<IssueRow[]>(issues_path, { ...query, active: true }, signal),
    getJson<IssueRow[]>(issues_path, { ...query, active: false, updated_since }, signal),
  ]);
  return [...open, ...changed].map(asNow);
}

async function issuesThen(
  project_id: string,
  at: number,
  signal: AbortSignal,
): Promise<readonly Issue[]> {
  const rows = await getJson<IssueRow[]>(issues_path, { project_id, limit: page_rows }, signal);
  const there = rows.filter(({ created_at }) => Date.parse(created_at) <= at);
  const then = await Promise.all(there.map(async (row) => {
    const history = isChangedAfter(row, at) ? await getHistory(row.id, signal) : [];
    return issueAt(row, { history, at_ms: at });
  }));
  return then.filter((it) => it !== undefined);
}

function getHistory(id: string, signal?: AbortSignal): Promise<readonly HistoryRow[]> {
  const query = { project_id: project.peek()!.id };
  return getJson(`${issues_path}/${encodeURIComponent(id)}/history`, query, signal);
}

/** An issue with its history and photos; null where there is none, or was none at the moment. */
export function useIssue(id: string): Load<WholeIssue | null> {
  const at = at_ms.value;
  const key = [project.value!.id, id, at] as const;
  // Photos come over the line without a change of the issue.
  return useLoad(key, (_, signal) => getIssue(id, signal), { refresh_ms, again: work_beat.value });
}

/** The same once. Throws a `Problem`. */
export async function getIssue(id: string, signal?: AbortSignal): Promise<WholeIssue | null> {
  const query = { project_id: project.peek()!.id, include: "photos" };
  const path = `${issues_path}/${encodeURIComponent(id)}`;
  const at = at_ms.peek() ?? Infinity;
  const [{ value, etag }, all] = await Promise.all([
    getTagged<IssueRow & { readonly photos: readonly Photo[] }>(path, query, signal),
    getHistory(id, signal),
  ]);
  const issue = at === Infinity ? asNow(value) : issueAt(value, { history: all, at_ms: at });
  if (issue === undefined) return null;
  const isThere = ({ created_at }: { readonly created_at: string }) => Date.parse(created_at) <= at;
  return { issue, history: all.filter(isThere), photos: value.photos.filter(isThere), etag };
}

/** What an issue's inverters lost, and which they are. */
export type IssueCost = Cost & {
  readonly affected: readonly Affected[];
  /** Until when it is reckoned; NaN before that is known of any of it. */
  readonly reckoned_ms: number;
};

/** What an issue cost until the moment; nothing where no inverter or no time is known of it. */
export function useCost(issue: Issue): Load<IssueCost | null> {
  const affected = affectedOf(issue, {
    devices: devices.value,
    moment_ms: moment_minute_ms.value,
  });
  const key = [project.value!.id, ...affected.map((it) => [it.device.hierarchy_id, it.from_ms])];
  const to_ms = Math.max(0, ...affected.map((it) => it.to_ms));
  return useLoad([key, Math.floor(to_ms / 900_000)], async (_, signal) => {
    if (affected.length === 0) return null;
    const spans = await getSpans(affected, to_ms, signal);
    const reckoned_ms = reckonedTo(spans, { affected, moment_ms: moment_ms.peek() });
    return { ...costOf(spans, affected), affected, reckoned_ms };
  }, at_ms.value === undefined ? { refresh_ms } : {});
}

async function getSpans(affected: readonly Affected[], to_ms: number, signal: AbortSignal) {
  const rows = await getRows("/platform/v1/losses/timeline", {
    project_id: project.peek()!.id,
    dt_start: dayOf(Math.min(...affected.map((it) => it.from_ms)), zone.peek()),
    dt_end: dayOf(to_ms - 1, zone.peek()),
    hierarchy_ids: affected.flatMap(({ device }) => device.hierarchy_id ?? []),
    columns: "hierarchy_id,from,to,part,energy",
    limit: 100_000,
  }, signal);
  const [ids, parts] = [rows.texts("hierarchy_id"), rows.texts("part")];
  const [from, to, energy] = ["from", "to", "energy"].map((name) => rows.numbers(name));
  return Array.from({ length: rows.length }, (_, i) => ({
    hierarchy_id: ids[i]!,
    from_ms: from[i],
    to_ms: to[i],
    part: parts[i] as LossPart,
    energy_wh: energy[i],
  }));
}
