// Jobs whose values are computed outside SQL: their lists, their samples and their results.
import job_list_sql from "./job_list.sql" with { type: "text" };
import job_load_sql from "./job_load.sql" with { type: "text" };
import job_plan_sql from "./job_plan.sql" with { type: "text" };
import { type Chunk, noneValid, setValid, type Vector } from "../../model/data/chunk.ts";
import { oneOf, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

/** A run of quarter-hours of a sensor whose values are computed outside SQL. */
const job_columns = {
  sensor_no: "int32",
  lane: oneOf(["value", "model", "setpoint"]),
  tag_no: "int32",
  how: oneOf(["counter", "interval", "integral", "hold", "setpoint"]),
  scale: "float64",
  offset: "float64",
  /** What its device can come to at most, in W; null where that is not known. */
  rated: "float64?",
  interval_s: "int32?",
  interval_at: oneOf(["start", "end"]),
  /** Where its register starts again at 0, if declared. */
  modulus: "float64?",
  from_quarter: "int32",
  to_quarter: "int32",
} as const;
export type Job = PlainRow<typeof job_columns>;

/** A tag's samples to be read: [from_us, to_us). */
export type Window = { readonly tag_no: number; readonly from_us: number; readonly to_us: number };

/** The temporary table of each lane's minute values. */
const lane_tables = {
  value: "roll_amount",
  model: "roll_expected",
  setpoint: "roll_held",
} as const;

const job_plan = statement({ sql: job_plan_sql, row: job_columns });

/** The touched runs of sensors whose values are not plain means. */
export function planJobs(connection: Connection): Promise<Job[]> {
  return connection.rows(job_plan);
}

const job_list = statement({ sql: job_list_sql, row: job_columns });

/** The runs to be computed outside SQL. */
export function listJobs(connection: Connection): Promise<Job[]> {
  return connection.rows(job_list);
}

const job_load = statement({
  sql: job_load_sql,
  reach: "time",
  parameters: { from_us: "instant", to_us: "instant" },
  row: { tag_no: "int32", ts: "float64", value: "float64" },
});

/** The samples of disjoint windows: columns tag_no, ts, value, in order of tag and time. */
export async function loadSamples(
  connection: Connection,
  windows: readonly Window[],
): Promise<Chunk> {
  return await connection.chunk(job_load, await putWindows(connection, windows));
}

/** The tags that have samples in their windows. */
const window_find = statement({
  reach: "time",
  sql: `
    SELECT DISTINCT s.tag_no
    FROM sample AS s
    JOIN roll_window AS w ON w.tag_no = s.tag_no AND s.ts >= w.from_us AND s.ts < w.to_us
    WHERE s.ts >= $from_us AND s.ts < $to_us
    ORDER BY s.tag_no`,
  parameters: { from_us: "instant", to_us: "instant" },
  row: { tag_no: "int32" },
});

/** The tags that have samples in their windows. */
export async function findSampledTags(
  connection: Connection,
  windows: readonly Window[],
): Promise<ReadonlySet<number>> {
  if (windows.length === 0) return new Set();
  const hull = await putWindows(connection, windows);
  const rows = await connection.rows(window_find, hull);
  return new Set(rows.map((row) => row.tag_no));
}

/** An empty list of the samples' windows that jobs read. */
const window_make = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_window (tag_no INTEGER, from_us BIGINT, to_us BIGINT)`,
});

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

/** Minute values, one beside the other. */
export type MinuteRows = {
  readonly sensor_no: Int32Array<ArrayBuffer>;
  readonly minute: Int32Array<ArrayBuffer>;
  readonly value: Float64Array<ArrayBuffer>;
  /** First and last minute that the differences of a counter reach; else `no_span`. */
  readonly span_from: Int32Array<ArrayBuffer>;
  readonly span_to: Int32Array<ArrayBuffer>;
};

/** Where a minute's value is no counter's. */
export const no_span = -1;

/** Takes minute values that were computed outside SQL. */
export function putValues(
  connection: Connection,
  lane: Job["lane"],
  rows: MinuteRows,
): Promise<void> {
  const vectors: Vector[] = [
    { kind: "int32", values: rows.sensor_no },
    { kind: "int32", values: rows.minute },
    { kind: "float64", values: rows.value },
  ];
  if (lane === "value") {
    const valid = noneValid(rows.value.length);
    rows.span_from.forEach((minute, i) => minute !== no_span && setValid(valid, i));
    vectors.push(
      { kind: "int32", values: rows.span_from, valid },
      { kind: "int32", values: rows.span_to, valid },
    );
  }
  return connection.append(lane_tables[lane], { rows: rows.value.length, vectors });
}
