// What a report on the alarms of some sites is made of: counts, times and the worst of them.
import { alarm_limits } from "../../model/alarms/limits.ts";
import occurrence_count_sql from "./occurrence_count.sql" with { type: "text" };
import report_alarm_make_sql from "./report_alarm_make.sql" with { type: "text" };
import report_chatter_list_sql from "./report_chatter_list.sql" with { type: "text" };
import report_share_list_sql from "./report_share_list.sql" with { type: "text" };
import report_standing_list_sql from "./report_standing_list.sql" with { type: "text" };
import report_tally_list_sql from "./report_tally_list.sql" with { type: "text" };
import report_top_list_sql from "./report_top_list.sql" with { type: "text" };
import type {
  AlarmTally,
  ChatterCount,
  PeriodCount,
  StandingAlarm,
  TopCount,
  WordCount,
} from "../../model/alarms/report.ts";
import { alarm_statuses, occurrence_table } from "../../model/alarms/alarm.ts";
import { oneOf, pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../database.ts";
import { statement } from "../statement.ts";

/** Which alarms: of a project or one site of it, raised in `[from_us, to_us)`. */
export type AlarmScope = {
  readonly project_no: number;
  /** Null: every site. */
  readonly site_no: number | null;
  readonly from_us: number;
  readonly to_us: number;
};

/** A row of a site. */
export type OfSite<Row> = Row & { readonly site_no: number };

/** All rows of a report by site, each kind in the order in which it is shown. */
export type AlarmCounts = {
  readonly tallies: readonly OfSite<AlarmTally>[];
  readonly periods: readonly OfSite<PeriodCount>[];
  readonly words: readonly OfSite<WordCount>[];
  readonly top: readonly OfSite<TopCount>[];
  readonly chattering: readonly OfSite<ChatterCount>[];
  readonly standing: readonly OfSite<StandingAlarm>[];
};

/** The alarms of a scope, with what happened to each. */
const alarms_make = statement({
  sql: report_alarm_make_sql,
  parameters: { project_no: "int32", site_no: "int32?", from_us: "instant", to_us: "instant" },
});

/** Each site's counts, and how long its alarms took to be claimed and to clear, in seconds. */
const tallies_list = statement({
  sql: report_tally_list_sql,
  parameters: { fleeting_s: "int32" },
  row: {
    site_no: "int32",
    annunciated: "int32",
    inhibited: "int32",
    late: "int32",
    fleeting: "int32",
    claimed: "int32",
    cleared: "int32",
    claim_median_s: "float64?",
    claim_p90_s: "float64?",
    clear_median_s: "float64?",
    clear_p90_s: "float64?",
  },
});

/** Each site's fullest period, the first of equal ones, and each other that a flood may hold. */
const periods_list = statement({
  sql: `
    SELECT site_no, (raised_at // $period_us::BIGINT)::INTEGER AS period,
      count(*)::INTEGER AS alarms
    FROM report_alarm WHERE NOT is_late AND NOT is_inhibited
    GROUP BY site_no, period
    QUALIFY alarms >= $least::INTEGER
      OR row_number() OVER (PARTITION BY site_no ORDER BY alarms DESC, period) = 1
    ORDER BY site_no, period`,
  parameters: { period_us: "int64", least: "int32" },
  row: { site_no: "int32", period: "int32", alarms: "int32" },
});

/** How many alarms were annunciated at each site of each severity, and of each class. */
const words_list = statement({
  sql: report_share_list_sql,
  row: { site_no: "int32", of_severity: "bool", word: "text?", alarms: "int32" },
});

/** The alarms that were annunciated most often at each site. */
const top_list = statement({
  sql: report_top_list_sql,
  parameters: { most: "int32" },
  row: { site_no: "int32", rule_name: "text", source_tag: "text", alarms: "int32" },
});

/** The alarms of each site that came up a third time within the window. */
const chattering_list = statement({
  sql: report_chatter_list_sql,
  parameters: { window_us: "int64", most: "int32" },
  row: {
    site_no: "int32",
    rule_name: "text",
    source_tag: "text",
    alarms: "int32",
    repeats: "int32",
    first_at: "instant",
    last_at: "instant",
    site_count: "int32",
    site_repeats: "int32",
  },
});

/** The oldest alarms of each site that stood at an instant. */
const standing_list = statement({
  sql: report_standing_list_sql,
  parameters: {
    project_no: "int32",
    site_no: "int32?",
    at_us: "instant",
    stale_us: "int64",
    most: "int32",
  },
  row: {
    ...pick(occurrence_table, "site_no", "occurrence_no", "occurrence_id", "rule_name"),
    ...pick(occurrence_table, "source_tag", "severity", "status", "raised_at"),
    standing: "int32",
    stale: "int32",
  },
});

const alarms_drop = statement({ sql: "DROP TABLE report_alarm" });

/** Counts the alarms of a report, all on one snapshot. Stops and throws when `signal` aborts. */
export function countAlarms(
  database: Database,
  scope: AlarmScope,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<AlarmCounts> {
  const { project_no, site_no, to_us: at_us } = scope;
  const most = alarm_limits.report_listed;
  const window_us = alarm_limits.chattering_window_us;
  const stale_us = alarm_limits.stale_alarm_us;
  return database.read((reader) =>
    reader.transaction(async () => {
      await reader.run(alarms_make, scope);
      const counts: AlarmCounts = {
        tallies: await reader.rows(tallies_list, { fleeting_s: alarm_limits.fleeting_s }),
        periods: await reader.rows(periods_list, {
          period_us: alarm_limits.flood_window_us,
          least: alarm_limits.flood_end_alarms,
        }),
        words: await reader.rows(words_list),
        top: await reader.rows(top_list, { most: alarm_limits.report_top }),
        chattering: await reader.rows(chattering_list, { window_us, most }),
        standing: await reader.rows(standing_list, {
          ...{ project_no, site_no, at_us, stale_us, most },
        }),
      };
      await reader.run(alarms_drop);
      return counts;
    }), signal);
}

/** How many occurrences that have not ended there are of each severity, status and condition. */
const occurrences_count = statement({
  sql: occurrence_count_sql,
  parameters: { project_no: "int32", site_no: "int32?" },
  row: { severity: "text", status: oneOf(alarm_statuses), active: "bool", count: "int64" },
});

/** How many occurrences that have not ended a project, or a site of it, has. */
export function countOccurrences(
  connection: Connection,
  source: { readonly project_no: number; readonly site_no: number | null },
): Promise<PlainRow<typeof occurrences_count.row>[]> {
  return connection.rows(occurrences_count, source);
}
