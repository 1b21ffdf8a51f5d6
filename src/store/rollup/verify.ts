// What verification reads beside the roll-up's own statements: days, and examples of differences.
import difference_list from "./difference_list.sql" with { type: "text" };
import verify_days from "./verify_days.sql" with { type: "text" };
import verify_touch from "./verify_touch.sql" with { type: "text" };
import type { Connection } from "../connection.ts";
import type { TableName } from "./worktables.ts";

/** A rolled-up row that differs: to be inserted, updated or deleted to be right. */
export type RowDifference = {
  readonly name: TableName;
  readonly op: "insert" | "update" | "delete";
  readonly tag_no: number | null;
  readonly sensor_no: number | null;
  /** Minutes since 1970 UTC of its start; of a day's row, of its date at midnight. */
  readonly minute: number;
};

/** The days (UTC, since 1970) that have samples or anything rolled up. */
export async function listVerifyDays(connection: Connection): Promise<number[]> {
  return (await connection.rows<{ day: number }>(verify_days)).map((row) => row.day);
}

/** Touches everything of a day. */
export function touchDay(
  connection: Connection,
  what: { readonly day: number; readonly over_us: number },
): Promise<void> {
  return connection.run(verify_touch, what);
}

/** The first `rows` differences that were found. */
export function listDifferences(connection: Connection, rows: number): Promise<RowDifference[]> {
  return connection.rows(difference_list, { rows });
}

/** How many minutes and readings were worked out. */
export async function countWorked(connection: Connection): Promise<number> {
  const [{ rows }] = await connection.rows<{ rows: number }>(
    "SELECT ((SELECT count(*) FROM roll_minute) + (SELECT count(*) FROM roll_reading))::BIGINT " +
      "AS rows",
  );
  return rows;
}
