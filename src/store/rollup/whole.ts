// Whole quarter-hours: of a tag that is looked at by entry and by reading alone, with one sample in
// each minute. What such ones come to is not stored minute by minute, for their samples tell it: a
// row of `whole_quarter` says so. Before samples of one change or go, it is unfolded: stored so.
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import { wholeMinutes, wholeReadings } from "../performance/whole.ts";
import { statement } from "../statement.ts";
import { workTable } from "../table.ts";
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
const states_mark = statement({
  sql: `
    INSERT INTO inverter_stale (site_no, day)
    SELECT DISTINCT d.site_no, w.day
    FROM whole_quarter AS w
    SEMI JOIN unfold AS u ON u.tag_no = w.tag_no AND u.quarter = w.quarter
    JOIN tag AS t ON t.tag_no = w.tag_no
    JOIN site ON site.project_no = t.project_no
    JOIN device AS d ON d.site_no = site.site_no AND d.event_tag = t.sensor_tag`,
});

const whole_delete = statement({
  sql: `
    DELETE FROM whole_quarter
    USING unfold AS u
    WHERE whole_quarter.tag_no = u.tag_no AND whole_quarter.quarter = u.quarter`,
});

/** Unfolds whole quarter-hours (tag_no, quarter) within the transaction that is open. */
export async function unfold(connection: Connection, quarters: Chunk): Promise<void> {
  if (quarters.rows === 0) return;
  await connection.run(unfold_table.make);
  await connection.append(unfold_table.name, quarters);
  const [span] = await connection.rows(span_find);
  for (const insert of unfoldings) await connection.run(insert, span);
  await connection.run(states_mark);
  await connection.run(whole_delete);
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

const day_count = statement({
  sql: `
    SELECT w.tag_no AS owner_no, count(*)::INTEGER * 15 AS rows, coalesce(s.measure, '') AS kind
    FROM whole_quarter AS w
    LEFT JOIN sensor AS s USING (sensor_no)
    WHERE w.quarter >= $day::INTEGER * 96 AND w.quarter < ($day::INTEGER + 1) * 96
    GROUP BY ALL
    ORDER BY owner_no`,
  parameters: { day: "int32" },
  row: { owner_no: "int32", rows: "int32", kind: "text" },
});

/** How many minutes whole quarter-hours of a day (UTC) are, by tag, and what it measures. */
export function countWholes(connection: Connection, day: number) {
  return connection.rows(day_count, { day });
}

/** Those of tags whose minutes are to be stored, as the plant is now. */
const bound_find = statement({
  sql: `
    SELECT tag_no, quarter
    FROM whole_quarter
    ANTI JOIN (FROM roll_tag WHERE alone) AS t USING (tag_no)
    ORDER BY quarter, tag_no
    LIMIT $most`,
  parameters: { most: "int64" },
  row,
});

/** Up to `most` whole quarter-hours of tags that are not looked at by entry and reading alone. */
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
