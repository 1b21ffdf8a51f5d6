// Which sensors have measured anything before a time.
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import earlier_list_sql from "./earlier_list.sql" with { type: "text" };

const earlier_list = statement({
  sql: earlier_list_sql,
  parameters: { sensors: "int32[]", day: "int32", minute: "int32" },
  row: { sensor_no: "int32" },
});

/** Of some sensors those with a measured value before a minute, which lies in a local day. */
export async function sensorsBefore(
  connection: Connection,
  asked: { readonly sensors: Int32Array; readonly day: number; readonly minute: number },
): Promise<ReadonlySet<number>> {
  const rows = await connection.rows(earlier_list, asked);
  return new Set(rows.map(({ sensor_no }) => sensor_no));
}
