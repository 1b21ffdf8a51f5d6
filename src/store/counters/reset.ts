// Stores declared resets of counters.
import { counter_reset_table, type CounterReset } from "../../model/counters/reset.ts";
import type { Reset } from "../../model/counters/readings.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

/** The table of declared resets. */
export const reset_table = table("counter_reset", counter_reset_table);

const reset_list = statement({
  sql: "SELECT {row} FROM counter_reset ORDER BY tag_no, at_us, id",
  row: counter_reset_table,
});

/** Every declared reset, by tag and time. */
export function listResets(connection: Connection): Promise<CounterReset[]> {
  return connection.rows(reset_list);
}

/** What was declared of each tag's register, in order of time. */
export async function readResets(
  connection: Connection,
): Promise<ReadonlyMap<number, readonly Reset[]>> {
  return Map.groupBy(await listResets(connection), (reset) => reset.tag_no);
}

/** Stores a reset. */
export function insertReset(connection: Connection, reset: CounterReset): Promise<void> {
  return appendRows(connection, reset_table, [reset]);
}

const reset_delete = statement({
  sql: "DELETE FROM counter_reset WHERE id = $id::VARCHAR",
  parameters: { id: "text" },
});

/** Removes a reset. */
export function deleteReset(connection: Connection, id: string): Promise<void> {
  return connection.run(reset_delete, { id });
}

/** The last sample before an instant and the first from it on. */
const neighbour_find = statement({
  sql: `
    SELECT max(ts) FILTER (ts < $at_us) AS before_us, min(ts) FILTER (ts >= $at_us) AS after_us
    FROM sample
    WHERE tag_no = $tag_no`,
  parameters: { tag_no: "int32", at_us: "instant" },
  row: { before_us: "instant?", after_us: "instant?" },
});

/** The time from the last sample of a reset's tag before it to the first from it on. */
export async function spanAround(
  connection: Connection,
  { tag_no, at_us }: Pick<CounterReset, "tag_no" | "at_us">,
): Promise<{ readonly from_us: number; readonly to_us: number }> {
  const [{ before_us, after_us }] = await connection.rows(neighbour_find, { tag_no, at_us });
  return { from_us: before_us ?? at_us, to_us: (after_us ?? at_us) + 1 };
}
