// Reads what was stored in a span of stamps: where its newest rows lie, how many of each tag, rows.
import piece_find_sql from "./piece_find.sql" with { type: "text" };
import type { Chunk } from "../../model/data/chunk.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { StampSpan } from "../../model/upstream/span.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

const stored = { since_us: "instant", until_us: "instant" } as const;

const spanned = ({ from_us, to_us }: StampSpan) => ({ since_us: from_us, until_us: to_us });

const newest_find = statement({
  sql: `
    SELECT greatest(
      (SELECT max(received_at) FROM sample
       WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT),
      (SELECT max(received_at) FROM forecast
       WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT)
    ) AS last_us`,
  parameters: stored,
  row: { last_us: "instant?" },
  reach: "stored",
});

/**
 * The last stamp in a span that anything was stored with; undefined for none. Looked for from the
 * end, in steps that grow: the parts of a table that hold none of a step are not read.
 */
export async function findNewest(
  connection: Connection,
  { from_us, to_us, step_us }: StampSpan & { readonly step_us: number },
): Promise<number | undefined> {
  for (let until_us = to_us, wide_us = step_us; until_us > from_us; wide_us *= 2) {
    const since_us = Math.max(from_us, until_us - wide_us);
    const [{ last_us }] = await connection.rows(newest_find, { since_us, until_us });
    if (last_us !== null) return last_us;
    until_us = since_us;
  }
}

const oldest_find = statement({
  sql: `
    SELECT min(received_at) AS first_us, min(received_at) FILTER (rows >= $most::BIGINT) AS last_us
    FROM (
      SELECT received_at, sum(count(*)) OVER (ORDER BY received_at) AS rows FROM sample
      WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT
      GROUP BY received_at
    )`,
  parameters: { ...stored, most: "int64" },
  row: { first_us: "instant?", last_us: "instant?" },
  reach: "stored",
});

/**
 * The oldest samples of a span, `most` and those of one stamp more; undefined where it has none.
 * The piece begins where the span does. Looked for in steps that grow.
 */
export async function findOldest(
  connection: Connection,
  { from_us, to_us, step_us, most }: StampSpan & {
    readonly step_us: number;
    readonly most: number;
  },
): Promise<StampSpan | undefined> {
  for (let since_us = from_us, wide_us = step_us; since_us < to_us; wide_us *= 2) {
    const until_us = Math.min(to_us, since_us + wide_us);
    const [found] = await connection.rows(oldest_find, { since_us, until_us, most });
    if (found.first_us !== null) {
      return { from_us, to_us: found.last_us === null ? until_us : found.last_us + 1 };
    }
    since_us = until_us;
  }
}

/** A text of so many bytes counts as one row more. */
const text_length = { text_length: `${sample_limits.text_row_length}` };

const piece_find = statement({
  sql: piece_find_sql,
  names: text_length,
  parameters: { ...stored, most: "int64" },
  row: { first_us: "instant?" },
  reach: "stored",
});

/** The newest rows of a span, `most` and those of one stamp more; undefined where it has none. */
export async function findBlock(
  connection: Connection,
  { most, ...span }: StampSpan & { readonly most: number },
): Promise<StampSpan | undefined> {
  const [found] = await connection.rows(piece_find, { ...spanned(span), most });
  return found && { from_us: found.first_us ?? span.from_us, to_us: span.to_us };
}

const samples_count = statement({
  sql: `
    SELECT tag_no, sum(1 + coalesce(strlen(value_str), 0) // {text_length})::INTEGER AS rows
    FROM sample
    WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT
    GROUP BY tag_no
    ORDER BY tag_no`,
  names: text_length,
  parameters: stored,
  row: { tag_no: "int32", rows: "int32" },
  reach: "stored",
});

const forecasts_count = statement({
  sql: `
    SELECT tag_no, count(*)::INTEGER AS rows
    FROM forecast
    WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT
    GROUP BY tag_no
    ORDER BY tag_no`,
  parameters: stored,
  row: { tag_no: "int32", rows: "int32" },
});

/** How many rows of a tag were stored. */
type TagRows = { readonly tag_no: number; readonly rows: number };

/**
 * How many samples, and forecast rows, were stored of each tag, by its number; a long text counts
 * as several.
 */
export async function countStored(
  connection: Connection,
  span: StampSpan,
): Promise<{ readonly samples: readonly TagRows[]; readonly forecasts: readonly TagRows[] }> {
  return {
    samples: await connection.rows(samples_count, spanned(span)),
    forecasts: await connection.rows(forecasts_count, spanned(span)),
  };
}

const of_tags = { ...stored, from_tag: "int32", to_tag: "int32", tag_nos: "int32[]" } as const;

