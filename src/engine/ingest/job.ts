// One body of samples on its way into the database: its rows in runs of one batch each.
import {
  bitOf,
  halvesOf,
  int64At,
  noneValid,
  setValid,
  type Validity,
} from "../../model/data/chunk.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { Project } from "../../model/plant/plant.ts";
import type {
  ForecastBatch,
  IngestAnswer,
  Rejection,
  SampleBatch,
} from "../../model/samples/sample.ts";
import type { Decoded } from "../../wire/decode.ts";
import { minute_us } from "../../model/time/series.ts";
import { Job, type JobSlice } from "../core/job.ts";

/** A run of rows of one batch, [from, to). */
export type SamplePart = {
  readonly batch: SampleBatch | ForecastBatch;
  readonly from: number;
  readonly to: number;
};

/** The run that one transaction takes, with its job. */
export type Slice = JobSlice<SamplePart, IngestAnswer, Rejection>;

/**
 * Hands out a body's rows: slices of at most `room` rows and their text, each of one batch. What is
 * handed out again is in the order of quarter-hours.
 */
export function sampleJob(
  project: Project,
  decoded: Decoded,
): Job<SamplePart, IngestAnswer, Rejection> {
  const batches = [...decoded.batches];
  let at = 0;
  let row = 0;
  return new Job({
    project,
    rows: batches.reduce((sum, batch) => sum + batch.rows, 0),
    decoded,
    back({ batch, from }) {
      at = batches.indexOf(batch);
      row = from;
      const ordered = batch.lane === "forecast" ? undefined : byQuarter(batch, from);
      if (ordered) [batches[at], row] = [ordered, 0];
    },
    next(room) {
      while (row === batches[at].rows) {
        at++;
        row = 0;
      }
      const from = row;
      const { to, size } = runOf(batches[at], from, room);
      row = to;
      return { part: { batch: batches[at], from, to }, rows: to - from, size };
    },
    answerOf: ({ accepted, duplicates, rejected_count, rejected }) => (
      { accepted, duplicates, rejected_count, rejected }
    ),
  });
}

/** Where a run of rows of about `room` ends; a long text counts as several rows. */
function runOf(batch: SampleBatch | ForecastBatch, from: number, room: number) {
  if (batch.lane === "forecast" || batch.value_str.size === 0) {
    const to = Math.min(batch.rows, from + room);
    return { to, size: to - from };
  }
  let [to, size] = [from, 0];
  for (; to < batch.rows && size < room; to++) {
    const { length } = batch.value_str.get(to) ?? "";
    size += Math.max(1, Math.ceil(length / sample_limits.text_row_length));
  }
  return { to, size };
}

/**
 * The rows of a batch from one on by quarter-hour, those of each as they were, so that slices find
 * what is stored of theirs in one place; undefined where they lie so.
 */
function byQuarter(batch: SampleBatch, from: number): SampleBatch | undefined {
  const ts = halvesOf(batch.ts);
  const rows = batch.rows - from;
  // The quarter-hour and the row in one number, which a double holds.
  const keys = Float64Array.from({ length: rows }, (_, i) => {
    const quarter = Math.floor(int64At(ts, from + i) / (15 * minute_us));
    return Math.max(-(2 ** 31), Math.min(quarter, 2 ** 31)) * rows + i;
  });
  if (keys.every((key, i) => i === 0 || key > keys[i - 1])) return undefined;
  keys.sort();
  return rowsAt(batch, Uint32Array.from(keys, (key) => from + key - Math.floor(key / rows) * rows));
}

/** The rows of a batch at some places. */
function rowsAt(batch: SampleBatch, places: Uint32Array): SampleBatch {
  const take = <A extends { slice(from: number, to: number): A }>(values: A): A => {
    const taken = values.slice(0, places.length);
    const [cells, into]: Record<number, unknown>[] = [values, taken];
    for (let i = 0; i < places.length; i++) into[i] = cells[places[i]];
    return taken;
  };
  const takeBits = (valid: Validity) => {
    const taken = noneValid(places.length);
    for (const [i, at] of places.entries()) if (bitOf(valid, at) === 1) setValid(taken, i);
    return taken;
  };
  const texts = Array.from(places.entries(), ([i, at]) => [i, batch.value_str.get(at)] as const);
  return {
    ...batch,
    rows: places.length,
    tag: take(batch.tag),
    ts: take(batch.ts),
    value: take(batch.value),
    value_int: take(batch.value_int),
    int_valid: takeBits(batch.int_valid),
    value_str: new Map(texts.filter((it): it is [number, string] => it[1] !== undefined)),
    quality: take(batch.quality),
    status_code: take(batch.status_code),
    status_valid: takeBits(batch.status_valid),
    line: take(batch.line),
  };
}
