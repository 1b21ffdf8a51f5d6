// The numbers of work: how far each count is.
import type { PlainRow } from "../../model/data/row.ts";
import { work_limits } from "../../model/work/limits.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

/** The highest numbers given so far, each in its own count; 0 where none was. */
const last_find = statement({
  sql: `
    SELECT
      (SELECT coalesce(max(issue_no), 0) FROM issue)::BIGINT AS issue_no,
      (SELECT coalesce(max(work_order_no), 0) FROM work_order)::BIGINT AS work_order_no,
      (SELECT coalesce(max(snapshot_no), 0) FROM work_snapshot)::BIGINT AS snapshot_no,
      (SELECT coalesce(max(history_no), 0) FROM issue_history)::BIGINT AS history_no,
      (SELECT coalesce(greatest((SELECT max(change_no) FROM work_change),
        (SELECT max(moved_no) FROM work_place)), 0))::BIGINT AS change_no`,
  row: {
    ...{ issue_no: "int64", work_order_no: "int64", snapshot_no: "int64", history_no: "int64" },
    change_no: "int64",
  },
});

type Writable<Row> = { -readonly [Name in keyof Row]: Row[Name] };

/** The highest numbers given in this installation; some may have been given to nothing. */
export type WorkCounts = Writable<PlainRow<typeof last_find.row>>;

/** How far the installation's counts are. */
export async function readWorkCounts(connection: Connection): Promise<WorkCounts> {
  const [counts] = await connection.rows(last_find);
  return counts;
}

/** The highest numbers of an organization's issues and work orders, deleted ones too. */
const numbers_find = statement({
  sql: `
    SELECT
      (SELECT coalesce(max(number), $above::INTEGER) FROM issue
        WHERE organization_id = $organization_id::VARCHAR {within})::BIGINT AS issue,
      (SELECT coalesce(max(number), $above::INTEGER) FROM work_order
        WHERE organization_id = $organization_id::VARCHAR {within})::BIGINT AS work_order`,
  parameters: { organization_id: "text", above: "int32", most: "int32" },
  names: { within: "AND number > $above::INTEGER AND number <= $most::INTEGER" },
  row: { issue: "int64", work_order: "int64" },
});

/** The highest numbers of an organization's issues and work orders within some bounds. */
export type WorkNumbers = Writable<PlainRow<typeof numbers_find.row>>;

/**
 * How far an organization's numbers are; within a write nobody else gives any. Of 1 to n none is
 * missing, but at a gateway: it has numbers of its own, above all others, until its centre gives
 * one of its.
 */
export async function readWorkNumbers(
  connection: Connection,
  { organization_id, is_gateway }: {
    readonly organization_id: string;
    readonly is_gateway: boolean;
  },
): Promise<WorkNumbers> {
  const from = work_limits.own_numbers_from;
  const bounds = is_gateway ? { above: from, most: 2 ** 31 - 1 } : { above: 0, most: from };
  const [numbers] = await connection.rows(numbers_find, { organization_id, ...bounds });
  return numbers;
}

const given_list = statement({
  sql: `
    SELECT id, number FROM (
      SELECT id, number, project_no FROM issue
      UNION ALL SELECT id, number, project_no FROM work_order
    )
    SEMI JOIN (SELECT unnest($ids::VARCHAR[]) AS id) AS wanted USING (id)
    WHERE project_no = $project_no::INTEGER
    ORDER BY id`,
  parameters: { ids: "text[]", project_no: "int32" },
  row: { id: "text", number: "int32" },
});

/** The numbers of a project's issues and work orders by their ids. */
export async function readGivenNumbers(
  connection: Connection,
  asked: { readonly ids: readonly string[]; readonly project_no: number },
): Promise<PlainRow<typeof given_list.row>[]> {
  return asked.ids.length === 0 ? [] : await connection.rows(given_list, asked);
}
