// The form of a report on alarms: every figure with its definition, once.
import * as z from "zod";
import { alarm_limits } from "./limits.ts";

const minutes = alarm_limits.flood_window_us / 60_000_000;
const chattering_s = alarm_limits.chattering_window_us / 1_000_000;
const stale_h = alarm_limits.stale_alarm_us / 3_600_000_000;

const count = (doc: string) => z.int().describe(doc);
const share = (doc: string) =>
  z.number().nullable().describe(`${doc} 0 to 1; null if there is nothing to count.`);
const instant = (doc: string) => z.string().describe(`${doc} ISO 8601, UTC.`);

const alarm = {
  rule_name: z.string(),
  source_tag: z.string(),
};

const times = (what: string) =>
  z.strictObject({
    count: count(`Annunciated alarms that were ${what}.`),
    median_s: z.number().nullable().describe("Seconds; null if there is none."),
    p90_s: z.number().nullable().describe("90th percentile, in seconds; null if there is none."),
  });

const rate_schema = z.strictObject({
  average: z.number().nullable().describe(
    `Annunciated alarms per ${minutes} minutes; null for an empty range.`,
  ),
  peak: z.int().nullable().describe(
    `Largest number in one period. Periods are ${minutes} minutes by the clock in UTC; the ` +
      "first and the last one can be cut by the range. Null for an empty range.",
  ),
  peak_at: z.string().nullable().describe("Start of the first such period; null without alarms."),
  periods: count("Periods that overlap the range."),
  high_periods: count(`Periods with ${alarm_limits.flood_alarms} or more.`),
  high_period_share: share("Share of all periods."),
});

const flood_schema = z.strictObject({
  count: count(
    `A flood begins with a period of ${alarm_limits.flood_alarms} or more alarms and ends ` +
      `when a period has fewer than ${alarm_limits.flood_end_alarms}.`,
  ),
  periods: count("Periods that are part of a flood."),
  period_share: share("Share of all periods: the share of time in flood."),
  alarms: count("Annunciated alarms during floods."),
  worst: z.array(z.strictObject({
    from: instant("Start of its first period."),
    to: instant("End of its last period."),
    length_s: count("Seconds."),
    alarms: count("Annunciated alarms in it."),
    peak: count("Largest number in one period."),
  })).describe(`Floods with the most alarms, at most ${alarm_limits.report_listed}.`),
});

const chattering_schema = z.strictObject({
  count: count(
    `Alarms (a rule on a tag) that were raised three times or more within ${chattering_s} s.`,
  ),
  repeats: count("How often an alarm was at least the third within that time."),
  worst: z.array(z.strictObject({
    ...alarm,
    alarms: count("How often it was annunciated."),
    repeats: count("How often it was at least the third."),
    first_at: instant("First in the range."),
    last_at: instant("Last in the range."),
  })).describe(`Alarms with the most repeats, at most ${alarm_limits.report_listed}.`),
});

const standing_schema = z.strictObject({
  count: count(
    "Alarms that are active at the end of the range, whenever they were raised and whatever " +
      "their status: not cleared, and with the policy manual also not resolved.",
  ),
  stale: count(`Standing alarms that are older than ${stale_h} h.`),
  oldest: z.array(z.strictObject({
    occurrence_id: z.string(),
    svc_occurrence_ref: z.string(),
    ...alarm,
    severity: z.string(),
    status: z.string().describe("Its present status."),
    raised_at: instant("When it was raised."),
    age_s: z.number().describe("Seconds until the end of the range."),
  })).describe(`At most ${alarm_limits.report_listed}.`),
});

const counted = {
  count: count("Annunciated alarms."),
  share: share(
    "Share of the annunciated alarms.",
  ),
};

const site_schema = z.strictObject({
  site: z.string().describe("Key of the site."),
  name: z.string(),
  annunciated: count(
    "Alarms that were raised in the range: occurrences by raised_at, each once, even if it was " +
      "reraised. Inhibited and late alarms count only in their own figures and in the standing " +
      "alarms.",
  ),
  inhibited: count(
    "Alarms that were held back from the queue by another alarm (comms, grid).",
  ),
  late: count("Occurrences that were recorded from late samples, raised and cleared at once."),
  rate: rate_schema,
  floods: flood_schema,
  chattering: chattering_schema,
  fleeting: z.strictObject({
    count: count(`Annunciated alarms that cleared within ${alarm_limits.fleeting_s} s.`),
    share: share("Share of the annunciated alarms."),
  }),
  standing: standing_schema,
  top: z.strictObject({
    share: share(`The ${alarm_limits.report_top} together: share of the annunciated alarms.`),
    alarms: z.array(z.strictObject({
      ...alarm,
      count: count("How often it was annunciated."),
      share: share("Share of the annunciated alarms."),
    })),
  }).describe(
    `The ${alarm_limits.report_top} alarms (a rule on a tag) that were raised most often.`,
  ),
  by_severity: z.array(z.strictObject({ severity: z.string(), ...counted })),
  by_class: z.array(z.strictObject({ alarm_class: z.string().nullable(), ...counted })),
  time_to_claim: times("claimed: from raised_at to the first claim"),
  time_to_clear: times("cleared: from raised_at to cleared_at"),
});

/** The answer: figures of each site, in the order of the sites' keys. */
export const report_schema = z.strictObject({
  project_id: z.string(),
  from: instant("Start of the range, inclusive."),
  to: instant("End of the range, exclusive; at most now."),
  sites: z.array(site_schema),
});

/** A report as it is answered. */
export type AlarmReport = z.infer<typeof report_schema>;
/** The figures of one site. */
export type SiteAlarms = AlarmReport["sites"][number];
