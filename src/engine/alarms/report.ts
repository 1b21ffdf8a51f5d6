// The report on a project's alarms: what was counted, put into figures site by site.
import { alarm_limits } from "../../model/alarms/limits.ts";
import { refOf } from "../../model/alarms/alarm.ts";
import {
  type AlarmTally,
  type ChatterCount,
  floodsOf,
  no_tally,
  type PeriodCount,
  periodsIn,
  periodStart,
  shareOf,
  type StandingAlarm,
  type TopCount,
  type WordCount,
} from "../../model/alarms/report.ts";
import type { AlarmReport, SiteAlarms } from "../../model/alarms/report_form.ts";
import type { Project, Site } from "../../model/plant/plant.ts";
import { type AlarmCounts, countAlarms, type OfSite } from "../../store/alarms/report.ts";
import type { Database } from "../../store/database.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** What to report on; `site_no` null: every site of the project. */
type ReportRequest = {
  readonly project: Project;
  readonly site_no: number | null;
  readonly from_us: number;
  readonly to_us: number;
  readonly signal?: AbortSignal;
};

type Range = { readonly from_us: number; readonly to_us: number };

/** The figures of the alarms of a project's sites in a range of time. */
export async function alarmReport(
  { database, catalog }: { readonly database: Database; readonly catalog: Catalog },
  { project, site_no, from_us, to_us, signal }: ReportRequest,
): Promise<AlarmReport> {
  const { project_no, id: project_id } = project;
  const range = { from_us, to_us };
  const scope = { project_no, site_no, ...range };
  const rowsOf = bySite(await countAlarms(database, scope, { signal }));
  const sites = catalog.sites.filter((it) =>
    it.project_no === project_no && (site_no === null || it.site_no === site_no)
  );
  return {
    project_id,
    from: instantText(from_us),
    to: instantText(to_us),
    sites: sites.toSorted((a, b) => a.key < b.key ? -1 : 1)
      .map((it) => siteFigures(it, { rows: rowsOf(it.site_no), range })),
  };
}

type SiteRows = {
  readonly tally: AlarmTally;
  readonly periods: readonly PeriodCount[];
  readonly words: readonly WordCount[];
  readonly top: readonly TopCount[];
  readonly chattering: readonly ChatterCount[];
  readonly standing: readonly StandingAlarm[];
};

function bySite(counts: AlarmCounts): (site_no: number) => SiteRows {
  const group = <Row>(rows: readonly OfSite<Row>[]) => {
    const groups = Map.groupBy(rows, ({ site_no }) => site_no);
    return (site_no: number): readonly Row[] => groups.get(site_no) ?? [];
  };
  const tallies = group(counts.tallies);
  const periods = group(counts.periods);
  const words = group(counts.words);
  const top = group(counts.top);
  const chattering = group(counts.chattering);
  const standing = group(counts.standing);
  return (site_no) => ({
    tally: tallies(site_no)[0] ?? no_tally,
    periods: periods(site_no),
    words: words(site_no),
    top: top(site_no),
    chattering: chattering(site_no),
    standing: standing(site_no),
  });
}

function siteFigures(
  { key, name }: Site,
  { rows, range }: { readonly rows: SiteRows; readonly range: Range },
): SiteAlarms {
  const { tally, words, top } = rows;
  const { annunciated, inhibited, late, fleeting } = tally;
  const shared = (count: number) => ({ count, share: shareOf(count, annunciated) });
  return {
    site: key,
    name,
    annunciated,
    inhibited,
    late,
    rate: rateOf(rows, range),
    floods: floodFigures(rows.periods, range),
    chattering: chatteringOf(rows.chattering),
    fleeting: shared(fleeting),
    standing: standingOf(rows.standing, range),
    top: {
      share: shareOf(top.reduce((sum, { alarms }) => sum + alarms, 0), annunciated),
      alarms: top.map(({ rule_name, source_tag, alarms }) => (
        { rule_name, source_tag, ...shared(alarms) }
      )),
    },
    by_severity: words.filter(({ of_severity }) => of_severity)
      .map(({ word, alarms }) => ({ severity: word!, ...shared(alarms) })),
    by_class: words.filter(({ of_severity }) => !of_severity)
      .map(({ word, alarms }) => ({ alarm_class: word, ...shared(alarms) })),
    time_to_claim: {
      count: tally.claimed,
      median_s: tally.claim_median_s,
      p90_s: tally.claim_p90_s,
    },
    time_to_clear: {
      count: tally.cleared,
      median_s: tally.clear_median_s,
      p90_s: tally.clear_p90_s,
    },
  };
}

function rateOf({ tally, periods }: SiteRows, range: Range): SiteAlarms["rate"] {
  const count = periodsIn(range);
  const span = (range.to_us - range.from_us) / alarm_limits.flood_window_us;
  const peak = periods.reduce((most, { alarms }) => Math.max(most, alarms), 0);
  const first = periods.find(({ alarms }) => alarms === peak);
  const high = periods.filter(({ alarms }) => alarms >= alarm_limits.flood_alarms).length;
  return {
    average: shareOf(tally.annunciated, span),
    peak: count === 0 ? null : peak,
    peak_at: first ? instantText(periodStart(first.period)) : null,
    periods: count,
    high_periods: high,
    high_period_share: shareOf(high, count),
  };
}

function floodFigures(periods: readonly PeriodCount[], range: Range): SiteAlarms["floods"] {
  const floods = floodsOf(periods);
  const lengths_us = floods.reduce((sum, { from_us, to_us }) => sum + to_us - from_us, 0);
  const flooded = lengths_us / alarm_limits.flood_window_us;
  const worst = floods.toSorted((a, b) => b.alarms - a.alarms || a.from_us - b.from_us);
  return {
    count: floods.length,
    periods: flooded,
    period_share: shareOf(flooded, periodsIn(range)),
    alarms: floods.reduce((sum, { alarms }) => sum + alarms, 0),
    worst: worst.slice(0, alarm_limits.report_listed).map(({ from_us, to_us, alarms, peak }) => ({
      from: instantText(from_us),
      to: instantText(to_us),
      length_s: (to_us - from_us) / 1_000_000,
      alarms,
      peak,
    })),
  };
}

function chatteringOf(rows: readonly ChatterCount[]): SiteAlarms["chattering"] {
  return {
    count: rows.at(0)?.site_count ?? 0,
    repeats: rows.at(0)?.site_repeats ?? 0,
    worst: rows.map(({ rule_name, source_tag, alarms, repeats, first_at, last_at }) => ({
      rule_name,
      source_tag,
      alarms,
      repeats,
      first_at: instantText(first_at),
      last_at: instantText(last_at),
    })),
  };
}

function standingOf(rows: readonly StandingAlarm[], { to_us }: Range): SiteAlarms["standing"] {
  return {
    count: rows.at(0)?.standing ?? 0,
    stale: rows.at(0)?.stale ?? 0,
    oldest: rows.map(({ occurrence_no, raised_at, ...alarm }) => ({
      occurrence_id: alarm.occurrence_id,
      svc_occurrence_ref: refOf(occurrence_no),
      rule_name: alarm.rule_name,
      source_tag: alarm.source_tag,
      severity: alarm.severity,
      status: alarm.status,
      raised_at: instantText(raised_at),
      age_s: (to_us - raised_at) / 1_000_000,
    })),
  };
}
