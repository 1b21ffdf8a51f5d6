// The states of inverters over time.
import type { Chunk, Vector } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import timeline_sql from "./timeline_read.sql" with { type: "text" };

/** Whose states, over which days and instants, and which of them; no states mean all. */
export type TimelineQuery = {
  readonly project_no: number;
  readonly sensors: Int32Array;
  readonly hierarchy_ids: readonly string[];
  readonly device_ids: readonly string[];
  readonly device_names: readonly string[];
  readonly from_day: number;
  readonly to_day: number;
  readonly from_us: number;
  readonly to_us: number;
  readonly states: readonly string[];
  readonly limit: number;
  readonly offset: number;
};

/** The states by inverter and time, in the columns of `model/availability/timeline.ts`. */
export async function readTimeline(
  connection: Connection,
  query: TimelineQuery,
): Promise<Iterable<Chunk>> {
  const pieces = await connection.pieces(timeline_sql, query);
  return Iterator.from(pieces).map(({ rows, vectors }) => ({
    rows,
    vectors: vectors.map(instants),
  }));
}

/** Int64 columns are instants. */
function instants(vector: Vector): Vector {
  return vector.kind === "int64" ? { ...vector, kind: "instant" } : vector;
}
