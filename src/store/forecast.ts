// Stores forecast rows: what is stored exactly so stays, what differs is replaced.
import forecast_insert from "./sql/forecast_insert.sql" with { type: "text" };
import forecast_replace from "./sql/forecast_replace.sql" with { type: "text" };
import forecast_settle from "./sql/forecast_settle.sql" with { type: "text" };
import forecast_suspect_make from "./sql/forecast_suspect_make.sql" with { type: "text" };
import type { Chunk } from "../model/chunk.ts";
import type { Write } from "./database.ts";

/**
 * Stores rows (number, tag, ts, issued_at, value), each (tag, ts, issued_at) once. Gives the
 * numbers of those that were stored exactly so already.
 */
export async function storeForecasts(
  { connection, stamp_us }: Write,
  forecasts: Chunk,
): Promise<readonly number[]> {
  await connection.run(forecast_suspect_make);
  await connection.append("forecast_suspect", forecasts);
  const same = await connection.rows<{ row_no: number }>(forecast_settle);
  await connection.run(forecast_replace);
  await connection.run(forecast_insert, { received_at: stamp_us });
  await connection.run("DELETE FROM forecast_suspect");
  return same.map((row) => row.row_no);
}
