// A body on its way into the database: what became of its rows so far, and its answer.
import { JobTally } from "./job_tally.ts";

/** What a queue says of a job's rows. */
export type JobAnswer = {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected_count: number;
};

/**
 * Rows of one job that one transaction takes; `size` counts against its room. What becomes of them
 * is counted in `tally`, which is the job's once they are committed.
 */
export type JobSlice<J, Rejection extends { readonly line: number }> = {
  readonly job: J;
  readonly size: number;
  readonly tally: JobTally<Rejection>;
};

/** A body whose rows are taken slice by slice. */
export abstract class Job<
  Slice,
  Answer extends JobAnswer,
  Rejection extends { readonly line: number },
> {
  abstract readonly rows: number;
  readonly #tally: JobTally<Rejection>;
  readonly #answer = Promise.withResolvers<Answer>();

  constructor(decoded: ConstructorParameters<typeof JobTally<Rejection>>[0]) {
    this.#tally = new JobTally(decoded);
  }

  /** Rows that no slice has taken yet. */
  abstract get left(): number;

  /** The next slice, of about `room` at most; only while rows are left. */
  abstract take(room: number): Slice;

  /** Resolves once every row is committed or rejected. */
  get answer(): Promise<Answer> {
    return this.#answer.promise;
  }

  /** Takes what became of a slice: it is committed. */
  count(tally: JobTally<Rejection>): void {
    this.#tally.add(tally);
  }

  /** Answers with the verdict. */
  finish(): void {
    this.#answer.resolve(this.answerOf(this.#tally));
  }

  /** Answers with an error: nothing of the transaction that failed is stored. */
  fail(error: unknown): void {
    this.#answer.reject(error);
  }

  protected abstract answerOf(tally: JobTally<Rejection>): Answer;
}
