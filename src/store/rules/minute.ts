// The minutes that deviation rules look at, and how far they have looked.
import matched_list_sql from "./deviation_matched_list.sql" with { type: "text" };
import peers_list_sql from "./deviation_peers_list.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import type { Chunk, Vector } from "../../model/data/chunk.ts";
import type { MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { allReadings } from "../performance/whole.ts";
import { statement } from "../statement.ts";

/** Sensors, and of each the minute after which it is looked at; one beside the other. */
export type Watched = { readonly sensors: Int32Array; readonly after: Int32Array };

/** The same in groups of peers; a sensor that is only compared with is looked at `never`. */
export type WatchedPeers = Watched & {
  readonly group_nos: Int32Array;
  readonly weights: readonly number[];
};

/** After every minute. */
export const never = 2 ** 31 - 1;

/** Minutes with a value and an expected one, in the measure's unit; by minute and sensor. */
export type ComparedMinutes = {
  readonly rows: number;
  readonly sensor_no: Int32Array;
  readonly minute: Int32Array;
  readonly value: Float64Array;
  readonly expected: Float64Array;
};

/** The readings of the sensors, of minutes before one. */
function readingsBefore(end: string): string {
  return allReadings({
    samples: `tag_no IN (
      SELECT tag_no FROM sensor WHERE sensor_no IN (SELECT unnest($sensors::INTEGER[]))
    )`,
    wholes: "sensor_no IN (SELECT unnest($sensors::INTEGER[]))",
    ...{ begin: "$from_minute::INTEGER::BIGINT", end },
  });
}

const compared_columns = {
  sensor_no: "int32",
  minute: "int32",
  value: "float64",
  expected: "float64",
} as const;

/** Minutes of sensors beside what is expected of them. */
const beside_model_list = statement({
  sql: `
    SELECT r.sensor_no, r.minute, r.value, coalesce(r.model_setpoint, r.model) AS expected
    FROM reading AS r
    JOIN (
      SELECT unnest($sensors::INTEGER[]) AS sensor_no, unnest($after::INTEGER[]) AS after
    ) AS w ON w.sensor_no = r.sensor_no AND r.minute > w.after
    WHERE r.minute >= $from_minute::INTEGER AND r.minute < $to_minute::INTEGER
      AND r.value IS NOT NULL AND expected IS NOT NULL
    ORDER BY r.minute, r.sensor_no`,
  parameters: { sensors: "int32[]", after: "int32[]", from_minute: "int32", to_minute: "int32" },
  row: compared_columns,
});

/** Minutes of sensors beside what is expected of them. */
export async function* besideModel(
  connection: Connection,
  { from_minute, to_minute, sensors, after }: MinuteSpan & Watched,
): AsyncGenerator<ComparedMinutes, void> {
  const parameters = { from_minute, to_minute, sensors, after };
  yield* compared(await connection.pieces(beside_model_list, parameters));
}

/** Minutes of sensors that can be matched, storage left out, beside what is expected of them. */
const matched_list = statement({
  sql: matched_list_sql,
  parameters: { sensors: "int32[]", after: "int32[]", from_minute: "int32", to_minute: "int32" },
  row: compared_columns,
});

/** Minutes of sensors that can be matched, storage left out, beside what is expected of them. */
export async function* matchedBesideModel(
  connection: Connection,
  { from_minute, to_minute, sensors, after }: MinuteSpan & Watched,
): AsyncGenerator<ComparedMinutes, void> {
  const parameters = { from_minute, to_minute, sensors, after };
  yield* compared(await connection.pieces(matched_list, parameters));
}

/** Minutes of sensors beside what the median of their peers makes of them. */
const beside_peers_list = statement({
  sql: peers_list_sql,
  names: { readings: readingsBefore("$to_minute::INTEGER::BIGINT") },
  reach: "near",
  parameters: {
    sensors: "int32[]",
    after: "int32[]",
    group_nos: "int32[]",
    weights: "float64[]",
    from_minute: "int32",
    to_minute: "int32",
  },
  row: compared_columns,
});

/** Minutes of sensors beside what the median of their peers, by weight, makes of them. */
export async function* besidePeers(
  connection: Connection,
  { from_minute, to_minute, ...peers }: MinuteSpan & WatchedPeers,
): AsyncGenerator<ComparedMinutes, void> {
  const { sensors, after, group_nos, weights } = peers;
  const parameters = { from_minute, to_minute, sensors, after, group_nos, weights };
  yield* compared(await connection.pieces(beside_peers_list, parameters));
}

/** The newest minute with a value of each sensor, from a minute on. */
const newest_find = statement({
  sql: `
    SELECT sensor_no, max(minute)::INTEGER AS minute
    FROM {readings}
    WHERE sensor_no IN (SELECT unnest($sensors::INTEGER[])) AND minute >= $from_minute::INTEGER
      AND value IS NOT NULL
    GROUP BY sensor_no
    ORDER BY sensor_no`,
  names: { readings: readingsBefore(`${never}::BIGINT`) },
  reach: "near",
  parameters: { sensors: "int32[]", from_minute: "int32" },
  row: { sensor_no: "int32", minute: "int32" },
});

/** The newest minute with a value, from a minute on, of each of some sensors that has one. */
export async function newestMinutes(
  connection: Connection,
  { sensors, from_minute }: { readonly sensors: readonly number[]; readonly from_minute: number },
): Promise<ReadonlyMap<number, number>> {
  if (sensors.length === 0) return new Map();
  const rows = await connection.rows(newest_find, { sensors, from_minute });
  return new Map(rows.map(({ sensor_no, minute }) => [sensor_no, minute]));
}

/** The last minute that was judged of each sensor, by the name of what it was compared with. */
export type JudgedMinutes = ReadonlyMap<string, ReadonlyMap<number, number>>;

const judged_read = statement({
  sql: "SELECT value FROM meta WHERE name = 'judged_minutes'",
  row: { value: "text" },
});

/** How far judging was as last saved. */
export async function readJudged(connection: Connection): Promise<JudgedMinutes> {
  const [row] = await connection.rows(judged_read);
  type Saved = Readonly<Record<string, readonly (readonly [number, number])[]>>;
  const saved: Saved = row ? JSON.parse(row.value) : {};
  return new Map(Object.entries(saved).map(([name, minutes]) => [name, new Map(minutes)]));
}

const judged_delete = statement({ sql: "DELETE FROM meta WHERE name = 'judged_minutes'" });

const judged_insert = statement({
  sql: "INSERT INTO meta VALUES ('judged_minutes', $value::VARCHAR)",
  parameters: { value: "text" },
});

/** Saves how far judging is in the transaction of `write`. */
export async function saveJudged(
  { connection }: Write,
  judged: JudgedMinutes,
): Promise<void> {
  const saved = [...judged].map(([name, minutes]) => [name, [...minutes]]);
  const value = JSON.stringify(Object.fromEntries(saved));
  await connection.run(judged_delete);
  await connection.run(judged_insert, { value });
}

function* compared(chunks: Iterable<Chunk>): Generator<ComparedMinutes, void> {
  for (const { rows, vectors } of chunks) {
    const [sensor_no, minute, value, expected] = vectors;
    yield {
      rows,
      sensor_no: wholes(sensor_no),
      minute: wholes(minute),
      value: floats(value),
      expected: floats(expected),
    };
  }
}

function wholes(vector: Vector): Int32Array {
  assert(vector.kind === "int32", "numbers of sensors and minutes are int32");
  return vector.values;
}

function floats(vector: Vector): Float64Array {
  assert(vector.kind === "float64", "values are float64");
  return vector.values;
}
