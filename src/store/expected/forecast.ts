// Stores forecast rows, of which the last one said stays, and reads the points of runs.
import forecast_insert from "./forecast_insert.sql" with { type: "text" };
import forecast_points from "./forecast_points.sql" with { type: "text" };
import forecast_replace from "./forecast_replace.sql" with { type: "text" };
import forecast_settle from "./forecast_settle.sql" with { type: "text" };
import forecast_suspect_make from "./forecast_suspect_make.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";

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

/** Points of `[from_us, to_us)`, of runs issued before `before_us`. */
export type ForecastWindow = {
  readonly from_us: number;
  readonly to_us: number;
  readonly before_us: number;
};

/** Points by source, run (`issued_us`) and time; `minute` has its fraction. */
export type ForecastPoints = {
  readonly source_no: Int32Array;
  readonly issued_us: Float64Array;
  readonly minute: Float64Array;
  readonly value: Float64Array;
};

/** The points of the tags `tag_nos`, each under its place in that list. */
export async function* readForecasts(
  connection: Connection,
  tag_nos: Int32Array,
  window: ForecastWindow,
): AsyncGenerator<ForecastPoints, void> {
  const source_nos = tag_nos.map((_, i) => i);
  for await (
    const { vectors } of connection.chunks(forecast_points, { source_nos, tag_nos, ...window })
  ) {
    const [source_no, ...numbers] = vectors;
    assert(source_no.kind === "int32", "a source's number is int32");
    const [issued_us, minute, value] = numbers.map((vector) => {
      assert(vector.kind === "float64", "a point's numbers are float64");
      return vector.values;
    });
    yield { source_no: source_no.values, issued_us, minute, value };
  }
}
