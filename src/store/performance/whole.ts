// What is not stored of whole quarter-hours: their minutes and readings, which their samples tell.
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../connection.ts";
import { filled, statement } from "../statement.ts";
import whole_minute_sql from "./whole_minute_read.sql" with { type: "text" };
import whole_reading_sql from "./whole_reading_read.sql" with { type: "text" };

const any_find = statement({
  sql: `
    SELECT EXISTS (
      FROM whole_quarter
      WHERE quarter >= $from_us::BIGINT // 900000000
        AND quarter < ($to_us::BIGINT + 899999999) // 900000000
    ) AS found`,
  parameters: { from_us: "instant", to_us: "instant" },
  row: { found: "bool" },
});

/** It looks only where the first and the last may be, which a minimum and a maximum do not. */
const span_find = statement({
  sql: `
    SELECT
      (SELECT quarter FROM whole_quarter ORDER BY quarter LIMIT 1) * 15 AS from_minute,
      (SELECT quarter FROM whole_quarter ORDER BY quarter DESC LIMIT 1) * 15 + 15 AS to_minute`,
  row: { from_minute: "int32?", to_minute: "int32?" },
});

/** Finds out where there are any now, for `hasWholes`; nobody may store some meanwhile. */
export async function settleWholes(connection: Connection): Promise<void> {
  const { wholes } = connection;
  if (wholes.is_empty) return;
  const [{ from_minute, to_minute }] = await connection.rows(span_find);
  const is_none = from_minute === null || to_minute === null;
  wholes.settle(is_none ? undefined : { from_minute, to_minute });
}

/** Whether a range of time may have such: most are stored once their day is in order. */
export async function hasWholes(
  connection: Connection,
  { from_us, to_us }: { readonly from_us: number; readonly to_us: number },
): Promise<boolean> {
  const minutes = { from_minute: from_us / minute_us, to_minute: to_us / minute_us };
  if (!connection.wholes.meets(minutes)) return false;
  return (await connection.rows(any_find, { from_us, to_us }))[0].found;
}

/** Which of them, as SQL: conditions on `sample` and on `whole_quarter`; minutes [begin, end). */
type Which = {
  readonly samples: string;
  readonly wholes: string;
  readonly begin: string;
  readonly end: string;
  /** A copy of some rows of `whole_quarter`, to look there and not in all of them. */
  readonly table?: string;
  /** What else is wanted of that. */
  readonly also?: `w.${string}, `;
};

/** SQL for such minutes, as table `minute` has them. */
export function wholeMinutes(which: Which): string {
  return inLine(whole_minute_sql, which);
}

/** SQL for such readings, as table `reading` has them; the columns that are null are left out. */
export function wholeReadings(which: Which): string {
  return inLine(whole_reading_sql, which);
}

/** SQL for all readings: those that are stored, and those. */
export function allReadings(which: Which): string {
  return `(FROM reading UNION ALL BY NAME ${wholeReadings(which)})`;
}

/** A text with what it is about, as part of another. */
function inLine(sql: string, { table = "whole_quarter", also, ...which }: Which): string {
  const line = sql.replaceAll(/^ *--.*$/gm, "").replaceAll(/\s+/g, " ").trim();
  return filled(line, { ...which, table, also: also ?? "" });
}
