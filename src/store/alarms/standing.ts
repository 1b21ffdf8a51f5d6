// Finds the newest alarm of each condition of a source system.
import type { Occurrence } from "../../model/alarms/alarm.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { readOccurrences } from "./alarm.ts";
import standing_list_sql from "./standing_list.sql" with { type: "text" };

const standing_list = statement({
  sql: standing_list_sql,
  parameters: {
    ...{ project_no: "int32", site_no: "int32", source: "text", kind: "text", limit: "int64" },
  },
  row: { occurrence_no: "int64" },
});

/** The newest alarm of each condition of a source system. */
export async function listStanding(
  connection: Connection,
  which: Pick<Occurrence, "project_no" | "site_no" | "source" | "kind"> & {
    readonly limit: number;
  },
): Promise<Occurrence[]> {
  const rows = await connection.rows(standing_list, which);
  return await readOccurrences(connection, rows.map(({ occurrence_no }) => occurrence_no));
}
