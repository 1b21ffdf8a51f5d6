// Puts the rows of a day in the order in which they are read: a few owners lie together, by time.
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import { order_keep } from "../instance.ts";
import owner_list_sql from "./owner_list.sql" with { type: "text" };
import part_find_sql from "./part_find.sql" with { type: "text" };

const order_table = table("day_order", { name: "text", day: "int32", rows: "int64" });

/** How much of a column of time is a day. */
export const per_day = { ts: 86_400_000_000, minute: 1440, quarter: 96 } as const;

/** A table whose rows arrive by time, and are read by the tag or the sensor that they are of. */
type Arriving = {
  readonly name: string;
  readonly owner: "tag_no" | "sensor_no";
  readonly at: keyof typeof per_day;
  /** Of a time, to count from. */
  readonly place: string;
  /** What of some rows, `kept`, is another once any of them has changed. */
  readonly mark: string;
};

const by_stamp = "max(received_at)";
// A sum: all that a row's last column does to its hash is one `xor`, so that of an even number of
// rows whose last columns change alike the hashes are the same once they are put together by that.
const by_digest = "sum(hash(kept))";

const of_day = { day: "int64" } as const;
const of_owners = { from_no: "int32", to_no: "int32" } as const;
const alike_rows = { owner_no: "int32", rows: "int32", kind: "text" } as const;

/** What is filled into the text of each statement on a table, and which samples that reads. */
function partsOf({ name, at, ...rest }: Arriving) {
  const reach = name === "sample" ? "near" as const : undefined;
  return { names: { table: name, at, per_day: `${per_day[at]}`, ...rest }, reach };
}

/** The statements that look at a table. */
function looksOf(parts: ReturnType<typeof partsOf>) {
  return {
    days: statement({
      ...parts,
      sql: `
        SELECT DISTINCT ({at} // {per_day})::INTEGER AS day
        FROM {table}
        WHERE {at} < $end_day::BIGINT * {per_day}
        ORDER BY day`,
      parameters: { end_day: "int64" },
      row: { day: "int32" },
    }),
    find: statement({
      ...parts,
      sql: `
        SELECT count(*)::BIGINT AS rows, (
          SELECT coalesce(max(rows), 0)::BIGINT FROM day_order
          WHERE name = '{table}' AND day = $day::BIGINT
        ) AS ordered
        FROM {table}
        WHERE {at} >= $day::BIGINT * {per_day} AND {at} < ($day::BIGINT + 1) * {per_day}`,
      parameters: of_day,
      row: { rows: "int64", ordered: "int64" },
    }),
    owners: statement({ ...parts, sql: owner_list_sql, parameters: of_day, row: alike_rows }),
    compare: statement({
      ...parts,
      sql: part_find_sql,
      parameters: { ...of_day, ...of_owners },
      row: { is_same: "bool" },
    }),
  };
}

/** The statements that move its rows. */
function movesOf(parts: ReturnType<typeof partsOf>) {
  return {
    take: statement({
      ...parts,
      sql: `
        CREATE OR REPLACE TEMP TABLE {table}_part AS
        SELECT t.*, lot
        FROM {table} AS t
        LEFT JOIN (SELECT unnest($owner_nos::INTEGER[]) {owner}, unnest($lots::INTEGER[]) lot)
          USING ({owner})
        WHERE {at} >= $day::BIGINT * {per_day} AND {at} < ($day::BIGINT + 1) * {per_day}
          AND {owner} BETWEEN $from_no::INTEGER AND $to_no::INTEGER
        ORDER BY lot, {at}, if({place} & 1 = 0, {owner}, -{owner})`,
      parameters: { ...of_day, ...of_owners, owner_nos: "int32[]", lots: "int32[]" },
    }),
    remove: statement({
      ...parts,
      sql: `
        DELETE FROM {table}
        WHERE {at} >= $day::BIGINT * {per_day} AND {at} < ($day::BIGINT + 1) * {per_day}
          AND {owner} BETWEEN $from_no::INTEGER AND $to_no::INTEGER`,
      parameters: { ...of_day, ...of_owners },
    }),
    insert: statement({
      ...parts,
      sql: `
        INSERT INTO {table}
        SELECT * EXCLUDE (lot)
        FROM {table}_part
        WHERE {owner} BETWEEN $from_no::INTEGER AND $to_no::INTEGER`,
      parameters: of_owners,
    }),
    drop: statement({ ...parts, sql: "DROP TABLE IF EXISTS {table}_part" }),
  };
}

