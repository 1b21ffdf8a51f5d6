// Pages of signal rows as numbers: by sample time, or by storing time after a watermark.
import { sample_limits } from "../../model/samples/limits.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import entry_read_sql from "./entry_read.sql" with { type: "text" };
import {
  endsOf,
  entry_row,
  type EntryPart,
  orderedPage,
  type SignalParts,
  type SignalSelection,
  type SignalWatermark,
} from "./page.ts";

/** Rows, and those of their columns that were asked for. */
export type SignalPage = { readonly rows: number; readonly parts: SignalParts };

const none = "NULL::INTEGER";

/** What each column of an entry is of a sample, and of a minute. */
const entry_lists: Readonly<Record<"raw" | "minutes", Readonly<Record<EntryPart, string>>>> = {
  raw: {
    ...{ tag_no: "tag_no", resolution: "0", ts: "ts", received_at: "received_at" },
    value: "if(quality = 2, NULL, value)",
    value_int: "if(quality = 2, NULL, value_int)",
    value_str: "if(quality = 2, NULL, value_str)",
    ...{ quality: "quality::INTEGER", status_code: "status_code", carried: "0" },
    ...{ good_count: none, uncertain_count: none, bad_count: none },
  },
  minutes: {
    ...{ tag_no: "tag_no", resolution: "1", ts: "minute::BIGINT * 60000000" },
    ...{ received_at: "received_at", value: "value", value_int: "value_int" },
    ...{ value_str: "value_str", quality: "quality::INTEGER", status_code: "status_code" },
    ...{ carried: "carried::INTEGER", good_count: "good_count" },
    ...{ uncertain_count: "uncertain_count", bad_count: "bad_count" },
  },
};

/** The same with some columns alone, as texts to be put in. */
function listed(...names: readonly EntryPart[]) {
  const [raw, minutes] = (["raw", "minutes"] as const).map((kind) =>
    names.map((name) => `${entry_lists[kind][name]} AS ${name}`).join(", ")
  );
  return { raw, minutes };
}

/** The kinds of rows that a page can have. */
const kinds = {
  raw: "FROM raw",
  "1m": "FROM minutes",
  both: "FROM raw UNION ALL FROM minutes",
} as const;

/** How tags are chosen: by the ends of a list that has each number between them, or by the list. */
const choices = {
  spanned: {
    tags: "tag_no BETWEEN ($tags::INTEGER[])[1] AND ($tags::INTEGER[])[2]",
    narrowed: "",
  },
  listed: {
    tags: "true",
    narrowed: "SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)",
  },
} as const;

/** Makes something for each kind of entries. */
function byKind<S>(make: (kind: keyof typeof kinds) => S): (selection: SignalSelection) => S {
  const made = { raw: make("raw"), "1m": make("1m"), both: make("both") };
  return ({ resolution }) => made[resolution ?? "both"];
}

/** What is to be put into the text that reads entries. */
type Names = { readonly kinds: string; readonly tags: string; readonly narrowed: string };

