// Days whose samples move elsewhere: copied, compared, and only then removed here.
import { oneOf, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import type { FarDays, FarPlace } from "../far.ts";
import { moved_end, viewMoved } from "../far_proof.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const tier_table = table("tier_day", {
  day: "int32",
  file: "text",
  /** `moved`: the samples are in the file alone; else they are here, and the file is of no use. */
  state: oneOf(["copying", "moved", "returned"]),
  rows: "int64",
  bytes: "int64",
  sha256: "text",
  last_received_at: "instant",
});

/** A file and the day (UTC, since 1970) whose samples lie in it, or did, or are to. */
export type TierDay = PlainRow<typeof tier_table.columns>;

const tiers_list = statement({
  sql: "SELECT {row} FROM tier_day ORDER BY day, file",
  row: tier_table.columns,
});

/** Every file that was begun and not removed. */
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
  sql: "DELETE FROM tier_day WHERE file = $file",
  parameters: { file: "text" },
});

/** Forgets a file. */
export function forgetTier({ connection }: Write, file: string): Promise<void> {
  return connection.run(tiers_delete, { file });
}

/** Notes that a day is being copied, and gives the name of its copy. */
export async function noteCopying(
  { connection, stamp_us }: Write,
  { day, place }: { readonly day: number; readonly place: FarPlace },
): Promise<string> {
  const file = place.nameOf(day, stamp_us);
  const none = { rows: 0, bytes: 0, sha256: "", last_received_at: 0 };
  await appendRows(connection, tier_table, [{ day, file, state: "copying", ...none }]);
  return file;
}

/** What a copy holds, by which a later look tells whether the day has changed since. */
export type Copied = Omit<TierDay, "state">;

/** How many samples a day has here, and when the last of them was stored. */
const near_find = statement({
  sql: `
    SELECT count(*)::BIGINT AS rows, coalesce(max(received_at), 0)::BIGINT AS last_received_at
    FROM sample
    WHERE ts >= $day::BIGINT * 86400000000 AND ts < ($day::BIGINT + 1) * 86400000000`,
  parameters: { day: "int64" },
  row: { rows: "int64", last_received_at: "instant" },
  reach: "near",
});

const day_delete = statement({
  sql: `
    DELETE FROM sample
    WHERE ts >= $day::BIGINT * 86400000000 AND ts < ($day::BIGINT + 1) * 86400000000`,
  parameters: { day: "int64" },
  reach: "near",
});

/**
 * Lets a day lie in its copy alone: its samples go from here in the transaction that says so.
 * Nothing is done where the day has changed since: each write stamps what it stores.
 */
export async function publishDay(write: Write, copied: Copied): Promise<void> {
  const { day, file, rows, last_received_at } = copied;
  const [now] = await write.connection.rows(near_find, { day });
  if (now.rows !== rows || now.last_received_at !== last_received_at) return;
  await write.connection.run(day_delete, { day });
  await forgetTier(write, file);
  await appendRows(write.connection, tier_table, [{ ...copied, state: "moved" }]);
}

const day_recall = statement({
  sql: "INSERT INTO sample FROM moved",
  is_dynamic: true,
});

const day_return = statement({
  sql: "UPDATE tier_day SET state = 'returned' WHERE file = $file",
  parameters: { file: "text" },
});

/**
 * Takes the samples of some days back out of their files, which are of no use then. Throws a
 * `Fault` (unavailable) where one of these is broken.
 */
export async function recallDays(
  { connection }: Write,
  far: FarDays,
  days: ReadonlySet<number>,
): Promise<void> {
  if (days.size === 0) return;
  const tiers = await listTiers(connection);
  const moved = tiers.filter(({ day, state }) => state === "moved" && days.has(day));
  await far.require(moved);
  for (const { file } of moved) {
    await connection.script(viewMoved(far.tableOf([file])));
    await connection.run(day_recall);
    await connection.script(moved_end);
    await connection.run(day_return, { file });
  }
}
