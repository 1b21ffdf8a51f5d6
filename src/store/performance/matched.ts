// Matched values of sensors by bucket: over the minutes that have both a measured and an expected
// value, and how much daylight these stand for.
import covered_sum_sql from "./covered_sum.sql" with { type: "text" };
import matched_day_sum_sql from "./matched_day_sum.sql" with { type: "text" };
import matched_minute_sum_sql from "./matched_minute_sum.sql" with { type: "text" };
import matched_quarter_sum_sql from "./matched_quarter_sum.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import type { Chunk, Vector } from "../../model/data/chunk.ts";
import type { DayPositions, Piece } from "../../model/time/bucket.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { numbersOf } from "../value.ts";
import type { PieceSource } from "./performance.ts";

/** Which sensors to read, whether they are amounts, and whether dark minutes count. */
export type MatchedReading = {
  readonly sensors: Int32Array;
  readonly is_amount: boolean;
  readonly light_only: boolean;
};

/** Rows of a sensor and bucket, in no order. */
type Keys = { readonly sensor_no: Int32Array; readonly bucket: Int32Array };

/** Means over matched minutes, or matched amounts; storage below a meter is left out of all. */
export type MatchedValues = Keys & {
  readonly value: Float64Array;
  readonly model: Float64Array;
  readonly model_setpoint: Float64Array;
};

/** How many minutes of daylight the matched values stand for. */
export type CoveredMinutes = Keys & { readonly covered: Float64Array };

const of_days = { sensors: "int32[]", from_day: "int32", to_day: "int32" } as const;
const of_piece = {
  ...of_days,
  from_minute: "int32",
  to_minute: "int32",
  shift: "int32",
  width: "int32",
} as const;
const counted = { is_amount: "bool", light_only: "bool" } as const;

const keys = { sensor_no: "int32", bucket: "int32" } as const;
const matched_row = {
  ...keys,
  value: "float64?",
  model: "float64?",
  model_setpoint: "float64?",
} as const;

const by_source = {
  quarter: statement({
    sql: matched_quarter_sum_sql,
    parameters: { ...of_piece, ...counted },
    row: matched_row,
  }),
  minute: statement({
    sql: matched_minute_sum_sql,
    parameters: { ...of_piece, ...counted },
    row: matched_row,
  }),
};

/** The matched values of a stretch of minutes; each bucket is a position of the axis. */
export async function* readMatched(
  connection: Connection,
  reading: MatchedReading,
  { source, piece }: { readonly source: PieceSource; readonly piece: Piece },
): AsyncGenerator<MatchedValues, void> {
  for (const { vectors } of await connection.pieces(by_source[source], { ...reading, ...piece })) {
    yield matchedOf(vectors);
  }
}

const covered_sum = statement({
  sql: covered_sum_sql,
  parameters: of_piece,
  row: { ...keys, covered: "float64" },
});

/** The covered minutes of the same stretch. */
export async function* readCovered(
  connection: Connection,
  sensors: Int32Array,
  piece: Piece,
): AsyncGenerator<CoveredMinutes, void> {
  for (const { vectors } of await connection.pieces(covered_sum, { sensors, ...piece })) {
    yield { ...keysOf(vectors), covered: numbersOf(vectors[2]) };
  }
}

const matched_day_sum = statement({
  sql: matched_day_sum_sql,
  parameters: { ...of_days, ...counted, buckets: "int32[]" },
  row: { ...matched_row, covered: "float64?" },
});

/** The matched values and covered minutes of whole days, each of which falls to its bucket. */
export async function* readMatchedDays(
  connection: Connection,
  reading: MatchedReading,
  { from_day, to_day, buckets }: DayPositions,
): AsyncGenerator<MatchedValues & CoveredMinutes, void> {
  const parameters = { ...reading, from_day, to_day, buckets };
  for (const { vectors } of await connection.pieces(matched_day_sum, parameters)) {
    yield { ...matchedOf(vectors), covered: numbersOf(vectors[5]) };
  }
}

function keysOf([sensor_no, bucket]: Chunk["vectors"]): Keys {
  return { sensor_no: wholes(sensor_no), bucket: wholes(bucket) };
}

function matchedOf(vectors: Chunk["vectors"]): MatchedValues {
  const [value, model, model_setpoint] = vectors.slice(2, 5).map(numbersOf);
  return { ...keysOf(vectors), value, model, model_setpoint };
}

function wholes(vector: Vector): Int32Array {
  assert(vector.kind === "int32", "keys are int32");
  return vector.values;
}
