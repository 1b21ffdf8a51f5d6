// Whole quarter-hours: of a tag that is looked at by entry and by reading alone, with one sample in
// each minute, or with the value of the one before carried into it. What such ones come to is not
// stored minute by minute, for their samples tell it: a row of `whole_quarter` says so. Before
// samples of one change or go, it is unfolded: stored so.
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import { wholeMinutes, wholeReadings } from "../performance/whole.ts";
import { order_keep } from "../instance.ts";
import { statement } from "../statement.ts";
import { workTable } from "../table.ts";
import bound_find_sql from "./bound_find.sql" with { type: "text" };
import part_make_sql from "./part_make.sql" with { type: "text" };
import late_find_sql from "./late_find.sql" with { type: "text" };

/** The quarter-hours that are unfolded. */
const unfold_table = workTable("unfold", { tag_no: "int32", quarter: "int32" });

const row = unfold_table.columns;

const of_span = { from_minute: "int32", to_minute: "int32" } as const;

const span_find = statement({
  sql: `
    SELECT min(quarter)::INTEGER * 15 AS from_minute, max(quarter)::INTEGER * 15 + 15 AS to_minute
    FROM unfold`,
  row: of_span,
});

const which = {
  samples: "tag_no IN (SELECT tag_no FROM unfold)",
  wholes: "(tag_no, quarter) IN (FROM unfold)",
  begin: "$from_minute::INTEGER::BIGINT",
  end: "$to_minute::INTEGER::BIGINT",
};

/** Stores in a table what it has of them, as one lot of a day that is in order lies. */
function unfolding(table: string, owner: string, wholes: string) {
  return statement({
    sql: `
      INSERT INTO {table} BY NAME
      FROM ({wholes}) ORDER BY minute, if(minute & 1 = 0, {owner}, -{owner})`,
    names: { table, owner, wholes },
    parameters: of_span,
    reach: "near",
  });
}

const unfoldings = [
  unfolding("minute", "tag_no", wholeMinutes(which)),
  unfolding("reading", "sensor_no", wholeReadings(which)),
];

/** Marks the days of the inverters whose event words they are, if a site file named them since. */
const marking = (list: string) =>
  statement({
    sql: `
      INSERT INTO inverter_stale (site_no, day)
      SELECT DISTINCT d.site_no, w.day
      FROM whole_quarter AS w
      SEMI JOIN {list} AS u ON u.tag_no = w.tag_no AND u.quarter = w.quarter
      JOIN tag AS t ON t.tag_no = w.tag_no
      JOIN site ON site.project_no = t.project_no
      JOIN device AS d ON d.site_no = site.site_no AND d.event_tag = t.sensor_tag`,
    names: { list },
  });

const deleting = (list: string) =>
  statement({
    sql: `
      DELETE FROM whole_quarter
      USING {list} AS u
      WHERE whole_quarter.tag_no = u.tag_no AND whole_quarter.quarter = u.quarter`,
    names: { list },
  });

/** What is done with those of a list once their rows are stored. */
const endingsOf = (list: string) => [marking(list), deleting(list)];
const endings = { unfold: endingsOf("unfold"), whole_part: endingsOf("whole_part") };

/** Unfolds whole quarter-hours (tag_no, quarter) within the transaction that is open. */
export async function unfold(connection: Connection, quarters: Chunk): Promise<void> {
  if (quarters.rows === 0) return;
  await connection.run(unfold_table.make);
  await connection.append(unfold_table.name, quarters);
  const [span] = await connection.rows(span_find);
  for (const insert of unfoldings) await connection.run(insert, span);
  for (const end of endings.unfold) await connection.run(end);
}

const day_find = statement({
  sql: `
    SELECT tag_no, quarter
    FROM whole_quarter
    WHERE quarter >= $day::INTEGER * 96 AND quarter < ($day::INTEGER + 1) * 96
      AND ($tags::INTEGER[] IS NULL OR tag_no IN (SELECT unnest($tags::INTEGER[])))
    ORDER BY tag_no, quarter
    LIMIT $most`,
  parameters: { day: "int32", tags: "int32[]?", most: "int64" },
  row,
});

/** Up to `most` whole quarter-hours of a day (UTC, since 1970), of some tags or of all. */
export function wholesOfDay(
  connection: Connection,
  of: {
    readonly day: number;
    readonly tags: readonly number[] | Int32Array | null;
    readonly most: number;
  },
): Promise<Chunk> {
  return connection.chunk(day_find, of);
}

/** As many lots: those that measure the same lie together, by time. */
const part_make = statement({
  sql: part_make_sql,
  parameters: { day: "int32", most: "int64", lots: "int64" },
});