function statementsOf(arriving: Arriving) {
  const parts = partsOf(arriving);
  return { name: arriving.name, ...looksOf(parts), ...movesOf(parts) };
}

/** A table that is put in order. */
export type OrderedTable = ReturnType<typeof statementsOf>;

const of_tag = { owner: "tag_no", mark: by_stamp } as const;
const of_sensor = { owner: "sensor_no", mark: by_digest } as const;

/** The tables that are put in order; what is rolled up from samples is by minute or longer. */
export const ordered_tables: readonly OrderedTable[] = [
  statementsOf({ ...of_tag, name: "sample", at: "ts", place: "(ts // 1000000 + ts // 60000000)" }),
  statementsOf({ ...of_tag, name: "minute", at: "minute", place: "minute" }),
  statementsOf({ ...of_sensor, name: "reading", at: "minute", place: "minute" }),
  statementsOf({ ...of_sensor, name: "quarter", at: "quarter", place: "quarter" }),
];

/** The days (UTC, since 1970) before `end_day` that have rows. */
export async function listDays(
  connection: Connection,
  { table, end_day }: { readonly table: OrderedTable; readonly end_day: number },
): Promise<number[]> {
  return (await connection.rows(table.days, { end_day })).map(({ day }) => day);
}

/** A day of a table. */
export type TableDay = { readonly table: OrderedTable; readonly day: number };

/** How many rows a day has, and had when it was put in order; 0 where it was not. */
export async function findDay(
  connection: Connection,
  { table, day }: TableDay,
): Promise<{ readonly rows: number; readonly ordered: number }> {
  const [found] = await connection.rows(table.find, { day });
  return found;
}

/** How many rows are of a tag or a sensor. */
export type OwnerRows = { readonly owner_no: number; readonly rows: number };

/** The same, and what it measures; nothing for what no sensor is. */
export type AlikeRows = OwnerRows & { readonly kind: string };

/** How many rows of a day are whose, and what these measure, in the order of their numbers. */
export function countByOwner(
  connection: Connection,
  { table, day }: TableDay,
): Promise<AlikeRows[]> {
  return connection.rows(table.owners, { day });
}

/** Some tags or sensors, both ends included. */
export type Owners = { readonly from_no: number; readonly to_no: number };

/** Some of them on a day. */
export type DayPart = Owners & { readonly day: number };

/**
 * Copies a part of the rows into a session's temporary table, lot by lot, each by time; last those
 * of whom no lot has.
 */
export async function takeLots(
  session: Connection,
  { table: { take }, lots, ...part }: TableDay & Owners & { readonly lots: readonly Int32Array[] },
): Promise<void> {
  await session.run(order_keep);
  const owner_nos = Int32Array.from(lots.flatMap((lot) => [...lot]));
  const lot_nos = Int32Array.from(lots.flatMap((lot, i) => Array.from(lot, () => i)));
  await session.run(take, { ...part, owner_nos, lots: lot_nos });
}

/** Empties that table. */
export function dropPart(session: Connection, { drop }: OrderedTable): Promise<void> {
  return session.run(drop);
}

/**
 * Stores a part of what a session took once more, as it lies there, in place of what the table has
 * now. Does nothing, and says so, where something else was stored meanwhile.
 */
export async function orderPart(
  { connection }: Write,
  { compare, remove, insert }: OrderedTable,
  part: DayPart,
): Promise<boolean> {
  const [{ is_same }] = await connection.rows(compare, part);
  if (!is_same) return false;
  await connection.run(remove, part);
  await connection.run(insert, part);
  return true;
}

const order_delete = statement({
  sql: "DELETE FROM day_order WHERE name = $name AND day = $day",
  parameters: { name: "text", day: "int32" },
});

/** Notes that a day was put in order, and how many rows it had then. */
export async function noteOrdered(
  { connection }: Write,
  { table: { name }, day, rows }: TableDay & { readonly rows: number },
): Promise<void> {
  await connection.run(order_delete, { name, day });
  await appendRows(connection, order_table, [{ name, day, rows }]);
}
