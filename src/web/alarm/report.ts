// The report of a month in the terms of ISA-18.2 and EEMUA 191, from the alarms themselves. Pure.
import { alarm_limits } from "../../model/alarms/limits.ts";
import { dayAfter, dayOf, dayStart } from "../frame/zone.ts";
import type { Digit } from "../parts/priority.tsx";
import { type Alarm, isAnnunciated, isOver } from "./alarm.ts";
import { type Flood, floodsOf } from "./flood.ts";
import { alarmAt } from "./replay.ts";

/** What a report is made of. */
export type ReportOrder = {
  /** All that stood at some time of the span. */
  readonly alarms: readonly Alarm[];
  readonly from_ms: number;
  readonly to_ms: number;
  readonly zone: string;
  /** How many people answer alarms side by side. */
  readonly positions: number;
};

/** How many came up on a local day, and how many of them each position had to answer. */
type DayCount = { readonly day: string; readonly alarms: number; readonly each: number };

/** An alarm that comes often: a rule on a tag. */
type BadActor = {
  readonly alarm: Alarm;
  readonly count: number;
  readonly share: number;
};

/** How many were of a priority; `usual` is the share that the guides name. */
type PriorityCount = {
  readonly digit: Digit;
  readonly count: number;
  readonly share: number;
  readonly usual: number;
};

/** How long something took: the middle one, and what nine of ten were below. */
type Spans = {
  readonly count: number;
  readonly median_ms: number;
  readonly p90_ms: number;
};

/** The figures of a span of time. */
export type Report = {
  /** Alarms that came up; what is for information is not one. */
  readonly annunciated: number;
  readonly information: number;
  readonly days: readonly DayCount[];
  readonly each_day: number;
  readonly bad_actors: readonly BadActor[];
  readonly bad_actor_share: number;
  /** Those that stood for more than a day when the span ended, the oldest first. */
  readonly standing: readonly Alarm[];
  readonly floods: readonly Flood[];
  readonly flood_share: number;
  readonly attend: Spans;
  /** Those that nobody attended to before they ended. */
  readonly unattended: number;
  readonly priorities: readonly PriorityCount[];
};

/** Shares by priority that ISA-18.2 and EEMUA 191 name as usual. */
const usual_shares = [[1, 0.01], [2, 0.05], [3, 0.15], [4, 0.79]] as const;

/** What the guides call acceptable, for each position: 150 a day; and what can just be managed. */
export const acceptable_day = 150;
export const most_day = 300;

const standing_ms = alarm_limits.stale_alarm_us / 1000;

/** The report of a span of time. */
export function reportOf({ alarms, from_ms, to_ms, zone, positions }: ReportOrder): Report {
  const known = alarms.flatMap((alarm) => alarmAt(alarm, to_ms - 1) ?? []);
  const came = known.filter((it) => it.raised_ms >= from_ms && isAnnunciated(it));
  const raised = came.filter(({ digit }) => digit < 5);
  const floods = floodsOf(raised).filter((it) => it.from_ms < to_ms);
  const bad_actors = badActors(raised);
  const flood_ms = sum(floods.map((it) => Math.min(it.to_ms, to_ms) - it.from_ms));
  const attended = raised.flatMap((it) => attendMs(it) ?? []);
  return {
    annunciated: raised.length,
    information: came.length - raised.length,
    days: dayCounts(raised, { from_ms, to_ms, zone, positions }),
    each_day: raised.length / positions / ((to_ms - from_ms) / 86_400_000),
    bad_actors,
    bad_actor_share: sum(bad_actors.map(({ share }) => share)),
    standing: known
      .filter((it) => it.cleared_ms === null && !isOver(it) && to_ms - it.raised_ms > standing_ms)
      .toSorted((a, b) => a.raised_ms - b.raised_ms),
    floods,
    flood_share: flood_ms / (to_ms - from_ms),
    attend: spansOf(attended),
    unattended: raised.filter((it) => attendMs(it) === undefined && it.cleared_ms !== null).length,
    priorities: usual_shares.map(([digit, usual]) => {
      const count = raised.filter((it) => it.digit === digit).length;
      return { digit, count, share: count / raised.length, usual };
    }),
  };
}

/** How long it took until somebody did something about an alarm; undefined: nobody has yet. */
export function attendMs({ raised_ms, events }: Alarm): number | undefined {
  const first = events.find(({ kind }) => kind === "operator");
  return first && Math.max(0, first.at_ms - raised_ms);
}

function dayCounts(
  raised: readonly Alarm[],
  { from_ms, to_ms, zone, positions }: Omit<ReportOrder, "alarms">,
): readonly DayCount[] {
  const counts = Map.groupBy(raised, ({ raised_ms }) => dayOf(raised_ms, zone));
  const days: DayCount[] = [];
  for (let day = dayOf(from_ms, zone); dayStart(day, zone) < to_ms; day = dayAfter(day)) {
    const alarms = counts.get(day)?.length ?? 0;
    days.push({ day, alarms, each: alarms / positions });
  }
  return days;
}

function badActors(raised: readonly Alarm[]): readonly BadActor[] {
  const groups = Map.groupBy(raised, (it) => `${it.site}\n${it.rule_name}\n${it.source_tag}`);
  return [...groups.values()].toSorted((a, b) => b.length - a.length)
    .slice(0, alarm_limits.report_top)
    .map((group) => (
      { alarm: group.at(-1)!, count: group.length, share: group.length / raised.length }
    ));
}

/** By nearest rank. */
function spansOf(spans: readonly number[]): Spans {
  const sorted = spans.toSorted((a, b) => a - b);
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
  return { count: sorted.length, median_ms: rank(0.5), p90_ms: rank(0.9) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, it) => all + it, 0);
}
