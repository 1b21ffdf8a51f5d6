// Which days of projects wait to be rolled up again: their figures may be those of before.
import type { Project } from "../../model/plant/plant.ts";
import type { DayRange } from "../../model/time/bucket.ts";
import {
  clippedSegments,
  day_minutes,
  dayStart,
  type MinuteSpan,
  overlap,
} from "../../model/time/zone.ts";
import type { Database } from "../../store/database.ts";
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
  readonly roll: { readonly state: Pick<RollupState, "may_be_stale"> };
};

/** What waits of some projects in a range, those alone that have any. */
export async function pendingOf(
  { database, roll }: PendingParts,
  { projects, range, signal }: {
    readonly projects: readonly Project[];
    readonly range: DayRange;
    readonly signal?: AbortSignal;
  },
): Promise<readonly ProjectPending[]> {
  // Mostly nothing does, and then nothing is asked.
  if (!roll.state.may_be_stale) return [];
  const spans = projects.map(({ timezone }) => spanOf(timezone, range));
  const from_day = dayOf(Math.min(...spans.map(({ from_minute }) => from_minute)));
  const to_day = dayOf(Math.max(...spans.map(({ to_minute }) => to_minute)) - 1);
  const project_nos = projects.map(({ project_no }) => project_no);
  const query = { project_nos, from_day, to_day };
  const stale = await database.read((connection) => listProjectDays(connection, query), signal);
  const by_project = Map.groupBy(stale, ({ project_no }) => project_no);
  return projects.flatMap((project, i) =>
    pendingIn(by_project.get(project.project_no) ?? [], { project, span: spans[i] })
  );
}

/** The minutes of a range on a zone's calendar. */
function spanOf(timezone: string, { from_day, to_day, clip }: DayRange): MinuteSpan {
  const days = {
    from_minute: dayStart(timezone, from_day),
    to_minute: dayStart(timezone, to_day),
  };
  return clip ? overlap(days, clip) : days;
}

/** A stale day in UTC lies in each local day that it shares a minute with. */
function pendingIn(
  stale: readonly StaleDay[],
  { project, span }: { readonly project: Project; readonly span: MinuteSpan },
): readonly ProjectPending[] {
  const segments = clippedSegments(project.timezone, span);
  const days = new Set<number>();
  let tag_days = 0;
  for (const { day, tags } of stale) {
    const whole = { from_minute: day * day_minutes, to_minute: (day + 1) * day_minutes };
    const shared = segments.map((segment) => ({ ...segment, ...overlap(segment, whole) }))
      .filter(({ from_minute, to_minute }) => from_minute < to_minute);
    for (const { from_minute, to_minute, offset_minutes } of shared) {
      days.add(dayOf(from_minute + offset_minutes)).add(dayOf(to_minute - 1 + offset_minutes));
    }
    if (shared.length > 0) tag_days += tags;
  }
  if (days.size === 0) return [];
  const [first_day, last_day] = [Math.min(...days), Math.max(...days)];
  return [{ project, first_day, last_day, days: days.size, tag_days }];
}

function dayOf(minute: number): number {
  return Math.floor(minute / day_minutes);
}
