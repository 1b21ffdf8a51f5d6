// Works out the values that SQL can't: increments, integrals and values that hold, job by job.
import { limits } from "../../base/limits.ts";
import {
  addIntervals,
  countRegister,
  holdMeans,
  integrate,
  syncAfter,
  syncBefore,
} from "../../model/rollup/amount.ts";
import { type MinuteValues, noValues, type Readings } from "../../model/time/series.ts";
import type { Connection } from "../../store/connection.ts";
import type { DueUnits } from "../../store/rollup/due.ts";
import { type Job, putValues } from "../../store/rollup/job.ts";
import { intervalOf, type Jobs, loaded, quarter_us, reachOf } from "./load.ts";

/** The quarter-hours, up to that of `over_minute`, that touched samples of the jobs can change. */
export async function affectedUnits(
  connection: Connection,
  { jobs, over_minute }: Jobs,
): Promise<DueUnits> {
  const end_quarter = Math.ceil(over_minute / 15);
  const sensor_no: number[] = [];
  const quarter: number[] = [];
  const remodel: number[] = [];
  const take = (job: Job, from_us: number, to_us: number) => {
    const end = Math.min(Math.ceil(to_us / quarter_us), end_quarter);
    for (let q = Math.floor(from_us / quarter_us); q < end; q++) {
      sensor_no.push(job.sensor_no);
      quarter.push(q);
      remodel.push(job.lane === "value" ? 0 : 1);
    }
  };
  for (const job of jobs.filter((job) => job.how !== "counter")) {
    const { before_us, after_us } = reachOf(job);
    take(job, job.from_quarter * quarter_us - before_us, job.to_quarter * quarter_us + after_us);
  }
  const counters = jobs.filter((job) => job.how === "counter");
  for await (const { job, readings } of loaded(connection, { jobs: counters, over_minute })) {
    const from_us = job.from_quarter * quarter_us;
    const to_us = job.to_quarter * quarter_us;
    const first = Math.max(syncBefore(readings, from_us), 0);
    // Where there is none it is -1, and the last reading of all is the end.
    const last = syncAfter(readings, to_us);
    const end_us = readings.ts.at(last) ?? to_us;
    take(job, Math.min(readings.ts[first] ?? from_us, from_us), Math.max(end_us, to_us));
  }
  return {
    sensor_no: Int32Array.from(sensor_no),
    quarter: Int32Array.from(quarter),
    remodel: Uint8Array.from(remodel),
  };
}

/**
 * Works out the jobs' minutes before `over_minute` and puts them where the readings are made from.
 * Gives how many differences of counters were dropped as physically impossible.
 */
export async function putJobValues(
  connection: Connection,
  { jobs, over_minute }: Jobs,
): Promise<number> {
  const out = { value: new ValueRows(), model: new ValueRows(), setpoint: new ValueRows() };
  let dropped = 0;
  for await (const { job, readings } of loaded(connection, { jobs, over_minute })) {
    // Whether a setpoint is contradicted takes some minutes before, and whether power fell in them.
    const before = job.how === "setpoint" ? limits.contradiction_minutes : 0;
    const minutes = noValues({
      from_minute: job.from_quarter * 15 - before,
      to_minute: Math.min(job.to_quarter * 15, over_minute),
    });
    dropped += fill(minutes, job, readings);
    out[job.lane].add(job.sensor_no, minutes);
  }
  for (const lane of ["value", "model", "setpoint"] as const) {
    await putValues(connection, lane, out[lane].rows());
  }
  return dropped;
}

/** Fills `minutes` with the job's values; gives how many differences of a counter were dropped. */
function fill(minutes: MinuteValues, job: Job, readings: Readings): number {
  const { scale, offset } = job;
  let dropped = 0;
  switch (job.how) {
    case "hold":
      holdMeans(readings, limits.hold_s, minutes);
      scaleBy(minutes.values, scale, offset);
      break;
    case "setpoint":
      holdMeans(readings, limits.setpoint_active_s, minutes);
      scaleBy(minutes.values, scale, offset);
      break;
    case "integral": {
      const value = readings.value.map((item) => item * scale + offset);
      integrate({ ts: readings.ts, value }, minutes);
      break;
    }
    case "interval": {
      const value = readings.value.map((item) => item * scale + offset);
      const interval = { interval_s: intervalOf(job), at: job.interval_at };
      addIntervals({ ts: readings.ts, value }, interval, minutes);
      break;
    }
    case "counter":
      dropped = countJob(minutes, job, readings);
      scaleBy(minutes.values, scale, 0);
  }
  return dropped;
}

function countJob(minutes: MinuteValues, job: Job, readings: Readings): number {
  const from = Math.max(syncBefore(readings, job.from_quarter * quarter_us), 0);
  const per_hour = job.capacity === null
    ? Infinity
    : limits.counter_rated_factor * job.capacity / Math.abs(job.scale);
  const known = { ts: readings.ts.subarray(from), value: readings.value.subarray(from) };
  return countRegister(known, { bits: job.register_bits, per_hour }, minutes);
}

function scaleBy(values: Float64Array, scale: number, offset: number): void {
  if (scale === 1 && offset === 0) return;
  for (let i = 0; i < values.length; i++) values[i] = values[i] * scale + offset;
}

/** Rows of minute values, grown as jobs are worked out; minutes without a value are left out. */
class ValueRows {
  readonly #sensor_no: number[] = [];
  readonly #minute: number[] = [];
  readonly #value: number[] = [];

  add(sensor_no: number, minutes: MinuteValues): void {
    minutes.values.forEach((value, i) => {
      if (!Number.isFinite(value)) return;
      this.#sensor_no.push(sensor_no);
      this.#minute.push(minutes.from_minute + i);
      this.#value.push(value);
    });
  }

  rows() {
    return {
      sensor_no: Int32Array.from(this.#sensor_no),
      minute: Int32Array.from(this.#minute),
      value: Float64Array.from(this.#value),
    };
  }
}
