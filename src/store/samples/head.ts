// The newest sample of each tag, as it is stored.
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

const head_find = statement({
  reach: "time",
  sql: `
    SELECT tag_no, max(ts) AS ts, arg_max(received_at, ts) AS received_at,
      arg_max_null(coalesce(value, value_int), ts) AS value
    FROM sample
    SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
    GROUP BY tag_no`,
  parameters: { tags: "int32[]", from_us: "instant", to_us: "instant" },
  row: { tag_no: "int32", ts: "instant", received_at: "instant", value: "float64?" },
});

/** The newest sample of a tag: no value where it has no number. */
export type HeadSample = PlainRow<typeof head_find.row>;

const value_find = statement({
  reach: "time",
  sql: `
    SELECT tag_no, max(ts) AS ts_us, arg_max(received_at, ts) AS received_us
    FROM sample
    SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
      AND (value IS NOT NULL OR value_int IS NOT NULL OR value_str IS NOT NULL)
    GROUP BY tag_no`,
  parameters: { tags: "int32[]", from_us: "instant", to_us: "instant" },
  row: { tag_no: "int32", ts_us: "instant", received_us: "instant" },
});

/** The newest samples of tags in [from_us, to_us) that have a value, and when they were stored. */
export function findLastValues(
  connection: Connection,
  range: { readonly tags: Int32Array; readonly from_us: number; readonly to_us: number },
): Promise<PlainRow<typeof value_find.row>[]> {
  return connection.rows(value_find, range);
}

/** The newest samples of tags in [from_us, to_us); tags without one there are left out. */
export function findHeads(
  connection: Connection,
  range: { readonly tags: Int32Array; readonly from_us: number; readonly to_us: number },
): Promise<HeadSample[]> {
  return connection.rows(head_find, range);
}
