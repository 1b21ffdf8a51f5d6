// Which month of a project is the next to have a report, and when its figures are settled.
import type { PlainRow } from "../data/row.ts";
import { dayNumber } from "../time/calendar.ts";
import { webhook_limits } from "./limits.ts";

/** A month (YYYY-MM) of a project whose report was told of. */
export const report_table = { project_no: "int32", month: "text" } as const;

/** A month (YYYY-MM) of a project whose report was told of. */
export type ReportTold = PlainRow<typeof report_table>;

/** A month of a zone. */
export type ReportMonth = {
  /** YYYY-MM. */
  readonly name: string;
  /** Its local days, `[from_day, to_day)`. */
  readonly from_day: number;
  readonly to_day: number;
  /** Its instants, `[from, to)`: ISO 8601 with the zone's offset. */
  readonly from: string;
  readonly to: string;
};

/**
 * The last month whose figures are settled: on the first day of the next one the local clock is
 * past an hour of the morning, as gateways send late what they kept.
 */
export function lastMonth(timezone: string, now_us: number): ReportMonth {
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(now_us / 1000));
  const local = now.toZonedDateTimeISO(timezone).toPlainDateTime();
  const next = local.subtract({ hours: webhook_limits.report_hour }).toPlainDate().with({ day: 1 });
  const first = next.subtract({ months: 1 });
  const [from, to] = [first, next].map((day) =>
    day.toZonedDateTime(timezone).toString({ timeZoneName: "never" })
  );
  const [from_day, to_day] = [first, next].map((day) => dayNumber(day.toString()));
  return { name: first.toString().slice(0, 7), from_day, to_day, from, to };
}

/** Whether a month is none of those told of, nor older than all: a clock set back tells no past. */
export function isNewMonth(name: string, told: readonly string[]): boolean {
  return told.length === 0 || !told.includes(name) && told.some((month) => month < name);
}
