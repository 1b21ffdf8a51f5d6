// The states of inverters over time.
import type { Chunk, Vector } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import loss_timeline_sql from "./loss_timeline_read.sql" with { type: "text" };
import timeline_sql from "./timeline_read.sql" with { type: "text" };
import { statement } from "../statement.ts";

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

const timeline = statement({
  sql: timeline_sql,
  parameters: {
    from_us: "instant",
    to_us: "instant",
    sensors: "int32[]",
    hierarchy_ids: "text[]",
    device_ids: "text[]",
    device_names: "text[]",
    project_no: "int32",
    from_day: "int32",
    to_day: "int32",
    states: "text[]",
    limit: "int64",
    offset: "int64",
  },
  row: {
    hierarchy_id: "text",
    device_id: "text",
    device_name: "text",
    from_us: "instant",
    to_us: "instant",
    state: "text",
    evidence: "text",
    detail: "text",
    unavailable: "float64",
    override_id: "text",
    override_reason: "text",
    override_author: "text",
  },
});

/** Whose losses, over which days, and to what; no parts mean all. */
export type LossTimelineQuery =
  & Omit<TimelineQuery, "project_no" | "from_us" | "to_us" | "states">
  & {
    readonly parts: readonly string[];
  };

const loss_timeline = statement({
  sql: loss_timeline_sql,
  parameters: {
    sensors: "int32[]",
    hierarchy_ids: "text[]",
    device_ids: "text[]",
    device_names: "text[]",
    from_day: "int32",
    to_day: "int32",
    parts: "text[]",
    limit: "int64",
    offset: "int64",
  },
  row: {
    hierarchy_id: "text",
    device_id: "text",
    device_name: "text",
    from_us: "instant",
    to_us: "instant",
    part: "text",
    energy_wh: "float64",
    evidence: "text",
    detail: "text",
  },
});

/** The losses by inverter and time, in the columns of `model/availability/loss.ts`. */
export async function readLossTimeline(
  connection: Connection,
  query: LossTimelineQuery,
): Promise<Iterable<Chunk>> {
  return inInstants(await connection.pieces(loss_timeline, query));
}

/** The states by inverter and time, in the columns of `model/availability/timeline.ts`. */
export async function readTimeline(
  connection: Connection,
  query: TimelineQuery,
): Promise<Iterable<Chunk>> {
  return inInstants(await connection.pieces(timeline, query));
}

function inInstants(pieces: Iterable<Chunk>): Iterable<Chunk> {
  return Iterator.from(pieces).map(({ rows, vectors }) => ({
    rows,
    vectors: vectors.map(instants),
  }));
}

/** Int64 columns are instants. */
function instants(vector: Vector): Vector {
  return vector.kind === "int64" ? { ...vector, kind: "instant" } : vector;
}
