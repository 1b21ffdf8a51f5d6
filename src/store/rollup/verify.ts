// What verification reads beside the roll-up's own statements: days, and examples of differences.
import difference_list_sql from "./difference_list.sql" with { type: "text" };
import stray_list_sql from "./stray_list.sql" with { type: "text" };
import verify_days_sql from "./verify_day_list.sql" with { type: "text" };
import verify_touch_sql from "./verify_touch.sql" with { type: "text" };
import { oneOf, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { table_names } from "./change.ts";
import { statement } from "../statement.ts";

const verify_days = statement({
  reach: "all",
  sql: verify_days_sql,
  row: { day: "int32" },
});

/** The days (UTC, since 1970) that have samples or anything rolled up. */
export async function listVerifyDays(connection: Connection): Promise<number[]> {
  return (await connection.rows(verify_days)).map((row) => row.day);
}

const stray_list = statement({
  sql: stray_list_sql,
  row: { name: "text", rows: "int64" },
});

/** The tables that hold rows of tags or sensors that are no more, and how many: by no day found. */
export function listStrays(connection: Connection): Promise<PlainRow<typeof stray_list.row>[]> {
  return connection.rows(stray_list);
}

const verify_touch = statement({
  sql: verify_touch_sql,
  reach: "day",
  parameters: { day: "int64", over_us: "instant" },
});

/** Touches everything of a day. */
export function touchDay(
  connection: Connection,
  what: { readonly day: number; readonly over_us: number },
): Promise<void> {
  return connection.run(verify_touch, what);
}

/** The tables whose rows are compared. */
const compared_names = [...table_names, "counter_event", "lent_quarter"] as const;
export type ComparedName = typeof compared_names[number];

const difference_list = statement({
  sql: difference_list_sql,
  parameters: { rows: "int64" },
  row: {
    name: oneOf(compared_names),
    op: oneOf(["insert", "update", "delete"]),
    tag_no: "int32?",
    sensor_no: "int32?",
    /** Minutes since 1970 UTC of its start; of a day's row, of its date at midnight. */
    minute: "int32",
  },
});

/** A rolled-up row that differs: to be inserted, updated or deleted to be right. */
export type RowDifference = PlainRow<typeof difference_list.row>;

/** The first `rows` differences that were found. */
export function listDifferences(connection: Connection, rows: number): Promise<RowDifference[]> {
  return connection.rows(difference_list, { rows });
}

/** The rows of the working tables. */
const worked_count = statement({
  sql: `
    SELECT
      ((SELECT count(*) FROM roll_minute)
        + 15 * (SELECT count(*) + count(sensor_no) FROM roll_whole)
        + (SELECT count(*) FROM roll_reading))::BIGINT AS rows`,
  row: { rows: "int64" },
});

/** How many minutes and readings were computed. */
export async function countWorked(connection: Connection): Promise<number> {
  const [{ rows }] = await connection.rows(worked_count);
  return rows;
}
