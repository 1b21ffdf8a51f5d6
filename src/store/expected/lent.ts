// Keeps which minutes' expected values stand on another site's weather.
import lent_change_sql from "./lent_change.sql" with { type: "text" };
import lent_make_sql from "./lent_make.sql" with { type: "text" };
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { statement } from "../statement.ts";
import { table, workTable } from "../table.ts";

/** By sensor and quarter-hour; bit i of `bits` stands for minute i. */
const { columns } = table("lent_quarter", {
  day: "int32",
  sensor_no: "int32",
  quarter: "int32",
  bits: "int32",
});

const found_table = workTable("roll_lent", { sensor_no: "int32", minute: "int32" });

const change_table = workTable("roll_lent_change", { op: "text", ...columns });

/** Empties what a piece of work finds. */
export async function clearLent(connection: Connection): Promise<void> {
  await connection.run(found_table.make);
  await connection.run(change_table.make);
}

const lent_make = statement({ sql: lent_make_sql });

/** Finds the minutes of the units to be remodelled, once their models are made. */
export function findLent(connection: Connection): Promise<void> {
  return connection.run(lent_make);
}

const lent_change = statement({
  sql: lent_change_sql,
  parameters: { from_minute: "int32", to_minute: "int32" },
});

const change_count = statement({
  sql: "SELECT count(*)::INTEGER AS changes FROM roll_lent_change",
  row: { changes: "int32" },
});

/** Sets the minutes found in a range against the stored ones; how many rows differ? */
export async function changeLent(
  connection: Connection,
  range: { readonly from_minute: number; readonly to_minute: number },
): Promise<number> {
  const { from_minute, to_minute } = range;
  await connection.run(lent_change, { from_minute, to_minute });
  const [{ changes }] = await connection.rows(change_count);
  return changes;
}

const lent_delete = statement({
  sql: `
    DELETE FROM lent_quarter AS q
    USING roll_lent_change AS c
    WHERE c.op = 'delete' AND q.sensor_no = c.sensor_no AND q.quarter = c.quarter`,
});

const lent_insert = statement({
  sql: `
    INSERT INTO lent_quarter
    SELECT * EXCLUDE (op)
    FROM roll_lent_change
    WHERE op = 'insert'
    ORDER BY day, sensor_no, quarter`,
});

/** Stores what differs. */
export async function storeLent({ connection }: Write): Promise<void> {
  await connection.run(lent_delete);
  await connection.run(lent_insert);
}
