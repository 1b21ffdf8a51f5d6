// The tables of the roll-up: what differs of them, and storing it.
import inverter_mark_sql from "./inverter_stale_mark.sql" with { type: "text" };
import change_count_sql from "./change_count.sql" with { type: "text" };
import daily_change_sql from "./daily_change.sql" with { type: "text" };
import minute_change_sql from "./minute_change.sql" with { type: "text" };
import minute_insert_sql from "./minute_insert.sql" with { type: "text" };
import quarter_change_sql from "./quarter_change.sql" with { type: "text" };
import quarter_insert_sql from "./quarter_insert.sql" with { type: "text" };
import reading_change_sql from "./reading_change.sql" with { type: "text" };
import reading_insert_sql from "./reading_insert.sql" with { type: "text" };
import stored_merge_sql from "./stored_merge.sql" with { type: "text" };
import whole_change_sql from "./whole_change.sql" with { type: "text" };
import { omit, oneOf } from "../../model/data/row.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import type { Connection } from "../connection.ts";
import type { Database, Write } from "../database.ts";
import { assignmentsOf, statement } from "../statement.ts";
import { type Table, table } from "../table.ts";

/** Samples by tag and minute. */
const minute_table = table("minute", {
  day: "int32",
  tag_no: "int32",
  minute: "int32",
  received_at: "instant",
  value: "float64?",
  value_int: "int64?",
  value_str: "text?",
  minimum: "float64?",
  maximum: "float64?",
  quality: "uint8?",
  status_code: "uint32?",
  carried: "bool",
  good_count: "int32",
  uncertain_count: "int32",
  bad_count: "int32",
});

/** Quarter-hours of tags whose minutes their samples tell: see `whole.ts`. */
const whole_table = table("whole_quarter", {
  day: "int32",
  tag_no: "int32",
  quarter: "int32",
  received_at: "instant",
  upto: "instant",
  sensor_no: "int32?",
  sensor_day: "int32?",
  scale: "float64?",
  offset: "float64?",
  light: "int32?",
  seen: "int32?",
});

/** Values by sensor and minute, in the measure's unit. */
const reading_table = table("reading", {
  day: "int32",
  sensor_no: "int32",
  minute: "int32",
  light: "bool",
  value: "float64?",
  model: "float64?",
  value_setpoint: "float64?",
  model_setpoint: "float64?",
  clipped: "float64?",
  storage: "float64?",
  span_before: "int32?",
  span_after: "int32?",
  broken: "bool?",
});

/** Readings by sensor and quarter-hour; a sum with setpoints is null where it is the plain one. */
const quarter_table = table("quarter", {
  day: "int32",
  sensor_no: "int32",
  quarter: "int32",
  light: "bool",
  n: "int32",
  value: "float64?",
  minimum: "float64?",
  maximum: "float64?",
  last: "float64?",
  last_minute: "int32?",
  value_setpoint: "float64?",
  model_n: "int32",
  model: "float64?",
  model_setpoint: "float64?",
  clipped: "float64?",
  heard: "int32?",
  modelled: "int32?",
  value_matched: "float64?",
  model_matched: "float64?",
  model_setpoint_matched: "float64?",
});

/** Readings by sensor and local day. */
const daily_table = table("daily", {
  day: "int32",
  sensor_no: "int32",
  light: "bool",
  n: "int32",
  value: "float64?",
  minimum: "float64?",
  maximum: "float64?",
  last: "float64?",
  last_minute: "int32?",
  value_setpoint: "float64?",
  model_n: "int32",
  model: "float64?",
  model_setpoint: "float64?",
  matched_n: "int32?",
  value_matched: "float64?",
  model_matched: "float64?",
  model_setpoint_matched: "float64?",
  covered: "int32?",
});

/** How many rows of a table are new, and how many others changed or vanished. */
export type ChangeCount = { readonly fresh: number; readonly other: number };

/** The tables that it fills, the finest first. */
export const table_names = ["whole", "minute", "reading", "quarter", "daily"] as const;
export type TableName = typeof table_names[number];

/** A range of UTC minutes, and of local days, both ends included. */
export const within_minutes = { from_minute: "int32", to_minute: "int32" } as const;
export const within_days = { from_day: "int32", to_day: "int32" } as const;

const change_count = statement({
  sql: change_count_sql,
  row: { name: oneOf(table_names), fresh: "int32", other: "int32" },
});

/** UTC minutes and local days that hold everything which is computed, both ends included. */
export type WorkRange = {
  readonly from_minute: number;
  readonly to_minute: number;
  readonly from_day: number;
  readonly to_day: number;
};

/** What a statement takes on rows of minutes, and on rows of days. */
export function rangesOf({ from_minute, to_minute, from_day, to_day }: WorkRange) {
  return { minutes: { from_minute, to_minute }, days: { from_day, to_day } };
}

