// What is touched worked out in temporary tables, set against what is stored, and stored.
import amount_make from "./sql/roll_amount_make.sql" with { type: "text" };
import change_count from "./sql/roll_change_count.sql" with { type: "text" };
import curb_empty from "./sql/roll_curb_empty.sql" with { type: "text" };
import curb_make from "./sql/roll_curb_make.sql" with { type: "text" };
import daily_change from "./sql/roll_daily_change.sql" with { type: "text" };
import daily_insert from "./sql/roll_daily_insert.sql" with { type: "text" };
import daily_make from "./sql/roll_daily_make.sql" with { type: "text" };
import daily_merge from "./sql/roll_daily_merge.sql" with { type: "text" };
import day_make from "./sql/roll_day_make.sql" with { type: "text" };
import day_need from "./sql/roll_day_need.sql" with { type: "text" };
import expected_make from "./sql/roll_expected_make.sql" with { type: "text" };
import held_make from "./sql/roll_held_make.sql" with { type: "text" };
import job_list from "./sql/roll_job_list.sql" with { type: "text" };
import job_load from "./sql/roll_job_load.sql" with { type: "text" };
import job_plan from "./sql/roll_job_plan.sql" with { type: "text" };
import kind_list from "./sql/roll_kind_list.sql" with { type: "text" };
import minute_carry from "./sql/roll_minute_carry.sql" with { type: "text" };
import minute_change from "./sql/roll_minute_change.sql" with { type: "text" };
import minute_insert from "./sql/roll_minute_insert.sql" with { type: "text" };
import minute_make from "./sql/roll_minute_make.sql" with { type: "text" };
import minute_merge from "./sql/roll_minute_merge.sql" with { type: "text" };
import model_empty from "./sql/roll_model_empty.sql" with { type: "text" };
import model_make from "./sql/roll_model_make.sql" with { type: "text" };
import place_list from "./sql/roll_place_list.sql" with { type: "text" };
import plant_hash from "./sql/roll_plant_hash.sql" with { type: "text" };
import quarter_change from "./sql/roll_quarter_change.sql" with { type: "text" };
import quarter_insert from "./sql/roll_quarter_insert.sql" with { type: "text" };
import quarter_merge from "./sql/roll_quarter_merge.sql" with { type: "text" };
import reading_change from "./sql/roll_reading_change.sql" with { type: "text" };
import reading_insert from "./sql/roll_reading_insert.sql" with { type: "text" };
import reading_make from "./sql/roll_reading_make.sql" with { type: "text" };
import reading_merge from "./sql/roll_reading_merge.sql" with { type: "text" };
import scope_make from "./sql/roll_scope_make.sql" with { type: "text" };
import sensor_make from "./sql/roll_sensor_make.sql" with { type: "text" };
import slot_date from "./sql/roll_slot_date.sql" with { type: "text" };
import slot_grow from "./sql/roll_slot_grow.sql" with { type: "text" };
import slot_make from "./sql/roll_slot_make.sql" with { type: "text" };
import source_make from "./sql/roll_source_make.sql" with { type: "text" };
import sum_make from "./sql/roll_sum_make.sql" with { type: "text" };
import tag_make from "./sql/roll_tag_make.sql" with { type: "text" };
import unit_date from "./sql/roll_unit_date.sql" with { type: "text" };
import unit_grow from "./sql/roll_unit_grow.sql" with { type: "text" };
import unit_make from "./sql/roll_unit_make.sql" with { type: "text" };
import window_find from "./sql/roll_window_find.sql" with { type: "text" };
import window_make from "./sql/roll_window_make.sql" with { type: "text" };
import type { Chunk } from "../model/chunk.ts";
import type { Connection } from "./connection.ts";
import type { Write } from "./database.ts";
import type { Parameters } from "./value.ts";

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

/** How many rows of a table are new, and how many others changed or vanished. */
export type ChangeCount = { readonly fresh: number; readonly other: number };
export type TableName = "minute" | "reading" | "quarter" | "daily";

/** What a plant has need of: most of the work is left out where nothing does. */
export type PlantKind = {
  /** Some sensor's values are worked out outside SQL. */
  readonly has_jobs: boolean;
  readonly has_models: boolean;
  /** Some setpoint reaches a power that has a model. */
  readonly has_setpoints: boolean;
};

/** Begins a piece of work: reads how tags and sensors stand now, if they changed since the last. */
export async function beginWork(
  connection: Connection,
  options: { readonly model_carry_s: number },
): Promise<PlantKind> {
  const [{ hash }] = await connection.rows<{ hash: string }>(plant_hash);
  const [seen] = await connection.rows<{ hash: string }>("SELECT hash FROM roll_seen");
  if (seen?.hash !== hash) await readSensors(connection, { ...options, hash });
  const [kind] = await connection.rows<PlantKind>(kind_list);
  if (kind.has_jobs) { for (const empty of amounts) await connection.run(empty); }
  await connection.run(day_make);
  return kind;
}

