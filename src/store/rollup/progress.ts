// What the roll-up has to do: its progress, and newly stored samples.
import { measure_names, measures, power_setpoints, rate_of } from "../../model/plant/measure.ts";
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import type { Database, Write } from "../database.ts";
import { installPv } from "../expected/pv.ts";
import { order_keep } from "../instance.ts";
import { keepFacts, readFact } from "../meta.ts";
import { settleWholes } from "../performance/whole.ts";
import { runAll, statement } from "../statement.ts";
import { keepNone } from "./kept.ts";
import { appendRows, workTable } from "../table.ts";

/**
 * Quarter-hours of tags (quarters since 1970 UTC), one beside the other, and the first minute of
 * each that is touched, from 0 on.
 */
export type TagQuarters = {
  readonly tag_no: number[];
  readonly quarter: number[];
  readonly since: number[];
};

/** Stored samples between two stamps, (from, upto]. */
export type StampRange = { readonly from: number; readonly upto: number };

/** How far the roll-up is: everything stored up to `to_us` and every minute before `minute`. */
export type Progress = { readonly to_us: number; readonly minute: number };

/** By more than rounding; sums of what no device measures can be infinite, before and after. */
const differs_make = statement({
  sql: `
    CREATE OR REPLACE TEMP MACRO roll_differs(a, b) AS
      (a IS NULL) <> (b IS NULL)
      OR coalesce(a <> b AND NOT abs(a - b) <= 1e-12 * least(abs(a), abs(b)), false)`,
});

/** The same of a sum of terms of both signs, whose sizes add up to `size` at most. */
const sum_differs_make = statement({
  sql: `
    CREATE OR REPLACE TEMP MACRO roll_sum_differs(a, b, size) AS
      roll_differs(a, b) AND coalesce(isinf(size) OR abs(a - b) > 1e-14 * size, true)`,
});

/** What is to be done with a stored row; of a name, a byte for each row that differs. */
const op_type_make = statement({
  sql: "CREATE OR REPLACE TEMP TYPE roll_op_type AS ENUM ('insert', 'update', 'delete')",
});

/** The same by something that a row as stored has, and something that one as computed has. */
const op_make = statement({
  sql: `
    CREATE OR REPLACE TEMP MACRO roll_op(stored, computed) AS CASE
      WHEN stored IS NULL THEN 'insert'::roll_op_type
      WHEN computed IS NULL THEN 'delete'::roll_op_type
      ELSE 'update'::roll_op_type
    END`,
});

/**
 * A place in its line, every second line backwards: so a row's place is near that of the row before
 * it, where one line ends and the next begins, too. The file keeps small differences in few bits.
 */
const turn_make = statement({
  sql: `
    CREATE OR REPLACE TEMP MACRO roll_turn(line, place) AS
      if(line & 1 = 0, place, -place)`,
});

/** The measures as statements see them. */
const measure_table = workTable("roll_measure", {
  measure: "text",
  over_time: "text",
  rate: "text",
  is_setpoint: "bool",
  is_energy: "bool",
});

/** The units of what a power comes to over time. */
const energy_units: readonly string[] = ["Wh", "VAh", "varh"];

/**
 * A connection of the roll-up's own, whose temporary tables hold its work, while nothing is rolled
 * up. Close it at the end.
 */
export async function openRollSession(database: Database): Promise<Connection> {
  const session = database.session({ is_patient: true });
  const makes = [order_keep, differs_make, sum_differs_make, op_type_make, op_make, turn_make];
  await runAll(session, [...makes, measure_table.make]);
  await installPv(session);
  const rows = measure_names.map((measure) => ({
    measure,
    over_time: measures.get(measure)!.over_time,
    rate: rate_of.get(measure) ?? measure,
    is_setpoint: power_setpoints.includes(measure),
    is_energy: energy_units.includes(measures.get(measure)!.unit),
  }));
  await appendRows(session, measure_table, rows);
  await keepNone(session);
  await settleWholes(session);
  return session;
}

/** The progress as last saved; from the beginning of time when nothing was rolled up yet. */
export async function readProgress(connection: Connection): Promise<Progress> {
  return {
    to_us: Number(await readFact(connection, "rolled_to") ?? 0),
    minute: Number(await readFact(connection, "rolled_minute") ?? 0),
  };
}

/** Saves the progress in the transaction of `write`. */
export async function saveProgress(write: Write, progress: Progress): Promise<void> {
  const { to_us, minute } = progress;
  await keepFacts(write.connection, { rolled_to: to_us, rolled_minute: minute });
}

