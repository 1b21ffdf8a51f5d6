// Jobs whose values are worked out outside SQL: their lists, their samples and their results.
import job_list from "./job_list.sql" with { type: "text" };
import job_load from "./job_load.sql" with { type: "text" };
import job_plan from "./job_plan.sql" with { type: "text" };
import window_find from "./window_find.sql" with { type: "text" };
import window_make from "./window_make.sql" with { type: "text" };
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";

/** A run of quarter-hours of a sensor whose values are worked out outside SQL. */
export type Job = {
  readonly sensor_no: number;
  readonly lane: "value" | "model" | "setpoint";
  readonly tag_no: number;
  readonly how: "counter" | "interval" | "integral" | "hold" | "setpoint";
  readonly scale: number;
  readonly offset: number;
  readonly capacity: number | null;
  readonly interval_s: number | null;
  readonly interval_at: "start" | "end";
  readonly register_bits: number | null;
  readonly from_quarter: number;
  readonly to_quarter: number;
};

/** A tag's samples to be read: [from_us, to_us). */
export type Window = { readonly tag_no: number; readonly from_us: number; readonly to_us: number };

/** The temporary table of each lane's minute values. */
const lane_tables = {
  value: "roll_amount",
  model: "roll_expected",
  setpoint: "roll_held",
} as const;

/** The touched runs of sensors whose values are not plain means. */
export function planJobs(connection: Connection): Promise<Job[]> {
  return connection.rows(job_plan);
}

/** The runs to be worked out outside SQL. */
export function listJobs(connection: Connection): Promise<Job[]> {
  return connection.rows(job_list);
}

/** The samples of disjoint windows: columns tag_no, ts, value, in order of tag and time. */
export async function loadSamples(
  connection: Connection,
  windows: readonly Window[],
): Promise<Chunk> {
  return await connection.chunk(job_load, await putWindows(connection, windows));
}

/** The tags that have samples in their windows. */
export async function findTags(
  connection: Connection,
  windows: readonly Window[],
): Promise<ReadonlySet<number>> {
  if (windows.length === 0) return new Set();
  const hull = await putWindows(connection, windows);
  const rows = await connection.rows<{ tag_no: number }>(window_find, hull);
  return new Set(rows.map((row) => row.tag_no));
}

/** Puts the windows into their table and gives the range of time that holds them all. */
async function putWindows(connection: Connection, windows: readonly Window[]) {
  await connection.run(window_make);
  const times = (get: (window: Window) => number) =>
    BigInt64Array.from(windows, (window) => BigInt(get(window)));
  await connection.append("roll_window", {
    rows: windows.length,
    vectors: [
      { kind: "int32", values: Int32Array.from(windows, (window) => window.tag_no) },
      { kind: "int64", values: times((window) => window.from_us) },
      { kind: "int64", values: times((window) => window.to_us) },
    ],
  });
  return {
    from_us: windows.reduce((least, window) => Math.min(least, window.from_us), Infinity),
    to_us: windows.reduce((most, window) => Math.max(most, window.to_us), -Infinity),
  };
}

/** Takes minute values that were worked out outside SQL. */
export function putValues(
  connection: Connection,
  lane: Job["lane"],
  rows: {
    readonly sensor_no: Int32Array<ArrayBuffer>;
    readonly minute: Int32Array<ArrayBuffer>;
    readonly value: Float64Array<ArrayBuffer>;
  },
): Promise<void> {
  return connection.append(lane_tables[lane], {
    rows: rows.value.length,
    vectors: [
      { kind: "int32", values: rows.sensor_no },
      { kind: "int32", values: rows.minute },
      { kind: "float64", values: rows.value },
    ],
  });
}
