// Figures of a site's alarms in the terms of ISA-18.2: how they are made from counts. Pure.
import { alarm_limits } from "./limits.ts";

/** Counts of a site's alarms; times in seconds, null where none was claimed or cleared. */
export type AlarmTally = {
  readonly annunciated: number;
  readonly inhibited: number;
  readonly late: number;
  readonly fleeting: number;
  readonly claimed: number;
  readonly claim_median_s: number | null;
  readonly claim_p90_s: number | null;
  readonly cleared: number;
  readonly clear_median_s: number | null;
  readonly clear_p90_s: number | null;
};

/** How many alarms a period of the clock had; periods count from 1970 UTC. */
export type PeriodCount = { readonly period: number; readonly alarms: number };

/** How many alarms were of a severity or a class; null: they have none. */
export type WordCount = {
  readonly of_severity: boolean;
  readonly word: string | null;
  readonly alarms: number;
};

/** How often an alarm came, which is a rule on a tag. */
export type TopCount = {
  readonly rule_name: string;
  readonly source_tag: string;
  readonly alarms: number;
};

/** An alarm that came up too often at once, and how many such its site has. */
export type ChatterCount = TopCount & {
  readonly repeats: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly site_count: number;
  readonly site_repeats: number;
};

/** An alarm that stands, and how many of its site do. */
export type StandingAlarm = {
  readonly occurrence_no: number;
  readonly occurrence_id: string;
  readonly rule_name: string;
  readonly source_tag: string;
  readonly severity: string;
  readonly status: string;
  readonly raised_at: number;
  readonly standing: number;
  readonly stale: number;
};

/** A time in which more came than an operator can answer; instants in microseconds. */
type Flood = {
  readonly from_us: number;
  readonly to_us: number;
  readonly alarms: number;
  /** The most in one of its periods. */
  readonly peak: number;
};

/** Counts of a site without alarms. */
export const no_tally: AlarmTally = {
  annunciated: 0,
  inhibited: 0,
  late: 0,
  fleeting: 0,
  claimed: 0,
  claim_median_s: null,
  claim_p90_s: null,
  cleared: 0,
  clear_median_s: null,
  clear_p90_s: null,
};

/** How many periods of the clock a range touches. */
export function periodsIn({ from_us, to_us }: { from_us: number; to_us: number }): number {
  if (to_us <= from_us) return 0;
  const periodOf = (us: number) => Math.floor(us / alarm_limits.flood_window_us);
  return periodOf(to_us - 1) - periodOf(from_us) + 1;
}

/** The start of a period. */
export function periodStart(period: number): number {
  return period * alarm_limits.flood_window_us;
}

/**
 * The floods of a site, in order of time: each begins with a period that has
 * `alarm_limits.flood_alarms` or more, and goes on until one has fewer than
 * `alarm_limits.flood_end_alarms`. `counts` come in order of time, without periods that have none.
 */
export function floodsOf(counts: readonly PeriodCount[]): readonly Flood[] {
  const floods: Flood[] = [];
  let end = NaN;
  for (const { period, alarms } of counts) {
    const goes_on = period === end && alarms >= alarm_limits.flood_end_alarms;
    if (!goes_on && alarms < alarm_limits.flood_alarms) continue;
    const [from_us, to_us] = [periodStart(period), periodStart(period + 1)];
    const last = floods.at(-1);
    if (goes_on && last) {
      const sum = last.alarms + alarms;
      floods[floods.length - 1] = {
        ...last,
        to_us,
        alarms: sum,
        peak: Math.max(last.peak, alarms),
      };
    } else floods.push({ from_us, to_us, alarms, peak: alarms });
    end = period + 1;
  }
  return floods;
}

/** A share of a whole, 0 to 1; null if there is nothing to count. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
