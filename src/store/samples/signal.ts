// Pages of signal rows as numbers: by sample time, or by storing time after a watermark.
import type { Vector } from "../../model/data/chunk.ts";
import type { Resolution } from "../../model/samples/signal.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { endsOf, orderedPage } from "./page.ts";
import entry_read_sql from "./entry_read.sql" with { type: "text" };
import range_ends_find_sql from "./range_ends_find.sql" with { type: "text" };
import replay_end_find_sql from "./replay_end_find.sql" with { type: "text" };
import signal_read_sql from "./signal_read.sql" with { type: "text" };

/** The numbers that a row is made of, whichever of its tag's lines it is of. */
const entry_row = {
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
const page_row = { line: "int32", ...entry_row } as const;

/** The columns of a page. */
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

/** What entries are: of tags that `{tags}` chooses, of some sample times. */
const raw_entries = `
  SELECT tag_no, 0 AS resolution, ts, received_at, if(quality = 2, NULL, value) AS value,
    if(quality = 2, NULL, value_int) AS value_int, if(quality = 2, NULL, value_str) AS value_str,
    quality::INTEGER AS quality, status_code, 0 AS carried, NULL::INTEGER AS good_count,
    NULL::INTEGER AS uncertain_count, NULL::INTEGER AS bad_count
  FROM sample
  WHERE {tags} AND ts >= $from_us AND ts < $to_us`;

/** Local days are up to a day off the UTC ones. */
const minute_entries = `
  SELECT tag_no, 1 AS resolution, minute::BIGINT * 60000000 AS ts, received_at, value, value_int,
    value_str, quality::INTEGER AS quality, status_code, carried::INTEGER AS carried, good_count,
    uncertain_count, bad_count
  FROM minute
  WHERE {tags}
    AND day BETWEEN $from_us::BIGINT // 86400000000 - 1 AND $to_us::BIGINT // 86400000000 + 1
    AND minute >= ($from_us::BIGINT + 59999999) // 60000000
    AND minute < ($to_us::BIGINT + 59999999) // 60000000`;

/** The kinds of rows that a page can have. */
const entries = {
  raw: raw_entries,
  "1m": minute_entries,
  both: `${raw_entries} UNION ALL ${minute_entries}`,
} as const;

/** How tags are chosen: by the ends of a list that has each number between them, or by the list. */
const choices = {
  spanned: {
    tags: "tag_no BETWEEN ($tags::INTEGER[])[1] AND ($tags::INTEGER[])[2]",
    join: "",
  },
  listed: {
    tags: "true",
    join: "SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)",
  },
} as const;

/** Makes something for each kind of entries. */
function byKind<S>(make: (kind: keyof typeof entries) => S): (selection: SignalSelection) => S {
  const made = { raw: make("raw"), "1m": make("1m"), both: make("both") };
  return ({ resolution }) => made[resolution ?? "both"];
}

/** Makes a statement for each kind of entries and each choice of tags. */
function variants<S>(make: (rows: string) => S): (selection: SignalSelection) => S {
  const made = byKind((kind) => {
    const by = ({ tags, join }: typeof choices[keyof typeof choices]) =>
      make(`FROM (${entries[kind].replaceAll("{tags}", tags)}) AS entry ${join}`);
    return { spanned: by(choices.spanned), listed: by(choices.listed) };
  });
  return (selection) => made(selection)[isSpanned(selection.tag_nos) ? "spanned" : "listed"];
}

/** Whether some numbers, each counted once, are all from the least to the greatest. */
function isSpanned(tag_nos: readonly number[]): boolean {
  const [least, greatest] = endsOf(tag_nos);
  return new Set(tag_nos).size === greatest - least + 1;
}

/** What every statement takes. */
const ranged = { tags: "int32[]", from_us: "instant", to_us: "instant" } as const;
const bounded = { ...ranged, most: "int64" } as const;
const after_stamp = { ...bounded, since_us: "instant", until_us: "instant" } as const;

function rangeOf({ tag_nos, from_us, to_us }: SignalSelection) {
  const tags = Int32Array.from(isSpanned(tag_nos) ? endsOf(tag_nos) : tag_nos);
  return { tags, from_us, to_us };
}

const found_row = { tag_no: "int32", ...entry_row } as const;
export type FoundPart = keyof typeof found_row;

const entry_read = variants((rows) =>
  statement({
    sql: entry_read_sql,
    reach: "time",
    parameters: bounded,
    row: found_row,
    names: { rows, stored: "" },
  })
);

/**
 * A page ordered by (ts, line, resolution), of a range of `most` entries at most: undefined where
 * that has more. Rows lie by tag where their day is over, else by time: read in no order and put in
 * order here, they cost a third of what a join and a sort by the database do. Of a page after
 * others the database keeps those, and sorts.
 */
export async function readSignals(
  connection: Connection,
  selection: SignalSelection,
  most: number,
): Promise<SignalPage | undefined> {
  const asked = { ...rangeOf(selection), most: most + 1 };
  if (selection.offset > 0) {
    const [{ rows }] = await connection.rows(range_ends_find(selection), asked);
    return rows > most ? undefined : await readSorted(connection, selection);
  }
  const names = foundParts(selection, "ts");
  const chunk = await connection.chunk(entry_read(selection).pick(names), asked);
  return chunk.rows > most ? undefined : orderedPage({ names, ...chunk }, selection);
}

/** What is read for a page: what orders its rows, and what it shows. */
function foundParts(
  { parts, resolution }: SignalSelection,
  ...keys: readonly FoundPart[]
): readonly FoundPart[] {
  const shown = parts.filter((name) => name !== "line");
  const kind = resolution === undefined ? ["resolution" as const] : [];
  return [...new Set<FoundPart>(["tag_no", ...keys, ...kind, ...shown])];
}

const range_ends_find = variants((rows) =>
  statement({
    sql: range_ends_find_sql,
    reach: "time",
    parameters: bounded,
    row: { rows: "int64", first_us: "instant?", last_us: "instant?" },
    names: { rows },
  })
);

/** How many entries there are, up to a number of any of them, and where these lie. */
export type RangeEnds = {
  readonly rows: number;
  readonly first_us: number;
  readonly last_us: number;
};

/** Where entries of a range lie, `most` of any of them at most. Undefined where it has none. */
export async function findRangeEnds(
  connection: Connection,
  selection: SignalSelection,
  most: number,
): Promise<RangeEnds | undefined> {
  const asked = { ...rangeOf(selection), most };
  const [{ rows, ...ends }] = await connection.rows(range_ends_find(selection), asked);
  const { first_us, last_us } = ends;
  return first_us === null || last_us === null ? undefined : { rows, first_us, last_us };
}

const replay_read = variants((rows) =>
  statement({
    sql: entry_read_sql,
    reach: "stored",
    parameters: after_stamp,
    row: found_row,
    names: { rows, stored: "WHERE received_at >= $since_us AND received_at < $until_us" },
  })
);

const replay_end_find = variants((rows) => {
  const parts = { sql: replay_end_find_sql, reach: "stored", parameters: after_stamp } as const;
  return {
    /** The last stamp of any rows, as many as a page takes: the first that are found. */
    some: statement({
      ...parts,
      row: { rows: "int64", end_us: "instant?" },
      names: {
        rows,
        read: `SELECT count(*) AS rows, max(received_at) AS end_us
          FROM (FROM stored LIMIT $most)`,
      },
    }),
    /** The stamp at which a page is full. */
    full: statement({
      ...parts,
      row: { end_us: "instant" },
      names: {
        rows,
        read: `SELECT received_at AS end_us
          FROM (
            SELECT received_at, sum(count(*)) OVER (ORDER BY received_at) AS rows
            FROM stored
            GROUP BY received_at
          )
          WHERE rows >= $most::BIGINT
          ORDER BY received_at
          LIMIT 1`,
      },
    }),
  };
});

/**
 * A page ordered by (received_at, ts, line, resolution), of lines of different tags. However much
 * is stored, only what was stored up to the page's last stamp is read. As many entries as the page
 * has, whichever they are, bound that stamp from above; the entries up to there, counted by stamp,
 * give it. All in one view of the database: what is stored again meanwhile, under a later stamp, is
 * not missed.
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
  const { since_us } = watermark;
  const most = selection.limit + selection.offset;
  const asked = { ...rangeOf(selection), most, since_us, until_us: watermark.until_us };
  const end_find = replay_end_find(selection);
  // Of the rows stored at the watermark's stamp any number comes before it: none is counted.
  const [some] = await connection.rows(end_find.some, asked);
  let until_us = Math.min(watermark.until_us, Math.max(some.end_us ?? 0, since_us) + 1);
  if (some.rows === most) {
    const [{ end_us }] = await connection.rows(end_find.full, { ...asked, until_us });
    until_us = end_us + 1;
  }
  const bounds = { ...watermark, until_us };
  if (selection.offset > 0) return await readSorted(connection, selection, bounds);
  const names = foundParts(selection, "received_at", "ts");
  const chunk = await connection.chunk(replay_read(selection).pick(names), {
    ...asked,
    until_us,
    most: Number.MAX_SAFE_INTEGER,
  });
  return orderedPage({ names, ...chunk }, selection, watermark);
}

/** How rows are sorted; those of one stamp, or of all, by time. */
const sorted = (kind: keyof typeof entries) => ({
  entries: entries[kind].replaceAll("{tags}", "true"),
  by_time: kind === "both" ? "ts, line, resolution" : "ts, line",
});

const read_sorted = byKind((kind) => {
  const { entries, by_time } = sorted(kind);
  const parts = { sql: signal_read_sql, row: page_row } as const;
  return {
    range: statement({
      ...parts,
      reach: "time",
      parameters: { ...ranged, limit: "int64", offset: "int64" },
      names: { entries, stored: "", order: by_time },
    }),
    replay: statement({
      ...parts,
      reach: "stored",
      parameters: {
        ...ranged,
        ...{ limit: "int64", offset: "int64", since_us: "instant", until_us: "instant" },
        ...{ after_us: "instant", after_line: "int32" },
      },
      names: {
        entries,
        stored: `WHERE received_at >= $since_us AND received_at < $until_us
          AND (
            received_at > $since_us OR ts > $after_us OR (ts = $after_us AND line >= $after_line)
          )`,
        order: `received_at, ${by_time}`,
      },
    }),
  };
});

/** A page after others, as the database sorts it. */
async function readSorted(
  connection: Connection,
  selection: SignalSelection,
  watermark?: SignalWatermark,
): Promise<SignalPage> {
  const { parts, tag_nos, from_us, to_us, limit, offset } = selection;
  const asked = { tags: Int32Array.from(tag_nos), from_us, to_us, limit, offset };
  const { range, replay } = read_sorted(selection);
  const { rows, vectors } = watermark
    ? await connection.chunk(replay.pick(parts), { ...asked, ...watermark })
    : await connection.chunk(range.pick(parts), asked);
  return { rows, parts: Object.fromEntries(parts.map((name, i) => [name, vectors[i]])) };
}
