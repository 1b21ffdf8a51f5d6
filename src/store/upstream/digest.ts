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

/** How the hashes of rows become one; xor is blind to rows that change alike, an even number. */
const gathers = { "duckdb-2": "sum", "duckdb-1": "bit_xor" } as const;

/**
 * The kinds of digests: of which hash function, as a newer database may have another, and how the
 * hashes of rows become one. The best comes first; the others are for older peers.
 */
export const digest_names = Object.keys(gathers) as readonly DigestName[];
export type DigestName = keyof typeof gathers;

const of_rows = {
  samples: {
    rows: "sample",
    columns: "coalesce(value, value_int::DOUBLE), value_str, quality, status_code",
  },
  forecasts: { rows: "forecast", columns: "issued_at, value" },
} as const;

const reads = { samples: readsOf("samples"), forecasts: readsOf("forecasts") };

function readsOf(kind: ForwardedKind) {
  return { "duckdb-2": readOf(kind, "duckdb-2"), "duckdb-1": readOf(kind, "duckdb-1") };
}

function readOf(kind: ForwardedKind, name: DigestName) {
  return statement({
    sql: digest_read_sql,
    parameters,
    row: digest_row,
    ...kind === "samples" ? { reach: "time" } : {},
    names: { ...of_rows[kind], gather: gathers[name] },
  });
}

/** The digests of some tags' rows of `[from_us, to_us)`, whole hours; by tag and hour. */
export function readDigests(
  connection: Connection,
  { kind, name, tag_nos, ...range }: {
    readonly kind: ForwardedKind;
    readonly name: DigestName;
    readonly tag_nos: readonly number[];
    readonly from_us: number;
    readonly to_us: number;
  },
): Promise<HourDigest[]> {
  return connection.rows(reads[kind][name], { tag_nos: Int32Array.from(tag_nos), ...range });
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
