// The questions in SQL over one table with a row for each inverter and minute, by dialect.
import { measures } from "../bodies.ts";
import { one_inverter, type Question, spansOf, type Work } from "./work.ts";

/** The columns of measures. */
export const measure_columns = Object.keys(measures);

/** How many values a row of the answer to a question has. */
export function valuesInRow(question: Question): number {
  return ["latest", "page", "replay"].includes(question) ? measure_columns.length : 1;
}

/** What dialects say differently. */
export type Dialect = {
  readonly table: string;
  /** The beginning of the bucket that a row is in, of so many minutes. */
  readonly bucket: (minutes: number) => string;
  /** An instant. */
  readonly instant: (ts_us: number) => string;
  /** The newest row of each inverter. */
  readonly latest: string;
};

/** The statement for each question. */
export function statementsOf(
  { table, bucket, instant, latest }: Dialect,
  work: Work,
): Readonly<Record<Question, string>> {
  const within = ([from_us, to_us]: readonly [number, number]) =>
    `ts >= ${instant(from_us)} AND ts < ${instant(to_us)}`;
  const mean = (minutes: number) =>
    `SELECT ${bucket(minutes)} AS bucket, inverter, avg(p_ac) AS p_ac FROM ${table}`;
  const by = "GROUP BY bucket, inverter";
  const { one_day, page, minutes } = spansOf(work);
  const rows = `SELECT inverter, ts, ${measure_columns.join()} FROM ${table}`;
  const page_rows = 100_000 / measure_columns.length;
  return {
    days: `${mean(1440)} ${by}`,
    hours: `${mean(60)} ${by}`,
    quarters: `${mean(15)} WHERE ${within(one_day)} ${by}`,
    latest,
    tag_day: `SELECT ts, p_ac FROM ${table} WHERE inverter = ${one_inverter} AND ${
      within(one_day)
    } ORDER BY ts`,
    page: `${rows} WHERE ${within(page)} ORDER BY ts, inverter LIMIT ${page_rows}`,
    replay: `SELECT received_at, inverter, ts, ${measure_columns.join()} FROM ${table} WHERE ` +
      `received_at >= ${instant(0)} ORDER BY received_at, ts, inverter LIMIT ${page_rows}`,
    minutes: `SELECT inverter, ts, p_ac FROM ${table} WHERE ${within(minutes)}`,
    whole: `SELECT avg(p_ac) AS p_ac FROM ${table}`,
    inverter_minutes: `SELECT ts, p_ac FROM ${table} WHERE inverter = ${one_inverter} ORDER BY ts`,
  };
}
