// Matched values of sensors by bucket: over the minutes that have both a measured and an expected
// value.
import matched_day_sum_sql from "./matched_day_sum.sql" with { type: "text" };
import matched_minute_sum_sql from "./matched_minute_sum.sql" with { type: "text" };
import matched_quarter_sum_sql from "./matched_quarter_sum.sql" with { type: "text" };
import { type Chunk, numbersOf } from "../../model/data/chunk.ts";
import type { DayPositions, Piece } from "../../model/time/bucket.ts";
import type { Connection } from "../connection.ts";
import { exactSum } from "../availability/exact_sum.ts";
import {
  bucket_keys,
  type BucketKeys,
  type CountedMinutes,
  keysOf,
  of_days,
  of_piece,
} from "./minutes.ts";
import type { PieceSource } from "./performance.ts";
import { bucketsOf, ofDays, ofSensors, wantedOf } from "./sensor.ts";

/** Which sensors to read, whether they are amounts, and whether dark minutes count. */
export type MatchedReading = {
  readonly sensors: Int32Array;
  readonly is_amount: boolean;
  readonly light_only: boolean;
};

/** Means over matched minutes, or matched amounts; storage below a meter is left out of all. */
export type MatchedValues = BucketKeys & {
  readonly value: Float64Array;
  readonly model: Float64Array;
  readonly model_setpoint: Float64Array;
};

const counted = { is_amount: "bool", light_only: "bool" } as const;

const matched_row = {
  ...bucket_keys,
  value: "float64?",
  model: "float64?",
  model_setpoint: "float64?",
} as const;

/** A minute's value without storage below its meter. */
const above = (value: string) => `(${value} - coalesce(reading.storage, 0))`;

/** What is added up of each matched value, by its name in the statements. */
function sumsOf(columns: Readonly<Record<"value" | "model" | "model_setpoint", string>>) {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, exactSum(column)]),
  );
}

const by_source = {
  quarter: ofSensors({
    sql: matched_quarter_sum_sql,
    parameters: { ...of_piece, ...counted },
    row: matched_row,
    names: sumsOf({
      value: "quarter.value_matched",
      model: "quarter.model_matched",
      model_setpoint: "coalesce(quarter.model_setpoint_matched, quarter.model_matched)",
    }),
  }),
  minute: ofSensors({
    sql: matched_minute_sum_sql,
    parameters: { ...of_piece, ...counted },
    row: matched_row,
    names: sumsOf({
      value: above("reading.value"),
      model: above("reading.model"),
      model_setpoint: above("coalesce(reading.model_setpoint, reading.model)"),
    }),
  }),
};

/** The matched values of a stretch of minutes; each bucket is a position of the axis. */
export async function* readMatched(
  connection: Connection,
  reading: MatchedReading,
  { source, piece }: { readonly source: PieceSource; readonly piece: Piece },
): AsyncGenerator<MatchedValues, void> {
  const { form, sensors } = wantedOf(reading.sensors);
  const parameters = { ...reading, ...piece, sensors };
  for (const { vectors } of await connection.pieces(by_source[source][form], parameters)) {
    yield matchedOf(vectors);
  }
}

const matched_day_sum = ofDays({
  sql: matched_day_sum_sql,
  parameters: { ...of_days, ...counted, buckets: "int32[]" },
  row: { ...matched_row, minutes: "float64?" },
  names: sumsOf({
    value: "daily.value_matched",
    model: "daily.model_matched",
    model_setpoint: "daily.model_setpoint_matched",
  }),
});

/** Those of whole days, each of which falls to its bucket, and the daylight they stand for. */
export async function* readMatchedDays(
  connection: Connection,
  reading: MatchedReading,
  days: DayPositions,
): AsyncGenerator<MatchedValues & CountedMinutes, void> {
  const { form, sensors } = wantedOf(reading.sensors);
  const { many, ...placed } = bucketsOf(days);
  const parameters = { ...reading, ...placed, sensors };
  for (const { vectors } of await connection.pieces(matched_day_sum[many][form], parameters)) {
    yield { ...matchedOf(vectors), minutes: numbersOf(vectors[5]) };
  }
}

function matchedOf(vectors: Chunk["vectors"]): MatchedValues {
  const [value, model, model_setpoint] = vectors.slice(2, 5).map(numbersOf);
  return { ...keysOf(vectors), value, model, model_setpoint };
}
