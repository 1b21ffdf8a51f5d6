// Pages of signal rows as numbers: by sample time, or by storing time after a watermark.
import type { Chunk, Vector } from "../../model/data/chunk.ts";
import type { Resolution } from "../../model/samples/signal.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import range_ends_find_sql from "./range_ends_find.sql" with { type: "text" };
import replay_end_find_sql from "./replay_end_find.sql" with { type: "text" };
import signal_read_sql from "./signal_read.sql" with { type: "text" };

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
export type SignalPart = keyof typeof page_row;

/** Rows, and those of their columns that were asked for. */
export type SignalPage = {
  readonly rows: number;
  readonly parts: Readonly<Partial<Record<SignalPart, Vector>>>;
};

/** Which rows: those of some lines, a line being a tag in a lane, in the order of their number. */
export type SignalSelection = {
  /** Line i shows tag `tag_nos[i]`. */
  readonly tag_nos: readonly number[];
  /** Undefined for both. */
  readonly resolution: Resolution | undefined;
  /** Sample times, `[from_us, to_us)`. */
  readonly from_us: number;
  readonly to_us: number;
  readonly limit: number;
  readonly offset: number;
  /** The columns to read. */
  readonly parts: readonly SignalPart[];
};

/** Where a replay goes on: rows stored in `[since_us, until_us)`, after one of them. */
export type SignalWatermark = {
  readonly since_us: number;
  readonly until_us: number;
  /** Of the rows stored at `since_us`, those after this time, or at it from `after_line` on. */
  readonly after_us: number;
  readonly after_line: number;
};

const raw_entries = `
  SELECT tag_no, 0 AS resolution, ts, received_at, if(quality = 2, NULL, value) AS value,
    if(quality = 2, NULL, value_int) AS value_int, if(quality = 2, NULL, value_str) AS value_str,
    quality, status_code, 0 AS carried, NULL::INTEGER AS good_count,
    NULL::INTEGER AS uncertain_count, NULL::INTEGER AS bad_count
  FROM sample
  WHERE tag_no BETWEEN $from_tag AND $to_tag AND ts >= $from_us AND ts < $to_us`;

/** Local days are up to a day off the UTC ones. */
const minute_entries = `
  SELECT tag_no, 1 AS resolution, minute::BIGINT * 60000000 AS ts, received_at, value, value_int,
    value_str, quality, status_code, carried::INTEGER AS carried, good_count, uncertain_count,
    bad_count
  FROM minute
  WHERE tag_no BETWEEN $from_tag AND $to_tag
    AND day BETWEEN $from_us::BIGINT // 86400000000 - 1 AND $to_us::BIGINT // 86400000000 + 1
    AND minute >= ($from_us::BIGINT + 59999999) // 60000000
    AND minute < ($to_us::BIGINT + 59999999) // 60000000`;

/** The kinds of rows that a page can have. */
const entries = {
  raw: raw_entries,
  "1m": minute_entries,
  both: `${raw_entries} UNION ALL ${minute_entries}`,
} as const;

/** How entries become rows of lines: to one line nothing is joined. */
const line_rows = {
  one: `FROM ({entries}) AS entry, (SELECT 0 AS line) AS line
    WHERE entry.tag_no = ($lines::INTEGER[])[1]`,
  many: `FROM ({entries}) AS entry
    JOIN (
      SELECT unnest(tag_nos) AS tag_no, generate_subscripts(tag_nos, 1)::INTEGER - 1 AS line
      FROM (SELECT $lines::INTEGER[] AS tag_nos)
    ) AS line USING (tag_no)
    WHERE true`,
} as const;

/** What every statement takes. */
const selected = {
  lines: "int32[]",
  from_tag: "int32",
  to_tag: "int32",
  from_us: "instant",
  to_us: "instant",
} as const;
const paged = { ...selected, limit: "int64", offset: "int64" } as const;

/** Where rows come from, and what orders those of one stamp. */
type Names = { readonly rows: string; readonly order: string };

/** Makes a statement for each kind of entries, of one line and of many. */
function variants<S>(make: (names: Names) => S): (selection: SignalSelection) => S {
  const of = (kind: keyof typeof entries) => {
    const rows = (from: string) => from.replace("{entries}", entries[kind]);
    const last = kind === "both" ? ", entry.resolution" : "";
    return {
      one: make({ rows: rows(line_rows.one), order: `entry.ts${last}` }),
      many: make({ rows: rows(line_rows.many), order: `entry.ts, line.line${last}` }),
    };
  };
  const made = { raw: of("raw"), "1m": of("1m"), both: of("both") };
  return ({ resolution, tag_nos }) =>
    made[resolution ?? "both"][tag_nos.length === 1 ? "one" : "many"];
}

