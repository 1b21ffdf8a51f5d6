// Pages of signal rows as numbers, by storing time after a watermark.
import { assert } from "../../base/assert.ts";
import { quarter_minutes } from "../../model/rollup/whole.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import whole_end_find_sql from "./whole_end_find.sql" with { type: "text" };
import {
  endsOf,
  entry_row,
  type OrderedPage,
  orderedPage,
  type PageEnd,
  type SignalPage,
  type SignalSelection,
  type SignalWatermark,
} from "./page.ts";
import {
  chosenRange,
  entry_lists,
  entryParts,
  no_minutes,
  ofEntries,
  ofSortedEntries,
  pageOf,
  shownRows,
  wholesOf,
} from "./signal.ts";

const stored = { since_us: "instant", until_us: "instant" } as const;

/**
 * Of its first stamp and of its last one a page has a part, which may be a small one. The database
 * takes half as long for these cases as for each of them said by an OR.
 */
const replay_read = ofEntries({
  read: `
    FROM entry
    WHERE received_at >= $since_us AND received_at < $until_us
      AND if(received_at > $since_us, true, ts >= $after_us)
      AND if(received_at < $until_us::BIGINT - 1, true, ts <= $upto_us)
    LIMIT $most`,
  reach: "stored",
  parameters: { ...stored, after_us: "instant", upto_us: "instant", most: "int64" },
  row: entry_row,
  lists: entry_lists,
});

const sorted_replay = ofSortedEntries({
  where: `
    WHERE received_at >= $since_us AND received_at < $until_us AND (
      received_at > $since_us OR ts > $after_us OR (ts = $after_us AND line >= $after_line)
    )`,
  order: "received_at, ts, line, resolution",
  reach: "stored",
  parameters: { ...stored, after_us: "instant", after_line: "int32" },
});

/** Finds the first stamp behind a watermark: it looks only where the least of all may be. */
function firstFind(table: "sample" | "minute" | "whole_quarter") {
  return statement({
    sql: `
      SELECT received_at AS first_us FROM ${table}
      WHERE received_at > $since_us::BIGINT AND received_at < $until_us::BIGINT
      ORDER BY received_at LIMIT 1`,
    reach: table === "sample" ? "stored" : undefined,
    parameters: stored,
    row: { first_us: "instant" },
  });
}

const raw_first = [firstFind("sample")];
const minute_first = [firstFind("minute"), firstFind("whole_quarter")];
const first_finds = { raw: raw_first, "1m": minute_first, both: [...raw_first, ...minute_first] };

/** The first stamp of entries of a kind, whichever tags they are of; undefined where none is. */
async function firstStamp(
  connection: Connection,
  { resolution }: SignalSelection,
  { since_us, until_us }: { readonly since_us: number; readonly until_us: number },
): Promise<number | undefined> {
  let end_us = until_us;
  for (const find of first_finds[resolution ?? "both"]) {
    const [found] = await connection.rows(find, { since_us, until_us: end_us });
    end_us = found?.first_us ?? end_us;
  }
  return end_us < until_us ? end_us : undefined;
}

/** The last stamp of any entries, as many as a page takes: the first that are found. */
const some_end_find = ofEntries({
  read: `
    SELECT count(*) AS rows, max(received_at) AS end_us
    FROM (
      SELECT received_at FROM entry
      WHERE received_at > $since_us AND received_at < $until_us
      LIMIT $most
    )`,
  needs: ["tag_no", "received_at"],
  reach: "stored",
  parameters: { ...stored, most: "int64" },
  row: { rows: "int64", end_us: "instant?" },
});

