// Readings of sensors aggregated over the time of each bucket.
import day_sum_sql from "./day_sum.sql" with { type: "text" };
import minute_read_sql from "./minute_read.sql" with { type: "text" };
import minutes_sum_sql from "./minutes_sum.sql" with { type: "text" };
import plain_find_sql from "./plain_find.sql" with { type: "text" };
import quarter_read_sql from "./quarter_read.sql" with { type: "text" };
import quarter_sum_sql from "./quarter_sum.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import { numbersOf } from "../../model/data/chunk.ts";
import type { OverTime } from "../../model/plant/measure.ts";
import type { DayPositions, Piece } from "../../model/time/bucket.ts";
import { minute_us } from "../../model/time/series.ts";
import type { MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../connection.ts";
import { exactSum } from "../availability/exact_sum.ts";
import type { ResultPieces } from "../duckdb/result.ts";
import { database_limits } from "../limits.ts";
import { bucketsOf, ofDays, ofReadings, ofSensors, wantedBoth, wantedOf } from "./sensor.ts";
import { hasWholes } from "./whole.ts";
import { type ParameterTypes, type Runnable, type Statement, statement } from "../statement.ts";

/** Which sensors to read, how they aggregate over time, and whether dark minutes count. */
export type Reading = {
  readonly sensors: Int32Array;
  /** The tags that they read, each once. */
  readonly tags: Int32Array;
  readonly over_time: OverTime;
  readonly light_only: boolean;
  /** Without setpoint values nothing is read for them. */
  readonly has_setpoint: boolean;
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

/** Whole local days [from_day, to_day), which hold every minute asked for. */
const of_days = { sensors: "int32[]", from_day: "int32", to_day: "int32" } as const;
const of_minutes = { ...of_days, from_minute: "int32", to_minute: "int32" } as const;
const of_piece = { ...of_minutes, light_only: "bool", shift: "int32", width: "int32" } as const;

/** The columns without those of setpoints. */
const plain_names = ["sensor_no", "bucket", "value", "model"] as const;
const row = {
  sensor_no: "int32",
  bucket: "int32",
  value: "float64?",
  model: "float64?",
  value_setpoint: "float64?",
  model_setpoint: "float64?",
} as const;

/** What stands for a bucket's values, of some rows of a table or of one. */
type Way = {
  readonly sum: (column: string) => string;
  readonly mean: (column: string, count: string) => string;
  /** The ends of a bucket. */
  readonly ends: Readonly<Record<"last" | "max" | "min", string>>;
};

/** Rows of quarter-hours and of days, which have sums and how many minutes are in each. */
const of_sums: Way = {
  sum: exactSum,
  mean: (column, count) => `${exactSum(column)} / nullif(sum(${count}), 0)`,
  ends: { last: "arg_max(last, last_minute)", max: "max(maximum)", min: "min(minimum)" },
};
const of_sum: Way = {
  sum: (column) => column,
  mean: (column, count) => `${column} / nullif(${count}, 0)`,
  ends: { last: "last", max: "maximum", min: "minimum" },
};
const of_rows: Way = {
  sum: exactSum,
  mean: (column) => `${exactSum(column)} / count(${column})`,
  ends: {
    last: "arg_max(reading.value, minute)",
    max: "max(reading.value)",
    min: "min(reading.value)",
  },
};

/** The columns of a bucket. Where no setpoint is active, a table's columns for it may be null. */
function listOf(
  { table, bucket, over, way, is_setpoint_null }: {
    readonly table: string;
    readonly bucket: string;
    readonly over: OverTime;
    readonly way: Way;
    readonly is_setpoint_null: boolean;
  },
): Readonly<Record<keyof typeof row, string>> {
  const { sum, mean, ends } = way;
  const plain = (name: string) => `${table}.${name}`;
  const setpoint = (name: string) =>
    is_setpoint_null
      ? `coalesce(${plain(`${name}_setpoint`)}, ${plain(name)})`
      : plain(`${name}_setpoint`);
  const valueOf = (column: string) => {
    if (over === "increment") return sum(column);
    return over === "last" || over === "max" || over === "min" ? ends[over] : mean(column, "n");
  };
  const modelOf = (column: string) => over === "increment" ? sum(column) : mean(column, "model_n");
  return {
    sensor_no: plain("sensor_no"),
    bucket: `(${bucket})::INTEGER`,
    value: valueOf(plain("value")),
    model: modelOf(plain("model")),
    value_setpoint: valueOf(setpoint("value")),
    model_setpoint: modelOf(setpoint("model")),
  };
}

/** Makes something for each way to aggregate over time. */
function byOverTime<S>(make: (over: OverTime) => S): Readonly<Record<OverTime, S>> {
  const mean = make("mean");
  return {
    ...{ mean, time_weighted_mean: mean, increment: make("increment"), last: make("last") },
    ...{ max: make("max"), min: make("min") },
  };
}

const of_quarters = {
  table: "quarter",
  bucket: "(quarter.quarter * 15 + $shift::INTEGER) // $width::INTEGER",
  is_setpoint_null: true,
} as const;

const quarter_sum = byOverTime((over) =>
  ofSensors({
    sql: quarter_sum_sql,
    parameters: of_piece,
    row,
    lists: { columns: listOf({ ...of_quarters, over, way: of_sums }) },
  })
);

/** Of buckets of a quarter-hour. */
const quarter_read = byOverTime((over) =>
  ofSensors({
    sql: quarter_read_sql,
    parameters: of_piece,
    row,
    lists: {
      one: listOf({ ...of_quarters, over, way: of_sum }),
      several: listOf({ ...of_quarters, over, way: of_sums }),
    },
  })
);

const minutes_sum = byOverTime((over) =>
  ofReadings({
    sql: minutes_sum_sql,
    parameters: of_piece,
    row,
    lists: {
      columns: listOf({
        ...{ table: "reading", over, way: of_rows, is_setpoint_null: true },
        bucket: "(reading.minute + $shift::INTEGER) // $width::INTEGER",
      }),
    },
  })
);

/** Of buckets of a minute. */
const minute_read = ofReadings({
  sql: minute_read_sql,
  parameters: { ...of_minutes, light_only: "bool", shift: "int32" },
  row,
  lists: {
    columns: {
      sensor_no: "reading.sensor_no",
      bucket: "(reading.minute + $shift::INTEGER)::INTEGER",
      value: "reading.value",
      model: "reading.model",
      value_setpoint: "coalesce(reading.value_setpoint, reading.value)",
      model_setpoint: "coalesce(reading.model_setpoint, reading.model)",
    },
  },
});

const plain_find = ofSensors({
  sql: plain_find_sql,
  parameters: of_minutes,
  row: { plain: "bool" },
});

/** Whether there may be so many minutes that what they have is looked for before they are read. */
function hasMany(
  { sensors }: Pick<Reading, "sensors">,
  { from_minute, to_minute }: MinuteSpan,
): boolean {
  return sensors.length * (to_minute - from_minute) > database_limits.unlooked_rows;
}

/** Whether more than one statement may read a stretch of minutes: something is looked for first. */
export function looksFirst(
  { wholes }: Pick<Connection, "wholes">,
  reading: Pick<Reading, "sensors" | "has_setpoint">,
  { source, piece }: { readonly source: PieceSource; readonly piece: Piece },
): boolean {
  if (source === "quarter") return false;
  if (!hasMany(reading, piece)) return !wholes.is_known;
  return wholes.meets(piece) || piece.width === 1 && reading.has_setpoint;
}

/** The readings of a stretch of minutes; each bucket is a position of the axis. */
export async function* readPiece(
  connection: Connection,
  reading: Reading,
  { source, piece }: { readonly source: PieceSource; readonly piece: Piece },
): AsyncGenerator<Readings, void> {
  const { light_only, over_time } = reading;
  const { width, shift, ...span } = piece;
  if (source === "quarter") {
    const { form, sensors } = wantedOf(reading.sensors);
    const sum = (width === quarter_minutes ? quarter_read : quarter_sum)[over_time][form];
    const parameters = { ...piece, sensors, light_only };
    return yield* readingsOf(connection.pieces(chosen(sum, reading), parameters));
  }
  const { which, form, ...wanted } = await whichReadings(connection, reading, span);
  if (width > 1) {
    const sum = minutes_sum[over_time][which][form];
    const parameters = { ...piece, ...wanted, light_only };
    return yield* readingsOf(connection.pieces(chosen(sum, reading), parameters));
  }
  const parameters = { ...wanted, ...span, light_only, shift };
  const is_plain = reading.has_setpoint && hasMany(reading, span) &&
    (await connection.rows(plain_find[form], parameters))[0].plain;
  const read = chosen(minute_read[which][form], is_plain ? { has_setpoint: false } : reading);
  yield* readingsOf(connection.pieces(read, parameters));
}

/**
 * Which readings of some minutes are to be looked at, and of what. Of a few minutes where there may
 * be whole quarter-hours it is all: mostly there are some, of today.
 */
async function whichReadings(connection: Connection, reading: Reading, span: MinuteSpan) {
  const { wholes } = connection;
  const { from_minute, to_minute } = span;
  const times = { from_us: from_minute * minute_us, to_us: to_minute * minute_us };
  const is_all = wholes.is_known && !hasMany(reading, span)
    ? wholes.meets(span)
    : await hasWholes(connection, times);
  return is_all
    ? { which: "all", ...wantedBoth(reading) } as const
    : { which: "stored", ...wantedOf(reading.sensors), tags: reading.tags } as const;
}

const quarter_minutes = 15;

const of_daily = { table: "daily", is_setpoint_null: false } as const;

/** Daylight of days, each a bucket; unordered, for the caller scatters them. */
const day_read = byOverTime((over) =>
  ofSensors({
    sql: `
      SELECT {columns} FROM daily
      WHERE {wanted} AND day >= $from_day::INTEGER AND day < $to_day::INTEGER AND light`,
    parameters: { ...of_days, shift: "int32" },
    row,
    lists: {
      columns: listOf({ ...of_daily, over, way: of_sum, bucket: "daily.day + $shift::INTEGER" }),
    },
  })
);

const day_sum = byOverTime((over) =>
  ofDays({
    sql: day_sum_sql,
    parameters: { ...of_days, light_only: "bool", buckets: "int32[]" },
    row,
    lists: { columns: listOf({ ...of_daily, over, way: of_sums, bucket: "{bucket}" }) },
  })
);

/** A statement with the columns alone that are wanted of it. */
function chosen<P extends ParameterTypes>(
  statement: Statement<P, typeof row>,
  { has_setpoint }: Pick<Reading, "has_setpoint">,
): Runnable<P> {
  return has_setpoint ? statement : statement.pick(plain_names);
}

/** The readings of whole local days, each of which falls to the bucket listed for it. */
export function readDays(
  connection: Connection,
  reading: Reading,
  days: DayPositions,
): AsyncGenerator<Readings, void> {
  const { over_time, light_only } = reading;
  const { form, sensors } = wantedOf(reading.sensors);
  const { many, ...placed } = bucketsOf(days);
  const { from_day, to_day } = days;
  const [bucket] = days.buckets;
  if (light_only && days.buckets.every((it, i) => it === bucket + i)) {
    const shift = bucket - from_day;
    const read = chosen(day_read[over_time][form], reading);
    return readingsOf(connection.pieces(read, { sensors, from_day, to_day, shift }));
  }
  const sum = chosen(day_sum[over_time][many][form], reading);
  return readingsOf(connection.pieces(sum, { ...placed, light_only, sensors }));
}

type Days = { readonly from_day: number; readonly to_day: number };

/** The first and the last day on which some sensors have a reading; one row of nulls for none. */
const days_find = statement({
  sql: `
    SELECT min(daily.day)::INTEGER AS first_day, max(daily.day)::INTEGER AS last_day
    FROM daily
    JOIN (SELECT unnest($sensors::INTEGER[]) AS sensor_no) AS wanted
      ON daily.sensor_no = wanted.sensor_no
    WHERE daily.day >= $from_day::INTEGER AND daily.day < $to_day::INTEGER
    ORDER BY first_day`,
  parameters: of_days,
  row: { first_day: "int32?", last_day: "int32?" },
});

/** The local days `[from_day, to_day)` of a range that have any reading, or undefined for none. */
export async function findDays(
  connection: Connection,
  { sensors, from_day, to_day }: { readonly sensors: Int32Array } & Days,
): Promise<Days | undefined> {
  const [row] = await connection.rows(days_find, { sensors, from_day, to_day });
  if (row.first_day === null || row.last_day === null) return undefined;
  return { from_day: row.first_day, to_day: row.last_day + 1 };
}

/** Each is good until the next is asked for. */
async function* readingsOf(pieces: Promise<ResultPieces>): AsyncGenerator<Readings, void> {
  for (const { vectors } of (await pieces).inTurn()) {
    const [sensor_no, bucket, ...values] = vectors;
    assert(sensor_no.kind === "int32" && bucket.kind === "int32", "keys are int32");
    const [value, model, ...set] = values.map(numbersOf);
    const is_plain = set.every((values, i) => isSame(values, [value, model][i]));
    const [value_setpoint, model_setpoint] = is_plain ? [value, model] : set;
    const keys = { sensor_no: sensor_no.values, bucket: bucket.values };
    yield { ...keys, value, model, value_setpoint, model_setpoint };
  }
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}