/** A row's place in time. Its bounds are minutes, but of days. */
const bounds = {
  minute: "minute BETWEEN $from_minute AND $to_minute",
  quarter: "quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15",
  day: "day BETWEEN $from_day AND $to_day",
} as const;

/** What tells a table's rows apart: their place in time and the rest. */
type Key = readonly [keyof typeof bounds, ...string[]];

/** What `stored_merge.sql` says of a table. */
function mergeOf(name: TableName, { name: table, columns }: Table, key: Key) {
  const changes = assignmentsOf(omit(columns, ...key, "received_at"), "c");
  return { name, table, key: key.join(", "), within: bounds[key[0]], changes };
}

const daily_change = statement({ sql: daily_change_sql, parameters: within_days });

/** Stores the new local days, in the order in which the changes lie. */
const daily_insert = statement({
  sql: `
    INSERT INTO daily BY NAME
    SELECT * EXCLUDE (op)
    FROM roll_daily_change
    WHERE op = 'insert'`,
});

const daily_merge = statement({
  sql: stored_merge_sql,
  parameters: within_days,
  names: mergeOf("daily", daily_table, ["day", "sensor_no", "light"]),
});

const minute_change = statement({ sql: minute_change_sql, parameters: within_minutes });

/** How minutes and readings lie, by tags or sensors (`minute_insert.sql`). */
const orderBy = (line: string) =>
  `day, roll_turn($stamp_us::BIGINT // 60000000, ${line}), ` +
  `roll_turn(${line}, minute // 15), minute`;

const minute_insert = statement({
  sql: minute_insert_sql,
  names: { order: orderBy("tag_no") },
  parameters: { ...within_minutes, stamp_us: "instant" },
});

const of_minute = mergeOf("minute", minute_table, ["minute", "tag_no"]);

/** Changed minutes get the write's stamp. */
const minute_merge = statement({
  sql: stored_merge_sql,
  parameters: { ...within_minutes, stamp_us: "instant" },
  names: { ...of_minute, changes: `${of_minute.changes}, received_at = $stamp_us` },
});

const quarter_change = statement({ sql: quarter_change_sql, parameters: within_minutes });

const quarter_insert = statement({ sql: quarter_insert_sql, parameters: within_minutes });

const quarter_merge = statement({
  sql: stored_merge_sql,
  parameters: within_minutes,
  names: mergeOf("quarter", quarter_table, ["quarter", "sensor_no", "light"]),
});

const reading_change = statement({ sql: reading_change_sql, parameters: within_minutes });

const reading_insert = statement({
  sql: reading_insert_sql,
  names: { order: orderBy("sensor_no") },
  parameters: { ...within_minutes, stamp_us: "instant" },
});

const reading_merge = statement({
  sql: stored_merge_sql,
  parameters: within_minutes,
  names: mergeOf("reading", reading_table, ["minute", "sensor_no"]),
});

const whole_change = statement({ sql: whole_change_sql, parameters: within_minutes });

const whole_insert = statement({
  sql: `
    INSERT INTO whole_quarter BY NAME
    SELECT * EXCLUDE (op), $stamp_us::BIGINT AS received_at
    FROM roll_whole_change
    WHERE op = 'insert'
      AND quarter BETWEEN $from_minute::INTEGER // 15 AND $to_minute::INTEGER // 15`,
  parameters: { ...within_minutes, stamp_us: "instant" },
});

/** Changes and forgets known ones, in place: what their minutes are does not change. */
const whole_merge = statement({
  sql: stored_merge_sql,
  parameters: within_minutes,
  names: mergeOf("whole", whole_table, ["quarter", "tag_no"]),
});

/** Marks the days of the inverters that stored quarter-hours and minutes are about. */
export function inverterMark(names: Readonly<Record<"quarters" | "minutes", string>>) {
  return statement({ sql: inverter_mark_sql, names, parameters: within_minutes });
}

const inverter_mark = inverterMark({
  quarters: "FROM roll_quarter_change UNION ALL BY NAME FROM roll_sum WHERE fresh",
  minutes: "FROM roll_minute_change UNION ALL BY NAME FROM roll_minute WHERE fresh",
});

/** No changes of a table, where nothing is stored that could differ. */
const noneOf = (name: TableName, table: string = name) =>
  statement({
    sql: `
      CREATE OR REPLACE TEMP TABLE roll_${name}_change AS
      SELECT NULL::roll_op_type AS op, COLUMNS(name -> name <> 'received_at')
      FROM ${table}
      LIMIT 0`,
  });

/** What finds the changes of a table, and of what nothing may be stored for there to be none. */
const finders = [
  { find: whole_change, of: "wholes", none: noneOf("whole", "whole_quarter") },
  { find: minute_change, of: "slots", none: noneOf("minute") },
  { find: reading_change, of: "units", none: noneOf("reading") },
  { find: quarter_change, of: "units", none: noneOf("quarter") },
] as const;

/**
 * Finds what differs between the rows as computed and as stored, and how many rows that is. `fresh`
 * says where nothing is stored: of no quarter-hour of a tag (slots), or of a sensor (units); and
 * whether none was or is whole.
 */
