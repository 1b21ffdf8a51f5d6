// Days whose samples move into Parquet files: copied, compared, and only then removed here.
import { Fault } from "../../base/fault.ts";
import { oneOf, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { moveFile } from "../folder.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import side_read_sql from "./side_read.sql" with { type: "text" };

const tier_table = table("tier_day", {
  day: "int32",
  file: "text",
  state: oneOf(["copying", "moved"]),
  rows: "int64",
  bytes: "int64",
  last_received_at: "instant",
});

/** A day (UTC, since 1970) and where its samples lie, or are being copied to. */
export type TierDay = PlainRow<typeof tier_table.columns>;

const tiers_list = statement({
  sql: "SELECT {row} FROM tier_day ORDER BY day",
  row: tier_table.columns,
});

/** Every day that lies in a file, or is being copied into one. */
export function listTiers(connection: Connection): Promise<TierDay[]> {
  return connection.rows(tiers_list);
}

const near_days = statement({
  sql: `
    SELECT DISTINCT (ts // 86400000000)::INTEGER AS day
    FROM sample
    WHERE ts < $end_us::BIGINT
    ORDER BY day`,
  parameters: { end_us: "instant" },
  row: { day: "int32" },
  reach: "near",
});

/** The days before an instant that have samples in the database. */
export async function listNearDays(connection: Connection, end_us: number): Promise<number[]> {
  return (await connection.rows(near_days, { end_us })).map(({ day }) => day);
}

const tiers_delete = statement({
  sql: "DELETE FROM tier_day WHERE day IN (SELECT unnest($days::INTEGER[]))",
  parameters: { days: "int32[]" },
});

/** Forgets where days lie: of a copy that is not used, or of one whose samples are here again. */
export function forgetTiers({ connection }: Write, days: readonly number[]): Promise<void> {
  return connection.run(tiers_delete, { days });
}

/** Notes that a day is being copied. */
export async function noteCopying(
  write: Write,
  { day, file }: Pick<TierDay, "day" | "file">,
): Promise<void> {
  await forgetTiers(write, [day]);
  const none = { rows: 0, bytes: 0, last_received_at: 0 };
  await appendRows(write.connection, tier_table, [{ day, file, state: "copying", ...none }]);
}

const day_us = 86_400_000_000;

/** Copies a day's samples into a file that takes its place when it is whole and on disk. */
export async function copyDay(
  connection: Connection,
  { day, file }: Pick<TierDay, "day" | "file">,
): Promise<void> {
  const beside = `${file}.new`;
  await connection.script(
    `COPY (
      FROM sample
      WHERE ts >= ${day * day_us} AND ts < ${(day + 1) * day_us}
      ORDER BY ts, tag_no
    ) TO '${beside.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  await Deno.chmod(beside, 0o600);
  using copy = await Deno.open(beside, { read: true, write: true });
  await copy.sync();
  await moveFile(beside, file);
}

const side_read = statement({
  sql: side_read_sql,
  parameters: { day: "int64", file: "text" },
  row: { near_rows: "int64", same: "bool", last_received_at: "instant" },
  reach: "near",
  is_dynamic: true,
});

const day_delete = statement({
  sql: `
    DELETE FROM sample
    WHERE ts >= $day::BIGINT * 86400000000 AND ts < ($day::BIGINT + 1) * 86400000000`,
  parameters: { day: "int64" },
  reach: "near",
});

const day_publish = statement({
  sql: `
    UPDATE tier_day
    SET state = 'moved', rows = $rows, bytes = $bytes, last_received_at = $last_received_at
    WHERE day = $day`,
  parameters: { day: "int32", rows: "int64", bytes: "int64", last_received_at: "instant" },
});

/**
 * Lets a day lie in its file alone: its samples go from here in the transaction that says so, if
 * the file holds just them. Says whether it does; another write may have come to the day since.
 */
export async function publishDay(
  { connection }: Write,
  { day, file, onMoved }: Pick<TierDay, "day" | "file"> & {
    readonly onMoved: (day: Pick<TierDay, "day" | "last_received_at">) => void;
  },
): Promise<boolean> {
  const [found] = await connection.rows(side_read, { day, file });
  if (!found.same) return false;
  const { near_rows: rows, last_received_at } = found;
  // Before anyone can see the commit.
  onMoved({ day, last_received_at });
  const { size: bytes } = await Deno.stat(file);
  await connection.run(day_publish, { day, rows, bytes, last_received_at });
  await connection.run(day_delete, { day });
  return true;
}

const day_recall = statement({
  sql: "INSERT INTO sample FROM read_parquet($file::VARCHAR)",
  parameters: { file: "text" },
  is_dynamic: true,
});

/** Takes a day's samples out of its file again; the file is of no use then. */
export async function recallDay(
  write: Write,
  { day, file, rows }: Pick<TierDay, "day" | "file" | "rows">,
): Promise<void> {
  await write.connection.run(day_recall, { file });
  const [{ near_rows }] = await write.connection.rows(near_count, { day });
  if (near_rows !== rows) {
    throw new Fault("unavailable", `the file ${file} does not hold what was moved into it`);
  }
  await forgetTiers(write, [day]);
}

const near_count = statement({
  sql: `
    SELECT count(*)::BIGINT AS near_rows
    FROM sample
    WHERE ts >= $day::BIGINT * 86400000000 AND ts < ($day::BIGINT + 1) * 86400000000`,
  parameters: { day: "int64" },
  row: { near_rows: "int64" },
  reach: "near",
});
