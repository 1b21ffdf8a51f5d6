// The minutes that deviation rules look at, and how far they have looked.
import model_list from "./deviation_model.sql" with { type: "text" };
import newest_find from "./deviation_newest.sql" with { type: "text" };
import peers_list from "./deviation_peers.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import type { Chunk, Vector } from "../../model/data/chunk.ts";
import type { MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";

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

/** Minutes of sensors beside what is expected of them. */
export async function* besideModel(
  connection: Connection,
  { from_minute, to_minute, sensors, after }: MinuteSpan & Watched,
): AsyncGenerator<ComparedMinutes, void> {
  const parameters = { from_minute, to_minute, sensors, after };
  yield* compared(await connection.pieces(model_list, parameters));
}

/** Minutes of sensors beside what the median of their peers, by weight, makes of them. */
export async function* besidePeers(
  connection: Connection,
  { from_minute, to_minute, ...peers }: MinuteSpan & WatchedPeers,
): AsyncGenerator<ComparedMinutes, void> {
  const { sensors, after, group_nos, weights } = peers;
  const parameters = { from_minute, to_minute, sensors, after, group_nos, weights };
  yield* compared(await connection.pieces(peers_list, parameters));
}

/** The newest minute with a value, from a minute on, of each of some sensors that has one. */
export async function newestMinutes(
  connection: Connection,
  { sensors, from_minute }: { readonly sensors: readonly number[]; readonly from_minute: number },
): Promise<ReadonlyMap<number, number>> {
  if (sensors.length === 0) return new Map();
  const rows = await connection.rows<{ sensor_no: number; minute: number }>(newest_find, {
    sensors: Int32Array.from(sensors),
    from_minute,
  });
  return new Map(rows.map(({ sensor_no, minute }) => [sensor_no, minute]));
}

/** The last minute that was judged of each sensor, by what was expected of it. */
export type JudgedMinutes = Readonly<Record<"model" | "peers", ReadonlyMap<number, number>>>;

/** How far judging was as last saved. */
export async function readJudged(connection: Connection): Promise<JudgedMinutes> {
  const [row] = await connection.rows<{ value: string }>(
    "SELECT value FROM meta WHERE name = 'judged_minutes'",
  );
  type Saved = Readonly<Record<keyof JudgedMinutes, readonly (readonly [number, number])[]>>;
  const { model, peers }: Saved = row ? JSON.parse(row.value) : { model: [], peers: [] };
  return { model: new Map(model), peers: new Map(peers) };
}

/** Saves how far judging is in the transaction of `write`. */
export async function saveJudged(
  { connection }: Write,
  { model, peers }: JudgedMinutes,
): Promise<void> {
  const value = JSON.stringify({ model: [...model], peers: [...peers] });
  await connection.run("DELETE FROM meta WHERE name = 'judged_minutes'");
  await connection.run("INSERT INTO meta VALUES ('judged_minutes', $value)", { value });
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
