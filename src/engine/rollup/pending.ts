// Which days of projects wait to be computed again: their figures may be those of before.
import type { Effects } from "../../base/effects.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { DayRange } from "../../model/time/bucket.ts";
import { minute_us } from "../../model/time/series.ts";
import {
  clippedSegments,
  day_minutes,
  dayAt,
  dayStart,
  type MinuteSpan,
  overlap,
} from "../../model/time/zone.ts";
import type { Database } from "../../store/database.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { lendersOf } from "../expected/weather.ts";
import { listJudgedDays } from "../../store/availability/availability.ts";
import { listProjectDays } from "../../store/rollup/stale.ts";
import type { RollupState } from "./backlog.ts";

/** Days of a project that wait, by its own calendar. */
export type ProjectPending = {
  readonly project: Project;
  readonly first_day: number;
  readonly last_day: number;
  /** How many days wait, from the first to the last. */
  readonly days: number;
  /** How many days (UTC) of tags, as the roll-up counts them: each as often as it was marked. */
  readonly tag_days: number;
};

/** A stale day in UTC, and how many marks of tags it has. */
type StaleDay = { readonly day: number; readonly tags: number };

/** Where it is known what waits. */
type PendingParts = {
  readonly database: Database;
  readonly catalog: Pick<Catalog, "fallbacks" | "sensors" | "sites">;
  readonly roll: { readonly state: Pick<RollupState, "may_be_stale"> };
  /** Follows the roll-up: whether it has. */
  readonly availability: { readonly may_be_stale: boolean };
  readonly effects: Pick<Effects, "now_us">;
};

/** What waits of some projects in a range, those alone that have any. */
export async function pendingOf(
  { database, catalog, roll, availability, effects }: PendingParts,
  { projects, range, signal }: {
    readonly projects: readonly Project[];
    readonly range: DayRange;
    readonly signal?: AbortSignal;
  },
): Promise<readonly ProjectPending[]> {
  // Mostly nothing does, and then nothing is asked.
  if (!availability.may_be_stale) return [];
  const { may_be_stale } = roll.state;
  const now_minute = Math.floor(effects.now_us() / minute_us);
  const spans = projects.map(({ timezone }) => spanOf(timezone, range));
  const from_day = dayOf(Math.min(...spans.map(({ from_minute }) => from_minute))) - 1;
  const to_day = dayOf(Math.max(...spans.map(({ to_minute }) => to_minute)) - 1) + 1;
  const query = { project_nos: projects.map(({ project_no }) => project_no), from_day, to_day };
  const lent = projects.map(({ project_no }) => lentTo(catalog, project_no));
  const [stale, judged] = await database.read(async (connection) => {
    const stale = await listProjectDays(connection, { ...query, lent });
    return [stale, await listJudgedDays(connection, query)] as const;
  }, signal);
  const [stale_of, judged_of] = [byProject(stale), byProject(judged)];
  return projects.flatMap((project, i) => {
    // Each sample marks today; it is one of these only once the rest is done.
    const today = may_be_stale ? dayAt(project.timezone, now_minute) : Infinity;
    const local = judged_of(project).map(({ day }) => day).filter((day) => day < today);
    return pendingIn({ stale: stale_of(project), local }, { project, span: spans[i] });
  });
}

/** The weather of other projects that expected values of one can stand on. */
function lentTo({ fallbacks, sensors, sites }: PendingParts["catalog"], project_no: number) {
  const own = new Set(sites.filter((it) => it.project_no === project_no).map((it) => it.site_no));
  const lenders = fallbacks.filter(({ site_no }) => own.has(site_no))
    .flatMap((fallback) => lendersOf(sensors, fallback))
    .filter((lender) => lender.project_no !== project_no);
  return { project_no, tag_nos: [...new Set(lenders.map(({ tag_no }) => tag_no))] };
}

/** Gives the rows of each project. */
function byProject<Row extends { readonly project_no: number }>(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, ({ project_no }) => project_no);
  return ({ project_no }: Project): readonly Row[] => groups.get(project_no) ?? [];
}

/** The minutes of a range on a zone's calendar. */
function spanOf(timezone: string, { from_day, to_day, clip }: DayRange): MinuteSpan {
  const days = {
    from_minute: dayStart(timezone, from_day),
    to_minute: dayStart(timezone, to_day),
  };
  return clip ? overlap(days, clip) : days;
}

/**
 * A stale day in UTC lies in each local day that it shares a minute with; days whose states and
 * losses are to be computed are local ones.
 */
function pendingIn(
  { stale, local }: { readonly stale: readonly StaleDay[]; readonly local: readonly number[] },
  { project, span }: { readonly project: Project; readonly span: MinuteSpan },
): readonly ProjectPending[] {
  const { timezone } = project;
  const [first, last] = [span.from_minute, span.to_minute - 1].map((it) => dayAt(timezone, it));
  const days = new Set(local.filter((day) => day >= first && day <= last));
  let tag_days = 0;
  for (const { day, tags } of stale) {
    const whole = { from_minute: day * day_minutes, to_minute: (day + 1) * day_minutes };
    const shared = overlap(whole, span);
    if (shared.from_minute >= shared.to_minute) continue;
    for (const { from_minute, to_minute, offset_minutes } of clippedSegments(timezone, shared)) {
      days.add(dayOf(from_minute + offset_minutes)).add(dayOf(to_minute - 1 + offset_minutes));
    }
    tag_days += tags;
  }
  if (days.size === 0) return [];
  const [first_day, last_day] = [Math.min(...days), Math.max(...days)];
  return [{ project, first_day, last_day, days: days.size, tag_days }];
}

function dayOf(minute: number): number {
  return Math.floor(minute / day_minutes);
}