/** The stamp at which a page is full, of `look` entries at most; they are all if they are fewer. */
const page_end_find = ofEntries({
  read: `
    SELECT received_at AS end_us, looked::BIGINT AS looked
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
  needs: ["tag_no", "received_at"],
  reach: "stored",
  parameters: { ...stored, most: "int64", look: "int64" },
  row: { end_us: "instant", looked: "int64" },
});

/**
 * A page ordered by (received_at, ts, line, resolution), of lines of different tags. However much
 * is stored, only what was stored up to the page's last stamp is read. Where that probably is, an
 * earlier page tells; where none does, or it was wrong, the page's end is looked for.
 */
export async function replaySignals(
  connection: Connection,
  { selection, watermark, reaches }: Replay & { readonly selection: SignalSelection },
): Promise<SignalPage> {
  const parts = [...new Set([...selection.parts, "received_at" as const, "ts" as const])];
  const asked = { ...selection, parts };
  const page = await replayPage(connection, asked, { watermark, reaches });
  reaches.note(asked, watermark, page);
  return page;
}

type Replay = { readonly watermark: SignalWatermark; readonly reaches: ReplayReaches };

async function replayPage(
  connection: Connection,
  selection: SignalSelection,
  { watermark, reaches }: Replay,
): Promise<OrderedPage> {
  if (selection.resolution === "raw" || connection.wholes.is_empty) {
    const stored = { ...selection, wholes: no_minutes };
    return await guessedPage(connection, stored, { watermark, reaches }) ??
      await connection.transaction(() => foundPage(connection, stored, watermark));
  }
  return await connection.transaction(async () => {
    const near = await nearWholes(connection, selection, watermark);
    return await guessedPage(connection, near.selection, { watermark: near.watermark, reaches }) ??
      await foundPage(connection, near.selection, near.watermark);
  });
}

/** What a watermark says of whole quarter-hours. */
const behind = { since_us: "instant", after_quarter: "int32" } as const;

const whole_end_find = statement({
  sql: whole_end_find_sql,
  parameters: {
    ...{ ...behind, until_us: "instant", tags: "int32[]" },
    ...{ from_minute: "int32", to_minute: "int32", before: "int64" },
  },
  row: { end_us: "instant", end_quarter: "int32" },
});

/** The minutes of whole quarter-hours behind a watermark and up to an end, as replays go on. */
const whole_span_find = statement({
  sql: `
    SELECT min(quarter)::INTEGER * 15 AS from_minute, max(quarter)::INTEGER * 15 + 15 AS to_minute
    FROM whole_quarter
    WHERE received_at >= $since_us::BIGINT AND received_at <= $end_us::BIGINT
      AND (received_at > $since_us::BIGINT OR quarter >= $after_quarter::INTEGER)
      AND (received_at < $end_us::BIGINT OR quarter <= $end_quarter::INTEGER)`,
  parameters: { ...behind, end_us: "instant", end_quarter: "int32" },
  row: { from_minute: "int32?", to_minute: "int32?" },
});

/**
 * Says where the minutes of whole quarter-hours lie that a page can have: each of these has fifteen
 * entries, so that the page ends by the last of as many as fill it. Samples of other times need not
 * be looked at, of which there may be years.
 */
async function nearWholes(
  connection: Connection,
  selection: SignalSelection,
  watermark: SignalWatermark,
): Promise<{ readonly selection: SignalSelection; readonly watermark: SignalWatermark }> {
  const { limit, offset, tag_nos } = selection;
  const { since_us, until_us, after_us } = watermark;
  const range = wholesOf(selection);
  const from = { since_us, after_quarter: Math.floor(after_us / (quarter_minutes * minute_us)) };
  const [end] = await connection.rows(whole_end_find, {
    ...{ ...from, ...range, until_us, tags: Int32Array.from(tag_nos) },
    before: Math.ceil((limit + offset) / quarter_minutes) - 1,
  });
  const last = end ??
    { end_us: until_us - 1, end_quarter: Math.ceil(range.to_minute / quarter_minutes) };
  const [{ from_minute, to_minute }] = await connection.rows(whole_span_find, { ...from, ...last });
  const wholes = from_minute === null || to_minute === null ? no_minutes : {
    from_minute: Math.max(from_minute, range.from_minute),
    to_minute: Math.min(to_minute, range.to_minute),
  };
  return {
    selection: { ...selection, wholes },
    watermark: { ...watermark, until_us: last.end_us + 1 },
  };
}

/**
 * The page, if it ends where it is thought to, or not far before that. Where it ends later, what
 * was read tells how much; looked for is it once more, no further: undefined where that fails.
 */
async function guessedPage(
  connection: Connection,
  selection: SignalSelection,
  { watermark, reaches }: Replay,
): Promise<OrderedPage | undefined> {
  const { since_us } = watermark;
  const { limit, offset } = selection;
  const all: PageEnd = { until_us: watermark.until_us, upto_us: all_times_us };
  let end = reaches.endOf(selection, watermark);
  if (end === undefined || offset > 0) return undefined;
  const most = sample_limits.replay_guess_share * limit;
  for (let tries = 0; tries < 2; tries++) {
    if (end.until_us > all.until_us) end = all;
    const { rows, page } = await readPage(connection, selection, { watermark, end, most });
    const is_all = end.until_us === all.until_us && end.upto_us === all.upto_us;
    if (page && (page.rows === limit || is_all)) return page;
    const share = Math.min(limit / (page?.rows ?? rows), sample_limits.replay_share);
    const span_us: number = sample_limits.replay_next_share * share * (end.until_us - since_us);
    end = { until_us: since_us + Math.ceil(span_us), upto_us: all_times_us };
  }
}

/** A time that no entry is behind. */
const all_times_us = Number.MAX_SAFE_INTEGER;

/** Reads entries from a watermark to an end, and makes a page of them; none of more than `most`. */
async function readPage(
  connection: Connection,
  selection: SignalSelection,
  { watermark, end, most }: {
    readonly watermark: SignalWatermark;
    readonly end: PageEnd;
    readonly most: number;
  },
) {
  const { since_us, after_us } = watermark;
  const names = entryParts(selection, "received_at", "ts");
  const chunk = await connection.chunk(
    replay_read(selection).pick(names),
    { ...chosenRange(selection), since_us, after_us, ...end, most: most + 1 },
  );
  const { rows } = chunk;
  if (rows > most) return { rows };
  return { rows, page: orderedPage({ names, ...chunk }, selection, watermark) };
}

/**
 * The page, whose end is found in one view of the database: what is stored again meanwhile, under a
 * later stamp, is not missed. As many entries as it has, whichever they are, bound its last stamp
 * from above; the entries up to there, counted by stamp, give it.
 */
async function foundPage(
  connection: Connection,
  selection: SignalSelection,
  watermark: SignalWatermark,
): Promise<OrderedPage> {
  const until_us = await pageEnd(connection, selection, watermark) ?? watermark.until_us;
  if (selection.offset === 0) {
    const end = { until_us, upto_us: all_times_us };
    const asked = { watermark, end, most: Number.MAX_SAFE_INTEGER - 1 };
    return (await readPage(connection, selection, asked)).page!;
  }
  const read = sorted_replay(selection).pick(selection.parts);
  const chunk = await connection.chunk(read, { ...pageOf(selection), ...watermark, until_us });
  return shownRows(chunk, selection.parts);
}

/**
 * The end of the stamps of a page; undefined where there is less than a page. In a table that was
 * put in order the entries that are found first were not stored first: where too many are up to
 * their stamp, others are looked for nearer and nearer to the first stamp. To find some takes a
 * tenth of the time that it takes to count them.
 */
async function pageEnd(
  connection: Connection,
  selection: SignalSelection,
  { since_us, until_us }: SignalWatermark,
): Promise<number | undefined> {
  const most = selection.limit + selection.offset;
  const asked = { ...chosenRange(selection), most, since_us };
  const boundWithin = async (until_us: number) => {
    const within = { ...asked, until_us };
    const [{ rows, end_us }] = await connection.rows(some_end_find(selection), within);
    return rows === most ? end_us! + 1 : undefined;
  };
  const count = async (until_us: number, look: number) =>
    (await connection.rows(page_end_find(selection), { ...asked, until_us, look }))[0];
  // Of the rows stored at the watermark's stamp any number comes before it: none is counted.
  let bound_us = await boundWithin(until_us);
  if (bound_us === undefined) return undefined;
  const look = sample_limits.window_share * most;
  const near = await count(bound_us, look);
  if (near.looked < look) return near.end_us + 1;
  const first_us = await firstStamp(connection, selection, { since_us, until_us: bound_us });
  for (let nearer_us: number | undefined = bound_us; nearer_us !== undefined;) {
    bound_us = nearer_us;
    const span_us = (bound_us - first_us!) / sample_limits.replay_share;
    nearer_us = await boundWithin(Math.ceil(first_us! + span_us));
    if (nearer_us !== undefined && nearer_us >= bound_us) break;
  }
  return (await count(bound_us, Number.MAX_SAFE_INTEGER)).end_us + 1;
}

/**
 * Until where pages of replays reached. One that is asked for again, by others who follow, reaches
 * as far; one behind a page that was read with more than its rows ends where these tell; another
 * one is about as long as that before it; and behind the last one little is stored yet.
 */
export class ReplayReaches {
  /** The end of a page by what it is of and its watermark, the oldest first. */
  readonly #ends = new Map<string, PageEnd>();

  /** Where a page ends, probably; undefined where no other tells. */
  endOf(selection: SignalSelection, { since_us, after_us }: SignalWatermark): PageEnd | undefined {
    return this.#ends.get(keyOf(selection, since_us, after_us)) ??
      this.#ends.get(keyOf(selection, since_us));
  }

  /** Remembers a page, read with its stamps and times. */
  note(
    selection: SignalSelection,
    { since_us, after_us }: SignalWatermark,
    { rows, parts: { received_at, ts }, next_end }: OrderedPage,
  ): void {
    if (rows === 0) return;
    assert(received_at?.kind === "int64" && ts?.kind === "int64", "stamps and times were read");
    const [first_us, last_us] = [received_at.values[0], received_at.values[rows - 1]].map(Number);
    const upto_us = Number(ts.values[rows - 1]);
    const next_us = last_us + 1 + Math.ceil(sample_limits.replay_next_share * (last_us - first_us));
    const is_full = rows === selection.limit;
    const behind: PageEnd = { until_us: is_full ? next_us : Infinity, upto_us: all_times_us };
    const end = is_full ? { until_us: last_us + 1, upto_us } : behind;
    this.#put(keyOf(selection, since_us, after_us), end);
    this.#put(keyOf(selection, last_us), behind);
    if (next_end) this.#put(keyOf(selection, last_us, upto_us), next_end);
  }

  #put(key: string, end: PageEnd): void {
    this.#ends.delete(key);
    this.#ends.set(key, end);
    if (this.#ends.size <= sample_limits.replay_ends) return;
    const [oldest] = this.#ends.keys();
    this.#ends.delete(oldest);
  }
}

/** What is only thought of an end, so that tags which are others are no harm. */
function keyOf({ tag_nos, resolution, limit }: SignalSelection, ...watermark: number[]): string {
  return [resolution, tag_nos.length, ...endsOf(tag_nos), limit, ...watermark].join(" ");
}