const samples_read = statement({
  sql: `
    SELECT tag_no, ts, value, value_int, value_str, quality::INTEGER AS quality, status_code
    FROM sample
    SEMI JOIN (SELECT unnest($tag_nos::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
    WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT
      AND tag_no BETWEEN $from_tag AND $to_tag
    ORDER BY tag_no, ts`,
  parameters: of_tags,
  row: {
    tag_no: "int32",
    ts: "instant",
    value: "float64?",
    value_int: "int64?",
    value_str: "text?",
    quality: "int32?",
    status_code: "uint32?",
  },
  reach: "stored",
});

const forecasts_read = statement({
  sql: `
    SELECT tag_no, ts, issued_at, value
    FROM forecast
    SEMI JOIN (SELECT unnest($tag_nos::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
    WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT
      AND tag_no BETWEEN $from_tag AND $to_tag
    ORDER BY tag_no, issued_at, ts`,
  parameters: of_tags,
  row: { tag_no: "int32", ts: "instant", issued_at: "instant", value: "float64?" },
});

/** The columns of rows of a kind as they are read. */
export const stored_columns = {
  samples: Object.keys(samples_read.row),
  forecasts: Object.keys(forecasts_read.row),
} as const;

/** Which rows of some tags: those stored in a span. */
type StoredQuestion = {
  readonly kind: keyof typeof stored_columns;
  readonly span: StampSpan;
  readonly tag_nos: readonly number[];
};

/** The rows of some tags, by tag and time: neighbours are alike, and take little on the line. */
export function readStored(
  connection: Connection,
  { kind, span, tag_nos }: StoredQuestion,
): Promise<Chunk> {
  const asked = {
    ...spanned(span),
    tag_nos: Int32Array.from(tag_nos),
    from_tag: Math.min(...tag_nos),
    to_tag: Math.max(...tag_nos),
  };
  return connection.chunk(kind === "samples" ? samples_read : forecasts_read, asked);
}

const stored_count = statement({
  sql: `
    SELECT (
      (SELECT count(*) FROM sample JOIN tag USING (tag_no)
       WHERE project_no = $project_no AND received_at >= $since_us AND received_at < $until_us) +
      (SELECT count(*) FROM forecast JOIN tag USING (tag_no)
       WHERE project_no = $project_no AND received_at >= $since_us AND received_at < $until_us)
    )::BIGINT AS rows`,
  parameters: { ...stored, project_no: "int32" },
  row: { rows: "int64" },
  reach: "stored",
});

/** How many rows of a project were stored in a span. */
export async function countWaiting(
  connection: Connection,
  project_no: number,
  span: StampSpan,
): Promise<number> {
  const [{ rows }] = await connection.rows(stored_count, { ...spanned(span), project_no });
  return rows;
}

const days_count = statement({
  sql: `
    SELECT (ts // 86400000000)::INTEGER AS day, tag_no, count(*)::INTEGER AS rows
    FROM sample
    WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT
    GROUP BY day, tag_no
    ORDER BY day, tag_no`,
  parameters: stored,
  row: { day: "int32", tag_no: "int32", rows: "int32" },
  reach: "stored",
});

/** How many samples of a tag and a day (UTC, since 1970) were stored in a span. */
export type DayRows = { readonly day: number; readonly tag_no: number; readonly rows: number };

/** By day and tag. */
export function countByDay(connection: Connection, span: StampSpan): Promise<DayRows[]> {
  return connection.rows(days_count, spanned(span));
}

const day_read = statement({
  sql: `
    SELECT
      tag_no, ts, received_at, value, value_int, value_str, quality::INTEGER AS quality, status_code
    FROM sample
    SEMI JOIN (SELECT unnest($tag_nos::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
    WHERE received_at >= $since_us::BIGINT AND received_at < $until_us::BIGINT
      AND ts >= $from_ts::BIGINT AND ts < $to_ts::BIGINT
    ORDER BY tag_no, ts`,
  parameters: { ...stored, from_ts: "instant", to_ts: "instant", tag_nos: "int32[]" },
  row: {
    tag_no: "int32",
    ts: "instant",
    received_at: "instant",
    value: "float64?",
    value_int: "int64?",
    value_str: "text?",
    quality: "int32?",
    status_code: "uint32?",
  },
  reach: "stored",
});

/** The columns of rows as they are read. */
export const day_columns = Object.keys(day_read.row);

/** Samples of tags and a day (UTC, since 1970) that were stored in a span, by tag and time. */
export function readDay(
  connection: Connection,
  { span, day, tag_nos }: {
    readonly span: StampSpan;
    readonly day: number;
    readonly tag_nos: readonly number[];
  },
): Promise<Chunk> {
  return connection.chunk(day_read, {
    ...spanned(span),
    ...{ from_ts: day * 86_400_000_000, to_ts: (day + 1) * 86_400_000_000 },
    tag_nos: Int32Array.from(tag_nos),
  });
}
