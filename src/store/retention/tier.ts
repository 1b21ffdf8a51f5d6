// Days whose samples move elsewhere: copied, compared, and only then removed here.
import { Fault } from "../../base/fault.ts";
import { oneOf, type PlainRow } from "../../model/data/row.ts";
import { retention_limits } from "../../model/retention/limits.ts";
import type { Connection } from "../connection.ts";
import type { Database, Write } from "../database.ts";
import type { FarDays, FarPlace } from "../far.ts";
import { filled, statement } from "../statement.ts";
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

/** A day that the lake names by itself. */
export type SealedDay = Omit<TierDay, "state" | "bytes" | "sha256">;

/** Lets a database that has no samples of its own have these days alone, all in the lake. */
export async function putSealed({ connection }: Write, days: readonly SealedDay[]): Promise<void> {
  await connection.script("DELETE FROM tier_day");
  const moved = { state: "moved", bytes: 0, sha256: "" } as const;
  await appendRows(connection, tier_table, days.map((day) => ({ ...day, ...moved })));
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

const moved_make = "CREATE TEMP TABLE moved AS FROM {table}";
const moved_end = "DROP TABLE temp.main.moved";

const moved_count = statement({
  sql: "SELECT count(*)::BIGINT AS rows FROM temp.main.moved",
  row: { rows: "int64" },
  is_dynamic: true,
});

/** Part by part: what a statement stores is held in memory (see `Connection`). */
const day_recall = statement({
  sql: `
    INSERT INTO sample
    FROM temp.main.moved
    WHERE rowid >= $from::BIGINT AND rowid < $to::BIGINT`,
  parameters: { from: "int64", to: "int64" },
  is_dynamic: true,
});

const day_return = statement({
  sql: "UPDATE tier_day SET state = 'returned' WHERE file = $file",
  parameters: { file: "text" },
});

/**
 * Takes the samples of some days back out of their files, which are of no use then. They are read
 * before the writer is taken: where a place hangs, nobody else waits. Throws a `Fault`
 * (unavailable) where one of these can't be read.
 */
export async function recallDays(database: Database, days: ReadonlySet<number>): Promise<void> {
  const { far } = database;
  const session = database.session();
  // From now on no file that is listed here is removed.
  const end = far.read();
  try {
    for (const tier of await movedOf(session, days)) {
      await readBack(session, far, tier);
      const change = () => database.writeOn(session, (write) => takeBack(write, tier));
      await far.withdraw(tier.file, change);
      await session.script(moved_end);
    }
  } finally {
    end();
    session.close();
  }
}

/** Reads what a file holds into a table of the session. */
async function readBack(session: Connection, far: FarDays, tier: TierDay): Promise<void> {
  try {
    await far.require([tier]);
    await session.script(filled(moved_make, { table: far.tableOf([tier.file]) }));
  } catch (error) {
    throw await far.explain(error, [tier]);
  }
}

/** Stores what was read back, unless another has taken the day back meanwhile. */
async function takeBack({ connection }: Write, { day, file }: TierDay): Promise<void> {
  const moved = await movedOf(connection, new Set([day]));
  if (!moved.some((it) => it.file === file)) return;
  const [{ rows }] = await connection.rows(moved_count);
  const step = retention_limits.recall_rows;
  for (let from = 0; from < rows; from += step) {
    await connection.run(day_recall, { from, to: from + step });
  }
  await connection.run(day_return, { file });
}

/** Those of some days that lie in files alone. */
async function movedOf(
  connection: Connection,
  days: ReadonlySet<number>,
): Promise<readonly TierDay[]> {
  if (days.size === 0) return [];
  return (await listTiers(connection)).filter(({ day, state }) =>
    state === "moved" && days.has(day)
  );
}

/** Days that a write needs have moved: it is to begin anew once `recallDays` has been called. */
export class StillFar extends Fault {
  readonly days: ReadonlySet<number>;

  constructor(days: ReadonlySet<number>) {
    super("unavailable", "days that old samples belong to are being moved: send them again", {
      retry_after_s: 1,
    });
    this.days = days;
  }
}

/** Throws `StillFar` where the samples of some days are not all here. */
export async function requireNear(
  { connection }: Pick<Write, "connection">,
  days: ReadonlySet<number>,
): Promise<void> {
  const moved = await movedOf(connection, days);
  if (moved.length > 0) throw new StillFar(new Set(moved.map(({ day }) => day)));
}