const signal_read = variants((names) =>
  statement({ sql: signal_read_sql, reach: "time", parameters: paged, row: page_row, names })
);

/** A page ordered by (ts, line, resolution). */
export async function readSignals(
  connection: Connection,
  selection: SignalSelection,
): Promise<SignalPage> {
  const { parts } = selection;
  const read = signal_read(selection).pick(parts);
  return pageOf(await connection.chunk(read, selectionOf(selection)), parts);
}

const range_ends_find = variants(({ rows }) =>
  statement({
    sql: range_ends_find_sql,
    reach: "time",
    parameters: paged,
    row: { rows: "int64", first_us: "instant?", last_us: "instant?" },
    names: { rows },
  })
);

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
  const [{ rows, ...ends }] = await connection.rows(
    range_ends_find(selection),
    selectionOf(selection),
  );
  const { first_us, last_us } = ends;
  return first_us === null || last_us === null ? undefined : { rows, first_us, last_us };
}

/** What a replay takes to say which rows it has. */
const watermarked = {
  ...paged,
  since_us: "instant",
  until_us: "instant",
  after_us: "instant",
  after_line: "int32",
} as const;

/** Rows that a replay goes on with. */
const stored = ({ rows }: Names) =>
  `${rows}
  AND entry.received_at >= $since_us AND entry.received_at < $until_us
  AND (
    entry.received_at > $since_us OR entry.ts > $after_us
    OR (entry.ts = $after_us AND line.line >= $after_line)
  )`;

const signal_replay = variants((names) =>
  statement({
    sql: signal_read_sql,
    reach: "stored",
    parameters: watermarked,
    row: page_row,
    names: { rows: stored(names), order: `entry.received_at, ${names.order}` },
  })
);

const replay_end_find = variants((names) => {
  const stored_rows = stored(names);
  const parts = { sql: replay_end_find_sql, reach: "stored", parameters: watermarked } as const;
  return {
    /** The last stamp of any rows, as many as a page takes: the first that are found. */
    some: statement({
      ...parts,
      row: { rows: "int64", end_us: "instant?" },
      names: {
        rows: stored_rows,
        read: `SELECT count(*) AS rows, max(received_at) AS end_us
          FROM (FROM stored LIMIT $limit::BIGINT + $offset::BIGINT)`,
      },
    }),
    /** The stamp at which a page is full. */
    full: statement({
      ...parts,
      row: { end_us: "instant" },
      names: {
        rows: stored_rows,
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
    }),
  };
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
): Promise<SignalPage> {
  return connection.transaction(() => replayPage(connection, selection, watermark));
}

async function replayPage(
  connection: Connection,
  selection: SignalSelection,
  watermark: SignalWatermark,
): Promise<SignalPage> {
  const { limit, offset, parts } = selection;
  const asked = { ...selectionOf(selection), ...watermark };
  const end_find = replay_end_find(selection);
  const [some] = await connection.rows(end_find.some, asked);
  if (some.end_us === null) return { rows: 0, parts: {} };
  const until_us = some.end_us + 1;
  const [exact] = some.rows < limit + offset
    ? []
    : await connection.rows(end_find.full, { ...asked, until_us });
  const read = signal_replay(selection).pick(parts);
  const page = await connection.chunk(read, {
    ...asked,
    until_us: exact === undefined ? until_us : exact.end_us + 1,
  });
  return pageOf(page, parts);
}

function pageOf({ rows, vectors }: Chunk, names: readonly SignalPart[]): SignalPage {
  const parts = Object.fromEntries(names.map((name, i) => [name, vectors[i]]));
  return { rows, parts };
}

/** The ends of the list leave out what lies elsewhere before it is read. */
function selectionOf({ tag_nos, from_us, to_us, limit, offset }: SignalSelection) {
  const [from_tag, to_tag] = tag_nos.reduce(
    ([least, most], tag_no) => [Math.min(least, tag_no), Math.max(most, tag_no)],
    [most_tag, 0],
  );
  const lines = Int32Array.from(tag_nos);
  return { lines, from_tag, to_tag, from_us, to_us, limit, offset };
}

const most_tag = 2 ** 31 - 1;
