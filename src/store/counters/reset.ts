// Stores declared resets of counters.
import around_find_sql from "./around_find.sql" with { type: "text" };
import { counter_limits } from "../../model/counters/limits.ts";
import {
  counter_reset_table,
  type CounterReset,
  type ReadingsAround,
} from "../../model/counters/reset.ts";
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

const reset_find = statement({
  sql: `
    SELECT {row}
    FROM counter_reset
    WHERE project_no = $project_no::INTEGER AND id = $id::VARCHAR`,
  parameters: { project_no: "int32", id: "text" },
  row: counter_reset_table,
});

/** The reset of a project with an id. */
export async function findReset(
  connection: Connection,
  wanted: Pick<CounterReset, "project_no" | "id">,
): Promise<CounterReset | undefined> {
  return (await connection.rows(reset_find, wanted)).at(0);
}

/** What stands beside a new reset: of its tag and instant, and how many requests have declared. */
const beside_find = statement({
  sql: `
    SELECT count(*) FILTER (site_no IS NULL)::INTEGER AS of_project,
      count(*) FILTER (site_no IS NULL AND is_own)::INTEGER AS of_counter,
      count(*) FILTER (is_own AND at_us = $at_us::BIGINT)::INTEGER AS same,
      count(site_no) FILTER (is_own AND at_us = $at_us::BIGINT)::INTEGER AS same_of_site
    FROM (SELECT *, tag_no = $tag_no::INTEGER AS is_own FROM counter_reset)
    WHERE project_no = $project_no::INTEGER`,
  parameters: { project_no: "int32", tag_no: "int32", at_us: "instant" },
  row: { of_project: "int32", of_counter: "int32", same: "int32", same_of_site: "int32" },
});

/** How many resets stand beside a new one, and how many of its tag and instant. */
export async function countBeside(
  connection: Connection,
  { project_no, tag_no, at_us }: Pick<CounterReset, "project_no" | "tag_no" | "at_us">,
) {
  const [counts] = await connection.rows(beside_find, { project_no, tag_no, at_us });
  return counts;
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

/** How far readings are looked for around a reset, step by step, in seconds. */
const looks_s = [2 * 3600, 2 * 86_400, counter_limits.look_s];

const around_find = statement({
  sql: around_find_sql,
  reach: "around",
  parameters: { tag_no: "int32", at_us: "instant", look_us: "int64" },
  row: { before_ts: "instant?", before_value: "float64?", ts: "instant?", value: "float64?" },
});

/** The last usable reading of a reset's tag before it and the first from it on. */
export async function readingsAround(
  connection: Connection,
  { tag_no, at_us }: Pick<CounterReset, "tag_no" | "at_us">,
): Promise<ReadingsAround> {
  let around = { before_ts: null, before_value: null, ts: null, value: null } as ReadingsAround;
  for (const look_s of looks_s) {
    const look_us = look_s * 1_000_000;
    [around] = await connection.rows(around_find, { tag_no, at_us, look_us });
    if (around.before_ts !== null && around.ts !== null) break;
  }
  return around;
}
