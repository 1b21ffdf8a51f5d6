// One body of samples on its way into the database: its rows in runs of one batch each.
import { sample_limits } from "../../model/samples/limits.ts";
import type { Project } from "../../model/plant/plant.ts";
import type {
  ForecastBatch,
  Rejection,
  SampleBatch,
  StoredAnswer,
} from "../../model/samples/sample.ts";
import type { Decoded } from "../../wire/decode.ts";
import { Job, type JobSlice } from "../core/job.ts";

/** A run of rows of one batch, [from, to). */
export type SamplePart = {
  readonly batch: SampleBatch | ForecastBatch;
  readonly from: number;
  readonly to: number;
};

/** The run that one transaction takes, with its job. */
export type Slice = JobSlice<SamplePart, StoredAnswer, Rejection>;

/** Hands out a body's rows: slices of at most `room` rows and their text, each of one batch. */
export function sampleJob(
  project: Project,
  decoded: Decoded,
): Job<SamplePart, StoredAnswer, Rejection> {
  const { batches } = decoded;
  let at = 0;
  let row = 0;
  return new Job({
    project,
    rows: batches.reduce((sum, batch) => sum + batch.rows, 0),
    decoded,
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
    answerOf: ({ accepted, corrected, duplicates, rejected_count, rejected }) => (
      { accepted, corrected, duplicates, rejected_count, rejected }
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
