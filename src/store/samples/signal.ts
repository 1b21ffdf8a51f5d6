// Pages of signal rows as numbers: by sample time, or by storing time after a watermark.
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import range_ends_find_sql from "./range_ends_find.sql" with { type: "text" };
import replay_end_find_sql from "./replay_end_find.sql" with { type: "text" };
import signal_read_sql from "./signal_read.sql" with { type: "text" };
import signal_replay_sql from "./signal_replay.sql" with { type: "text" };
import { statement } from "../statement.ts";

/** Which rows: those of some lines, a line being a tag in a lane, in the order of their number. */
export type SignalSelection = {
  /** Line i shows tag `tag_nos[i]`. */
  readonly tag_nos: readonly number[];
  readonly raw: boolean;
  readonly minutes: boolean;
  /** Sample times, `[from_us, to_us)`. */
  readonly from_us: number;
  readonly to_us: number;
  readonly limit: number;
  readonly offset: number;
};

/** Where a replay goes on: rows stored in `[since_us, until_us)`, after one of them. */
export type SignalWatermark = {
  readonly since_us: number;
  readonly until_us: number;
  /** Of the rows stored at `since_us`, those after this time, or at it from `after_line` on. */
  readonly after_us: number;
  readonly after_line: number;
};

/** The columns of a page: the numbers that a signal row is made of. */
const page_row = {
  line: "int32",
  resolution: "int32",
  ts: "instant",
  received_at: "instant",
  value: "float64?",
  value_int: "int64?",
  value_str: "text?",
  quality: "int32?",
  status_code: "uint32?",
  carried: "int32?",
  good_count: "int32?",
  uncertain_count: "int32?",
  bad_count: "int32?",
} as const;

/** The place of each column in a page. */
export const signal_page = Object.fromEntries(
  Object.keys(page_row).map((name, place) => [name, place]),
) as Readonly<Record<keyof typeof page_row, number>>;

const minute_us = 60_000_000;
const day_us = 86_400_000_000;

/** What both pages take. */
const selected = {
  lines: "text",
  from_tag: "int32",
  to_tag: "int32",
  raw: "bool",
  minutes: "bool",
  from_us: "instant",
  to_us: "instant",
  limit: "int64",
  offset: "int64",
} as const;

/** What a range takes to say which rows it has. */
const ranged = {
  ...selected,
  from_day: "int32",
  to_day: "int32",
  from_minute: "int32",
  to_minute: "int32",
} as const;

const signal_read = statement({
  sql: signal_read_sql,
  reach: "time",
  parameters: ranged,
  row: page_row,
});

/** A page ordered by (ts, line, resolution). */
export function readSignals(connection: Connection, selection: SignalSelection): Promise<Chunk> {
  return connection.chunk(signal_read, rangeOf(selection));
}

const range_ends_find = statement({
  sql: range_ends_find_sql,
  reach: "time",
  parameters: ranged,
  row: { rows: "int64", first_us: "instant?", last_us: "instant?" },
});

/** How many rows there are, as many as a page takes, whichever they are, and where they lie. */
export type RangeEnds = {
  readonly rows: number;
  readonly first_us: number;
  readonly last_us: number;
};

/** Where any rows of a range lie: a page ends there at the latest. Undefined where it has none. */
export async function findRangeEnds(
  connection: Connection,
  selection: SignalSelection,
): Promise<RangeEnds | undefined> {
  const [{ rows, ...ends }] = await connection.rows(range_ends_find, rangeOf(selection));
  const { first_us, last_us } = ends;
  return first_us === null || last_us === null ? undefined : { rows, first_us, last_us };
}

function rangeOf(selection: SignalSelection) {
  const { from_us, to_us } = selection;
  return {
    ...selectionOf(selection),
    from_minute: Math.ceil(from_us / minute_us),
    to_minute: Math.ceil(to_us / minute_us),
    // Local days: up to a day off the UTC ones.
    from_day: Math.floor(from_us / day_us) - 1,
    to_day: Math.floor(to_us / day_us) + 1,
  };
}

/** What a replay takes to say which rows it has. */
const watermarked = {
  ...selected,
  since_us: "instant",
  until_us: "instant",
  after_us: "instant",
  after_line: "int32",
} as const;

const signal_replay = statement({
  sql: signal_replay_sql,
  reach: "stored",
  parameters: watermarked,
  row: page_row,
});

/** The last stamp of any rows, as many as a page takes: the first that are found. */
const some_end_find = statement({
  sql: replay_end_find_sql,
  reach: "stored",
  parameters: watermarked,
  row: { rows: "int64", end_us: "instant?" },
  names: {
    read: `SELECT count(*) AS rows, max(received_at) AS end_us
      FROM (SELECT received_at FROM stored LIMIT $limit::BIGINT + $offset::BIGINT)`,
  },
});

/** The stamp at which a page is full. */
const page_end_find = statement({
  sql: replay_end_find_sql,
  reach: "stored",
  parameters: watermarked,
  row: { end_us: "instant" },
  names: {
    read: `SELECT received_at AS end_us
      FROM (
        SELECT received_at, sum(count(*)) OVER (ORDER BY received_at) AS rows
        FROM stored
        GROUP BY received_at
      )
      WHERE rows >= $limit::BIGINT + $offset::BIGINT
      ORDER BY received_at
      LIMIT 1`,
  },
});

/**
 * A page ordered by (received_at, ts, line, resolution). However much is stored, only what was
 * stored up to the page's last stamp is sorted. As many rows as the page has, whichever they are,
 * bound that stamp from above; the rows up to there, counted by stamp, give it. All in one view of
 * the database: what is stored again meanwhile, under a later stamp, is not missed.
 */
export function replaySignals(
  connection: Connection,
  selection: SignalSelection,
  watermark: SignalWatermark,
): Promise<Chunk> {
  return connection.transaction(() => replayPage(connection, selection, watermark));
}

async function replayPage(
  connection: Connection,
  selection: SignalSelection,
  watermark: SignalWatermark,
): Promise<Chunk> {
  const { limit, offset } = selection;
  const asked = { ...selectionOf(selection), ...watermark };
  const [some] = await connection.rows(some_end_find, asked);
  if (some.end_us === null) return { rows: 0, vectors: [] };
  const until_us = some.end_us + 1;
  const [exact] = some.rows < limit + offset
    ? []
    : await connection.rows(page_end_find, { ...asked, until_us });
  return await connection.chunk(signal_replay, {
    ...asked,
    until_us: exact === undefined ? until_us : exact.end_us + 1,
  });
}

/**
 * The list goes in as one text: that binds twenty times faster than a list of numbers. Its ends
 * leave out what lies elsewhere before it is read.
 */
function selectionOf({ tag_nos, ...selection }: SignalSelection) {
  const [from_tag, to_tag] = tag_nos.reduce(
    ([least, most], tag_no) => [Math.min(least, tag_no), Math.max(most, tag_no)],
    [most_tag, 0],
  );
  return { ...selection, lines: tag_nos.join(" "), from_tag, to_tag };
}

const most_tag = 2 ** 31 - 1;
