// Samples of tags in order of time, for statistics and for values between samples.
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import instant_read_sql from "./instant_read.sql" with { type: "text" };
import series_read_sql from "./series_read.sql" with { type: "text" };

/** Which tags, and sample times `[from_us, to_us)`. */
type SeriesRange = {
  readonly tags: Int32Array;
  readonly from_us: number;
  readonly to_us: number;
};

const in_range = { tags: "int32[]", from_us: "instant", to_us: "instant" } as const;

const series_read = statement({
  sql: series_read_sql,
  reach: "time",
  parameters: in_range,
  row: {
    tag_no: "int32",
    ts: "instant",
    number: "float64?",
    state: "int64?",
    quality: "int32",
  },
});

/** The samples, by tag and time; columns as they are declared. */
export function readSeries(connection: Connection, range: SeriesRange): Promise<Iterable<Chunk>> {
  return connection.pieces(series_read, range);
}

const state_find = statement({
  reach: "time",
  sql: `
    SELECT tag_no, arg_max(ifnull(value_int, (hash(value_str) >> 1)::BIGINT), ts)::VARCHAR AS state
    FROM sample
    JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT AND coalesce(quality < 2, true)
      AND (value_int IS NOT NULL OR value_str IS NOT NULL)
    GROUP BY tag_no ORDER BY tag_no`,
  parameters: in_range,
  row: { tag_no: "int32", state: "text" },
});

/** The last state of each tag that has one in a range. */
export async function lastStates(
  connection: Connection,
  range: SeriesRange,
): Promise<ReadonlyMap<number, bigint>> {
  const rows = await connection.rows(state_find, range);
  return new Map(rows.map(({ tag_no, state }) => [tag_no, BigInt(state)]));
}

/** The columns of what stands around instants. */
const instant_row = {
  line: "int32",
  ts: "instant",
  before_ts: "instant?",
  before_received: "instant?",
  before_value: "float64?",
  before_int: "int64?",
  before_str: "text?",
  before_quality: "int32?",
  before_status: "uint32?",
  after_ts: "instant?",
  after_received: "instant?",
  after_value: "float64?",
  after_quality: "int32?",
  bad_ts: "instant?",
} as const;

/** The place of each column in those rows. */
export const instant_page = Object.fromEntries(
  Object.keys(instant_row).map((name, place) => [name, place]),
) as Readonly<Record<keyof typeof instant_row, number>>;

const instant_read = statement({
  sql: instant_read_sql,
  reach: "time",
  parameters: { lines: "int32[]", instants: "instant[]", from_us: "instant", to_us: "instant" },
  row: instant_row,
});

/** What stands around each instant on each line (line i shows tag `lines[i]`): by both. */
export function readInstants(
  connection: Connection,
  asked: {
    readonly lines: Int32Array;
    readonly instants: readonly number[];
    readonly from_us: number;
    readonly to_us: number;
  },
): Promise<Chunk> {
  return connection.chunk(instant_read, asked);
}
