// One body on its way into the database: what of it is still to be stored, and the verdict so far.
import { limits } from "../base/limits.ts";
import type { Project } from "../model/plant.ts";
import type { ForecastBatch, IngestAnswer, Rejection, SampleBatch } from "../model/sample.ts";
import type { Decoded } from "../wire/decode.ts";

/** A run of rows of one batch, [from, to), that one transaction takes. */
export type Slice = {
  readonly job: IngestJob;
  readonly batch: SampleBatch | ForecastBatch;
  readonly from: number;
  readonly to: number;
  readonly size: number;
};

/** Hands out a body's rows slice by slice and counts what becomes of them. */
export class IngestJob {
  readonly project: Project;
  readonly rows: number;
  accepted = 0;
  duplicates = 0;
  readonly #batches: Decoded["batches"];
  readonly #rejected: Rejection[];
  #rejected_count: number;
  #batch = 0;
  #row = 0;
  #left: number;
  readonly #answer = Promise.withResolvers<IngestAnswer>();

  constructor(project: Project, decoded: Decoded) {
    this.project = project;
    this.rows = this.#left = decoded.batches.reduce((sum, batch) => sum + batch.rows, 0);
    this.#batches = decoded.batches;
    this.#rejected = [...decoded.rejected];
    this.#rejected_count = decoded.rejected_count;
  }

  /** Rows that no slice has taken yet. */
  get left(): number {
    return this.#left;
  }

  /** Resolves once every row is committed or rejected. */
  get answer(): Promise<IngestAnswer> {
    return this.#answer.promise;
  }

  /** The next slice, of at most `room` rows; only while rows are left. */
  take(room: number): Slice {
    while (this.#row === this.#batches[this.#batch].rows) {
      this.#batch++;
      this.#row = 0;
    }
    const batch = this.#batches[this.#batch];
    const from = this.#row;
    const to = Math.min(batch.rows, from + room);
    this.#row = to;
    this.#left -= to - from;
    return { job: this, batch, from, to, size: to - from };
  }

  reject(rejection: Rejection): void {
    this.#rejected_count++;
    this.#rejected.push(rejection);
    if (this.#rejected.length > 2 * limits.rejected_shown) this.#trim();
  }

  /** Answers with the verdict. */
  finish(): void {
    this.#trim();
    this.#answer.resolve({
      accepted: this.accepted,
      duplicates: this.duplicates,
      rejected_count: this.#rejected_count,
      rejected: this.#rejected,
    });
  }

  /** Answers with an error: nothing of the transaction that failed is stored. */
  fail(error: unknown): void {
    this.#answer.reject(error);
  }

  /** Keeps the rejections of the first lines. */
  #trim(): void {
    this.#rejected.sort((a, b) => a.line - b.line).splice(limits.rejected_shown);
  }
}
