// What a report on the alarms of some sites is made of: counts, times and the worst of them.
import { limits } from "../../base/limits.ts";
import report_alarm_make from "./report_alarm_make.sql" with { type: "text" };
import report_chatter_list from "./report_chatter_list.sql" with { type: "text" };
import report_period_list from "./report_period_list.sql" with { type: "text" };
import report_share_list from "./report_share_list.sql" with { type: "text" };
import report_standing_list from "./report_standing_list.sql" with { type: "text" };
import report_tally_list from "./report_tally_list.sql" with { type: "text" };
import report_top_list from "./report_top_list.sql" with { type: "text" };
import type {
  AlarmTally,
  ChatterCount,
  PeriodCount,
  StandingAlarm,
  TopCount,
  WordCount,
} from "../../model/alarms/report.ts";
import type { Database } from "../database.ts";

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

/** Counts the alarms of a report, all on one snapshot. Stops and throws when `signal` aborts. */
export function countAlarms(
  database: Database,
  scope: AlarmScope,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<AlarmCounts> {
  const { project_no, site_no, to_us: at_us } = scope;
  const most = limits.report_listed;
  const window_us = limits.chattering_window_us;
  const stale_us = limits.stale_alarm_us;
  return database.read((reader) =>
    reader.transaction(async () => {
      await reader.run(report_alarm_make, scope);
      const counts: AlarmCounts = {
        tallies: await reader.rows(report_tally_list, { fleeting_s: limits.fleeting_s }),
        periods: await reader.rows(report_period_list, {
          period_us: limits.flood_window_us,
          least: limits.flood_end_alarms,
        }),
        words: await reader.rows(report_share_list),
        top: await reader.rows(report_top_list, { most: limits.report_top }),
        chattering: await reader.rows(report_chatter_list, { window_us, most }),
        standing: await reader.rows(report_standing_list, {
          ...{ project_no, site_no, at_us, stale_us, most },
        }),
      };
      await reader.run("DROP TABLE report_alarm");
      return counts;
    }), signal);
}
