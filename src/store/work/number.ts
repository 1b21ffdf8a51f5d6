// The numbers of work: how far each count is.
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

/** The highest numbers given so far, each in its own count; 0 where none was. */
const last_find = statement({
  sql: `
    SELECT
      (SELECT coalesce(max(issue_no), 0) FROM issue)::BIGINT AS issue_no,
      (SELECT coalesce(max(work_order_no), 0) FROM work_order)::BIGINT AS work_order_no,
      (SELECT coalesce(max(snapshot_no), 0) FROM work_snapshot)::BIGINT AS snapshot_no,
      (SELECT coalesce(max(history_no), 0) FROM issue_history)::BIGINT AS history_no`,
  row: { issue_no: "int64", work_order_no: "int64", snapshot_no: "int64", history_no: "int64" },
});

type Writable<Row> = { -readonly [Name in keyof Row]: Row[Name] };

/** The highest numbers given in this installation; some may have been given to nothing. */
export type WorkCounts = Writable<PlainRow<typeof last_find.row>>;

/** How far the installation's counts are. */
export async function readWorkCounts(connection: Connection): Promise<WorkCounts> {
  const [counts] = await connection.rows(last_find);
  return counts;
}

/** The highest numbers of an organization's issues and work orders, deleted ones too; or 0. */
const numbers_find = statement({
  sql: `
    SELECT
      (SELECT coalesce(max(number), 0) FROM issue WHERE organization_id = $organization_id::VARCHAR)
        ::BIGINT AS issue,
      (SELECT coalesce(max(number), 0) FROM work_order
        WHERE organization_id = $organization_id::VARCHAR)::BIGINT AS work_order`,
  parameters: { organization_id: "text" },
  row: { issue: "int64", work_order: "int64" },
});

/** The highest numbers of an organization's issues and work orders: of 1 to n, none is missing. */
export type WorkNumbers = Writable<PlainRow<typeof numbers_find.row>>;

/** How far an organization's numbers are; within a write nobody else gives any. */
export async function readWorkNumbers(
  connection: Connection,
  organization_id: string,
): Promise<WorkNumbers> {
  const [numbers] = await connection.rows(numbers_find, { organization_id });
  return numbers;
}