/** The stamps of the writes after $after, and how many samples each stored. */
const stamp_list = statement({
  reach: "near",
  sql: `
    SELECT received_at, count(*)::INTEGER AS rows
    FROM sample
    WHERE received_at > $after
    GROUP BY received_at
    ORDER BY received_at`,
  parameters: { after: "int64" },
  row: { received_at: "instant", rows: "int32" },
});

/** The stamps of the writes after `after`, rising, and how many samples each stored. */
export function listStamps(
  connection: Connection,
  after: number,
): Promise<{ received_at: number; rows: number }[]> {
  return connection.rows(stamp_list, { after });
}

/** Tags and minutes of newly stored samples whose minute is not over yet. */
const pending_find = statement({
  reach: "near",
  sql: `
    SELECT tag_no, (ts // 60000000)::INTEGER AS minute, min(received_at)::BIGINT AS received_at,
      count(*)::INTEGER AS rows
    FROM sample
    WHERE received_at > $from AND received_at <= $upto AND ts >= $over_us AND ts < $ahead_us
    GROUP BY tag_no, minute
    ORDER BY tag_no, minute`,
  parameters: { from: "int64", upto: "int64", over_us: "instant", ahead_us: "instant" },
  row: { tag_no: "int32", minute: "int32", received_at: "instant", rows: "int32" },
});

/**
 * Newly stored samples before `ahead_us` whose minute is not over: tags, minutes, the first stamp,
 * their number.
 */
export function findPending(
  connection: Connection,
  range: StampRange & { readonly over_us: number; readonly ahead_us: number },
): Promise<{ tag_no: number; minute: number; received_at: number; rows: number }[]> {
  return connection.rows(pending_find, range);
}

/** The last minute of each tag with newly stored samples in [$since_us, $ahead_us). */
const alive_find = statement({
  reach: "near",
  sql: `
    SELECT tag_no, max(ts // 60000000)::INTEGER AS minute
    FROM sample
    WHERE received_at > $from AND received_at <= $upto AND ts >= $since_us AND ts < $ahead_us
    GROUP BY tag_no
    ORDER BY tag_no`,
  parameters: { from: "int64", upto: "int64", since_us: "instant", ahead_us: "instant" },
  row: { tag_no: "int32", minute: "int32" },
});

/** The last minute of each tag that has newly stored samples in `[since_us, ahead_us)`. */
export function findAlive(
  connection: Connection,
  range: StampRange & { readonly since_us: number; readonly ahead_us: number },
): Promise<{ tag_no: number; minute: number }[]> {
  return connection.rows(alive_find, range);
}

/**
 * What newly stored samples touch: quarter-hours of a tag, of minutes that are over. `since`: the
 * first minute of it that they touch; 15 where none.
 */
const touch_make = statement({
  reach: "near",
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_touch AS
    SELECT tag_no, (ts // 900000000)::INTEGER AS quarter, false AS anew,
      (min(ts) // 60000000 % 15)::INTEGER AS since
    FROM sample
    WHERE received_at > $from AND received_at <= $upto AND ts >= $since_us AND ts < $over_us
    GROUP BY tag_no, quarter`,
  parameters: { from: "int64", upto: "int64", since_us: "instant", over_us: "instant" },
});

/** Starts the list of touched quarter-hours with what new samples from `since_us` on touch. */
export function touchStored(
  connection: Connection,
  range: StampRange & { readonly since_us: number; readonly over_us: number },
): Promise<void> {
  return connection.run(touch_make, range);
}

/** Adds quarter-hours to the list of touched ones. */
export function touchQuarters(connection: Connection, touched: TagQuarters): Promise<void> {
  return connection.append("roll_touch", {
    rows: touched.tag_no.length,
    vectors: [
      { kind: "int32", values: Int32Array.from(touched.tag_no) },
      { kind: "int32", values: Int32Array.from(touched.quarter) },
      { kind: "bool", values: new Uint8Array(touched.quarter.length) },
      { kind: "int32", values: Int32Array.from(touched.since) },
    ],
  });
}

/** How many quarter-hours of tags are in the list, the first and the last of them. */
const touched_find = statement({
  sql: `
    SELECT count(*)::INTEGER AS rows, coalesce(min(quarter), 0) AS from_quarter,
      coalesce(max(quarter), 0) AS to_quarter
    FROM roll_touch`,
  row: { rows: "int32", from_quarter: "int32", to_quarter: "int32" },
});
export type Touched = PlainRow<typeof touched_find.row>;

/** How many quarter-hours of tags are touched, and which are the first and the last. */
export async function findTouched(connection: Connection): Promise<Touched> {
  const [touched] = await connection.rows(touched_find);
  return touched;
}
