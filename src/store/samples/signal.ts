// Entries of signals, samples and minutes alike, by statements; pages of them by sample time.
import type { Chunk } from "../../model/data/chunk.ts";
import type { Columns } from "../../model/data/row.ts";
import { minute_us } from "../../model/time/series.ts";
import type { MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../connection.ts";
import {
  type ParameterTypes,
  type Statement,
  statement,
  type StatementParts,
} from "../statement.ts";
import { hasWholes, wholeMinutes } from "../performance/whole.ts";
import entry_read_sql from "./entry_read.sql" with { type: "text" };
import raw_entry_read_sql from "./raw_entry_read.sql" with { type: "text" };
import {
  endsOf,
  entry_row,
  type EntryPart,
  orderedPage,
  type SignalPage,
  type SignalPart,
  type SignalSelection,
} from "./page.ts";

const none = "NULL::INTEGER";

/** What each column of an entry is of a sample, and of a minute. */
export const entry_lists: Readonly<Record<"raw" | "minutes", Readonly<Record<EntryPart, string>>>> =
  {
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

/** The kinds of rows that a page can have, beside samples alone. */
const kinds = { "1m": "FROM minutes", both: "FROM raw UNION ALL FROM minutes" } as const;
type EntryKind = keyof typeof kinds;

/**
 * How tags are chosen: one by its number, some by the ends of a list that has each number between
 * them, others by the list.
 */
const choices = {
  single: ofTags("tag_no = ($tags::INTEGER[])[1]"),
  spanned: ofTags("tag_no BETWEEN ($tags::INTEGER[])[1] AND ($tags::INTEGER[])[2]"),
  listed: {
    ...ofTags("true"),
    narrowed: "SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)",
  },
} as const;

/** What the text of a statement has for the minutes of tags. */
function ofTags(tags: string) {
  const [from_minute, to_minute] = ["$from_us", "$to_us"]
    .map((us) => `((${us}::BIGINT + 59999999) // 60000000)`);
  const [begin, end] = ["$from_minute::INTEGER::BIGINT", "$to_minute::INTEGER::BIGINT"];
  const whole_minutes = `UNION ALL BY NAME ${
    wholeMinutes({ samples: tags, wholes: tags, begin, end })
  }`;
  return { tags, from_minute, to_minute, narrowed: "", whole_minutes };
}

/** Makes something for each kind of entries, of a text and of what it has in its places. */
function byKind<S>(
  make: (sql: string, way: EntryWay) => S,
): (selection: SignalSelection) => S {
  const raw = make(raw_entry_read_sql, { ...stored_alone, names: {} });
  const [all, stored] = [everywhere, stored_alone].map(({ taken, names }) => {
    const ofKind = (kind: EntryKind) =>
      make(entry_read_sql, { taken, names: { kinds: kinds[kind], ...names } });
    return { raw, "1m": ofKind("1m"), both: ofKind("both") };
  });
  return (selection) => (isAllStored(selection) ? stored : all)[selection.resolution ?? "both"];
}

/** What every statement takes: minutes, too, where it looks for some that are not stored. */
const stored_ranged = { tags: "int32[]", from_us: "instant", to_us: "instant" } as const;
const ranged = { ...stored_ranged, from_minute: "int32", to_minute: "int32" } as const;

/** What a statement's text has in its places, and what it takes. */
type EntryWay = {
  readonly names: Readonly<Record<string, string>>;
  readonly taken: typeof ranged;
};

const everywhere: EntryWay = { names: {}, taken: ranged };

/** Of minutes only those that are stored; what is given beside what it takes does no harm. */
const stored_alone: EntryWay = {
  names: { whole_minutes: "" },
  taken: stored_ranged as unknown as typeof ranged,
};

const paged = { limit: "int64", offset: "int64" } as const;

type Ranged<P> = typeof ranged & P;

/** What reads entries, from the text on that they are in, and what it takes beside their range. */
type EntryReader<P extends ParameterTypes, C extends Columns> =
  & Pick<StatementParts<P, C>, "reach" | "lists">
  & {
    readonly read: string;
    readonly parameters: P;
    readonly row: C;
    /** The columns of entries that it needs, where it has no lists of them. */
    readonly needs?: readonly EntryPart[];
  };

/** The statement that reads entries, for each kind of them and each choice of tags. */
export function ofEntries<const P extends ParameterTypes, const C extends Columns>(
  { read, parameters, needs = [], ...parts }: EntryReader<P, C>,
): (selection: SignalSelection) => Statement<Ranged<P>, C> {
  const made = byKind((sql, { names, taken }) => {
    const choose = (choice: keyof typeof choices) =>
      statement({
        ...{ ...parts, sql },
        parameters: { ...taken, ...parameters },
        names: { ...listed(...needs), ...choices[choice], read, ...names },
      });
    return { single: choose("single"), spanned: choose("spanned"), listed: choose("listed") };
  });
  return (selection) => made(selection)[choiceOf(selection.tag_nos)];
}

/** The same of a page behind some rows, as the database sorts it by `order`. */
export function ofSortedEntries<const P extends ParameterTypes>(
  { where = "", order, parameters, reach }:
    & Pick<EntryReader<P, Columns>, "parameters" | "reach">
    & {
      readonly where?: string;
      readonly order: string;
    },
): (selection: SignalSelection) => Statement<Ranged<typeof paged & P>, typeof page_row> {
  const read = `${sorted_page}${where}\nORDER BY ${order}\nLIMIT $limit OFFSET $offset`;
  const common = { ...choices.listed, ...listed(...entry_names), narrowed: "", read };
  return byKind((sql, { names, taken }) =>
    statement({
      ...{ sql, reach, row: page_row },
      parameters: { ...taken, ...paged, ...parameters },
      names: { ...common, ...names },
    })
  );
}

const entry_names = Object.keys(entry_row) as readonly EntryPart[];
const page_row = (({ tag_no, ...row }) => ({ line: tag_no, ...row }))(entry_row);

const sorted_page = `
  SELECT line.line, entry.* EXCLUDE (tag_no)
  FROM entry
  JOIN (
    SELECT unnest(tag_nos) AS tag_no, generate_subscripts(tag_nos, 1)::INTEGER - 1 AS line
    FROM (SELECT $tags::INTEGER[] AS tag_nos)
  ) AS line USING (tag_no)`;

/** What a selection gives a statement, which takes its tags as it chooses them. */
export function chosenRange(selection: SignalSelection) {
  const { tag_nos, from_us, to_us } = selection;
  const tags = Int32Array.from(choiceOf(tag_nos) === "listed" ? tag_nos : endsOf(tag_nos));
  return { tags, from_us, to_us, ...wholesOf(selection) };
}

/** The minutes of its range that may not be stored. */
export function wholesOf({ wholes, from_us, to_us }: SignalSelection): MinuteSpan {
  return wholes ??
    { from_minute: Math.ceil(from_us / minute_us), to_minute: Math.ceil(to_us / minute_us) };
}

function isAllStored(selection: SignalSelection): boolean {
  const { from_minute, to_minute } = wholesOf(selection);
  return from_minute >= to_minute;
}

/** The same for a statement that sorts. */
export function pageOf(selection: SignalSelection) {
  const { tag_nos, from_us, to_us, limit, offset } = selection;
  const tags = Int32Array.from(tag_nos);
  return { tags, from_us, to_us, ...wholesOf(selection), limit, offset };
}

/** Of some numbers; those that are all from the least to the greatest are known by these. */
function choiceOf(tag_nos: readonly number[]): keyof typeof choices {
  const [least, greatest] = endsOf(tag_nos);
  if (least === greatest) return "single";
  if (greatest - least >= tag_nos.length) return "listed";
  const is_there = new Uint8Array(greatest - least + 1);
  for (const tag_no of tag_nos) is_there[tag_no - least] = 1;
  return is_there.includes(0) ? "listed" : "spanned";
}

/** What is read for a page: what orders its rows, and what it shows. */
export function entryParts(
  { parts, resolution }: SignalSelection,
  ...keys: readonly EntryPart[]
): readonly EntryPart[] {
  const shown = parts.filter((name) => name !== "line");
  const kind = resolution === undefined ? ["resolution" as const] : [];
  return [...new Set<EntryPart>(["tag_no", ...keys, ...kind, ...shown])];
}

/** Rows of a chunk whose columns are the parts of a page. */
export function shownRows({ rows, vectors }: Chunk, parts: readonly SignalPart[]): SignalPage {
  return { rows, parts: Object.fromEntries(parts.map((name, i) => [name, vectors[i]])) };
}

const entry_read = ofEntries({
  read: "FROM entry LIMIT $most",
  reach: "time",
  parameters: { most: "int64" },
  row: entry_row,
  lists: entry_lists,
});

const sorted_read = ofSortedEntries({
  order: "ts, line, resolution",
  reach: "time",
  parameters: {},
});

/** How many entries may be looked at. */
export type EntryBound = { readonly most: number };

/**
 * A page ordered by (ts, line, resolution), of a range of `most` entries at most: undefined where
 * that has more. Rows lie by tag where their day is over, else by time: read in no order and put in
 * order here, they cost a third of what a join and a sort by the database do. Of a page after
 * others the database keeps those, and sorts.
 */
export async function readSignals(
  connection: Connection,
  asked_for: SignalSelection,
  { most }: EntryBound,
): Promise<SignalPage | undefined> {
  const selection = await lookedAt(connection, asked_for);
  const asked = { ...chosenRange(selection), most: most + 1 };
  if (selection.offset > 0) {
    const [{ rows }] = await connection.rows(range_ends_find(selection), asked);
    if (rows > most) return undefined;
    const read = sorted_read(selection).pick(selection.parts);
    return shownRows(await connection.chunk(read, pageOf(selection)), selection.parts);
  }
  const names = entryParts(selection, "ts");
  const chunk = await connection.chunk(entry_read(selection).pick(names), asked);
  return chunk.rows > most ? undefined : orderedPage({ names, ...chunk }, selection);
}

/** All minutes are stored. */
export const no_minutes: MinuteSpan = { from_minute: 0, to_minute: 0 };

/** Finds out whether all minutes are stored: a statement that looks elsewhere, too, is dear. */
async function lookedAt(
  connection: Connection,
  selection: SignalSelection,
): Promise<SignalSelection> {
  if (selection.resolution === "raw") return selection;
  return await hasWholes(connection, selection) ? selection : { ...selection, wholes: no_minutes };
}

const range_ends_find = ofEntries({
  read: `
    SELECT count(*) AS rows, min(ts) AS first_us, max(ts) AS last_us
    FROM (SELECT ts FROM entry LIMIT $most)`,
  needs: ["tag_no", "ts"],
  reach: "time",
  parameters: { most: "int64" },
  row: { rows: "int64", first_us: "instant?", last_us: "instant?" },
});

/** How many entries there are, up to a number of any of them, and where these lie. */
export type RangeEnds = {
  readonly rows: number;
  readonly first_us: number;
  readonly last_us: number;
};

/** Where entries of a range lie, `most` of any of them at most. Undefined where it has none. */
export async function findRangeEnds(
  connection: Connection,
  asked_for: SignalSelection,
  { most }: EntryBound,
): Promise<RangeEnds | undefined> {
  const selection = await lookedAt(connection, asked_for);
  const asked = { ...chosenRange(selection), most };
  const [{ rows, ...ends }] = await connection.rows(range_ends_find(selection), asked);
  const { first_us, last_us } = ends;
  return first_us === null || last_us === null ? undefined : { rows, first_us, last_us };
}
