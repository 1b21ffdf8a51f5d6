// The newest sample of each tag, as it is stored.
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

/** The newest sample of a tag: no value where it has no number. */
const head_row = {
  tag_no: "int32",
  ts: "instant",
  received_at: "instant",
  value: "float64?",
} as const;
export type HeadSample = PlainRow<typeof head_row>;

const head_find = statement({
  sql: `
    SELECT tag_no, max(ts) AS ts, arg_max(received_at, ts) AS received_at,
      arg_max_null(coalesce(value, value_int), ts) AS value
    FROM sample
    SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
    GROUP BY tag_no`,
  parameters: { tags: "int32[]", from_us: "instant", to_us: "instant" },
  row: head_row,
});

/** The newest samples of tags in [from_us, to_us); tags without one there are left out. */
export function findHeads(
  connection: Connection,
  range: { readonly tags: Int32Array; readonly from_us: number; readonly to_us: number },
): Promise<HeadSample[]> {
  return connection.rows(head_find, range);
}

const head_list = statement({
  sql: `
    SELECT tag_no, max(ts) AS ts, arg_max(received_at, ts) AS received_at,
      arg_max_null(coalesce(value, value_int), ts) AS value
    FROM sample
    WHERE received_at > $stored_us::BIGINT
    GROUP BY tag_no`,
  parameters: { stored_us: "instant" },
  row: head_row,
});

/** The newest samples of tags among those that were stored after a stamp. */
export function headsSince(connection: Connection, stored_us: number): Promise<HeadSample[]> {
  return connection.rows(head_list, { stored_us });
}
