// Minutes of daylight of sensors by bucket: those that matched values stand for, and those whose
// expected value stands on another site's weather.
import covered_sum_sql from "./covered_sum.sql" with { type: "text" };
import earlier_list_sql from "./earlier_list.sql" with { type: "text" };
import lent_sum_sql from "./lent_sum.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import { type Chunk, numbersOf, type Vector } from "../../model/data/chunk.ts";
import type { DayPositions, Piece } from "../../model/time/bucket.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { bucketsOf, ofDays, ofSensors, wantedOf } from "./sensor.ts";

/** Rows of a sensor and bucket, in no order. */
export type BucketKeys = { readonly sensor_no: Int32Array; readonly bucket: Int32Array };

/** How many minutes of daylight count. */
export type CountedMinutes = BucketKeys & { readonly minutes: Float64Array };

/** Whole local days of some sensors; buckets of a stretch of minutes in them. */
export const of_days = { sensors: "int32[]", from_day: "int32", to_day: "int32" } as const;
export const of_piece = {
  ...of_days,
  from_minute: "int32",
  to_minute: "int32",
  shift: "int32",
  width: "int32",
} as const;

export const bucket_keys = { sensor_no: "int32", bucket: "int32" } as const;
const row = { ...bucket_keys, minutes: "float64" } as const;

const covered_sum = ofSensors({ sql: covered_sum_sql, parameters: of_piece, row });

/** The minutes that the matched values of a stretch stand for. */
export function readCovered(
  connection: Connection,
  sensors: Int32Array,
  piece: Piece,
): AsyncGenerator<CountedMinutes, void> {
  const { form, ...wanted } = wantedOf(sensors);
  return countedOf(connection.pieces(covered_sum[form], { ...wanted, ...piece }));
}

const lent_sum = ofSensors({ sql: lent_sum_sql, parameters: of_piece, row });

/** The minutes of a stretch whose expected values stand on another site's weather. */
export function readLent(
  connection: Connection,
  sensors: Int32Array,
  piece: Piece,
): AsyncGenerator<CountedMinutes, void> {
  const { form, ...wanted } = wantedOf(sensors);
  return countedOf(connection.pieces(lent_sum[form], { ...wanted, ...piece }));
}

const lent_day_sum = ofDays({
  sql: `
    SELECT sensor_no, {bucket} AS bucket, sum(bit_count(bits))::DOUBLE AS minutes
    FROM lent_quarter {days}
    WHERE {wanted} AND day >= $from_day::INTEGER AND day < $to_day::INTEGER
    GROUP BY ALL`,
  parameters: { ...of_days, buckets: "int32[]" },
  row,
});

/** Those of whole days, each of which falls to its bucket. */
export function readLentDays(
  connection: Connection,
  sensors: Int32Array,
  days: DayPositions,
): AsyncGenerator<CountedMinutes, void> {
  const { form, ...wanted } = wantedOf(sensors);
  const { many, ...placed } = bucketsOf(days);
  return countedOf(connection.pieces(lent_day_sum[many][form], { ...wanted, ...placed }));
}

async function* countedOf(pieces: Promise<Iterable<Chunk>>): AsyncGenerator<CountedMinutes, void> {
  for (const { vectors } of await pieces) {
    yield { ...keysOf(vectors), minutes: numbersOf(vectors[2]) };
  }
}

/** The keys, which are the first two columns. */
export function keysOf([sensor_no, bucket]: Chunk["vectors"]): BucketKeys {
  return { sensor_no: wholes(sensor_no), bucket: wholes(bucket) };
}

function wholes(vector: Vector): Int32Array {
  assert(vector.kind === "int32", "keys are int32");
  return vector.values;
}

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