/** Makes a statement for each kind of entries and each choice of tags. */
function variants<S>(make: (names: Names) => S): (selection: SignalSelection) => S {
  const made = byKind((kind) => {
    const [spanned, listed] = [choices.spanned, choices.listed]
      .map((choice) => make({ kinds: kinds[kind], ...choice }));
    return { spanned, listed };
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
const stored = { ...ranged, since_us: "instant", until_us: "instant" } as const;

function rangeOf({ tag_nos, from_us, to_us }: SignalSelection) {
  const tags = Int32Array.from(isSpanned(tag_nos) ? endsOf(tag_nos) : tag_nos);
  return { tags, from_us, to_us };
}

const entry_read = variants((names) =>
  statement({
    sql: entry_read_sql,
    reach: "time",
    parameters: bounded,
    row: entry_row,
    names: { ...names, read: "FROM entry LIMIT $most" },
    lists: entry_lists,
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
  { most }: EntryBound,
): Promise<SignalPage | undefined> {
  const asked = { ...rangeOf(selection), most: most + 1 };
  if (selection.offset > 0) {
    const [{ rows }] = await connection.rows(range_ends_find(selection), asked);
    return rows > most ? undefined : await readSorted(connection, selection);
  }
  const names = entryParts(selection, "ts");
  const chunk = await connection.chunk(entry_read(selection).pick(names), asked);
  return chunk.rows > most ? undefined : orderedPage({ names, ...chunk }, selection);
}

/** What is read for a page: what orders its rows, and what it shows. */
function entryParts(
  { parts, resolution }: SignalSelection,
  ...keys: readonly EntryPart[]
): readonly EntryPart[] {
  const shown = parts.filter((name) => name !== "line");
  const kind = resolution === undefined ? ["resolution" as const] : [];
  return [...new Set<EntryPart>(["tag_no", ...keys, ...kind, ...shown])];
}

/** How many entries may be looked at. */
export type EntryBound = { readonly most: number };

const range_ends_find = variants((names) =>
  statement({
    sql: entry_read_sql,
    reach: "time",
    parameters: bounded,
    row: { rows: "int64", first_us: "instant?", last_us: "instant?" },
    names: {
      ...names,
      ...listed("tag_no", "ts"),
      read: `SELECT count(*) AS rows, min(ts) AS first_us, max(ts) AS last_us
        FROM (SELECT ts FROM entry LIMIT $most)`,
    },
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
  { most }: EntryBound,
): Promise<RangeEnds | undefined> {
  const asked = { ...rangeOf(selection), most };
  const [{ rows, ...ends }] = await connection.rows(range_ends_find(selection), asked);
  const { first_us, last_us } = ends;
  return first_us === null || last_us === null ? undefined : { rows, first_us, last_us };
}

const replay_read = variants((names) =>
  statement({
    sql: entry_read_sql,
    reach: "stored",
    parameters: stored,
    row: entry_row,
    names: {
      ...names,
      read: "FROM entry WHERE received_at >= $since_us AND received_at < $until_us",
    },
    lists: entry_lists,
  })
);

/** Finds the first stamp behind a watermark: it looks only where the least of all may be. */
function firstFind(table: "sample" | "minute") {
  return statement({
    sql: `
      SELECT received_at AS first_us FROM ${table}
      WHERE received_at > $since_us::BIGINT AND received_at < $until_us::BIGINT
      ORDER BY received_at LIMIT 1`,
    reach: table === "sample" ? "stored" : undefined,
    parameters: { since_us: "instant", until_us: "instant" },
    row: { first_us: "instant" },
  });
}

const first_finds = { raw: firstFind("sample"), "1m": firstFind("minute") } as const;

/** The first stamp of entries of a kind, whichever tags they are of; undefined where none is. */
async function firstStamp(
  connection: Connection,
  { resolution }: SignalSelection,
  { since_us, until_us }: { readonly since_us: number; readonly until_us: number },
): Promise<number | undefined> {
  const asked = resolution === undefined ? ["raw", "1m"] as const : [resolution];
  let end_us = until_us;
  for (const kind of asked) {
    const [found] = await connection.rows(first_finds[kind], { since_us, until_us: end_us });
    end_us = found?.first_us ?? end_us;
  }
  return end_us < until_us ? end_us : undefined;
}

/** The last stamp of any entries, as many as a page takes: the first that are found. */
const some_end_find = variants((names) =>
  statement({
    sql: entry_read_sql,
    reach: "stored",
    parameters: { ...stored, most: "int64" },
    row: { rows: "int64", end_us: "instant?" },
    names: {
      ...names,
      ...listed("tag_no", "received_at"),
      read: `SELECT count(*) AS rows, max(received_at) AS end_us
        FROM (
          SELECT received_at FROM entry
          WHERE received_at > $since_us AND received_at < $until_us
          LIMIT $most
        )`,
    },
  })
);

/** The stamp at which a page is full, of `look` entries at most; they are all if they are fewer. */
const page_end_find = variants((names) =>
  statement({
    sql: entry_read_sql,
    reach: "stored",
    parameters: { ...stored, most: "int64", look: "int64" },
    row: { end_us: "instant", looked: "int64" },
    names: {
      ...names,
      ...listed("tag_no", "received_at"),
      read: `SELECT received_at AS end_us, looked::BIGINT AS looked
        FROM (
          SELECT received_at, sum(count(*)) OVER (ORDER BY received_at) AS rows,
            sum(count(*)) OVER () AS looked
          FROM (
            SELECT received_at FROM entry
            WHERE received_at > $since_us AND received_at < $until_us
            LIMIT $look
          )
          GROUP BY received_at
        )
        WHERE rows >= $most::BIGINT
        ORDER BY received_at
        LIMIT 1`,
    },
  })
);

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
  const asked = { ...rangeOf(selection), most, since_us };
  const until_us = await pageEnd(connection, selection, watermark) ?? watermark.until_us;
  const bounds = { ...watermark, until_us };
  if (selection.offset > 0) return await readSorted(connection, selection, bounds);
  const names = entryParts(selection, "received_at", "ts");
  const read = replay_read(selection).pick(names);
  const chunk = await connection.chunk(read, { ...asked, until_us });
  return orderedPage({ names, ...chunk }, selection, watermark);
}

/**
 * The end of the stamps of a page; undefined where there is less than a page. In a table that was
 * put in order the entries that are found first were not stored first: where too many are up to
 * their stamp, others are looked for nearer to the first stamp.
 */
async function pageEnd(
  connection: Connection,
  selection: SignalSelection,
  { since_us, until_us }: SignalWatermark,
): Promise<number | undefined> {
  const most = selection.limit + selection.offset;
  const asked = { ...rangeOf(selection), most, since_us };
  const boundWithin = async (until_us: number) => {
    const within = { ...asked, until_us };
    const [{ rows, end_us }] = await connection.rows(some_end_find(selection), within);
    return rows === most ? end_us! + 1 : undefined;
  };
  let first_us: number | undefined;
  let look = sample_limits.replay_share * most;
  // Of the rows stored at the watermark's stamp any number comes before it: none is counted.
  let bound_us = await boundWithin(until_us);
  while (bound_us !== undefined) {
    const counted = { ...asked, until_us: bound_us, look };
    const [found] = await connection.rows(page_end_find(selection), counted);
    if (found.looked < look) return found.end_us + 1;
    first_us ??= await firstStamp(connection, selection, { since_us, until_us: bound_us });
    const span_us = (bound_us - first_us!) / sample_limits.replay_share;
    const nearer_us = await boundWithin(Math.ceil(first_us! + span_us));
    if (nearer_us !== undefined && nearer_us < bound_us) bound_us = nearer_us;
    else look = Number.MAX_SAFE_INTEGER;
  }
}

const entry_names = Object.keys(entry_row) as readonly EntryPart[];

/** A page behind some rows, in order. */
const sorted_page = `
  SELECT line.line, entry.* EXCLUDE (tag_no)
  FROM entry
  JOIN (
    SELECT unnest(tag_nos) AS tag_no, generate_subscripts(tag_nos, 1)::INTEGER - 1 AS line
    FROM (SELECT $tags::INTEGER[] AS tag_nos)
  ) AS line USING (tag_no)`;
const paged = { limit: "int64", offset: "int64" } as const;
const page_row = (({ tag_no, ...row }) => ({ line: tag_no, ...row }))(entry_row);

const sorted_read = byKind((kind) =>
  statement({
    sql: entry_read_sql,
    reach: "time",
    parameters: { ...ranged, ...paged },
    row: page_row,
    names: {
      ...{ kinds: kinds[kind], tags: "true", narrowed: "", ...listed(...entry_names) },
      read: `${sorted_page}
        ORDER BY ts, line, resolution
        LIMIT $limit OFFSET $offset`,
    },
  })
);

const sorted_replay = byKind((kind) =>
  statement({
    sql: entry_read_sql,
    reach: "stored",
    parameters: { ...stored, ...paged, after_us: "instant", after_line: "int32" },
    row: page_row,
    names: {
      ...{ kinds: kinds[kind], tags: "true", narrowed: "", ...listed(...entry_names) },
      read: `${sorted_page}
        WHERE received_at >= $since_us AND received_at < $until_us AND (
          received_at > $since_us OR ts > $after_us OR (ts = $after_us AND line >= $after_line)
        )
        ORDER BY received_at, ts, line, resolution
        LIMIT $limit OFFSET $offset`,
    },
  })
);

/** A page after others, as the database sorts it. */
async function readSorted(
  connection: Connection,
  selection: SignalSelection,
  watermark?: SignalWatermark,
): Promise<SignalPage> {
  const { parts, tag_nos, from_us, to_us, limit, offset } = selection;
  const asked = { tags: Int32Array.from(tag_nos), from_us, to_us, limit, offset };
  const { rows, vectors } = watermark
    ? await connection.chunk(sorted_replay(selection).pick(parts), { ...asked, ...watermark })
    : await connection.chunk(sorted_read(selection).pick(parts), asked);
  return { rows, parts: Object.fromEntries(parts.map((name, i) => [name, vectors[i]])) };
}
