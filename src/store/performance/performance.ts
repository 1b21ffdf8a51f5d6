// Readings of sensors aggregated over the time of each bucket.
import daily_sql from "./daily.sql" with { type: "text" };
import day_sql from "./day.sql" with { type: "text" };
import days_sql from "./days.sql" with { type: "text" };
import minute_plain_sql from "./minute_plain.sql" with { type: "text" };
import minute_sql from "./minute.sql" with { type: "text" };
import minutes_sql from "./minutes.sql" with { type: "text" };
import plain_sql from "./plain.sql" with { type: "text" };
import quarter_sql from "./quarter.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import type { DayPositions, Piece } from "../../model/time/bucket.ts";
import type { OverTime } from "../../model/plant/measure.ts";
import type { Connection } from "../connection.ts";
import { numbersOf, type Parameters } from "../value.ts";

/** Which sensors to read, how they aggregate over time, and whether dark minutes count. */
export type Reading = {
  readonly sensors: Int32Array;
  readonly over_time: OverTime;
  readonly light_only: boolean;
};

/** The tables that pieces of minutes can be read from. */
export type PieceSource = "minute" | "quarter";

/**
 * One row a sensor and bucket that has a reading, in no order; NaN where it has no value. Where no
 * setpoint is active, both setpoint arrays are those of `value` and `model` themselves.
 */
export type Readings = {
  readonly sensor_no: Int32Array;
  readonly bucket: Int32Array;
  readonly value: Float64Array;
  readonly model: Float64Array;
  readonly value_setpoint: Float64Array;
  readonly model_setpoint: Float64Array;
};

/** The readings of a stretch of minutes; each bucket is a position of the axis. */
export async function* readPiece(
  connection: Connection,
  reading: Reading,
  { source, piece }: { readonly source: PieceSource; readonly piece: Piece },
): AsyncGenerator<Readings, void> {
  const { sensors, light_only } = reading;
  const { width, ...stretch } = piece;
  if (source === "quarter" || width > 1) {
    const sql = source === "quarter" ? quarter_sql : minutes_sql;
    return yield* readingsOf(connection, sql, { ...reading, ...piece });
  }
  const { shift, ...span } = stretch;
  const [{ plain }] = await connection.rows<{ plain: boolean }>(plain_sql, { sensors, ...span });
  const sql = plain ? minute_plain_sql : minute_sql;
  yield* readingsOf(connection, sql, { sensors, light_only, shift, ...span });
}

/** The readings of whole local days, each of which falls to the bucket listed for it. */
export function readDays(
  connection: Connection,
  reading: Reading,
  { from_day, to_day, buckets }: DayPositions,
): AsyncGenerator<Readings, void> {
  const { sensors, over_time, light_only } = reading;
  const single = buckets.every((bucket, i) => bucket === buckets[0] + i);
  if (single && light_only) {
    const shift = buckets[0] - from_day;
    return readingsOf(connection, day_sql, { sensors, over_time, from_day, to_day, shift });
  }
  return readingsOf(connection, daily_sql, { ...reading, from_day, to_day, buckets });
}

type Days = { readonly from_day: number; readonly to_day: number };

/** The local days `[from_day, to_day)` of a range that have any reading, or undefined for none. */
export async function findDays(
  connection: Connection,
  { sensors, from_day, to_day }: { readonly sensors: Int32Array } & Days,
): Promise<Days | undefined> {
  const [row] = await connection.rows<{ first_day: number | null; last_day: number | null }>(
    days_sql,
    { sensors, from_day, to_day },
  );
  if (row.first_day === null || row.last_day === null) return undefined;
  return { from_day: row.first_day, to_day: row.last_day + 1 };
}

async function* readingsOf(
  connection: Connection,
  sql: string,
  parameters: Parameters,
): AsyncGenerator<Readings, void> {
  for (const { vectors } of await connection.pieces(sql, parameters)) {
    const [sensor_no, bucket, ...values] = vectors;
    assert(sensor_no.kind === "int32" && bucket.kind === "int32", "keys are int32");
    const [value, model, value_setpoint = value, model_setpoint = model] = values.map(numbersOf);
    const keys = { sensor_no: sensor_no.values, bucket: bucket.values };
    yield { ...keys, value, model, value_setpoint, model_setpoint };
  }
}
