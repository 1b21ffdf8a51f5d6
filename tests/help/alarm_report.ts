// The figures of a report on alarms, counted naively: one after the other from their definitions.
import type { AlarmEvent, Occurrence } from "../../src/model/alarms/alarm.ts";
import type { SiteAlarms } from "../../src/model/alarms/report_form.ts";
import { minute_us, second_us } from "./alarm.ts";

const period_us = 10 * minute_us;

/** What is stored of a site: its occurrences, and the events of their lives. */
export type Known = {
  readonly all: readonly Occurrence[];
  readonly events: readonly AlarmEvent[];
};

type Range = { readonly from_us: number; readonly to_us: number };
type Told = (alarm: Occurrence, type: string) => readonly AlarmEvent[];

/** The figures of the alarms of a range, one after the other, straight from their definitions. */
export function naiveReport({ all, events }: Known, range: Range) {
  const { from_us, to_us } = range;
  const told: Told = ({ occurrence_no }, type) =>
    events.filter((it) => it.occurrence_no === occurrence_no && it.type === type);
  const within = all.filter((it) => it.raised_at >= from_us && it.raised_at < to_us)
    .sort((a, b) => a.raised_at - b.raised_at);
  const isInhibited = (it: Occurrence) => told(it, "shelved").some(({ kind }) => kind === "system");
  const shown = within.filter((it) => !it.is_late && !isInhibited(it));
  return {
    ...{ site: "", name: "", annunciated: shown.length },
    inhibited: within.filter(isInhibited).length,
    late: within.filter(({ is_late }) => is_late).length,
    ...naiveRates(shown, range),
    ...naiveShares(shown),
    ...naiveTimes(shown, told),
    ...naiveStanding(all, told, range),
  };
}

function naiveRates(shown: readonly Occurrence[], { from_us, to_us }: Range) {
  const counts = new Map<number, number>();
  for (const { raised_at } of shown) {
    const period = Math.floor(raised_at / period_us);
    counts.set(period, (counts.get(period) ?? 0) + 1);
  }
  const repeats = (it: Occurrence) =>
    it.is_chattering ||
    shown.filter((other) =>
        nameOf(other) === nameOf(it) && other.raised_at <= it.raised_at &&
        other.raised_at > it.raised_at - minute_us
      ).length >= 3;
  return {
    rate: {
      average: shown.length / ((to_us - from_us) / period_us),
      peak: Math.max(0, ...counts.values()),
      high_periods: [...counts.values()].filter((count) => count >= 10).length,
    },
    floods: naiveFloods(counts),
    chattering: [...new Set(shown.filter(repeats).map(nameOf))].sort(),
  };
}

const nameOf = (it: Occurrence) => `${it.rule_name} ${it.source_tag}`;

function naiveFloods(counts: ReadonlyMap<number, number>): Partial<SiteAlarms["floods"]> {
  const periods = [...counts.keys()].sort((a, b) => a - b);
  let [count, alarms] = [0, 0];
  for (let period = periods[0], flooded = false; period <= periods.at(-1)!; period++) {
    const here = counts.get(period) ?? 0;
    if (!flooded && here >= 10) count++;
    flooded = here >= 10 || (flooded && here >= 5);
    if (flooded) alarms += here;
  }
  return { count, alarms };
}

function naiveShares(shown: readonly Occurrence[]) {
  const share = (count: number) => shown.length === 0 ? null : count / shown.length;
  const tally = (keyOf: (it: Occurrence) => string | null) =>
    [...Map.groupBy(shown, keyOf)].map(([key, { length: count }]) => ({ key, count })).sort(
      (a, b) => b.count - a.count || ((a.key ?? "~") < (b.key ?? "~") ? -1 : 1),
    );
  const fleeting =
    shown.filter(({ raised_at, cleared_at }) =>
      cleared_at !== null && cleared_at - raised_at < minute_us
    ).length;
  const top = tally(nameOf).slice(0, 10);
  return {
    fleeting: { count: fleeting, share: share(fleeting) },
    top: {
      share: share(top.reduce((sum, { count }) => sum + count, 0)),
      alarms: top.map(({ key, count }) => {
        const [rule_name, source_tag] = key!.split(" ");
        return { rule_name, source_tag, count, share: share(count) };
      }),
    },
    by_severity: tally(({ severity }) => severity)
      .map(({ key, count }) => ({ severity: key, count, share: share(count) })),
    by_class: tally(({ alarm_class }) => alarm_class)
      .map(({ key, count }) => ({ alarm_class: key, count, share: share(count) })),
  };
}

function naiveTimes(shown: readonly Occurrence[], told: Told) {
  const claims = shown.flatMap((it) => {
    const [first] = told(it, "claimed");
    return first ? [Math.max(0, first.created_at - it.raised_at) / second_us] : [];
  });
  const clears = shown.flatMap(({ raised_at, cleared_at }) =>
    cleared_at === null ? [] : [(cleared_at - raised_at) / second_us]
  );
  return { time_to_claim: percentiles(claims), time_to_clear: percentiles(clears) };
}

function naiveStanding(all: readonly Occurrence[], told: Told, { to_us }: Range) {
  const standing = all.filter((it) => {
    const [resolved] = told(it, "resolved");
    const gone = it.resolution_policy === "manual" && resolved && resolved.created_at < to_us;
    return !it.is_late && it.raised_at < to_us && !gone &&
      (it.cleared_at === null || it.cleared_at >= to_us);
  }).sort((a, b) => a.raised_at - b.raised_at || a.occurrence_no - b.occurrence_no);
  const stale = standing.filter((it) => it.raised_at < to_us - 24 * 60 * minute_us);
  return {
    standing: [standing.length, stale.length],
    oldest: standing.slice(0, 100).map(({ occurrence_id }) => occurrence_id),
  };
}

/** Interpolated between the two nearest, as is usual. */
function percentiles(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => {
    if (sorted.length === 0) return null;
    const place = share * (sorted.length - 1);
    const low = sorted[Math.floor(place)];
    return low + (sorted[Math.ceil(place)] - low) * (place % 1);
  };
  return { count: values.length, median_s: at(0.5), p90_s: at(0.9) };
}