const part_count = statement({
  sql: "SELECT count(*)::INTEGER AS n FROM whole_part",
  row: { n: "int32" },
});

/** Of the join of samples with them the database knows which rows of `sample` to look at. */
const of_part = {
  ...{ table: "whole_part", also: "w.lot, ", wholes: "true", samples: "true" } as const,
  begin: "$day::BIGINT * 1440",
  end: "($day::BIGINT * 1440 + 1440)",
};

/** What a table is to have of them, lot by lot as the day lies once it is in order. */
function taking(table: string, owner: string, wholes: string) {
  return statement({
    sql: `
      CREATE OR REPLACE TEMP TABLE whole_{table} AS
      FROM ({wholes}) ORDER BY lot, minute, if(minute & 1 = 0, {owner}, -{owner})`,
    names: { table, owner, wholes },
    parameters: { day: "int64" },
    reach: "near",
  });
}

const rows_take = [
  taking("minute", "tag_no", wholeMinutes(of_part)),
  taking("reading", "sensor_no", wholeReadings(of_part)),
];

/**
 * Takes up to `most` whole quarter-hours of a day (UTC) without gaps, and computes what they come
 * to, into temporary tables of a session, in so many lots. Says how many.
 */
export async function takeWholes(
  session: Connection,
  { day, ...size }: { readonly day: number; readonly most: number; readonly lots: number },
): Promise<number> {
  await session.run(order_keep);
  await session.run(part_make, { day, ...size });
  const [{ n }] = await session.rows(part_count);
  if (n === 0) return 0;
  for (const take of rows_take) await session.run(take, { day });
  return n;
}

/** Whether they are as they were: then their samples are, for who changes one unfolds it. */
const part_compare = statement({
  sql: `
    SELECT (
      SELECT (count(*), sum(hash(kept)))
      FROM (FROM whole_quarter SEMI JOIN whole_part USING (tag_no, quarter)) AS kept
    ) = (
      SELECT (count(*), sum(hash(kept))) FROM (SELECT * EXCLUDE (lot) FROM whole_part) AS kept
    ) AS is_same`,
  row: { is_same: "bool" },
});

const rows_insert = ["minute", "reading"].map((table) =>
  statement({
    sql: "INSERT INTO {table} BY NAME SELECT * EXCLUDE (lot) FROM whole_{table}",
    names: { table },
  })
);

/**
 * Unfolds what a session took, within its open transaction. Does nothing where that has changed
 * meanwhile: it is to be taken again.
 */
export async function storeWholes(session: Connection): Promise<void> {
  const [{ is_same }] = await session.rows(part_compare);
  if (!is_same) return;
  for (const insert of rows_insert) await session.run(insert);
  for (const end of endings.whole_part) await session.run(end);
}

const bound_find = statement({ sql: bound_find_sql, parameters: { most: "int64" }, row });

/** Up to `most` whole quarter-hours that are not such by how the plant is now. */
export function boundWholes(connection: Connection, most: number): Promise<Chunk> {
  return connection.chunk(bound_find, { most });
}

const touched_find = statement({
  sql: `
    SELECT w.tag_no, w.quarter
    FROM whole_quarter AS w
    SEMI JOIN roll_touch AS t ON t.tag_no = w.tag_no AND t.quarter = w.quarter`,
  row,
});

const late_find = statement({
  sql: late_find_sql,
  parameters: { ...of_span, most: "int64" },
  row,
  reach: "near",
});

/**
 * Up to `most` touched whole quarter-hours (`roll_touch`) with samples that came while the roll-up
 * was about to store them as such: whoever stored those saw no such row, and unfolded nothing.
 */
export async function lateWholes(connection: Connection, most: number): Promise<Chunk> {
  const touched = await connection.chunk(touched_find);
  if (touched.rows === 0) return touched;
  await connection.run(unfold_table.make);
  await connection.append(unfold_table.name, touched);
  const [span] = await connection.rows(span_find);
  return await connection.chunk(late_find, { ...span, most });
}

const suspect_find = statement({
  sql: `
    SELECT DISTINCT w.tag_no, w.quarter
    FROM whole_quarter AS w
    SEMI JOIN suspect AS s ON s.tag_no = w.tag_no AND s.ts // 900000000 = w.quarter
    WHERE w.quarter BETWEEN $from_us::BIGINT // 900000000 AND $to_us::BIGINT // 900000000`,
  parameters: { from_us: "instant", to_us: "instant" },
  row,
});

/** Whole quarter-hours that samples which are about to be stored (`suspect`) are of. */
export function suspectWholes(
  connection: Connection,
  range: { readonly from_us: number; readonly to_us: number },
): Promise<Chunk> {
  return connection.chunk(suspect_find, range);
}