async function readSensors(
  connection: Connection,
  { hash, model_carry_s }: { readonly hash: string; readonly model_carry_s: number },
): Promise<void> {
  for (const empty of [...amounts, model_empty, curb_empty]) await connection.run(empty);
  await connection.run(tag_make, { model_carry_s });
  await connection.run(sensor_make);
  await connection.run(source_make);
  await connection.run("DELETE FROM roll_seen");
  await connection.run("INSERT INTO roll_seen VALUES ($hash)", { hash });
}

const amounts = [amount_make, expected_make, held_make] as const;

/** The touched runs of sensors whose values are not plain means. */
export function planJobs(connection: Connection): Promise<Job[]> {
  return connection.rows(job_plan);
}

/** Widens what is touched by carried values up to `end_quarter`; finds the sensors it means. */
export async function makeUnits(connection: Connection, end_quarter: number): Promise<void> {
  await connection.run(slot_make, { end_quarter });
  await connection.run(unit_make);
}

/** Adds quarter-hours of sensors to those to be worked out, then everything that goes with them. */
export async function growUnits(
  connection: Connection,
  more: { readonly sensor_no: Int32Array<ArrayBuffer>; readonly quarter: Int32Array<ArrayBuffer> },
): Promise<void> {
  await connection.append("roll_unit", {
    rows: more.sensor_no.length,
    vectors: [
      { kind: "int32", values: more.sensor_no },
      { kind: "int32", values: more.quarter },
    ],
  });
  await connection.run(unit_grow);
  await connection.run(slot_grow);
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

/** Where and in which zone each site is; site 0 stands for each project's zone alone. */
export function readPlaces(connection: Connection): Promise<RollPlace[]> {
  return connection.rows(place_list);
}

/** A site's place, or its project's zone alone. */
export type RollPlace = {
  readonly project_no: number;
  readonly site_no: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly timezone: string;
};

/** The quarter-hours whose local day is needed: columns project_no, site_no (0: none), quarter. */
export function neededDays(connection: Connection): Promise<Chunk> {
  return connection.chunk(day_need);
}

/** Gives each needed quarter-hour its local day and the mask of its daylight minutes. */
export async function putDays(connection: Connection, days: Chunk): Promise<void> {
  await connection.append("roll_day", days);
  await connection.run(slot_date);
  await connection.run(unit_date);
}

/** Works out minutes, readings, quarter-hours, days, and what differs from the stored ones. */
export async function workOut(
  connection: Connection,
  over: {
    readonly over_minute: number;
    readonly range: WorkRange;
    readonly kind: PlantKind;
  },
): Promise<ReadonlyMap<TableName, ChangeCount>> {
  await connection.run(scope_make);
  const [scope] = await connection.rows<{ from_us: number; to_us: number }>(
    "SELECT coalesce(min(quarter), 0)::BIGINT * 900000000 AS from_us, " +
      "(coalesce(max(quarter), 0)::BIGINT + 1) * 900000000 AS to_us FROM roll_scope",
  );
  const to_us = Math.min(scope.to_us, over.over_minute * 60_000_000);
  await connection.run(minute_make, { from_us: scope.from_us, to_us });
  await connection.run(minute_carry, { over_minute: over.over_minute });
  if (over.kind.has_models) await connection.run(model_make);
  if (over.kind.has_setpoints) await connection.run(curb_make);
  await connection.run(reading_make);
  await connection.run(sum_make);
  await connection.run(daily_make, rangeOf("daily", over.range));
  for (const { name, change } of tables) {
    await connection.run(change, rangeOf(name, over.range));
  }
  const counts = await connection.rows<{ name: TableName; fresh: number; other: number }>(
    change_count,
  );
  return new Map(counts.map((count) => [count.name, count]));
}

/** UTC minutes and local days that hold everything which is worked out, both ends included. */
export type WorkRange = {
  readonly from_minute: number;
  readonly to_minute: number;
  readonly from_day: number;
  readonly to_day: number;
};

/** What a statement on a table's rows of the range takes. */
function rangeOf(name: TableName, range: WorkRange): Parameters {
  const { from_minute, to_minute, from_day, to_day } = range;
  return name === "daily" ? { from_day, to_day } : { from_minute, to_minute };
}

const tables = [
  { name: "minute", change: minute_change, merge: minute_merge, insert: minute_insert },
  { name: "reading", change: reading_change, merge: reading_merge, insert: reading_insert },
  { name: "quarter", change: quarter_change, merge: quarter_merge, insert: quarter_insert },
  { name: "daily", change: daily_change, merge: daily_merge, insert: daily_insert },
] as const;

/** Stores what differs; minutes get the write's stamp. */
export async function storeChanges(
  write: Write,
  found: { readonly counts: ReadonlyMap<TableName, ChangeCount>; readonly range: WorkRange },
): Promise<void> {
  for (const { name, merge, insert } of tables) {
    const count = found.counts.get(name);
    const stamp: Parameters = name === "minute" ? { stamp_us: write.stamp_us } : {};
    if (count?.other) {
      await write.connection.run(merge, { ...rangeOf(name, found.range), ...stamp });
    }
    if (count?.fresh) await write.connection.run(insert, stamp);
  }
}
