// A body on its way into the database: what became of its rows so far, and its answer.
import { limits } from "../../base/limits.ts";

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

/** Counts rows; keeps the rejections of the first lines. */
export class JobTally<Rejection extends { readonly line: number }> {
  accepted = 0;
  duplicates = 0;
  /** Of the accepted rows, those that wait for something to come. */
  waiting = 0;
  #rejected: Rejection[];
  #rejected_count: number;

  constructor(
    { rejected, rejected_count }: {
      readonly rejected: readonly Rejection[];
      readonly rejected_count: number;
    } = { rejected: [], rejected_count: 0 },
  ) {
    this.#rejected = [...rejected];
    this.#rejected_count = rejected_count;
  }

  get rejected_count(): number {
    return this.#rejected_count;
  }

  /** The first `limits.rejected_shown` rejections, by line. */
  get rejected(): readonly Rejection[] {
    this.#trim();
    return this.#rejected;
  }

  reject(rejection: Rejection): void {
    this.#rejected_count++;
    this.#rejected.push(rejection);
    if (this.#rejected.length > 2 * limits.rejected_shown) this.#trim();
  }

  /** Says that an accepted row was a duplicate after all. */
  recount(): void {
    this.accepted--;
    this.duplicates++;
  }

  /** Forgets everything: the rows are to be counted anew. */
  reset(): void {
    this.accepted =
      this.duplicates =
      this.waiting =
      this.#rejected_count =
        0;
    this.#rejected = [];
  }

  /** Adds what another tally counted. */
  add(other: JobTally<Rejection>): void {
    this.accepted += other.accepted;
    this.duplicates += other.duplicates;
    this.waiting += other.waiting;
    this.#rejected_count += other.#rejected_count;
    this.#rejected.push(...other.#rejected);
    this.#trim();
  }

  #trim(): void {
    this.#rejected.sort((a, b) => a.line - b.line).splice(limits.rejected_shown);
  }
}
