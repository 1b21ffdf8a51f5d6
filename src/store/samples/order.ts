// Puts the samples of a day in the order in which they are read: a few tags lie together, by time.
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import part_find_sql from "./part_find.sql" with { type: "text" };

const order_table = table("sample_order", { day: "int32", rows: "int64" });

/** Days that are over and changed since a look, or have ended since then. */
const changed_days = statement({
  sql: `
    SELECT DISTINCT (ts // 86400000000)::INTEGER AS day
    FROM (
      SELECT ts FROM sample WHERE received_at > $seen_us::BIGINT AND ts < $end_us::BIGINT
      UNION ALL
      SELECT ts FROM sample WHERE ts >= $seen_end_us::BIGINT AND ts < $end_us::BIGINT
    )
    ORDER BY day`,
  parameters: { seen_us: "instant", seen_end_us: "instant", end_us: "instant" },
  row: { day: "int32" },
  reach: "near",
});

/** How far an earlier look came: to samples received until then, of days that had ended by then. */
export type SeenDays = { readonly seen_us: number; readonly seen_end_us: number };

/** The days (UTC, since 1970) that end by `end_us` and are not as an earlier look saw them. */
export async function listChangedDays(
  connection: Connection,
  look: SeenDays & { readonly end_us: number },
): Promise<number[]> {
  return (await connection.rows(changed_days, look)).map(({ day }) => day);
}

const tag_counts = statement({
  sql: `
    SELECT tag_no, count(*)::INTEGER AS rows
    FROM sample
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
    GROUP BY tag_no
    ORDER BY tag_no`,
  parameters: { from_us: "instant", to_us: "instant" },
  row: { tag_no: "int32", rows: "int32" },
  reach: "near",
});

const day_us = 86_400_000_000;

const spanOf = (day: number) => ({ from_us: day * day_us, to_us: (day + 1) * day_us });

/** How many samples each tag has on a day. */
export function countByTag(
  connection: Connection,
  day: number,
): Promise<{ tag_no: number; rows: number }[]> {
  return connection.rows(tag_counts, spanOf(day));
}

const day_find = statement({
  sql: `
    SELECT count(*)::BIGINT AS rows,
      (SELECT coalesce(max(rows), 0)::BIGINT FROM sample_order WHERE day = $day::BIGINT) AS ordered
    FROM sample
    WHERE ts >= $day::BIGINT * 86400000000 AND ts < ($day::BIGINT + 1) * 86400000000`,
  parameters: { day: "int64" },
  row: { rows: "int64", ordered: "int64" },
  reach: "near",
});

/** How many samples a day has, and had when it was put in order; 0 where it was not. */
export async function findDay(
  connection: Connection,
  day: number,
): Promise<{ readonly rows: number; readonly ordered: number }> {
  const [found] = await connection.rows(day_find, { day });
  return found;
}

const of_day = { from_us: "instant", to_us: "instant" } as const;
const of_part = { ...of_day, from_tag: "int32", to_tag: "int32" } as const;

const part_take = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE sample_part AS
    FROM sample
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
      AND tag_no BETWEEN $from_tag::INTEGER AND $to_tag::INTEGER
    ORDER BY tag_no, ts`,
  parameters: of_part,
  reach: "near",
});

const part_drop = statement({ sql: "DROP TABLE IF EXISTS sample_part" });

const part_find = statement({
  sql: part_find_sql,
  parameters: of_part,
  row: { is_same: "bool" },
  reach: "near",
});

const part_delete = statement({
  sql: `
    DELETE FROM sample
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
      AND tag_no BETWEEN $from_tag::INTEGER AND $to_tag::INTEGER`,
  parameters: of_part,
  reach: "near",
});

const part_insert = statement({
  sql: `
    INSERT INTO sample
    FROM sample_part
    WHERE tag_no BETWEEN $from_tag::INTEGER AND $to_tag::INTEGER
    ORDER BY ts, tag_no`,
  parameters: { from_tag: "int32", to_tag: "int32" },
  reach: "near",
});

/** Some tags, both ends included. */
export type Tags = { readonly from_tag: number; readonly to_tag: number };

/** Some tags of a day. */
export type DayPart = Tags & { readonly day: number };

const ofPart = ({ day, ...tags }: DayPart) => ({ ...spanOf(day), ...tags });

/** Copies a part of the samples into a session's temporary table, in order. */
export function takePart(session: Connection, part: DayPart): Promise<void> {
  return session.run(part_take, ofPart(part));
}

/** Empties that table. */
export function dropPart(session: Connection): Promise<void> {
  return session.run(part_drop);
}

/**
 * Stores a part of what a session took once more, lot by lot, in place of what lies there now.
 * Does nothing, and says so, where something else was stored meanwhile.
 */
export async function orderPart(
  { connection }: Write,
  part: DayPart,
  lots: readonly Tags[],
): Promise<boolean> {
  const [{ is_same }] = await connection.rows(part_find, ofPart(part));
  if (!is_same) return false;
  await connection.run(part_delete, ofPart(part));
  for (const lot of lots) await connection.run(part_insert, lot);
  return true;
}

const order_delete = statement({
  sql: "DELETE FROM sample_order WHERE day = $day",
  parameters: { day: "int32" },
});

/** Notes that a day was put in order, and how many samples it had then. */
export async function noteOrdered(
  { connection }: Write,
  ordered: { readonly day: number; readonly rows: number },
): Promise<void> {
  await connection.run(order_delete, { day: ordered.day });
  await appendRows(connection, order_table, [ordered]);
}
