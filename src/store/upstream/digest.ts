// Digests of stored rows by tag and hour: what two sides compare without sending the rows.
import digest_read_sql from "./digest_read.sql" with { type: "text" };
import type { PlainRow } from "../../model/data/row.ts";
import type { ForwardedKind } from "../../model/upstream/upstream.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

const digest_row = {
  tag_no: "int32",
  /** Hours since 1970 UTC. */
  hour: "int32",
  rows: "int32",
  digest: "text",
  first_us: "instant",
  last_us: "instant",
} as const;

/** The rows of a tag in an hour, all together. */
export type HourDigest = PlainRow<typeof digest_row>;

const parameters = { tag_nos: "int32[]", from_us: "instant", to_us: "instant" } as const;

const reads = {
  samples: statement({
    sql: digest_read_sql,
    parameters,
    row: digest_row,
    reach: "time",
    names: {
      rows: "sample",
      columns: "coalesce(value, value_int::DOUBLE), value_str, quality, status_code",
    },
  }),
  forecasts: statement({
    sql: digest_read_sql,
    parameters,
    row: digest_row,
    names: { rows: "forecast", columns: "issued_at, value" },
  }),
};

/**
 * The digests of some tags' rows of `[from_us, to_us)`, whole hours; by tag and hour. They are of
 * the database's own hash function: sides of different versions may not be compared.
 */
export function readDigests(
  connection: Connection,
  { kind, tag_nos, ...range }: {
    readonly kind: ForwardedKind;
    readonly tag_nos: readonly number[];
    readonly from_us: number;
    readonly to_us: number;
  },
): Promise<HourDigest[]> {
  return connection.rows(reads[kind], { tag_nos: Int32Array.from(tag_nos), ...range });
}

const before_find = statement({
  sql: `
    SELECT greatest(
      (SELECT max(ts) FROM sample WHERE ts < $end_day::BIGINT * 86400000000),
      (SELECT max(ts) FROM forecast WHERE ts < $end_day::BIGINT * 86400000000)
    ) AS ts`,
  parameters: { end_day: "int64" },
  row: { ts: "instant?" },
  reach: "before",
});

/** The last day (UTC, since 1970) before `end_day` that has any row; undefined for none. */
export async function findDayBefore(
  connection: Connection,
  end_day: number,
): Promise<number | undefined> {
  const [{ ts }] = await connection.rows(before_find, { end_day });
  return ts === null ? undefined : Math.floor(ts / 86_400_000_000);
}