export async function findChanges(
  connection: Connection,
  range: WorkRange,
  fresh: Readonly<Record<"slots" | "units" | "wholes", boolean>>,
): Promise<ReadonlyMap<TableName, ChangeCount>> {
  const { minutes, days } = rangesOf(range);
  for (const { find, of, none } of finders) {
    await (fresh[of] ? connection.run(none) : connection.run(find, minutes));
  }
  await connection.run(daily_change, days);
  const counts = await connection.rows(change_count);
  return new Map(counts.map((count) => [count.name, count]));
}

/** What differs, and where all of it lies. */
export type Changes = {
  readonly counts: ReadonlyMap<TableName, ChangeCount>;
  readonly range: WorkRange;
  /** So many minutes of it are stored in one transaction, where it is much. */
  readonly part_minutes: number;
};

/** UTC minutes, both ends included. */
type Minutes = Pick<WorkRange, "from_minute" | "to_minute">;

/**
 * Stores what differs, in several transactions where it is much, so that others wait for none of
 * them for long; with the last of them goes `finish`. Minutes get the write's stamp. Much that is
 * all new is stored beside other writes: whatever they do, it can't conflict.
 */
export async function storeChanges(
  changes: Changes,
  { database, session, rows_per_write, finish }: {
    readonly database: Database;
    readonly session: Connection;
    readonly rows_per_write: number;
    readonly finish: (write: Write) => Promise<void>;
  },
): Promise<void> {
  const { from_minute, to_minute } = changes.range;
  const has_wholes = changes.counts.get("whole")?.fresh;
  // Before any of them can be read.
  if (has_wholes) session.wholes.note({ from_minute, to_minute: to_minute + 1 });
  const parts = partsOf(changes, rows_per_write);
  const is_beside = isAllNew(changes) && mostOf(changes) > rollup_limits.rows_in_turn;
  const [before, last] = is_beside ? [parts, []] : [parts.slice(0, -1), parts.slice(-1)];
  for (const minutes of before) {
    const store = (write: Write) => storeMinutes(write, changes, minutes);
    await (is_beside ? database.writeBeside(session, store) : database.writeOn(session, store));
  }
  await database.writeOn(session, async (write) => {
    for (const minutes of last) await storeMinutes(write, changes, minutes);
    await storeDays(write.connection, changes);
    await finish(write);
  });
}

/** How many rows of a table differ, of which those are most. */
function mostOf({ counts }: Changes): number {
  return Math.max(...counts.values().map(({ fresh, other }) => fresh + other));
}

/** Whether no stored row changes or vanishes but those of days. */
function isAllNew({ counts }: Changes): boolean {
  return counts.entries().every(([name, { other }]) => name === "daily" || other === 0);
}

/** The range as a whole, or in parts where a table has more changes than one transaction may. */
function partsOf(changes: Changes, rows_per_write: number): Minutes[] {
  const { range: { from_minute, to_minute }, part_minutes } = changes;
  if (mostOf(changes) <= rows_per_write) return [{ from_minute, to_minute }];
  const parts: Minutes[] = [];
  for (let from = from_minute; from <= to_minute; from += part_minutes) {
    const to = Math.min(from + part_minutes - 1, to_minute);
    parts.push({ from_minute: from, to_minute: to });
  }
  return parts;
}

/** Stores what differs in some minutes, and marks the days of the inverters that it is about. */
async function storeMinutes(
  { connection, stamp_us }: Write,
  { counts }: Changes,
  minutes: Minutes,
): Promise<void> {
  const stored: Readonly<Record<Exclude<TableName, "daily">, Change>> = {
    whole: {
      merge: () => connection.run(whole_merge, minutes),
      insert: () => connection.run(whole_insert, { ...minutes, stamp_us }),
    },
    minute: {
      merge: () => connection.run(minute_merge, { ...minutes, stamp_us }),
      insert: () => connection.run(minute_insert, { ...minutes, stamp_us }),
    },
    reading: {
      merge: () => connection.run(reading_merge, minutes),
      insert: () => connection.run(reading_insert, { ...minutes, stamp_us }),
    },
    quarter: {
      merge: () => connection.run(quarter_merge, minutes),
      insert: () => connection.run(quarter_insert, minutes),
    },
  };
  for (const [name, { merge, insert }] of Object.entries(stored)) {
    const count = counts.get(name as TableName);
    if (count?.other) await merge();
    if (count?.fresh) await insert();
  }
  await connection.run(inverter_mark, minutes);
}

async function storeDays(connection: Connection, { counts, range }: Changes): Promise<void> {
  const count = counts.get("daily");
  if (count?.other) await connection.run(daily_merge, rangesOf(range).days);
  if (count?.fresh) await connection.run(daily_insert);
}

type Change = { readonly merge: () => Promise<void>; readonly insert: () => Promise<void> };
