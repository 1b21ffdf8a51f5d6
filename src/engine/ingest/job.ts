// One body of samples on its way into the database: what of it is still to be stored.
import { limits } from "../../base/limits.ts";
import type { Project } from "../../model/plant/plant.ts";
import type {
  ForecastBatch,
  IngestAnswer,
  Rejection,
  SampleBatch,
} from "../../model/samples/sample.ts";
import type { Decoded } from "../../wire/decode.ts";
import { Job, type JobSlice, JobTally } from "../core/job.ts";

/** A run of rows of one batch, [from, to), that one transaction takes. */
export type Slice = JobSlice<IngestJob, Rejection> & {
  readonly batch: SampleBatch | ForecastBatch;
  readonly from: number;
  readonly to: number;
};

/** Hands out a body's rows slice by slice. */
export class IngestJob extends Job<Slice, IngestAnswer, Rejection> {
  readonly project: Project;
  readonly rows: number;
  readonly #batches: Decoded["batches"];
  #batch = 0;
  #row = 0;
  #left: number;

  constructor(project: Project, decoded: Decoded) {
    super(decoded);
    this.project = project;
    this.rows = this.#left = decoded.batches.reduce((sum, batch) => sum + batch.rows, 0);
    this.#batches = decoded.batches;
  }

  get left(): number {
    return this.#left;
  }

  /** The next slice, of at most `room` rows and their text; only while rows are left. */
  take(room: number): Slice {
    while (this.#row === this.#batches[this.#batch].rows) {
      this.#batch++;
      this.#row = 0;
    }
    const batch = this.#batches[this.#batch];
    const from = this.#row;
    const { to, size } = runOf(batch, from, room);
    this.#row = to;
    this.#left -= to - from;
    return { job: this, batch, from, to, size, tally: new JobTally() };
  }

  protected answerOf({ accepted, duplicates, rejected_count, rejected }: JobTally<Rejection>) {
    return { accepted, duplicates, rejected_count, rejected };
  }
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
    size += Math.max(1, Math.ceil(length / limits.text_row_length));
  }
  return { to, size };
}
